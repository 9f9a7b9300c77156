// Propagation macros over absl::Status, the one error type from the translator to the client's door.
// The fixed list of codes is in docs/architecture.md.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define FRAMEGATE_CONCAT_INNER(a, b) a##b
#define FRAMEGATE_CONCAT(a, b) FRAMEGATE_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                         \
  do {                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) \
      return status_;                                       \
  } while (false)

#define ASSIGN_OR_RETURN(target, expression) ASSIGN_OR_RETURN_INNER(FRAMEGATE_CONCAT(status_or_, __LINE__), target, expression)

#define ASSIGN_OR_RETURN_INNER(temporary, target, expression) \
  auto temporary = (expression);                              \
  if (!temporary.ok())                                        \
    return std::move(temporary).status();                     \
  target = std::move(temporary).value()
