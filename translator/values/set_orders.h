// The orders in which sets made in a frame give their elements, where the hashes of one process decide them. Each possible order is assumed
// in turn, to see whether what comes of a translation depends on it. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/constant.h"

namespace framegate::translator {

class SetOrders {
 public:
  // Translations that are made for it, at most.
  static constexpr size_t kMost = 8;

  // Permutes the elements of a set with this history (SetValue::history), which are in the order of the client's process. False: no order
  // is to be assumed.
  template <typename T>
  bool Assume(const model::Constant& history, std::vector<T>* elements) {
    const std::vector<size_t>* places = PlacesOf(history, elements->size());
    if (places == nullptr)
      return false;
    std::vector<T> ordered;
    ordered.reserve(places->size());
    for (size_t place : *places)
      ordered.push_back((*elements)[place]);
    *elements = std::move(ordered);
    return true;
  }

  bool any() const { return !places_.empty(); }

  // Whether all combinations may be tried.
  bool CanTryAll() const;
  // To the next combination; false where all have been tried.
  bool Next();

  // A combination led to a set that the first did not have, or one was not to be assumed.
  bool failed() const { return failed_; }

 private:
  const std::vector<size_t>* PlacesOf(const model::Constant& history, size_t size);

  std::map<std::string, std::vector<size_t>> places_;  // by history
  bool started_ = false;                               // past the first combination
  bool failed_ = false;
};

}  // namespace framegate::translator
