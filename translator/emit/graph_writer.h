// The graph of a segment as a blob, and its forward as code. Outputs are registered first; Finish then drops what nobody uses. One use.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "translator/emit/assembler.h"
#include "translator/values/session.h"

namespace framegate::translator {

class GraphWriter {
 public:
  explicit GraphWriter(Session& session) : s_(session) {}

  GraphWriter(const GraphWriter&) = delete;
  GraphWriter& operator=(const GraphWriter&) = delete;

  // The value of a node is wanted outside of the graph; gives its place in the output tuple.
  uint32_t AddOutput(TensorValue* tensor);

  size_t outputs() const { return outputs_.size(); }

  // Drops dead nodes and orders placeholders by first use. InvalidArgument: an argument has no form in a graph.
  absl::Status Finish();

  bool empty() const { return blob_.nodes.size() <= 1 && blob_.inputs.empty() && !has_nodes_; }

  const std::vector<SubjectId>& inputs() const { return blob_.inputs; }

  // The dimension whose size the placeholder is, or kWhole.
  uint32_t SizeOfInput(size_t place) const { return place < blob_.sizes.size() ? blob_.sizes[place] : model::kWhole; }

  model::GraphBlob&& TakeBlob() { return std::move(blob_); }

  absl::Status WriteForward(model::Entry* entry);

 private:
  // One of the functions that a node of `around` is given.
  GraphWriter(const GraphWriter& around, const Body& body)
      : s_(around.s_), begin_(body.begin), outputs_(body.results), live_(around.live_) {}

  absl::Status AddNodes(uint32_t begin, uint32_t end);
  absl::Status AddBodies(const Node& from, model::GraphNode* node);
  absl::Status FinishBody(uint32_t number);
  void AddPlaceholder(const std::string& path, SubjectId subject);
  void AddSizes();
  void AddOutputs();
  void MarkLive();
  void MarkArgument(Value* value, std::vector<uint32_t>* work);
  absl::StatusOr<model::GraphArg> Argument(Value* value);
  uint32_t Placeholder(Value* value);
  model::GraphArg NumberArgument(SymbolValue* number);
  model::GraphArg SymbolArgument(SymbolValue* symbol);
  model::GraphArg TermArgument(uint32_t term);
  model::GraphArg Computed(int32_t op, model::GraphArg left, model::GraphArg right);
  std::string UniqueName(std::string name);

  Session& s_;
  uint32_t begin_ = 0;             // nodes before it are arguments
  std::vector<uint32_t> outputs_;  // graph nodes
  std::vector<bool> live_;
  absl::flat_hash_map<uint32_t, uint32_t> place_;      // graph node -> blob node, placeholders not counted
  absl::flat_hash_map<Value*, uint32_t> placeholder_;  // tensor or generator -> placeholder
  std::vector<Value*> inputs_;
  absl::flat_hash_map<std::string, int> names_;
  std::vector<model::GraphNode> body_;
  std::vector<uint32_t> symbols_;                       // terms that are placeholders
  absl::flat_hash_map<uint32_t, uint32_t> term_nodes_;  // term -> its place in the body
  absl::flat_hash_map<Value*, uint32_t> symbol_nodes_;
  uint32_t* body_count_ = &own_body_count_;  // of the whole graph
  uint32_t own_body_count_ = 0;
  bool has_nodes_ = false;
  model::GraphBlob blob_;
};

}  // namespace framegate::translator
