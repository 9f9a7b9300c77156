// Commands of framegate_bytecode_oracle, by which scripts of tests/oracle compare us with the real interpreters. Each writes to standard
// output; one thread. InvalidArgument for bad input, otherwise what the code under test says.
#pragma once

#include <vector>

#include "base/status.h"
#include "model/entry.h"

namespace framegate::translator::oracle {

// Records of tools/dump_code.py on standard input; for each the code, exception table and line table that the encoder makes of the
// decoded form, each behind a 4-byte length.
absl::Status RoundTrip();

// Programs written by the assembler for `version`, one JSON object a line: the parts of a code object, arguments and expected value.
absl::Status Programs(model::PyVersion version);
// The same programs, for the client's verifier.
absl::StatusOr<std::vector<model::NewCode>> AssembledPrograms(model::PyVersion version);

}  // namespace framegate::translator::oracle
