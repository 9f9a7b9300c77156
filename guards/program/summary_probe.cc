#include "guards/program/summary_probe.h"

#include "base/strings.h"

namespace framegate::guards {

SummaryIndex::SummaryIndex(const model::Summary& summary) {
  const auto add = [this](Node& node, const auto& edge) {
    node.edges.Add(edge.step, edge.index, edge.key, edge.target);
    if (edge.target != model::kAbsent)
      nodes_[edge.target].handle = edge.target;
  };
  for (const model::ObjectRecord& record : summary.records) {
    Node& node = nodes_[record.handle];
    node.handle = record.handle;
    for (const model::FactValue& fact : record.facts)
      node.facts.push_back(&fact);
    for (const model::Edge& edge : record.edges)
      add(node, edge);
  }
  for (const model::Root& root : summary.roots)
    add(roots_, root);
}

bool SummaryIndex::Find(const Node* from, model::Step step, uint32_t index, const model::Constant& key, const Node** to) const {
  const Node& node = model::IsRoot(step) ? roots_ : *from;
  const std::optional<model::Handle> target = node.edges.Find(step, index, key);
  if (!target.has_value()) {
    *to = nullptr;
    return model::SayAbsent(node.facts, step, key) || (step == model::Step::kDataDescriptor && FindDataDescriptor(from, key, to));
  }
  const auto found = nodes_.find(*target);
  *to = found == nodes_.end() ? nullptr : &found->second;
  return true;
}

bool SummaryIndex::FindDataDescriptor(const Node* type, const model::Constant& name, const Node** to) const {
  const Node *value = nullptr, *its_type = nullptr;
  if (!Find(type, model::Step::kTypeAttr, 0, name, &value))
    return false;
  *to = nullptr;
  if (value == nullptr)
    return true;
  if (!Find(value, model::Step::kType, 0, {}, &its_type) || its_type == nullptr)
    return false;
  const model::FactValue* flags = FindFact(its_type, model::Fact::kTypeFlags);
  if (flags == nullptr || !flags->known)
    return false;
  if (model::HasFlag(flags->word, model::TypeFlag::kDataDescriptor))
    *to = value;
  return true;
}

const model::FactValue* SummaryIndex::FindFact(const Node* node, model::Fact fact) {
  for (const model::FactValue* value : node->facts)
    if (value->fact == fact)
      return value;
  return nullptr;
}

bool SummaryProbe::TakeStep(model::Step step, Object from, const Instruction& i, Object* to) noexcept {
  static const model::Constant kNoKey;
  if (model::OperandOf(step) == model::StepOperand::kKey)
    return index_.Find(from, step, 0, *static_cast<const model::Constant*>(i.operand.pointer), to);
  return index_.Find(from, step, static_cast<uint32_t>(i.operand.word), kNoKey, to);
}

bool SummaryProbe::FactIs(model::Fact fact, Object object, const Instruction& i) noexcept {
  if (fact == model::Fact::kAbcAnswers)  // whoever links the program asks
    return true;
  const model::FactValue* value = SummaryIndex::FindFact(object, fact);
  if (value == nullptr || !value->known)
    return false;
  switch (model::ShapeOf(fact)) {
    case model::FactShape::kWord:
      return WordMatches(fact, i.operand.word, value->word);
    case model::FactShape::kConstant:
      return value->constant == *static_cast<const model::Constant*>(i.operand.pointer);
    case model::FactShape::kTensor:
      return value->tensor && Matches(*static_cast<const TensorCheck*>(i.operand.pointer), *value->tensor);
    case model::FactShape::kHash:
      return value->hash == *static_cast<const Hash128*>(i.operand.pointer);
  }
  return false;
}

bool SummaryProbe::Lacks(model::Fact fact, Object object) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(object, fact);
  return value != nullptr && !value->known;
}

bool SummaryProbe::NameIs(Object type, const std::string& name) noexcept {
  const model::FactValue* value = type ? SummaryIndex::FindFact(type, model::Fact::kTypeName) : nullptr;
  if (value == nullptr || !value->known || value->constant.items.size() != 2)
    return false;
  const std::string &module = value->constant.items[0].text, &qualname = value->constant.items[1].text;
  return name.size() == module.size() + 1 + qualname.size() && name.starts_with(module) && name[module.size()] == ':' &&
         name.ends_with(qualname);
}

bool SummaryProbe::TypeIs(Object object, const Instruction& i) noexcept {
  const SummaryIndex::Node* type = nullptr;
  return index_.Find(object, model::Step::kType, 0, {}, &type) && NameIs(type, *static_cast<const std::string*>(i.operand.pointer));
}

bool SummaryProbe::SubclassOf(Object type, const Instruction& i) noexcept {
  const std::string& name = *static_cast<const std::string*>(i.operand.pointer);
  if (NameIs(type, name))
    return true;
  const SummaryIndex::Node* base = nullptr;
  for (uint32_t place = 0; index_.Find(type, model::Step::kMro, place, {}, &base) && base; ++place)
    if (NameIs(base, name))
      return true;
  return false;
}

int SummaryProbe::FailingAmbient(const Instruction& i) noexcept {
  const auto& parts = *static_cast<const std::vector<std::pair<uint8_t, model::Constant>>*>(i.operand.pointer);
  const SummaryIndex::Node* ambient = nullptr;
  const model::FactValue* value = nullptr;
  if (index_.Find(nullptr, model::Step::kAmbient, 0, {}, &ambient) && ambient)
    value = SummaryIndex::FindFact(ambient, model::Fact::kAmbient);
  for (size_t place = 0; place < parts.size(); ++place) {
    const auto& [part, expected] = parts[place];
    if (value == nullptr || part >= value->constant.items.size() || !(value->constant.items[part] == expected))
      return static_cast<int>(place);
  }
  return -1;
}

bool SummaryProbe::Size(Object tensor, uint32_t dimension, int64_t* out) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(tensor, model::Fact::kTensor);
  if (value == nullptr || !value->tensor || dimension >= value->tensor->sizes.size())
    return false;
  *out = value->tensor->sizes[dimension];
  return true;
}

bool SummaryProbe::Stride(Object tensor, uint32_t dimension, int64_t* out) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(tensor, model::Fact::kTensor);
  if (value == nullptr || !value->tensor || dimension >= value->tensor->strides.size())
    return false;
  *out = value->tensor->strides[dimension];
  return true;
}

bool SummaryProbe::StorageOffset(Object tensor, int64_t* out) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(tensor, model::Fact::kTensor);
  if (value == nullptr || !value->tensor)
    return false;
  *out = value->tensor->storage_offset;
  return true;
}

bool SummaryProbe::IntValue(Object object, int64_t* out) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(object, model::Fact::kValue);
  if (value == nullptr || !value->known || !value->constant.is_int())
    return false;
  *out = value->constant.integer;
  return true;
}

bool SummaryProbe::WordFact(model::Fact fact, Object object, int64_t* out) noexcept {
  const model::FactValue* value = SummaryIndex::FindFact(object, fact);
  if (value == nullptr || !value->known)
    return false;
  *out = static_cast<int64_t>(value->word);
  return true;
}

}  // namespace framegate::guards
