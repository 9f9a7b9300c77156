// Calls of the C functions in model/pure_calls.def on behalf of the server. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "client_ext/capture/handles.h"
#include "client_ext/capture/observer.h"
#include "model/summary.h"

namespace framegate::client {

// A new reference: the operand as a Python object; null, no exception set, where it cannot be one here.
PyObject* NewOperand(const model::Operand& operand, const HandleTable& handles);

// Result or exception; nothing where the call is not allowed. A result that is no constant gets a handle.
model::AnswerItem CallPure(const model::Question& question, HandleTable& handles, Observer& observer);

// The exception that is set as an answer; it is cleared. False, and it stays, for one that is no Exception (KeyboardInterrupt).
bool TakeException(model::AnswerItem* item);

}  // namespace framegate::client
