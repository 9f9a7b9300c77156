// Metadata of operators by asking torch itself, through framegate._oracle (answer.h says how). Runs Python code. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "base/status.h"
#include "client_ext/capture/handles.h"
#include "model/summary.h"

namespace framegate::client {

// Cancelled, with the exception set, when interrupted. An item with nothing in it where the oracle is not there or cannot tell.
absl::StatusOr<model::AnswerItem> AskOracle(const model::Question& question, const HandleTable& handles);

}  // namespace framegate::client
