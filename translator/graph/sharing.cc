#include "translator/graph/sharing.h"

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
