// torch's constants as Python objects and by value. Signatures and contracts are those of TorchTable. GIL held.
#pragma once

#include "client_ext/torch_bridge/table.h"

namespace framegate::client::native {

bool ConstantOf(PyObject* object, model::Constant* constant);
PyObject* ObjectOf(const model::Constant& constant);

}  // namespace framegate::client::native
