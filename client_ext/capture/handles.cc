#include "client_ext/capture/handles.h"

namespace framegate::client {

HandleTable::~HandleTable() {
  for (PyObject* object : objects_)
    Py_DECREF(object);
}

model::Handle HandleTable::Add(PyObject* object) {
  if (object == nullptr)
    return model::kAbsent;
  auto [it, is_new] = handles_.try_emplace(object, static_cast<model::Handle>(objects_.size() + 1));
  if (is_new) {
    objects_.push_back(Py_NewRef(object));
    described_.push_back(-1);
  }
  return it->second;
}

PyObject* HandleTable::Find(model::Handle handle) const {
  return handle == model::kAbsent || handle > objects_.size() ? nullptr : objects_[handle - 1];
}

model::Handle HandleTable::HandleOf(PyObject* object) const {
  auto it = handles_.find(object);
  return it == handles_.end() ? model::kAbsent : it->second;
}

}  // namespace framegate::client
