#include "model/edge_index.h"

#include <algorithm>

#include "absl/hash/hash.h"

namespace framegate::model {

namespace {

constexpr size_t kFew = 8;  // that are looked through one by one
constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

size_t EdgeIndex::HashOf(Step step, uint32_t index, const Constant& key) {
  if (OperandOf(step) == StepOperand::kKey)
    return absl::HashOf(step, key.kind, key.integer, key.text, key.items.size());
  return absl::HashOf(step, index);
}

bool EdgeIndex::Is(const Item& item, Step step, uint32_t index, const Constant& key) {
  return item.step == step && (OperandOf(step) == StepOperand::kKey ? *item.key == key : item.index == index);
}

void EdgeIndex::Add(Step step, uint32_t index, const Constant& key, Handle target) {
  items_.push_back({.step = step, .index = index, .key = &key, .target = target, .before = kNone});
  if (items_.size() <= kFew)
    return;
  for (size_t at = latest_.empty() ? 0 : items_.size() - 1; at < items_.size(); ++at) {
    Item& item = items_[at];
    uint32_t& latest = latest_.try_emplace(HashOf(item.step, item.index, *item.key), kNone).first->second;
    item.before = latest;
    latest = static_cast<uint32_t>(at);
  }
}

std::optional<Handle> EdgeIndex::Find(Step step, uint32_t index, const Constant& key) const {
  if (latest_.empty()) {
    for (size_t at = items_.size(); at-- > 0;)
      if (Is(items_[at], step, index, key))
        return items_[at].target;
    return std::nullopt;
  }
  const auto found = latest_.find(HashOf(step, index, key));
  for (uint32_t at = found == latest_.end() ? kNone : found->second; at != kNone; at = items_[at].before)
    if (Is(items_[at], step, index, key))
      return items_[at].target;
  return std::nullopt;
}

bool SayAbsent(const std::vector<const FactValue*>& facts, Step step, const Constant& key) {
  return std::any_of(facts.begin(), facts.end(), [&](const FactValue* fact) {
    const bool is_all = (fact->fact == Fact::kDictKeys && step == Step::kDictItem) ||
                        (fact->fact == Fact::kInstanceKeys && step == Step::kAttr) ||
                        (fact->fact == Fact::kTypeKeys && step == Step::kTypeDictItem);
    // A text equals no constant but a text; of numbers that is not so.
    return is_all && fact->known && key.is_str() &&
           std::find(fact->constant.items.begin(), fact->constant.items.end(), key) == fact->constant.items.end();
  });
}

}  // namespace framegate::model
