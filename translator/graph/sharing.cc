#include "translator/graph/sharing.h"

#include <algorithm>
#include <set>

#include "translator/slots/slots.h"

namespace framegate::translator {

TensorValue* RootOf(TensorValue* tensor) {
  while (tensor->base != nullptr)
    tensor = tensor->base;
  return tensor;
}

namespace {

bool CarriesGradients(const model::TensorFacts& facts) {
  return facts.dtype.find("float") != std::string::npos || facts.dtype.find("complex") != std::string::npos;
}

void Put(Session& s, TensorValue* tensor, const model::TensorFacts& facts) {
  s.Journal(tensor);
  tensor->facts = std::make_shared<model::TensorFacts>(facts);
}

}  // namespace

void SetFacts(Session& s, TensorValue* tensor, const model::TensorFacts& facts) {
  bool joins = facts.requires_grad && !tensor->facts->requires_grad;
  Put(s, tensor, facts);
  if (!joins)
    return;
  TensorValue* root = RootOf(tensor);
  s.foreign_joined = s.foreign_joined || root->foreign;
  for (TensorValue* other : s.tensors) {
    if (other == tensor || other->facts == nullptr || other->facts->requires_grad || !CarriesGradients(*other->facts))
      continue;
    TensorValue* others_root = RootOf(other);
    if (others_root == root) {
      model::TensorFacts changed = *other->facts;
      changed.requires_grad = true;
      changed.is_leaf = false;
      Put(s, other, changed);
    } else if (root->foreign && others_root->foreign) {
      s.Journal(other);
      other->doubtful = true;
    }
  }
}

bool IsFromOutside(Session& s, V value) {
  bool found = false;
  ForEachTensor(s, value, [&](TensorValue* tensor) {
    const TensorValue* root = RootOf(tensor);
    found = found || root->is_real() || root->foreign || tensor->foreign;
  });
  return found;
}

namespace {

bool HasHistory(const model::TensorFacts& facts) {
  return facts.requires_grad && !facts.is_leaf;
}

// The input that a tensor is memory of; null where it is none, or may reach beyond it.
TensorValue* InputOf(Session& s, TensorValue* tensor) {
  for (; tensor->base != nullptr; tensor = tensor->base)
    if (tensor->foreign || (tensor->node != UINT32_MAX && s.graph().nodes()[tensor->node].target.ends_with("as_strided")))
      return nullptr;
  const model::TensorFacts* facts = tensor->is_real() ? s.FactsOf(tensor) : nullptr;
  const bool plain = facts != nullptr && facts->layout == "torch.strided" && !facts->is_inference && !tensor->doubtful;
  return plain && !HasHistory(*facts) ? tensor : nullptr;
}

}  // namespace

std::vector<TensorValue*> WrittenInputs(Session& s, const Values& written, const std::vector<model::TensorFacts>& after) {
  std::vector<TensorValue*> inputs;
  for (V value : written) {
    if (value == nullptr)
      inputs.push_back(nullptr);
    else
      ForEachTensor(s, value, [&](TensorValue* tensor) {
        if (IsFromOutside(s, tensor))
          inputs.push_back(InputOf(s, tensor));
      });
  }
  if (!inputs.empty() && std::any_of(after.begin(), after.end(), HasHistory))
    inputs.push_back(nullptr);
  return inputs;
}

bool CanPutBack(Session& s, const std::vector<TensorValue*>& more) {
  constexpr int64_t kMostBytes = 1 << 20;
  std::set<TensorValue*> inputs(more.begin(), more.end());
  for (const Node& node : s.graph().nodes())
    inputs.insert(node.written.begin(), node.written.end());
  if (inputs.contains(nullptr))
    return false;
  int64_t bytes = 0;
  for (TensorValue* input : inputs) {
    const model::TensorFacts& facts = *s.FactsOf(input);
    int64_t size = ItemSizeOf(facts.dtype);
    for (size_t at = 0; at < facts.sizes.size() && size <= kMostBytes; ++at)
      size *= facts.sizes[at];
    bytes += size;
    if (bytes > kMostBytes)
      return false;
    if (facts.requires_grad)
      s.RelyOnParts(input, guards::kLeafPart);
  }
  return true;
}

bool IsGeneratorType(const TypeValue* type) {
  return type != nullptr && (type->is("torch._C:Generator") || type->is("torch:Generator"));
}

void ForEachTensor(Session& s, V value, const std::function<void(TensorValue*)>& visit, int depth) {
  value = s.Look(value);
  if (depth > 8)
    return;
  if (auto* tensor = As<TensorValue>(value))
    visit(tensor);
  else if (auto* sequence = As<SequenceValue>(value))
    for (V item : sequence->items)
      ForEachTensor(s, item, visit, depth + 1);
  else if (auto* mapping = As<MappingValue>(value))
    for (const auto& [key, item] : mapping->items)
      ForEachTensor(s, item, visit, depth + 1);
}

}  // namespace framegate::translator
