// A slot runs Python code where it holds the C function that CPython puts there for a method written in Python. Those functions have no
// public names; a class that defines all special methods shows them.

#include "client_ext/observe/type_slots.h"

#include "client_ext/pycompat/observe_type.h"

#include <array>

#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/pycompat/ref.h"
#include "model/enums.h"

namespace framegate::client {

namespace {

using model::TypeFlag;

constexpr char kClasses[] = R"(
def method(*args): return None
class Getattribute:
    __getattribute__ = method
Getattribute().x  # only a call makes CPython choose the slot's last form
names = ('repr str hash call getattr setattr delattr lt le eq ne gt ge iter next get set delete init del await aiter anext len getitem '
         'setitem delitem contains add radd sub rsub mul rmul mod rmod divmod rdivmod pow rpow neg pos abs bool invert lshift rlshift '
         'rshift rrshift and rand xor rxor or ror int float iadd isub imul imod ipow ilshift irshift iand ixor ior floordiv rfloordiv '
         'truediv rtruediv ifloordiv itruediv index matmul rmatmul imatmul')
body = {'__' + name + '__': method for name in names.split()}
body['__new__'] = lambda cls: object.__new__(cls)
del body['__del__']
All = type('All', (), body)
Del = type('Del', (), {'__del__': method})
)";

using Slot = void (*)();

template <typename F>
Slot AsSlot(F function) {
  return reinterpret_cast<Slot>(function);
}

// Every slot that a special method can fill, in one order.
using Slots = std::array<Slot, 60>;

template <typename Group, typename F>
Slot In(Group* group, F Group::*member) {
  return group == nullptr ? nullptr : AsSlot(group->*member);
}

Slots SlotsOf(PyTypeObject* t) {
  PyNumberMethods* n = t->tp_as_number;
  PySequenceMethods* s = t->tp_as_sequence;
  PyMappingMethods* m = t->tp_as_mapping;
  PyAsyncMethods* a = t->tp_as_async;
  using N = PyNumberMethods;
  using S = PySequenceMethods;
  using M = PyMappingMethods;
  using A = PyAsyncMethods;
  return {AsSlot(t->tp_repr),
          AsSlot(t->tp_str),
          AsSlot(t->tp_hash),
          AsSlot(t->tp_call),
          AsSlot(t->tp_getattro),
          AsSlot(t->tp_setattro),
          AsSlot(t->tp_richcompare),
          AsSlot(t->tp_iter),
          AsSlot(t->tp_iternext),
          AsSlot(t->tp_descr_get),
          AsSlot(t->tp_descr_set),
          AsSlot(t->tp_init),
          AsSlot(t->tp_new),
          AsSlot(t->tp_finalize),
          In(a, &A::am_await),
          In(a, &A::am_aiter),
          In(a, &A::am_anext),
          In(s, &S::sq_length),
          In(s, &S::sq_item),
          In(s, &S::sq_ass_item),
          In(s, &S::sq_contains),
          In(m, &M::mp_length),
          In(m, &M::mp_subscript),
          In(m, &M::mp_ass_subscript),
          In(n, &N::nb_add),
          In(n, &N::nb_subtract),
          In(n, &N::nb_multiply),
          In(n, &N::nb_remainder),
          In(n, &N::nb_divmod),
          In(n, &N::nb_power),
          In(n, &N::nb_negative),
          In(n, &N::nb_positive),
          In(n, &N::nb_absolute),
          In(n, &N::nb_bool),
          In(n, &N::nb_invert),
          In(n, &N::nb_lshift),
          In(n, &N::nb_rshift),
          In(n, &N::nb_and),
          In(n, &N::nb_xor),
          In(n, &N::nb_or),
          In(n, &N::nb_int),
          In(n, &N::nb_float),
          In(n, &N::nb_inplace_add),
          In(n, &N::nb_inplace_subtract),
          In(n, &N::nb_inplace_multiply),
          In(n, &N::nb_inplace_remainder),
          In(n, &N::nb_inplace_power),
          In(n, &N::nb_inplace_lshift),
          In(n, &N::nb_inplace_rshift),
          In(n, &N::nb_inplace_and),
          In(n, &N::nb_inplace_xor),
          In(n, &N::nb_inplace_or),
          In(n, &N::nb_floor_divide),
          In(n, &N::nb_true_divide),
          In(n, &N::nb_inplace_floor_divide),
          In(n, &N::nb_inplace_true_divide),
          In(n, &N::nb_index),
          In(n, &N::nb_matrix_multiply),
          In(n, &N::nb_inplace_matrix_multiply)};
}

// What slots hold for methods written in Python.
struct PythonSlots {
  bool made = false;
  Slots all{};
  getattrofunc getattribute = nullptr;  // with __getattribute__ alone
  getattrofunc getattr = nullptr;       // with __getattr__, or not called yet
  setattrofunc setattr = nullptr;
  hashfunc hash = nullptr;
  richcmpfunc richcompare = nullptr;
  descrgetfunc descr_get = nullptr;
  descrsetfunc descr_set = nullptr;
};

PythonSlots MakePythonSlots() {
  PythonSlots slots;
  const pycompat::Ref globals = pycompat::Ref::Steal(PyDict_New());
  if (globals && PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins()) == 0) {
    const pycompat::Ref done = pycompat::Ref::Steal(PyRun_String(kClasses, Py_file_input, globals.get(), globals.get()));
    auto* all = reinterpret_cast<PyTypeObject*>(PyDict_GetItemString(globals.get(), "All"));
    auto* getattribute = reinterpret_cast<PyTypeObject*>(PyDict_GetItemString(globals.get(), "Getattribute"));
    auto* del = reinterpret_cast<PyTypeObject*>(PyDict_GetItemString(globals.get(), "Del"));
    if (done && all != nullptr && getattribute != nullptr && del != nullptr) {
      slots = {true,         SlotsOf(all),        getattribute->tp_getattro, all->tp_getattro, all->tp_setattro,
               all->tp_hash, all->tp_richcompare, all->tp_descr_get,         all->tp_descr_set};
      for (Slot& slot : slots.all)  // __del__ apart, so that dropping an instance of All runs nothing
        if (slot == AsSlot(all->tp_finalize))
          slot = AsSlot(del->tp_finalize);
    }
  }
  PyErr_Clear();
  return slots;
}

