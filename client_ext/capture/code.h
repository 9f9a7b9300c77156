// Live code objects by value. Images and ids are computed once per code object and kept in its extra slot, which dies with it; the registry
// from ids to live code is weak: it never keeps a code object alive. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>

#include "base/status.h"
#include "client_ext/observe/constants.h"
#include "model/code_image.h"

namespace framegate::client {

// De-specialised instructions, constants with their exact types. InvalidArgument for code that holds a constant of another kind.
absl::StatusOr<std::shared_ptr<const model::CodeImage>> ImageOf(PyCodeObject* code);

// The id of the code's image; cached. InvalidArgument as above. No Python code runs.
absl::StatusOr<model::CodeId> IdOfCode(PyCodeObject* code);
// The same for evaluation: null where the code has no id. Valid as long as the code object lives.
const model::CodeId* FindCodeId(PyCodeObject* code) noexcept;

// A live code object with this id that ImageOf or IdOfCode has met, borrowed; null where there is none (any more). Nested code of a code
// object that was met is found as well, as long as the outer one lives. Of several with one id, the one met last.
PyCodeObject* FindCode(const model::CodeId& id);

}  // namespace framegate::client
