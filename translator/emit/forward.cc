// The forward of a graph: each node once, each value dropped after its last use.
#include <algorithm>

#include "base/strings.h"
#include "translator/emit/graph_writer.h"

namespace framegate::translator {

using model::ArgKind;
using model::GraphArg;
using model::GraphNode;
using model::NodeOp;

namespace {

struct OperatorRow {
  std::string_view symbol;
  int32_t number;
};

constexpr OperatorRow kBinary[] = {{"add", 0},       {"and_", 1},  {"floordiv", 2}, {"lshift", 3},     {"matmul", 4},   {"mul", 5},
                                   {"mod", 6},       {"or_", 7},   {"pow", 8},      {"rshift", 9},     {"sub", 10},     {"truediv", 11},
                                   {"xor", 12},      {"iadd", 13}, {"iand", 14},    {"ifloordiv", 15}, {"ilshift", 16}, {"imatmul", 17},
                                   {"imul", 18},     {"imod", 19}, {"ior", 20},     {"ipow", 21},      {"irshift", 22}, {"isub", 23},
                                   {"itruediv", 24}, {"ixor", 25}};
constexpr OperatorRow kCompare[] = {{"lt", 0}, {"le", 1}, {"eq", 2}, {"ne", 3}, {"gt", 4}, {"ge", 5}};

class ForwardWriter {
 public:
  ForwardWriter(const model::GraphBlob& blob, model::PyVersion version, model::Entry* entry)
      : blob_(blob), version_(version), entry_(*entry), code_(version) {}

  absl::Status Write(model::NewCode* forward) {
    for (const model::GraphBlob& nested : blob_.graphs) {
      model::NewCode body;
      RETURN_IF_ERROR(ForwardWriter(nested, version_, &entry_).Write(&body));
      entry_.bodies.resize(std::max<size_t>(entry_.bodies.size(), nested.body + 1));
      entry_.bodies[nested.body] = std::move(body);
    }
    FindLastUses();
    for (uint32_t at = 0; at < blob_.nodes.size(); ++at) {
      const GraphNode& node = blob_.nodes[at];
      if (node.op == NodeOp::kPlaceholder)
        continue;
      if (node.op == NodeOp::kOutput) {
        Load(node.args[0]);
        code_.Return();
        break;
      }
      Call(node);
      if (last_use_[at] == at) {
        code_.PopTop();
      } else {
        code_.StoreFast(at);
      }
      Drop(at);
    }
    Assembler::Frame frame{.name = "forward", .qualname = "forward", .filename = "<framegate>", .firstlineno = 1};
    frame.argcount = static_cast<uint32_t>(blob_.inputs.size());
    frame.flags = 0x3;  // CO_OPTIMIZED | CO_NEWLOCALS
    for (const GraphNode& node : blob_.nodes)
      frame.localsplusnames.push_back(node.name);
    ASSIGN_OR_RETURN(*forward, std::move(code_).Finish(frame));
    return absl::OkStatus();
  }

 private:
  void Use(const GraphArg& arg, uint32_t at) {
    if (arg.kind == ArgKind::kNode)
      last_use_[arg.node] = at;
    for (const GraphArg& item : arg.items)
      Use(item, at);
  }

  void FindLastUses() {
    last_use_.resize(blob_.nodes.size());
    for (uint32_t at = 0; at < blob_.nodes.size(); ++at)
      last_use_[at] = at;
    for (uint32_t at = 0; at < blob_.nodes.size(); ++at) {
      for (const GraphArg& arg : blob_.nodes[at].args)
        Use(arg, at);
      for (const auto& [name, arg] : blob_.nodes[at].kwargs)
        Use(arg, at);
    }
    uses_at_.resize(blob_.nodes.size());
    for (uint32_t node = 0; node < blob_.nodes.size(); ++node)
      if (last_use_[node] != node)
        uses_at_[last_use_[node]].push_back(node);
  }

  void Drop(uint32_t at) {
    for (uint32_t node : uses_at_[at])
      code_.DeleteFast(node);
  }

  std::string Target(const std::string& symbol) {
    std::vector<model::ForwardTarget>& targets = entry_.targets;
    for (const model::ForwardTarget& target : targets)
      if (target.symbol == symbol)
        return target.global;
    targets.push_back({.global = StrCat("t", targets.size()), .symbol = symbol});
    return targets.back().global;
  }

