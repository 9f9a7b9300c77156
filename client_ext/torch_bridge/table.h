// What the client knows of torch: one table of functions, filled by the module _framegate_torch, which is compiled against the installed
// torch, or by a slower one over Python's API where that module is not there or does not match (said once, on stderr).
//
// GIL held. Borrowed objects; none is kept. No exception is left set and none crosses. With the native table nothing here runs Python code
// but `object_of`; the slow table calls builtins of torch.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "guards/program/program.h"
#include "model/constant.h"
#include "model/tensor_facts.h"

namespace framegate::client {

// What a check expects of a tensor, or of the ambient state, made ready to compare. Opaque; made and freed by one table.
struct TensorPattern;
struct AmbientPattern;

struct TorchTable {
  // Both modules must come from the same sources and see the same layout of strings and vectors.
  Hash128 schema;
  uint32_t string_size = sizeof(std::string);
  bool native = false;

  // An instance of torch.Tensor or of a subclass.
  bool (*is_tensor)(PyObject* object) noexcept;

  // Fact kTensor. False: not a tensor, or one whose metadata only Python code could tell (a wrapper subclass that overrides sizes).
  bool (*read_tensor)(PyObject* tensor, model::TensorFacts* facts);

  // guards::Matches, faster. `matches` is false for what is no tensor.
  TensorPattern* (*make_tensor_pattern)(const guards::TensorCheck& check);
  void (*free_tensor_pattern)(TensorPattern* pattern) noexcept;
  bool (*tensor_matches)(PyObject* tensor, const TensorPattern* pattern) noexcept;

  // Calls add(sink, address, bytes) for all memory that says whether tensor_matches holds, the tensor's Python attributes and the thread's
  // dispatch keys apart; each is alive while those before it are as they are. False: not told by memory alone. May be null.
  bool (*tensor_words)(PyObject* tensor, const TensorPattern* pattern, void* sink, void (*add)(void*, const void*, size_t)) noexcept;
  // The thread's part of the dispatch keys.
  void (*thread_keys)(uint64_t keys[2]) noexcept;

  // False where there is no such dimension, or as read_tensor.
  bool (*tensor_size)(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept;
  bool (*tensor_stride)(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept;
  bool (*tensor_offset)(PyObject* tensor, int64_t* value) noexcept;
  // Fact kSizes without its constant: the number of dimensions, -1 where unknown.
  int (*tensor_rank)(PyObject* tensor) noexcept;

  // Fact kAmbient: a tuple in the order of model/ambient.def; read_ambient.h says what each part is.
  model::Constant (*read_ambient)();
  // (part, value) pairs as check_ambient has them. `failing` gives -1, or the index of the first pair that differs now.
  AmbientPattern* (*make_ambient_pattern)(const std::vector<std::pair<uint8_t, model::Constant>>& parts);
  void (*free_ambient_pattern)(AmbientPattern* pattern) noexcept;
  int (*failing_ambient)(AmbientPattern* pattern) noexcept;

  // torch's constants: dtype, device, layout, memory format, torch.Size. False where the object is none of them.
  bool (*constant_of)(PyObject* object, model::Constant* constant);
  // A new reference, or null with an exception set (ValueError: no such dtype). REQUIRES: the kind is one of these five.
  PyObject* (*object_of)(const model::Constant& constant);
};

// The table, once torch is loaded; null without torch. May import our module the first time, so not within a check. Keeps a raised
// exception.
const TorchTable* LoadTorch();

// What LoadTorch gave last; null before. For checks.
extern const TorchTable* loaded_torch;

inline const TorchTable* Torch() {
  return loaded_torch;
}

// torch.nn.Module, borrowed; null while it is not loaded. Runs no Python code.
PyTypeObject* ModuleType();

// "version git-commit" of the loaded torch, for model::KeyMaterial; "" without torch.
std::string TorchIdentity();

}  // namespace framegate::client
