// Live code objects by value. Images and ids are computed once per code object and kept in its extra slot, which dies with it; the registry
// from ids to live code is weak: it never keeps a code object alive. GIL held.
#pragma once

#include <Python.h>

#include <memory>

#include "base/status.h"
#include "model/code_image.h"

namespace framegate::client {

// De-specialised instructions, constants with their exact types. InvalidArgument for code that holds a constant of another kind.
absl::StatusOr<std::shared_ptr<const model::CodeImage>> ImageOf(PyCodeObject* code);

// The id of the code's image; cached. InvalidArgument as above. No Python code runs.
absl::StatusOr<model::CodeId> IdOfCode(PyCodeObject* code);
// The same for evaluation: null where the code has no id.
const model::CodeId* FindCodeId(PyCodeObject* code) noexcept;

// A live code object with this id that ImageOf or IdOfCode has met, borrowed; null where there is none (any more). Nested code of a code
// object that was met is found as well, as long as the outer one lives. Of several with one id, the one met last.
PyCodeObject* FindCode(const model::CodeId& id);

// A new reference, or null with an exception set: the constant as a Python object (torch's kinds need torch loaded).
PyObject* ToPython(const model::Constant& constant);
// False where the object is no constant. Never runs Python code, never sets an exception.
bool FromPython(PyObject* object, model::Constant* constant);

}  // namespace framegate::client
