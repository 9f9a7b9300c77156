// Tensor facts, read from TensorImpl without making Python objects. Signatures and contracts are those of TorchTable. GIL held.
#pragma once

#include "client_ext/torch_bridge/table.h"

namespace framegate::client::native {

bool IsTensor(PyObject* object) noexcept;
bool ReadTensor(PyObject* tensor, model::TensorFacts* facts);
TensorPattern* MakeTensorPattern(const guards::TensorCheck& check);
void FreeTensorPattern(TensorPattern* pattern) noexcept;
bool TensorMatches(PyObject* tensor, const TensorPattern* pattern) noexcept;
bool TensorWords(PyObject* tensor, const TensorPattern* pattern, void* sink, void (*add)(void*, const void*, size_t)) noexcept;
void ThreadKeys(uint64_t keys[2]) noexcept;
bool TensorSize(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept;
bool TensorStride(PyObject* tensor, uint32_t dimension, int64_t* value) noexcept;
bool TensorOffset(PyObject* tensor, int64_t* value) noexcept;
int TensorRank(PyObject* tensor) noexcept;

}  // namespace framegate::client::native
