// _framegate_torch: the native TorchTable as a capsule. Importing it fails, with the reason, under another torch than it was compiled
// against.
#include <Python.h>

#include <string>

#include "base/strings.h"
#include "client_ext/torch_bridge/native/ambient.h"
#include "client_ext/torch_bridge/native/constants.h"
#include "client_ext/torch_bridge/native/tensor.h"
#include "framegate_torch_build.h"
#include "model/entry.h"

namespace framegate::client {

namespace {

const TorchTable* NativeTable() {
  static const TorchTable table = {
      .schema = model::SchemaHash(),
      .native = true,
      .is_tensor = native::IsTensor,
      .read_tensor = native::ReadTensor,
      .make_tensor_pattern = native::MakeTensorPattern,
      .free_tensor_pattern = native::FreeTensorPattern,
      .tensor_matches = native::TensorMatches,
      .tensor_words = native::TensorWords,
      .thread_keys = native::ThreadKeys,
      .tensor_size = native::TensorSize,
      .tensor_stride = native::TensorStride,
      .tensor_offset = native::TensorOffset,
      .tensor_rank = native::TensorRank,
      .read_ambient = native::ReadAmbient,
      .make_ambient_pattern = native::MakeAmbientPattern,
      .free_ambient_pattern = native::FreeAmbientPattern,
      .failing_ambient = native::FailingAmbient,
      .constant_of = native::ConstantOf,
      .object_of = native::ObjectOf,
  };
  return &table;
}

// "" where the attribute is not a str.
std::string TextAttribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  const char* text = value != nullptr && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
  std::string copy = text != nullptr ? text : "";
  PyErr_Clear();
  Py_XDECREF(value);
  return copy;
}

// False, with ImportError set, where the loaded torch is not the one we know the insides of.
bool CheckBuild() {
  PyObject* version = PyDict_GetItemString(PyImport_GetModuleDict(), "torch.version");
  std::string running =
      version != nullptr ? StrCat(TextAttribute(version, "__version__"), " ", TextAttribute(version, "git_version")) : "none";
  if (running == kTorchBuild)
    return true;
  PyErr_Format(PyExc_ImportError, "compiled against torch %s, but torch %s is loaded", kTorchBuild, running.c_str());
  return false;
}

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_framegate_torch", .m_doc = "framegate's view of torch's tensors", .m_size = -1};

}  // namespace

}  // namespace framegate::client

PyMODINIT_FUNC PyInit__framegate_torch();

PyMODINIT_FUNC PyInit__framegate_torch() {
  using namespace framegate::client;
  if (!CheckBuild())
    return nullptr;
  PyObject* module = PyModule_Create(&definition);
  PyObject* capsule = PyCapsule_New(const_cast<TorchTable*>(NativeTable()), "framegate._framegate_torch._table", nullptr);
  if (module == nullptr || capsule == nullptr || PyModule_AddObjectRef(module, "_table", capsule) != 0)
    Py_CLEAR(module);
  Py_XDECREF(capsule);
  return module;
}
