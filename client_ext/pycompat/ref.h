// An owned reference to a Python object. GIL held wherever one is made, copied or dropped.
#pragma once

#include "client_ext/pycompat/python.h"

#include <utility>

namespace framegate::pycompat {

class Ref {
 public:
  Ref() = default;

  // Takes a reference that is owned already; null where the call that gave it failed.
  static Ref Steal(PyObject* owned) { return Ref(owned); }

  static Ref Share(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }

  Ref(const Ref& other) : object_(Py_XNewRef(other.object_)) {}

  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}

  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }

  // Gives the reference to the caller.
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }

  void reset() { Py_CLEAR(object_); }

  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Ref(PyObject* owned) : object_(owned) {}

  PyObject* object_ = nullptr;
};

}  // namespace framegate::pycompat