  void LoadConstant(const Constant& constant) {
    switch (constant.kind) {
      case ConstantKind::kDtype:
      case ConstantKind::kLayout:
      case ConstantKind::kMemoryFormat: {
        size_t dot = constant.text.rfind('.');
        code_.LoadGlobal(Target(StrCat(constant.text.substr(0, dot), ":", constant.text.substr(dot + 1))));
        return;
      }
      case ConstantKind::kMember:
        code_.LoadGlobal(Target(constant.text));
        return;
      case ConstantKind::kDevice:
        code_.BeginCallGlobal(Target("torch:device"));
        code_.LoadConst(Constant::Str(constant.text));
        code_.Call(1);
        return;
      case ConstantKind::kSize:
        code_.BeginCallGlobal(Target("torch:Size"));
        code_.LoadConst(Constant::Tuple(constant.items));
        code_.Call(1);
        return;
      case ConstantKind::kSlice:
        for (const Constant& item : constant.items)
          LoadConstant(item);
        code_.BuildSlice(3);
        return;
      case ConstantKind::kTuple:
        for (const Constant& item : constant.items)
          LoadConstant(item);
        code_.BuildTuple(static_cast<uint32_t>(constant.items.size()));
        return;
      default:
        code_.LoadConst(constant);
    }
  }

  void Load(const GraphArg& arg) {
    switch (arg.kind) {
      case ArgKind::kNode:
        code_.LoadFast(arg.node);
        return;
      case ArgKind::kConstant:
        LoadConstant(arg.constant);
        return;
      case ArgKind::kSymbol:
        code_.LoadGlobal(Target(arg.symbol));
        return;
      case ArgKind::kGraph:
        code_.LoadGlobal(model::NameOfBody(blob_.graphs[arg.node].body));
        return;
      case ArgKind::kTuple:
      case ArgKind::kList:
      case ArgKind::kSlice:
        for (const GraphArg& item : arg.items)
          Load(item);
        if (arg.kind == ArgKind::kTuple)
          code_.BuildTuple(static_cast<uint32_t>(arg.items.size()));
        else if (arg.kind == ArgKind::kList)
          code_.BuildList(static_cast<uint32_t>(arg.items.size()));
        else
          code_.BuildSlice(3);
        return;
      case ArgKind::kDict:
        for (size_t i = 0; i < arg.items.size(); ++i) {
          LoadConstant(arg.keys[i]);
          Load(arg.items[i]);
        }
        code_.BuildMap(static_cast<uint32_t>(arg.items.size()));
        return;
    }
  }

  bool CallOperator(const GraphNode& node) {
    if (!node.target.starts_with("_operator:") || node.args.size() != 2 || !node.kwargs.empty())
      return false;
    std::string_view name = std::string_view(node.target).substr(10);
    auto load = [&] {
      Load(node.args[0]);
      Load(node.args[1]);
    };
    for (const OperatorRow& row : kBinary)
      if (row.symbol == name) {
        load();
        code_.BinaryOp(row.number);
        return true;
      }
    for (const OperatorRow& row : kCompare)
      if (row.symbol == name) {
        load();
        code_.CompareOp(row.number);
        return true;
      }
    if (name != "getitem")
      return false;
    load();
    code_.BinarySubscr();
    return true;
  }

  void Call(const GraphNode& node) {
    if (CallOperator(node))
      return;
    size_t first = 0;
    if (node.op == NodeOp::kCallMethod) {
      Load(node.args[0]);
      code_.BeginMethod(node.target);
      first = 1;
    } else {
      code_.BeginCallGlobal(Target(node.target));
    }
    for (size_t i = first; i < node.args.size(); ++i)
      Load(node.args[i]);
    std::vector<std::string> keywords;
    for (const auto& [name, arg] : node.kwargs) {
      Load(arg);
      keywords.push_back(name);
    }
    uint32_t count = static_cast<uint32_t>(node.args.size() - first + keywords.size());
    if (keywords.empty())
      code_.Call(count);
    else
      code_.CallKw(count, std::move(keywords));
  }

  const model::GraphBlob& blob_;
  model::PyVersion version_;
  model::Entry& entry_;
  Assembler code_;
  std::vector<uint32_t> last_use_;
  std::vector<std::vector<uint32_t>> uses_at_;
};

}  // namespace

absl::Status GraphWriter::WriteForward(model::Entry* entry) {
  return ForwardWriter(blob_, s_.request().version, entry).Write(&entry->forward);
}

}  // namespace framegate::translator
