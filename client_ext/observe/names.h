// Interned names that observing needs, made once and kept for the life of the process. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

namespace framegate::client {

// columns: member, text
#define FRAMEGATE_NAMES(NAME)                                   \
  NAME(module, "__module__")                                    \
  NAME(del, "__del__")                                          \
  NAME(call, "__call__")                                        \
  NAME(grad, "grad")                                            \
  NAME(forward, "forward")                                      \
  NAME(dynamic_indices, "_dynamo_dynamic_indices")              \
  NAME(static_indices, "_dynamo_static_indices")                \
  NAME(parameters, "_parameters")                               \
  NAME(buffers, "_buffers")                                     \
  NAME(modules, "_modules")                                     \
  NAME(compiled_call, "_compiled_call_impl")                    \
  NAME(backward_hooks, "_backward_hooks")                       \
  NAME(backward_pre_hooks, "_backward_pre_hooks")               \
  NAME(forward_hooks, "_forward_hooks")                         \
  NAME(forward_pre_hooks, "_forward_pre_hooks")                 \
  NAME(global_backward_hooks, "_global_backward_hooks")         \
  NAME(global_backward_pre_hooks, "_global_backward_pre_hooks") \
  NAME(global_forward_hooks, "_global_forward_hooks")           \
  NAME(global_forward_pre_hooks, "_global_forward_pre_hooks")

struct Names {
#define FRAMEGATE_NAME(member, text) PyObject* member = PyUnicode_InternFromString(text);
  FRAMEGATE_NAMES(FRAMEGATE_NAME)
#undef FRAMEGATE_NAME
};

inline const Names& GetNames() {
  static const Names names;
  return names;
}

}  // namespace framegate::client
