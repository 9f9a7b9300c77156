#include "translator/emit/graph_writer.h"

#include "absl/strings/ascii.h"
#include "base/strings.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::ArgKind;
using model::GraphArg;
using model::GraphNode;
using model::NodeOp;

uint32_t GraphWriter::AddOutput(TensorValue* tensor) {
  for (uint32_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] == tensor->node)
      return i;
  outputs_.push_back(tensor->node);
  return static_cast<uint32_t>(outputs_.size() - 1);
}

void GraphWriter::MarkArgument(Value* value, std::vector<uint32_t>* work) {
  value = s_.Resolve(value);
  if (auto* tensor = As<TensorValue>(value)) {
    if (tensor->node != UINT32_MAX)
      work->push_back(tensor->node);
  } else if (auto* sequence = As<SequenceValue>(value)) {
    for (Value* item : sequence->items)
      MarkArgument(item, work);
  } else if (auto* slice = As<SliceValue>(value)) {
    for (Value* part : {slice->start, slice->stop, slice->step})
      MarkArgument(part, work);
  } else if (auto* mapping = As<MappingValue>(value)) {
    for (const auto& [key, item] : mapping->items)
      if (item != nullptr)
        MarkArgument(item, work);
  }
}

void GraphWriter::MarkLive() {
  const std::vector<Node>& nodes = s_.graph().nodes();
  live_.assign(nodes.size(), false);
  std::vector<uint32_t> work = outputs_;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].has_effect)
      work.push_back(i);
  for (uint32_t i = 0; i < nodes.size() && work.empty(); ++i)
    if (nodes[i].is_argument)
      work.push_back(i);
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    if (live_[at])
      continue;
    live_[at] = true;
    for (Value* value : nodes[at].args)
      MarkArgument(value, &work);
    for (const auto& [name, value] : nodes[at].kwargs)
      MarkArgument(value, &work);
  }
}

std::string GraphWriter::UniqueName(std::string name) {
  for (char& c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)))
      c = '_';
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0])))
    name = StrCat("_", name);
  int& count = names_[name];
  std::string unique = count == 0 ? name : StrCat(name, "_", count);
  ++count;
  if (unique != name && names_.contains(unique))
    return UniqueName(unique);
  if (unique != name)
    names_[unique] = 1;
  return unique;
}

uint32_t GraphWriter::Placeholder(TensorValue* tensor) {
  auto [it, is_new] = placeholder_.try_emplace(tensor, static_cast<uint32_t>(inputs_.size()));
  if (is_new)
    inputs_.push_back(tensor);
  return it->second;
}

namespace {

// Before placeholders are counted, nodes are numbered from here.
constexpr uint32_t kNodeBase = 1u << 24;

void Renumber(GraphArg* arg, uint32_t placeholders) {
  if (arg->kind == ArgKind::kNode && arg->node >= kNodeBase)
    arg->node = arg->node - kNodeBase + placeholders;
  for (GraphArg& item : arg->items)
    Renumber(&item, placeholders);
}

}  // namespace

absl::StatusOr<GraphArg> GraphWriter::Argument(Value* value) {
  value = s_.Resolve(value);
  if (auto* tensor = As<TensorValue>(value)) {
    if (tensor->node == UINT32_MAX)
      return GraphArg{.kind = ArgKind::kNode, .node = Placeholder(tensor)};
    auto it = place_.find(tensor->node);
    if (it == place_.end())
      return absl::InternalError("a node's argument is not in the graph");
    return GraphArg{.kind = ArgKind::kNode, .node = kNodeBase + it->second};
  }
  Constant constant;
  if (As<SequenceValue>(value) == nullptr && As<SliceValue>(value) == nullptr && ToConstant(s_, value, &constant))
    return GraphArg{.kind = ArgKind::kConstant, .constant = std::move(constant)};
  GraphArg arg;
  Values items;
  if (auto* slice = As<SliceValue>(value)) {
    arg.kind = ArgKind::kSlice;
    items = {slice->start, slice->stop, slice->step};
  } else if (auto* sequence = As<SequenceValue>(value)) {
    bool is_list = s_.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass);
    arg.kind = is_list ? ArgKind::kList : ArgKind::kTuple;
    items = sequence->items;
  } else {
    return absl::InvalidArgumentError(StrCat("an argument of kind ", EnumText(value->kind), " has no form in a graph"));
  }
  for (Value* item : items) {
    ASSIGN_OR_RETURN(GraphArg part, Argument(item));
    arg.items.push_back(std::move(part));
  }
  return arg;
}

absl::Status GraphWriter::Finish() {
  MarkLive();
  std::vector<GraphNode> body;
  const std::vector<Node>& nodes = s_.graph().nodes();
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!live_[i])
      continue;
    const Node& from = nodes[i];
    GraphNode node{.op = from.op, .target = from.target, .position = from.position, .module_stack = from.module_stack};
    for (Value* value : from.args) {
      ASSIGN_OR_RETURN(GraphArg arg, Argument(value));
      node.args.push_back(std::move(arg));
    }
    for (const auto& [name, value] : from.kwargs) {
      ASSIGN_OR_RETURN(GraphArg arg, Argument(value));
      node.kwargs.emplace_back(name, std::move(arg));
    }
    node.name = from.hint;  // made unique below, after the placeholders
    place_[i] = static_cast<uint32_t>(body.size());
    body.push_back(std::move(node));
  }
  has_nodes_ = !body.empty();
  std::vector<std::vector<std::string>> slot_names;
  for (const model::UnitFrame& frame : s_.request().unit.frames) {
    std::shared_ptr<const DecodedCode> code = s_.CodeOf(frame.code);
    slot_names.push_back(code == nullptr ? std::vector<std::string>{} : code->image->localsplusnames);
  }
  for (TensorValue* tensor : inputs_) {
    std::string path = SubjectPath(s_.subjects().nodes(), tensor->subject, slot_names);
    for (char& c : path)
      if (!absl::ascii_isalnum(static_cast<unsigned char>(c)))
        c = '_';
    std::string name = UniqueName(StrCat("l_", path, "_"));
    blob_.nodes.push_back({.op = NodeOp::kPlaceholder, .name = name, .target = StrCat("L_", path, "_")});
    blob_.inputs.push_back(tensor->subject);
  }
  uint32_t placeholders = static_cast<uint32_t>(inputs_.size());
  for (GraphNode& node : body) {
    std::string base = node.name.empty() ? node.target.substr(node.target.find_last_of(":.") + 1) : node.name;
    node.name = UniqueName(base);
    for (GraphArg& arg : node.args)
      Renumber(&arg, placeholders);
    for (auto& [name, arg] : node.kwargs)
      Renumber(&arg, placeholders);
    blob_.nodes.push_back(std::move(node));
  }
  GraphArg outputs{.kind = ArgKind::kTuple};
  for (uint32_t output : outputs_)
    outputs.items.push_back({.kind = ArgKind::kNode, .node = place_[output] + placeholders});
  blob_.nodes.push_back({.op = NodeOp::kOutput, .name = UniqueName("output"), .args = {std::move(outputs)}});
  blob_.positions = s_.graph().positions();
  blob_.module_stacks = s_.graph().scopes();
  return model::VerifyGraph(blob_);
}

}  // namespace framegate::translator
