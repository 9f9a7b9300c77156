// What torch's global context says of how operators compute. GIL held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace framegate::client {

inline constexpr size_t kContextSwitches = 0
#define FRAMEGATE_SWITCH(name, field, getter) +1
#include "client_ext/torch_bridge/native/switches.def"
#undef FRAMEGATE_SWITCH
    ;

struct ContextState {
  uint8_t precision = 0;  // at::Float32MatmulPrecision
  bool deterministic = false;
  bool deterministic_warn_only = false;
  bool tf32_cublas = false;
  bool tf32_cudnn = false;
  bool fp16_reduction = false;
  bool bf16_reduction = false;
  bool switches[kContextSwitches] = {};
};

// Throws what torch throws where settings of precision contradict each other.
ContextState ReadContext();

}  // namespace framegate::client
