// The ambient state as plain numbers, so that two of them compare as words. All but the function modes, which are objects. GIL held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "client_ext/torch_bridge/native/context_switches.h"
#include "model/enums.h"

namespace framegate::client {

inline constexpr size_t kAutocastDevices = 10;  // torch's list
inline constexpr size_t kMatmulSwitches = 6 + kContextSwitches;
inline constexpr uint8_t kAutocastOff = 0xff;
inline constexpr size_t kAutocastDtypes = 2;  // cpu and cuda, the first two of the list

// Fields of the parts of model/ambient.def, each part's in a row.
struct alignas(8) AmbientState {
  uint8_t grad_mode = 0;
  uint8_t inference_mode = 0;
  uint8_t default_dtype = 0;
  uint8_t autocast_cache = 0;
  uint8_t deterministic = 0;
  uint8_t deterministic_warn_only = 0;
  uint8_t precision = 0;
  uint8_t function_state = 0;
  uint8_t autocast[kAutocastDevices] = {};  // dtype, or kAutocastOff
  uint8_t autocast_dtypes[kAutocastDtypes] = {};
  uint8_t matmul_switches[kMatmulSwitches] = {};
  uint8_t unused[1] = {};
  int32_t default_device = -1;  // type and index; -1: none
  int32_t threads = 0;
  int32_t function_modes = 0;  // DeviceContext not counted
  int32_t functorch = 0;
  int32_t dispatch_modes = 0;
  int32_t saved_hooks = 0;
  int32_t forward_level = -1;
};

static_assert(std::has_unique_object_representations_v<AmbientState> && sizeof(AmbientState) == 64);

// Which bytes of the state a part is made of: ones there.
AmbientState MaskOf(model::AmbientPart part);

// False where torch refuses to tell (settings that contradict each other); the state is then not to be used.
bool ReadState(AmbientState* state) noexcept;

// Whether the states differ in a byte of the mask.
inline bool Differ(const AmbientState& a, const AmbientState& b, const AmbientState& mask) noexcept {
  constexpr size_t kWords = sizeof(AmbientState) / sizeof(uint64_t);
  uint64_t x[kWords], y[kWords], m[kWords], difference = 0;
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  std::memcpy(m, &mask, sizeof mask);
  for (size_t i = 0; i < kWords; ++i)
    difference |= (x[i] ^ y[i]) & m[i];
  return difference != 0;
}

}  // namespace framegate::client