const PythonSlots& GetPythonSlots() {
  static const PythonSlots slots = [] {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PythonSlots made = MakePythonSlots();
    PyErr_Restore(type, value, traceback);
    return made;
  }();
  return slots;
}

bool RunsPython(PyTypeObject* type) {
  const Slots mine = SlotsOf(type), &python = GetPythonSlots().all;
  for (size_t i = 0; i < mine.size(); ++i)
    if (mine[i] != nullptr && mine[i] == python[i])
      return true;
  // A class with __getattribute__ alone has another slot once it was called.
  return type->tp_getattro == GetPythonSlots().getattribute;
}

// Flags that mirror bits of tp_flags.
uint32_t MirroredFlags(PyTypeObject* type) {
  static constexpr std::pair<unsigned long, TypeFlag> kBits[] = {{Py_TPFLAGS_HEAPTYPE, TypeFlag::kHeapType},
                                                                 {Py_TPFLAGS_LONG_SUBCLASS, TypeFlag::kLongSubclass},
                                                                 {Py_TPFLAGS_LIST_SUBCLASS, TypeFlag::kListSubclass},
                                                                 {Py_TPFLAGS_TUPLE_SUBCLASS, TypeFlag::kTupleSubclass},
                                                                 {Py_TPFLAGS_BYTES_SUBCLASS, TypeFlag::kBytesSubclass},
                                                                 {Py_TPFLAGS_UNICODE_SUBCLASS, TypeFlag::kStrSubclass},
                                                                 {Py_TPFLAGS_DICT_SUBCLASS, TypeFlag::kDictSubclass},
                                                                 {Py_TPFLAGS_BASE_EXC_SUBCLASS, TypeFlag::kExceptionSubclass},
                                                                 {Py_TPFLAGS_TYPE_SUBCLASS, TypeFlag::kTypeSubclass},
                                                                 {Py_TPFLAGS_SEQUENCE, TypeFlag::kSequence},
                                                                 {Py_TPFLAGS_MAPPING, TypeFlag::kMapping},
                                                                 {Py_TPFLAGS_IS_ABSTRACT, TypeFlag::kAbstract}};
  uint32_t flags = 0;
  for (const auto& [bit, flag] : kBits)
    if (type->tp_flags & bit)
      flags |= static_cast<uint32_t>(flag);
  return flags;
}

