// The sizes and numbers of a call that ran as written under the stance eager_then_compile: what is compiled at the next call takes those
// that have changed since as symbolic, as if the first call had been compiled too. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>
#include <string>
#include <vector>

#include "client_ext/observe/live_unit.h"

namespace framegate::client {

class FirstCall {
 public:
  explicit FirstCall(const LiveFrame& frame);

  // Of arguments that are ints or tensors here and there: `name` of an int, `name#dimension` of a size.
  std::vector<std::string> ChangedIn(const LiveFrame& frame) const;

 private:
  struct Numbers {
    bool is_int = false;
    std::vector<int64_t> values;  // the int, or the tensor's sizes; none: neither
  };

  static Numbers NumbersOf(PyObject* object);

  std::vector<Numbers> slots_;
};

}  // namespace framegate::client
