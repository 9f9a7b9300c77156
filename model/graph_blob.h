// A graph as torch.fx will show it, by value. Nodes refer to earlier nodes by index. Value types. Thread-compatible.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "model/constant.h"
#include "model/subject.h"
#include "model/tensor_facts.h"

namespace framegate::model {

enum class NodeOp : uint8_t {
#define FRAMEGATE_NODE_OP(number, name, text) name = number,
#include "model/node_ops.def"
#undef FRAMEGATE_NODE_OP
};
std::string_view EnumText(NodeOp value);
bool EnumFromText(std::string_view text, NodeOp* value);

enum class ArgKind : uint8_t {
#define FRAMEGATE_ARG(number, name, text) name = number,
#include "model/arg_kinds.def"
#undef FRAMEGATE_ARG
};
std::string_view EnumText(ArgKind value);
bool EnumFromText(std::string_view text, ArgKind* value);

struct GraphArg {
  ArgKind kind = ArgKind::kConstant;
  uint32_t node = 0;            // kNode; kGraph: index into the blob's graphs
  Constant constant;            // kConstant
  std::vector<GraphArg> items;  // kTuple, kList, kSlice (three), kDict (values)
  std::vector<Constant> keys;   // kDict
  std::string symbol;           // kSymbol: an object by module:qualified.name

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("node", s.node);
    v("constant", s.constant);
    v("items", s.items);
    v("keys", s.keys);
    v("symbol", s.symbol);
  }
};

struct GraphNode {
  NodeOp op = NodeOp::kCallFunction;
  std::string name;    // unique in the graph, a Python identifier
  std::string target;  // call_function: module:qualified.name; call_method: the method's name; placeholder: source name (L_x_)
  std::vector<GraphArg> args;
  std::vector<std::pair<std::string, GraphArg>> kwargs;
  uint32_t position = UINT32_MAX;      // index into positions
  uint32_t module_stack = UINT32_MAX;  // index into module_stacks

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("op", s.op);
    v("name", s.name);
    v("target", s.target);
    v("args", s.args);
    v("kwargs", s.kwargs);
    v("position", s.position);
    v("module_stack", s.module_stack);
  }
};

// A place in the user's code; `caller` is the place that called it, outermost last. Lines are relative to the code's first line.
struct Position {
  uint32_t caller = UINT32_MAX;
  std::string filename;
  std::string function;
  int32_t line = 0;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("caller", s.caller);
    v("filename", s.filename);
    v("function", s.function);
    v("line", s.line);
  }
};

// A module whose forward is running; `parent` is the one around it.
struct ModuleScope {
  uint32_t parent = UINT32_MAX;
  std::string path;  // as Python would reach it: L['self'].layers[0]
  std::string type;  // module:qualname of its class

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("parent", s.parent);
    v("path", s.path);
    v("type", s.type);
  }
};

inline constexpr uint32_t kWhole = UINT32_MAX;
inline constexpr uint32_t kNumber = UINT32_MAX - 1;  // a float, which the graph takes as a tensor without dimensions

struct GraphBlob {
  std::vector<GraphNode> nodes;   // placeholders first, output last
  std::vector<SubjectId> inputs;  // per placeholder: the subject in the entry it is read from
  std::vector<uint32_t> sizes;    // per placeholder from the first: the dimension whose size it is, kNumber or kWhole; the rest are whole
  std::vector<Position> positions;
  std::vector<ModuleScope> module_stacks;
  // Functions that nodes are given (kGraph). They take and return tensors, and see nothing else of the graph around them.
  std::vector<GraphBlob> graphs;
  uint32_t body = 0;  // of such a function: its code's place among the entry's bodies

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("nodes", s.nodes);
    v("inputs", s.inputs);
    v("sizes", s.sizes);
    v("positions", s.positions);
    v("module_stacks", s.module_stacks);
    v("graphs", s.graphs);
    v("body", s.body);
  }
};

// InvalidArgument unless nodes refer to earlier ones only, placeholders come first, one output comes last and names are unique identifiers.
absl::Status VerifyGraph(const GraphBlob& graph);

}  // namespace framegate::model