// A slot may hold a function that only says there is no such method; PyIter_Check alone knows it. It looks at an object's type, no further.
bool IsIterator(PyTypeObject* type) {
  PyObject instance{};
  Py_SET_TYPE(&instance, type);
  return PyIter_Check(&instance) != 0;
}

bool IsSubtype(PyTypeObject* type, KnownType known) {
  PyTypeObject* base = FindKnownType(known);
  return base != nullptr && PyType_IsSubtype(type, base);
}

// What follows from the type's slots and bases.
uint32_t SlotFlags(PyTypeObject* type) {
  const PythonSlots& python = GetPythonSlots();
  uint32_t flags = 0;
  const auto add = [&flags](bool holds, TypeFlag flag) {
    if (holds)
      flags |= static_cast<uint32_t>(flag);
  };
  add(type->tp_getattro == PyObject_GenericGetAttr, TypeFlag::kGenericGetattr);
  add(type->tp_getattro == python.getattr || type->tp_getattro == python.getattribute, TypeFlag::kPythonGetattr);
  add(type->tp_setattro == PyObject_GenericSetAttr, TypeFlag::kGenericSetattr);
  add(type->tp_setattro == python.setattr, TypeFlag::kPythonSetattr);
  add(type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0, TypeFlag::kInstancesHaveDict);
  add(type->tp_hash == python.hash, TypeFlag::kPythonHash);
  add(type->tp_richcompare == python.richcompare, TypeFlag::kPythonEq);
  add(type->tp_richcompare == PyBaseObject_Type.tp_richcompare, TypeFlag::kObjectEq);
  add(type->tp_hash == PyBaseObject_Type.tp_hash, TypeFlag::kObjectHash);
  add(_PyType_Lookup(type, GetNames().del) != nullptr, TypeFlag::kHasDel);
  add(type->tp_descr_set != nullptr, TypeFlag::kDataDescriptor);
  add(type->tp_descr_get != nullptr, TypeFlag::kDescriptor);
  add((type->tp_descr_get != nullptr && type->tp_descr_get == python.descr_get) ||
          (type->tp_descr_set != nullptr && type->tp_descr_set == python.descr_set),
      TypeFlag::kPythonDescriptor);
  add(type->tp_iter != nullptr, TypeFlag::kIterable);
  add(IsIterator(type), TypeFlag::kIterator);
  add(type->tp_call != nullptr, TypeFlag::kCallable);
  add(IsSubtype(type, KnownType::kTensorBase), TypeFlag::kTensorSubclass);
  add(IsSubtype(type, KnownType::kNnModule), TypeFlag::kModuleSubclass);
  add(PyType_IsSubtype(type, &PySet_Type) || PyType_IsSubtype(type, &PyFrozenSet_Type), TypeFlag::kSetSubclass);
  add(RunsPython(type), TypeFlag::kPythonCode);
  return flags;
}

}  // namespace

uint32_t FlagsOf(PyTypeObject* type) noexcept {
  struct Known {
    PyTypeObject* type;
    uint32_t version;
    uint32_t flags;
  };

  static Known known[256];
  const uint32_t version = pycompat::AssuredVersionTag(type, GetNames().module);
  Known& place = known[reinterpret_cast<uintptr_t>(type) >> 6 & 255];
  if (version == 0)
    return SlotFlags(type) | MirroredFlags(type);
  if (place.type != type || place.version != version)
    place = {type, version, SlotFlags(type)};
  return place.flags | MirroredFlags(type);  // those may change while the version does not: ABCMeta.register
}

}  // namespace framegate::client
