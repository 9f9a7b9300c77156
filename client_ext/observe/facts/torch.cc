// What torch knows: tensors, modes, hooks of modules.

#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/facts/word.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_instance.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

using model::Constant;
using model::Fact;
using pycompat::FindName;
using pycompat::Items;
using pycompat::ItemsOf;
using pycompat::Lookup;

namespace {

// A name that is looked up in many modules, and where it was last.
struct HookName {
  PyObject* name;
  uint16_t hint = 0;
};

// The dict under the name has no items.
bool IsEmpty(const Items& items, HookName& hook) {
  PyObject* dict = nullptr;
  return FindName(items, hook.name, &hook.hint, &dict) == Lookup::kFound && PyDict_Check(dict) && PyDict_GET_SIZE(dict) == 0;
}

bool GlobalHooksEmpty() {
  static PyObject* module = nullptr;  // kept: nn.Module's own globals
  static HookName hooks[] = {{GetNames().global_backward_hooks},
                             {GetNames().global_backward_pre_hooks},
                             {GetNames().global_forward_hooks},
                             {GetNames().global_forward_pre_hooks}};
  if (module == nullptr)
    module = Py_XNewRef(FindModule("torch.nn.modules.module"));
  if (module == nullptr)
    return false;
  const Items items = ItemsOf(PyModule_GetDict(module));
  for (HookName& hook : hooks)
    if (!IsEmpty(items, hook))
      return false;
  return true;
}

bool OwnHooksEmpty(PyObject* object) {
  static HookName hooks[] = {
      {GetNames().backward_hooks}, {GetNames().backward_pre_hooks}, {GetNames().forward_hooks}, {GetNames().forward_pre_hooks}};
  static HookName compiled{GetNames().compiled_call}, forward{GetNames().forward};
  const Items items = pycompat::InstanceItems(object);
  for (HookName& hook : hooks)
    if (!IsEmpty(items, hook))
      return false;
  PyObject* value = nullptr;
  if (FindName(items, forward.name, &forward.hint, &value) != Lookup::kAbsent)
    return false;  // what is called is not that of the class
  const Lookup answer = FindName(items, compiled.name, &compiled.hint, &value);
  if (answer == Lookup::kAbsent)
    value = _PyType_Lookup(Py_TYPE(object), compiled.name);
  return answer != Lookup::kUnknown && value == Py_None;
}

bool HooksEmpty(PyObject* object, uint64_t* word) noexcept {
  if (!IsInstance(object, KnownType::kNnModule))
    return false;
  *word = OwnHooksEmpty(object) && GlobalHooksEmpty();
  return true;
}

}  // namespace

FRAMEGATE_WORD_FACT(kHooksEmpty, HooksEmpty)

template <>
bool ReadFact<Fact::kTensor>(PyObject* object, model::FactValue* value) {
  return Torch() != nullptr && Torch()->read_tensor(object, &value->tensor.emplace());
}

template <>
bool FactIs<Fact::kTensor>(PyObject* object, Operand operand, uint16_t*) noexcept {
  return Torch() != nullptr && Torch()->tensor_matches(object, static_cast<const TensorPattern*>(operand.pointer));
}

template <>
bool ReadFact<Fact::kAmbient>(PyObject* object, model::FactValue* value) {
  if (object != AmbientObject())
    return false;
  value->constant = Torch() == nullptr ? Constant::Tuple({}) : Torch()->read_ambient();
  return true;
}

template <>
bool FactIs<Fact::kAmbient>(PyObject* object, Operand operand, uint16_t*) noexcept {
  model::FactValue actual;
  return ReadFact<Fact::kAmbient>(object, &actual) && actual.constant == static_cast<const LinkedConstant*>(operand.pointer)->value;
}

}  // namespace framegate::client
