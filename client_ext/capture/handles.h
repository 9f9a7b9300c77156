// Objects named for the life of one translation: handle -> object with a strong reference, object -> handle. Handles are dense from 1.
// Owned by the session's translation; make, use and destroy it with the GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/summary.h"

namespace framegate::client {

class HandleTable {
 public:
  HandleTable() = default;
  ~HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // kAbsent for null. The first time an object is seen it is kept alive.
  model::Handle Add(PyObject* object);
  // Borrowed; null for kAbsent and unknown handles.
  PyObject* Find(model::Handle handle) const;
  // kAbsent where the object has no handle.
  model::Handle HandleOf(PyObject* object) const;

  size_t size() const { return objects_.size(); }

  // How deep an object has been described already (observer.h); -1: not yet.
  int described(model::Handle handle) const { return described_[handle - 1]; }

  void set_described(model::Handle handle, int depth) { described_[handle - 1] = static_cast<int8_t>(depth); }

 private:
  std::vector<PyObject*> objects_;  // handle - 1
  std::vector<int8_t> described_;
  absl::flat_hash_map<PyObject*, model::Handle> handles_;
};

}  // namespace framegate::client
