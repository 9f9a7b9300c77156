#include "translator/graph/frozen.h"

namespace framegate::translator {

namespace {

constexpr int kDeepest = 8;  // as deep as a graph's argument may be

V FrozenValue(Session& s, V value, int depth) {
  V known = s.Look(value);
  if (depth > kDeepest)
    return value;
  if (auto* sequence = As<SequenceValue>(known)) {
    Values items;
    bool changed = s.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass);
    for (V item : sequence->items) {
      items.push_back(FrozenValue(s, item, depth + 1));
      changed = changed || items.back() != item;
    }
    if (!changed)
      return value;
    auto* copy = s.New<SequenceValue>();
    copy->type = sequence->type;
    copy->items = std::move(items);
    return copy;
  }
  if (auto* mapping = As<MappingValue>(known); mapping != nullptr && mapping->complete) {
    auto* copy = s.New<MappingValue>();
    copy->type = mapping->type;
    for (const auto& [key, item] : mapping->items)
      if (item != nullptr)
        copy->items.emplace_back(key, FrozenValue(s, item, depth + 1));
    return copy;
  }
  return value;
}

}  // namespace

Args Frozen(Session& s, Args args) {
  for (V& value : args.positional)
    value = FrozenValue(s, value, 0);
  for (auto& [name, value] : args.keyword)
    value = FrozenValue(s, value, 0);
  return args;
}

}  // namespace framegate::translator
