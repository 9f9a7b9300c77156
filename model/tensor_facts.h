// The metadata of a tensor that a guard compares, as ../shared reference guards 2.6 lists it. A value type. Thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"

namespace framegate::model {

struct TensorFacts {
  std::string dtype;   // torch.float32
  std::string device;  // cpu, cuda:0, meta
  std::string layout;  // torch.strided
  bool requires_grad = false;
  bool is_leaf = false;
  bool is_inference = false;
  bool has_grad = false;              // .grad is not None; not compared unless read
  std::vector<int64_t> sizes;         // elements per dimension; empty for layouts without sizes
  std::vector<int64_t> strides;       // in elements; empty for layouts without strides
  int64_t storage_offset = 0;         // in elements; not compared unless read
  uint64_t keys = 0;                  // dispatch keys after the thread's include and exclude sets; of this torch build
  std::vector<int64_t> dynamic_dims;  // mark_dynamic
  std::vector<int64_t> static_dims;   // mark_static
  // Within one translation, never sent: the terms of symbolic sizes and strides, 0 for plain ones; empty where all are plain.
  std::vector<uint32_t> size_terms;
  std::vector<uint32_t> stride_terms;
  uint32_t offset_term = 0;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("dtype", s.dtype);
    v("device", s.device);
    v("layout", s.layout);
    v("requires_grad", s.requires_grad);
    v("is_leaf", s.is_leaf);
    v("is_inference", s.is_inference);
    v("has_grad", s.has_grad);
    v("sizes", s.sizes);
    v("strides", s.strides);
    v("storage_offset", s.storage_offset);
    v("keys", s.keys);
    v("dynamic_dims", s.dynamic_dims);
    v("static_dims", s.static_dims);
  }

  bool operator==(const TensorFacts&) const = default;
};

}  // namespace framegate::model
