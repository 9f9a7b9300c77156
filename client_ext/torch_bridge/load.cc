#include "client_ext/pycompat/exceptions.h"
#include "client_ext/pycompat/ref.h"

#include <cstring>

#include "base/strings.h"
#include "client_ext/torch_bridge/slow_objects.h"
#include "client_ext/torch_bridge/slow_table.h"
#include "client_ext/torch_bridge/table.h"
#include "model/entry.h"

namespace framegate::client {

const TorchTable* loaded_torch = nullptr;

namespace {

constexpr char kCapsule[] = "framegate._framegate_torch._table";

// A torch that is still being imported has no tensors yet.
bool IsTorchLoaded() {
  PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (torch == nullptr || !PyModule_Check(torch))
    return false;
  Ref spec = Ref::Share(PyDict_GetItemString(PyModule_GetDict(torch), "__spec__"));
  return spec && !IsTrue(Attribute(spec.get(), "_initializing")) && FindSymbol("torch:Tensor");
}

// The native table, or null and why not.
const TorchTable* FindNative(std::string* why) {
  Ref module = Ref::Steal(PyImport_ImportModule("framegate._framegate_torch"));
  if (!module) {
    Ref error = Ref::Steal(pycompat::TakeRaised());
    *why = StrOf(error);
    return nullptr;
  }
  Ref capsule = Attribute(module.get(), "_table");
  auto* table = capsule ? static_cast<const TorchTable*>(PyCapsule_GetPointer(capsule.get(), kCapsule)) : nullptr;
  if (table == nullptr) {
    PyErr_Clear();
    *why = "it has no table";
    return nullptr;
  }
  if (table->schema != model::SchemaHash() || table->string_size != sizeof(std::string)) {
    *why = "it is of another build";
    return nullptr;
  }
  return table;  // the module stays in sys.modules, and its library is never unloaded
}

}  // namespace

const TorchTable* LoadTorch() {
  if (loaded_torch != nullptr)
    return loaded_torch;
  PyObject* raised = pycompat::TakeRaised();
  if (IsTorchLoaded()) {
    std::string why;
    const TorchTable* table = FindNative(&why);
    if (table == nullptr) {
      PySys_WriteStderr("framegate: tensors are read through Python, which is slower: no _framegate_torch for this torch (%.300s)\n",
                        why.c_str());
      table = SlowTable();
    }
    loaded_torch = table;
  }
  if (raised != nullptr)
    pycompat::SetRaised(raised);
  return loaded_torch;
}

PyTypeObject* ModuleType() {
  static PyTypeObject* type = nullptr;  // torch keeps it alive
  if (type == nullptr) {
    PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "torch.nn.modules.module");
    PyObject* found = module != nullptr && PyModule_Check(module) ? PyDict_GetItemString(PyModule_GetDict(module), "Module") : nullptr;
    if (found != nullptr && PyType_Check(found))
      type = reinterpret_cast<PyTypeObject*>(found);
  }
  return type;
}

std::string TorchIdentity() {
  static std::string identity;
  if (identity.empty() && IsTorchLoaded())
    identity = StrCat(StrOf(FindSymbol("torch.version:__version__")), " ", StrOf(FindSymbol("torch.version:git_version")));
  return identity;
}

}  // namespace framegate::client
