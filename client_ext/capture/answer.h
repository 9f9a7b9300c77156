// Answers to the server's questions about live objects. GIL held. Only kCall and kMeta run code: pure C functions of model/pure_calls.def,
// and framegate._oracle. An exception of theirs is an answer; none is left set.
#pragma once

#include "base/status.h"
#include "client_ext/capture/handles.h"
#include "model/summary.h"

namespace framegate::client {

// Items are parallel to the questions; records describe objects met for the first time. InvalidArgument: a question names an unknown
// handle or code, or calls what is not in the table; Cancelled: a signal handler raised while the oracle ran, its exception is set.
absl::StatusOr<model::Answers> AnswerQuestions(const model::Questions& questions, HandleTable& handles);

}  // namespace framegate::client
