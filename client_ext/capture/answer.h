// Answers to the server's questions about live objects. GIL held. Only kCall and kMeta run code: pure C functions of model/pure_calls.def,
// and framegate._oracle. An exception of theirs is an answer; none is left set.
#pragma once

#include "base/status.h"
#include "client_ext/capture/handles.h"
#include "model/summary.h"

namespace framegate::client {

// Items are parallel to the questions; records describe objects met for the first time. An item with nothing in it is no answer: a call
// that the table or its arguments do not allow, code that is gone, metadata that nobody knows. InvalidArgument: a question names an unknown
// handle; Cancelled: the oracle was interrupted, the exception is set.
//
// kMeta calls framegate._oracle.infer(symbol, args: tuple, kwargs: dict, ambient: tuple). Tensors go in as
// framegate._oracle.TensorMeta(...) with the fields of model::TensorFacts in order (lists as tuples), real objects as themselves, constants
// and sequences as Python has them; the result is a TensorMeta, a constant, or a tuple or list of these. An exception of it is the answer.
//
// `code`: receives what is likely to be asked for next, which the answers do not hold.
absl::StatusOr<model::Answers> AnswerQuestions(const model::Questions& questions, HandleTable& handles,
                                               std::vector<PyCodeObject*>* code = nullptr);

}  // namespace framegate::client
