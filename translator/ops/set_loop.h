// A FOR_ITER over a set whose order is assumed (values/set_orders.h): whether its iterations change anything. One instruction's time.
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

class SetLoop {
 public:
  // Before the iterator is asked: an iteration may have come to its end.
  SetLoop(Session& s, const Frame& f, const Instruction& i);

  // It gave an element.
  void Begin() const;
  // It gave none.
  void End() const;

 private:
  // The local variable that takes the elements; kNoIndex where they go elsewhere.
  uint32_t Variable() const;
  bool ChangedSince(const SetOrders::Loop& loop) const;

  Session& s_;
  const Frame& f_;
  const Instruction& i_;
  const IteratorValue* iterator_ = nullptr;  // null where the loop is none of these
  SetOrders::Loop* loop_ = nullptr;
};

}  // namespace framegate::translator
