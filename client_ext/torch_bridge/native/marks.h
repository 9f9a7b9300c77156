// Dimensions of a tensor that the user has marked, by framegate.mark_dynamic or torch._dynamo's: sets of int in its instance attributes.
// GIL held; runs no Python code.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

namespace framegate::client {

struct DimMarks {
  std::vector<int64_t> dynamic_dims;  // ascending, not negative
  std::vector<int64_t> static_dims;

  bool operator==(const DimMarks&) const = default;
};

// Whether the tensor has instance attributes at all; most have not.
bool MayHaveMarks(PyObject* tensor) noexcept;

DimMarks ReadMarks(PyObject* tensor, int64_t rank);

// ReadMarks(...) == marks, without allocating.
bool MarksAre(PyObject* tensor, int64_t rank, const DimMarks& marks) noexcept;

}  // namespace framegate::client
