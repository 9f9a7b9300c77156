// The graph a segment builds. Nodes are appended; a rollback cuts them off. Arguments are values; they become node references, constants or
// placeholders when the graph is finished. One thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/graph_blob.h"
#include "model/tensor_facts.h"

namespace framegate::translator {

struct Value;
struct TensorValue;

struct Node {
  model::NodeOp op = model::NodeOp::kCallFunction;
  std::string target;  // symbol, or method name
  std::vector<Value*> args;
  std::vector<std::pair<std::string, Value*>> kwargs;
  Value* result = nullptr;  // a TensorValue, a sequence of them, or null
  std::string hint;         // the variable that receives it
  uint32_t position = UINT32_MAX;
  uint32_t module_stack = UINT32_MAX;
  std::vector<uint32_t> bodies;       // functions that it is given before its arguments
  std::vector<TensorValue*> written;  // inputs whose memory it writes to; null: what else is there when the segment has failed
  bool has_effect = false;            // kept although nobody uses its result
  bool draws = false;                 // may take random numbers
  bool is_argument = false;           // gives an argument as it is: kept only where the graph has nothing else
};

// A function that a node is given: the nodes [begin, end) and what of them it returns. Tensors from before are its arguments.
struct Body {
  uint32_t begin = 0, end = 0;
  std::vector<uint32_t> results;
};

class Graph {
 public:
  uint32_t Add(Node node);

  void Truncate(size_t size);

  std::vector<Body>& bodies() { return bodies_; }

  const std::vector<Body>& bodies() const { return bodies_; }

  std::vector<Node>& nodes() { return nodes_; }

  const std::vector<Node>& nodes() const { return nodes_; }

  // Some node writes to what is there when the segment has failed.
  bool ChangesOutside() const;

  uint32_t AddPosition(model::Position position);
  uint32_t AddScope(model::ModuleScope scope);

  const std::vector<model::Position>& positions() const { return positions_; }

  const std::vector<model::ModuleScope>& scopes() const { return scopes_; }

 private:
  std::vector<Node> nodes_;
  std::vector<Body> bodies_;
  std::vector<model::Position> positions_;
  std::vector<model::ModuleScope> scopes_;
};

}  // namespace framegate::translator
