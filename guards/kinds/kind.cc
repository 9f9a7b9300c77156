#include "guards/kinds/kind.h"

namespace framegate::guards {

absl::Status VerifyGuard(const Guard& guard) {
  switch (guard.kind) {
#define FRAMEGATE_GUARD(number, name, text, torch_name, shape, durable, doc) \
  case GuardKind::name:                                                      \
    return Kind<GuardKind::name>::Verify(guard);
#include "guards/ir/guard_kinds.def"
#undef FRAMEGATE_GUARD
  }
  return absl::InvalidArgumentError("an unknown kind of guard");
}

Subjects NeedsOf(const Guard& guard) {
  switch (guard.kind) {
#define FRAMEGATE_GUARD(number, name, text, torch_name, shape, durable, doc) \
  case GuardKind::name:                                                      \
    return Kind<GuardKind::name>::Needs(guard);
#include "guards/ir/guard_kinds.def"
#undef FRAMEGATE_GUARD
  }
  return {};
}

absl::Status LowerGuard(const Guard& guard, Emitter& emitter) {
  switch (guard.kind) {
#define FRAMEGATE_GUARD(number, name, text, torch_name, shape, durable, doc) \
  case GuardKind::name:                                                      \
    return Kind<GuardKind::name>::Lower(guard, emitter);
#include "guards/ir/guard_kinds.def"
#undef FRAMEGATE_GUARD
  }
  return absl::InvalidArgumentError("an unknown kind of guard");
}

}  // namespace framegate::guards
