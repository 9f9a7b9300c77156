// The frames that wait, on the interpreter's stack: what runs below them sees its callers as it would have without us. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "absl/functional/function_ref.h"
#include "client_ext/drive/pending.h"

namespace framegate::client {

// Runs `action` below the first `count` pending frames, each standing at its instruction in a frame of its own code. False with an
// exception set, one that was raised on the way there or back: no memory, the recursion limit, a signal handler. `*ran`: whether `action`
// has run.
bool RunBelow(PyThreadState* thread, const Pending& pending, size_t count, absl::FunctionRef<void()> action, bool* ran);

// False with an exception set.
bool InitLevels();

}  // namespace framegate::client
