#include "translator/graph/graph.h"

#include <algorithm>

namespace framegate::translator {

uint32_t Graph::Add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Graph::Truncate(size_t size) {
  nodes_.resize(size);
  while (!bodies_.empty() && bodies_.back().end > size)
    bodies_.pop_back();
}

bool Graph::ChangesOutside() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return !node.written.empty(); });
}

uint32_t Graph::AddPosition(model::Position position) {
  if (!positions_.empty()) {
    const model::Position& last = positions_.back();
    if (last.caller == position.caller && last.line == position.line && last.function == position.function &&
        last.filename == position.filename)
      return static_cast<uint32_t>(positions_.size() - 1);
  }
  positions_.push_back(std::move(position));
  return static_cast<uint32_t>(positions_.size() - 1);
}

uint32_t Graph::AddScope(model::ModuleScope scope) {
  scopes_.push_back(std::move(scope));
  return static_cast<uint32_t>(scopes_.size() - 1);
}

}  // namespace framegate::translator
