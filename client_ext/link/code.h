// Code objects from received code that has been verified. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "model/entry.h"

namespace framegate::client {

// New code that shows itself as `original`: its file, name, qualified name and lines. A new reference, or null with an exception set.
PyCodeObject* NewCodeObject(const model::NewCode& code, PyCodeObject* original);

// A graph's forward: code of nobody's, under its own names and without lines.
PyCodeObject* NewForwardCode(const model::NewCode& code);

}  // namespace framegate::client
