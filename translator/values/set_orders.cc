#include "translator/values/set_orders.h"

#include <algorithm>
#include <numeric>

#include "base/fields.h"

namespace framegate::translator {

const std::vector<size_t>* SetOrders::PlacesOf(const model::Constant& history, size_t size) {
  // Which element pop() gives depends on where the one before was, which the order of those left does not tell.
  const bool popped = std::any_of(history.items.begin(), history.items.end(),
                                  [](const model::Constant& step) { return !step.items.empty() && step.items[0].text == "pop"; });
  auto [it, is_new] = popped ? std::pair(places_.end(), true) : places_.try_emplace(Encode(history));
  failed_ = failed_ || popped || (is_new && started_) || (!is_new && it->second.size() != size);
  if (failed_)
    return nullptr;
  if (is_new) {
    it->second.resize(size);
    std::iota(it->second.begin(), it->second.end(), size_t{0});
  }
  return &it->second;
}

bool SetOrders::CanTryAll() const {
  size_t count = 1;
  for (const auto& [history, places] : places_)
    for (size_t n = 2; n <= places.size(); ++n)
      if ((count *= n) > kMost)
        return false;
  return !failed_;
}

bool SetOrders::Next() {
  started_ = true;
  return std::any_of(places_.begin(), places_.end(),
                     [](auto& entry) { return std::next_permutation(entry.second.begin(), entry.second.end()); });
}

}  // namespace framegate::translator
