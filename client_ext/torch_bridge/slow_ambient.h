// The ambient state through torch's builtins; constants as native/ambient.h describes them. GIL held.
#pragma once

#include "model/constant.h"

namespace framegate::client {

model::Constant ReadAmbientSlowly();

}  // namespace framegate::client
