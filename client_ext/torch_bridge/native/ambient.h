// torch's thread and process state. Signatures and contracts are those of TorchTable; what each part's constant is:
//   grad_mode, inference_mode, autocast_cache   bool
//   default_dtype               dtype
//   default_device              None, or the device of the DeviceContext (torch.set_default_device, `with device:`) in force
//   autocast                    ((device type, True, dtype), ...) of those enabled, in the order of torch's list
//   deterministic_algorithms    (enabled, warn only)
//   torch_function              (0 enabled, 1 off for subclasses, 2 off; names of the modes but DeviceContext, outermost first)
//   num_threads, functorch, dispatch_modes, saved_tensors_hooks    int
//   matmul_precision            (float32 precision, tf32 in cuBLAS, in cuDNN, fp16 and bf16 reduced precision, anomaly detection, its NaN
//                               check, the rows of switches.def)
//   forward_ad_level            int, -1 outside
// GIL held.
#pragma once

#include "client_ext/torch_bridge/table.h"

namespace framegate::client::native {

model::Constant ReadAmbient();
AmbientPattern* MakeAmbientPattern(const std::vector<std::pair<uint8_t, model::Constant>>& parts);
void FreeAmbientPattern(AmbientPattern* pattern) noexcept;
int FailingAmbient(AmbientPattern* pattern) noexcept;

}  // namespace framegate::client::native
