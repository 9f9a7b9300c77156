// What a client's answers teach: the summary of a translation grows by them, so that at its end the
// new entry's check program can be run on everything that was seen. Thread-safe: pure.
#pragma once

#include "base/status.h"
#include "model/summary.h"

namespace framegate::server {

// Adds to `summary` what `answers` say. InvalidArgument where they do not fit the questions.
absl::Status Learn(const model::Questions& questions, const model::Answers& answers, model::Summary* summary);

}  // namespace framegate::server
