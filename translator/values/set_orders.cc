#include "translator/values/set_orders.h"

#include <algorithm>
#include <numeric>

#include "base/fields.h"

namespace framegate::translator {

bool SetOrders::Assume(const SetValue* set, Values* elements) {
  // Which element pop() gives depends on where the one before was, which the order of those left does not tell.
  const bool popped = std::any_of(set->history.begin(), set->history.end(),
                                  [](const model::Constant& step) { return !step.items.empty() && step.items[0].text == "pop"; });
  auto [it, is_new] = popped ? std::pair(sets_.end(), true) : sets_.try_emplace(Encode(model::Constant::Tuple(set->history)));
  failed_ = failed_ || popped || (is_new && started_) || (!is_new && it->second.places.size() != elements->size());
  if (failed_)
    return false;
  Order& order = it->second;
  if (is_new) {
    order.places.resize(elements->size());
    std::iota(order.places.begin(), order.places.end(), size_t{0});
  }
  of_[set] = &order;
  Values ordered;
  for (size_t place : order.places)
    ordered.push_back((*elements)[place]);
  *elements = std::move(ordered);
  return true;
}

SetOrders::Order* SetOrders::Find(const SetValue* set) {
  auto it = of_.find(set);
  return it == of_.end() ? nullptr : it->second;
}

void SetOrders::NoteUse(const SetValue* set) {
  if (Order* order = Find(set))
    ++order->uses;
}

SetOrders::Loop* SetOrders::LoopOf(const IteratorValue* iterator) {
  auto* set = iterator == nullptr || iterator->form != IteratorForm::kFixed ? nullptr : As<SetValue>(iterator->source);
  if (set == nullptr || Find(set) == nullptr)
    return nullptr;
  Loop& loop = loops_[iterator];
  loop.set = set;
  return &loop;
}

void SetOrders::NoteEnd(const IteratorValue* iterator) {
  const Loop& loop = loops_[iterator];
  Order* order = Find(loop.set);
  if (order == nullptr || loop.changing.size() > 1 || loop.rounds != iterator->items.size() || loop.rounds != order->places.size())
    return;
  ++order->quiet;
  order->changing.push_back(loop.changing.empty() ? SIZE_MAX : order->places[loop.changing[0]]);
}

bool SetOrders::CanTryAll() {
  size_t count = 1;
  for (auto& [history, order] : sets_) {
    order.is_quiet = order.uses == order.quiet;
    any_quiet_ = any_quiet_ || (order.is_quiet && order.places.size() > 1);
    for (size_t n = 2; n <= order.places.size() && !order.is_quiet && count <= kMost; ++n)
      count *= n;
  }
  return !failed_ && count * (any_quiet_ ? 2 : 1) <= kMost;
}

bool SetOrders::Next() {
  started_ = true;
  of_.clear();
  loops_.clear();
  backward_ = any_quiet_ && !backward_;
  for (auto& [history, order] : sets_) {
    order.forward = std::exchange(order.changing, {});
    order.uses = order.quiet = 0;
    if (order.is_quiet)
      std::reverse(order.places.begin(), order.places.end());
  }
  return backward_ || std::any_of(sets_.begin(), sets_.end(), [](auto& entry) {
           return !entry.second.is_quiet && std::next_permutation(entry.second.places.begin(), entry.second.places.end());
         });
}

bool SetOrders::IsAsBefore() {
  for (const auto& [history, order] : sets_)
    failed_ = failed_ || (order.is_quiet && (order.uses != order.quiet || (backward_ && order.changing != order.forward)));
  return !failed_;
}

}  // namespace framegate::translator
