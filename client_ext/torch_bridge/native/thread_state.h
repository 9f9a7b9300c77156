// Where torch keeps what belongs to a thread. Each of its accessors costs a call and a lookup of the thread's storage; here the addresses
// are looked up once per thread. They hold as long as the thread does.
#pragma once

#include <cstdint>

namespace framegate::client {

struct ThreadCounts {
  bool grad_mode = false;
  bool inference_mode = false;
  uint8_t function_state = 0;  // at::impl::TorchFunctionDisabledState
  int32_t function_modes = 0;  // DeviceContext counted
  int32_t dispatch_modes = 0;
  int32_t functorch = 0;
  int32_t saved_hooks = 0;
};

ThreadCounts ReadThread();

}  // namespace framegate::client
