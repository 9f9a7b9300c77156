// The part of VerifyCode that follows the instructions: an abstract interpreter over what slots and stack cells hold. Private to verify/.
#pragma once

#include "client_ext/verify/bytecode.h"

namespace framegate::client {

// REQUIRES: limits, signature and slots of the image were checked.
absl::Status WalkCode(const model::CodeImage& image, const ExpectedCode& expected);

}  // namespace framegate::client
