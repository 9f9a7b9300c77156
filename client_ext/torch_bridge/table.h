// What the client asks of torch: one table of C functions, filled by the torch bridge, null without torch. Nothing else in the client knows
// torch's ABI. GIL held. Functions that observe run no Python code, allocate no Python object and leave the error indicator alone.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "guards/program/program.h"
#include "model/constant.h"
#include "model/tensor_facts.h"

namespace framegate::client {

struct TorchTable {
  // A tensor, of a subclass too.
  bool (*is_tensor)(PyObject* object);
  // False where it is no tensor.
  bool (*read_tensor)(PyObject* object, model::TensorFacts* facts);
  bool (*size)(PyObject* object, uint32_t dimension, int64_t* value);
  bool (*stride)(PyObject* object, uint32_t dimension, int64_t* value);
  bool (*storage_offset)(PyObject* object, int64_t* value);
  // Borrowed; null where there is none, or where it has no Python object yet.
  PyObject* (*grad)(PyObject* object);

  // A tensor check made ready to compare (guards::Matches says what): owned by the caller until free_tensor_check.
  const void* (*new_tensor_check)(const guards::TensorCheck& check);
  void (*free_tensor_check)(const void* check);
  // False where it is no tensor.
  bool (*tensor_matches)(PyObject* object, const void* check);

  // A tuple in the order of model/ambient.def.
  bool (*read_ambient)(model::Constant* value);
  // Some parts of it made ready to compare, by part and value; failing_ambient gives the first that differs, -1 for none.
  const void* (*new_ambient_check)(const std::vector<std::pair<uint8_t, model::Constant>>& parts);
  void (*free_ambient_check)(const void* check);
  int (*failing_ambient)(const void* check);

  // torch.jit tracing is on: nn.Module.__call__ then goes another way.
  bool (*is_tracing)();
  // dtype, device, layout, memory_format and torch.Size by value; false for other objects.
  bool (*read_constant)(PyObject* object, model::Constant* constant);
  // A new reference, or null with an exception set, for constants of these kinds.
  PyObject* (*new_constant)(const model::Constant& constant);
};

// Null until torch is there. Set once, by the extension module.
inline const TorchTable* torch_table = nullptr;

}  // namespace framegate::client
