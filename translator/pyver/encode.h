// Meanings back to a code object: the proof that decoding loses nothing. Thread-safe: a pure function.
#pragma once

#include "base/status.h"
#include "translator/pyver/decode.h"

namespace framegate::translator {

// The image of `code` with code, exceptiontable and linetable written anew from the decoded form: the first two byte for byte what the
// compiler wrote, the third with the same positions for each unit. Internal where an argument does not fit its instruction's units.
absl::StatusOr<model::CodeImage> EncodeCode(const DecodedCode& code);

}  // namespace framegate::translator
