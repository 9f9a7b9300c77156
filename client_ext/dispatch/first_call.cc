#include "client_ext/dispatch/first_call.h"

#include <algorithm>

#include "base/strings.h"
#include "client_ext/dispatch/subjects.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

FirstCall::FirstCall(const LiveFrame& frame) {
  for (uint32_t i = 0; i < frame.slot_count; ++i)
    slots_.push_back(NumbersOf(frame.slots[i]));
}

FirstCall::Numbers FirstCall::NumbersOf(PyObject* object) {
  Numbers numbers;
  if (object == nullptr)
    return numbers;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    numbers.is_int = overflow == 0;
    if (numbers.is_int)
      numbers.values.push_back(value);
    return numbers;
  }
  const TorchTable* torch = LoadTorch();
  if (torch == nullptr || !torch->is_tensor(object))
    return numbers;
  const int rank = torch->tensor_rank(object);
  int64_t size = 0;
  for (int i = 0; i < rank; ++i)
    if (torch->tensor_size(object, static_cast<uint32_t>(i), &size))
      numbers.values.push_back(size);
  if (numbers.values.size() != static_cast<size_t>(std::max(rank, 0)))
    numbers.values.clear();
  return numbers;
}

std::vector<std::string> FirstCall::ChangedIn(const LiveFrame& frame) const {
  std::vector<std::string> changed;
  const std::vector<std::vector<std::string>> names = SlotNames({.frames = {frame}});
  for (uint32_t i = 0; i < std::min<size_t>(frame.slot_count, slots_.size()); ++i) {
    const Numbers now = NumbersOf(frame.slots[i]);
    const Numbers& then = slots_[i];
    if (now.is_int != then.is_int || now.values.size() != then.values.size())
      continue;
    for (size_t dimension = 0; dimension < now.values.size(); ++dimension)
      if (now.values[dimension] != then.values[dimension])
        changed.push_back(now.is_int ? names.front()[i] : StrCat(names.front()[i], "#", dimension));
  }
  return changed;
}

}  // namespace framegate::client
