#include "client_ext/torch_bridge/native/thread_state.h"

#include <ATen/FuncTorchTLS.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/SavedTensorHooks.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/AutogradState.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "client_ext/torch_bridge/native/open_member.h"

namespace framegate::client {

#if FRAMEGATE_KNOWS_TORCH

FRAMEGATE_OPEN(FunctionState, &at::impl::PythonTorchFunctionTLS::disabled_state_);
FRAMEGATE_OPEN(FunctionStack, &at::impl::PythonTorchFunctionTLS::stack_);
FRAMEGATE_OPEN(DispatchStack, &c10::impl::TorchDispatchModeTLS::stack_);
FRAMEGATE_OPEN(DispatchInfra, &c10::impl::TorchDispatchModeTLS::infra_modes_);

#endif

namespace {

using at::impl::PythonTorchFunctionTLS;
using c10::impl::TorchDispatchModeTLS;

struct Places {
  const c10::AutogradState* autograd = &c10::AutogradState::get_tls_state();
  const PythonTorchFunctionTLS* functions = &PythonTorchFunctionTLS::get_state();
  const TorchDispatchModeTLS* dispatch = &TorchDispatchModeTLS::get_state();
  const at::impl::SavedTensorDefaultHooksTLS* hooks = &at::SavedTensorDefaultHooks::get_tls_state();
  const std::unique_ptr<at::functorch::FuncTorchTLSBase>* functorch = &at::functorch::functorchTLSAccessor();
};

#if FRAMEGATE_KNOWS_TORCH

void ReadModes(const Places& places, ThreadCounts* counts) {
  counts->function_state = static_cast<uint8_t>(places.functions->*MemberOf(FunctionState()));
  counts->function_modes = static_cast<int32_t>((places.functions->*MemberOf(FunctionStack())).size());
  counts->dispatch_modes = static_cast<int32_t>((places.dispatch->*MemberOf(DispatchStack())).size());
  for (const auto& mode : places.dispatch->*MemberOf(DispatchInfra()))
    counts->dispatch_modes += mode.has_value();
}

#else

void ReadModes(const Places&, ThreadCounts* counts) {
  counts->function_state = static_cast<uint8_t>(PythonTorchFunctionTLS::get_disabled_state());
  counts->function_modes = static_cast<int32_t>(PythonTorchFunctionTLS::stack_len());
  counts->dispatch_modes = static_cast<int32_t>(TorchDispatchModeTLS::stack_len());
}

#endif

}  // namespace

ThreadCounts ReadThread() {
  static thread_local const Places places;
  ThreadCounts counts{.grad_mode = places.autograd->get_grad_mode(), .inference_mode = places.autograd->get_inference_mode()};
  ReadModes(places, &counts);
  if (*places.functorch != nullptr)
    counts.functorch = static_cast<int32_t>(at::functorch::getDynamicLayerStack().size());
  counts.saved_hooks = static_cast<int32_t>(places.hooks->stack.size());
  return counts;
}

}  // namespace framegate::client
