#include "client_ext/torch_bridge/native/ambient_state.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include "client_ext/torch_bridge/native/context_switches.h"
#include "client_ext/torch_bridge/native/function_modes.h"
#include "client_ext/torch_bridge/native/thread_state.h"

namespace framegate::client {

namespace {

void ReadAutocast(AmbientState* state) {
  std::memset(state->autocast, kAutocastOff, sizeof state->autocast);
  for (size_t place = 0; place < kAutocastDtypes; ++place)
    state->autocast_dtypes[place] =
        static_cast<uint8_t>(at::autocast::get_autocast_dtype(at::autocast::_AUTOCAST_SUPPORTED_DEVICES[place]));
  const c10::DispatchKeySet excluded = c10::impl::tls_local_dispatch_key_set().excluded_;
  if ((excluded & c10::autocast_dispatch_keyset) == c10::autocast_dispatch_keyset)
    return;  // the usual case, by one read
  size_t place = 0;
  for (at::DeviceType device : at::autocast::_AUTOCAST_SUPPORTED_DEVICES) {
    if (at::autocast::is_autocast_enabled(device))
      state->autocast[place] = static_cast<uint8_t>(at::autocast::get_autocast_dtype(device));
    ++place;
  }
}

void ReadMatmul(AmbientState* state) {
  using torch::autograd::AnomalyMode;
  const ContextState context = ReadContext();
  state->deterministic = context.deterministic;
  state->deterministic_warn_only = context.deterministic_warn_only;
  state->precision = context.precision;
  uint8_t* out = state->matmul_switches;
  for (bool value : {context.tf32_cublas, context.tf32_cudnn, context.fp16_reduction, context.bf16_reduction, AnomalyMode::is_enabled(),
                     AnomalyMode::should_check_nan()})
    *out++ = value;
  std::memcpy(out, context.switches, sizeof context.switches);
}

}  // namespace

AmbientState MaskOf(model::AmbientPart part) {
  AmbientState mask{.default_device = 0, .forward_level = 0};
  switch (part) {
    case model::AmbientPart::kGradMode:
      mask.grad_mode = 0xff;
      break;
    case model::AmbientPart::kInferenceMode:
      mask.inference_mode = 0xff;
      break;
    case model::AmbientPart::kDefaultDtype:
      mask.default_dtype = 0xff;
      break;
    case model::AmbientPart::kDefaultDevice:
      mask.default_device = -1;
      break;
    case model::AmbientPart::kAutocast:
      std::memset(mask.autocast, 0xff, sizeof mask.autocast);
      break;
    case model::AmbientPart::kAutocastDtypes:
      std::memset(mask.autocast_dtypes, 0xff, sizeof mask.autocast_dtypes);
      break;
    case model::AmbientPart::kAutocastCache:
      mask.autocast_cache = 0xff;
      break;
    case model::AmbientPart::kDeterministic:
      mask.deterministic = mask.deterministic_warn_only = 0xff;
      break;
    case model::AmbientPart::kTorchFunction:
      mask.function_state = 0xff;
      mask.function_modes = -1;
      break;
    case model::AmbientPart::kThreads:
      mask.threads = -1;
      break;
    case model::AmbientPart::kMatmul:
      mask.precision = 0xff;
      std::memset(mask.matmul_switches, 0xff, sizeof mask.matmul_switches);
      break;
    case model::AmbientPart::kFunctorch:
      mask.functorch = -1;
      break;
    case model::AmbientPart::kDispatchModes:
      mask.dispatch_modes = -1;
      break;
    case model::AmbientPart::kSavedTensorHooks:
      mask.saved_hooks = -1;
      break;
    case model::AmbientPart::kForwardAd:
      mask.forward_level = -1;
      break;
  }
  return mask;
}

bool ReadState(AmbientState* state) noexcept {
  try {
    const ThreadCounts thread = ReadThread();
    state->grad_mode = thread.grad_mode;
    state->inference_mode = thread.inference_mode;
    state->default_dtype = static_cast<uint8_t>(c10::get_default_dtype().toScalarType());
    state->autocast_cache = at::autocast::is_autocast_cache_enabled();
    state->function_state = thread.function_state;
    ReadAutocast(state);
    ReadMatmul(state);
    state->threads = at::get_num_threads();
    if (thread.function_modes > 0)
      CountFunctionModes(&state->function_modes, &state->default_device);
    state->functorch = thread.functorch;
    state->dispatch_modes = thread.dispatch_modes;
    state->saved_hooks = thread.saved_hooks;
    state->forward_level = ForwardLevel();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace framegate::client
