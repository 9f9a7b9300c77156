#include "client_ext/dispatch/predict.h"

#include <algorithm>
#include <bit>

#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

constexpr uint32_t kMostSlots = 16, kMostDimensions = 8;

uint64_t Mix(uint64_t hash, uint64_t value) {
  return std::rotl(hash ^ value, 23) * 0x9e3779b97f4a7c15u;
}

uint64_t SizesOf(uint64_t hash, const TorchTable& torch, PyObject* tensor) {
  const int rank = torch.tensor_rank(tensor);
  hash = Mix(hash, static_cast<uint64_t>(rank));
  int64_t size = 0;
  for (uint32_t i = 0; i < std::min(static_cast<uint32_t>(std::max(rank, 0)), kMostDimensions); ++i)
    if (torch.tensor_size(tensor, i, &size))
      hash = Mix(hash, static_cast<uint64_t>(size));
  return hash;
}

uint64_t LooksOf(uint64_t hash, PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  hash = Mix(hash, reinterpret_cast<uintptr_t>(type));
  if (type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type)
    return Mix(hash, static_cast<uint64_t>(type->tp_hash(object)));
  if (type == &PyBool_Type)
    return Mix(hash, object == Py_True);
  if (type == &PyTuple_Type || type == &PyList_Type)
    return Mix(hash, static_cast<uint64_t>(Py_SIZE(object)));
  if (const TorchTable* torch = Torch(); torch != nullptr && torch->is_tensor(object))
    return SizesOf(hash, *torch, object);
  return hash;
}

}  // namespace

uint64_t LooksOf(const LiveFrame& frame) {
  uint64_t hash = 1;
  for (uint32_t i = 0; i < std::min(frame.slot_count, kMostSlots); ++i)
    if (frame.slots[i] != nullptr)
      hash = LooksOf(Mix(hash, i), frame.slots[i]);
  return hash;
}

}  // namespace framegate::client
