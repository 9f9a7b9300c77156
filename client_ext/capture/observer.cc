// The expansion policy. Roots come with depth 3. A container costs a level, 64 items of it are described; an object of a class made at run
// time costs a level; trees of nn.Module cost none and are described whole. Functions are described with the globals and builtins that
// their code names, classes with the attributes that special methods and the code at hand ask for. What is missing is asked for.

#include "client_ext/capture/observer.h"

#include <algorithm>

#include "client_ext/capture/code.h"
#include "client_ext/capture/names_of.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/observe/steps.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_instance.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::Fact;
using model::ObjectRecord;
using model::Step;
using pycompat::ItemCursor;

constexpr Py_ssize_t kMaxItems = 64;
constexpr size_t kMaxRecords = 50'000;

bool IsContainer(PyObject* object) {
  return PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object) || PyAnySet_Check(object);
}

bool IsIterator(PyObject* object) {
  return Py_IS_TYPE(object, &PyListIter_Type) || Py_IS_TYPE(object, &PyTupleIter_Type) || Py_IS_TYPE(object, &PyRangeIter_Type) ||
         Py_IS_TYPE(object, &PyDictIterKey_Type) || Py_IS_TYPE(object, &PyDictIterValue_Type) || Py_IS_TYPE(object, &PyDictIterItem_Type) ||
         Py_IS_TYPE(object, &PySetIter_Type) || PyRange_Check(object);
}

bool IsCCallable(PyObject* object) {
  return PyCFunction_Check(object) || Py_IS_TYPE(object, &PyMethodDescr_Type) || Py_IS_TYPE(object, &PyWrapperDescr_Type) ||
         Py_IS_TYPE(object, &PyGetSetDescr_Type) || Py_IS_TYPE(object, &PyMemberDescr_Type) || Py_IS_TYPE(object, &PyClassMethodDescr_Type);
}

void CollectNames(PyCodeObject* code, std::vector<PyObject*>* names, absl::flat_hash_set<PyObject*>* seen) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i)
    if (PyObject* name = PyTuple_GET_ITEM(code->co_names, i); seen->insert(name).second)
      names->push_back(name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i)
    if (PyObject* constant = PyTuple_GET_ITEM(code->co_consts, i); PyCode_Check(constant))
      CollectNames(reinterpret_cast<PyCodeObject*>(constant), names, seen);
}

// An attribute that only nn.Module itself looks at, as it was made.
bool IsUntouchedInternal(PyObject* name, PyObject* value) {
  static const absl::flat_hash_set<PyObject*> internals = {
#define FRAMEGATE_MODULE_INTERNAL(name) PyUnicode_InternFromString(name),
#include "client_ext/capture/module_internals.def"
#undef FRAMEGATE_MODULE_INTERNAL
  };
  if (!internals.contains(name))
    return false;
  return value == Py_None || value == Py_False || (PyDict_Check(value) && PyDict_GET_SIZE(value) == 0) ||
         (PyAnySet_Check(value) && PySet_GET_SIZE(value) == 0);
}

}  // namespace

model::Handle Observer::Visit(PyObject* object, int depth) {
  const model::Handle handle = handles_.Add(object);
  depth = std::max(depth, 0);
  if (handle != model::kAbsent && handles_.described(handle) < depth && records_ < kMaxRecords) {
    handles_.set_described(handle, depth);
    work_.push_back({object, depth});
    ++records_;
  }
  return handle;
}

const std::vector<PyObject*>& Observer::NamesOf(PyCodeObject* code) {
  auto [it, is_new] = names_of_code_.try_emplace(code);
  if (is_new) {
    absl::flat_hash_set<PyObject*> seen;
    CollectNames(code, &it->second, &seen);
  }
  return it->second;
}

void Observer::UseNames(PyCodeObject* code) {
  CollectNames(code, &names_, &known_names_);
  AddCode(code);
}

void Observer::AddCode(PyCodeObject* code) {
  if (code_known_.insert(code).second)
    code_.push_back(code);
}

void Observer::VisitGlobals(PyCodeObject* code, PyObject* globals, PyObject* builtins, int depth) {
  if (!globals_done_.emplace(code, globals).second)
    return;
  ObjectRecord of_globals{.handle = Visit(globals, 0)}, of_builtins{.handle = Visit(builtins, 0)};
  const std::vector<PyObject*> names = NamesOf(code);
  for (PyObject* name : names) {
    PyObject* value = ValueUnder(globals, name);
    PyObject* builtin = value == nullptr ? ValueUnder(builtins, name) : nullptr;
    if (value == nullptr && builtin == nullptr)
      continue;  // an attribute's name
    AddEdge(Step::kDictItem, NameConstant(name), value, depth, &of_globals);
    if (builtin != nullptr)
      AddEdge(Step::kDictItem, NameConstant(name), builtin, depth, &of_builtins);
    if (value != nullptr && PyModule_Check(value))
      AddMembersNamed(names, value, 2);
  }
  extra_.push_back(std::move(of_globals));
  if (of_builtins.handle != model::kAbsent)
    extra_.push_back(std::move(of_builtins));
}

// Modules are described by the names at hand, not as a whole; those below them too, `levels` in all.
void Observer::AddMembersNamed(const std::vector<PyObject*>& names, PyObject* module, int levels) {
  ObjectRecord record{.handle = Visit(PyModule_GetDict(module), 0)};
  for (PyObject* name : names) {
    PyObject* target = ValueUnder(PyModule_GetDict(module), name);
    if (target == nullptr)
      continue;
    AddEdge(Step::kDictItem, NameConstant(name), target, 0, &record);
    if (levels > 1 && PyModule_Check(target))
      AddMembersNamed(names, target, levels - 1);
  }
  extra_.push_back(std::move(record));
}

std::vector<ObjectRecord> Observer::Drain() {
  std::vector<ObjectRecord> records;
  do {
    while (!work_.empty()) {
      const Work work = work_.front();
      work_.pop_front();
      ObjectRecord record{.handle = handles_.HandleOf(work.object)};
      Describe(work.object, work.depth, &record);
      records.push_back(std::move(record));
    }
    AddUsedMethods();
  } while (!work_.empty());
  records.insert(records.end(), std::make_move_iterator(extra_.begin()), std::make_move_iterator(extra_.end()));
  extra_.clear();
  return records;
}

void Observer::AddFact(Fact fact, PyObject* object, ObjectRecord* record) {
  record->facts.push_back(ReadFact(fact, object));
}

void Observer::AddStep(Step step, uint32_t index, PyObject* from, int depth, ObjectRecord* record) {
  PyObject* target = nullptr;
  if (TakeStep(step, from, Operand(uint64_t{index}), &target))
    record->edges.push_back({.step = step, .index = index, .target = Visit(target, depth)});
}

void Observer::AddEdge(Step step, Constant key, PyObject* target, int depth, ObjectRecord* record) {
  record->edges.push_back({.step = step, .key = std::move(key), .target = target == nullptr ? model::kAbsent : Visit(target, depth)});
}

void Observer::Describe(PyObject* object, int depth, ObjectRecord* record) {
  if (object == AmbientObject())
    return AddFact(Fact::kAmbient, object, record);
  AddStep(Step::kType, 0, object, 0, record);
  if (PyType_Check(object))
    return DescribeType(reinterpret_cast<PyTypeObject*>(object), depth, record);
  if (PyFunction_Check(object))
    return DescribeFunction(object, depth, record);
  if (PyModule_Check(object))
    return DescribeModule(object, record);
  if (Torch() != nullptr && Torch()->is_tensor(object))
    return AddFact(Fact::kTensor, object, record);
  if (model::FactValue value = ReadFact(Fact::kValue, object); value.known) {
    record->facts.push_back(std::move(value));
    if (PyUnicode_Check(object) || PyBytes_Check(object))
      AddFact(Fact::kLength, object, record);
    return;
  }
  if (IsInstance(object, KnownType::kNnModule))
    return DescribeNetwork(object, depth, record);
  if (IsContainer(object))
    DescribeContainer(object, depth, record);
  if (IsIterator(object) || IsCCallable(object) || !IsContainer(object))
    DescribeParts(object, depth, record);
  if (pycompat::CanHaveDict(Py_TYPE(object)) || IsHeapType(Py_TYPE(object)))
    DescribeInstance(object, depth, record);
}

void Observer::DescribeContainer(PyObject* object, int depth, ObjectRecord* record) {
  AddFact(Fact::kLength, object, record);
  if (PyAnySet_Check(object))
    return AddFact(Fact::kSetMembers, object, record);
  if (PyDict_Check(object))
    return DescribeDict(object, depth, record);
  const Py_ssize_t size = depth > 0 ? std::min(Py_SIZE(object), kMaxItems) : 0;
  for (Py_ssize_t i = 0; i < size; ++i)
    AddStep(Step::kItem, static_cast<uint32_t>(i), object, depth - 1, record);
}

void Observer::DescribeDict(PyObject* dict, int depth, ObjectRecord* record) {
  if (PyDict_GET_SIZE(dict) > kMaxItems || (depth <= 0 && PyDict_GET_SIZE(dict) > 0))
    return;
  AddFact(Fact::kDictKeys, dict, record);
  for (ItemCursor cursor(pycompat::ItemsOf(dict)); cursor.Next();)
    if (Constant key; FromPython(cursor.key, &key))
      AddEdge(Step::kDictItem, std::move(key), cursor.value, depth - 1, record);
}

void Observer::DescribeType(PyTypeObject* type, int depth, ObjectRecord* record) {
  PyObject* object = reinterpret_cast<PyObject*>(type);
  for (Fact fact : {Fact::kTypeName, Fact::kTypeFlags, Fact::kMroLength})
    AddFact(fact, object, record);
  if (model::FactValue symbol = ReadFact(Fact::kSymbolName, object); symbol.known)
    record->facts.push_back(std::move(symbol));
  if (type->tp_mro != nullptr)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i)
      AddStep(Step::kMro, static_cast<uint32_t>(i), object, 0, record);
  const bool heap = IsHeapType(type);
  if (heap)
    AddFact(Fact::kName, object, record);
  for (PyObject* name : SpecialNames())
    AddTypeAttr(type, name, heap || IsOfValues(type), record);
  if (heap || depth > 0)
    for (PyObject* name : AttributesUsedOf(type))
      AddTypeAttr(type, name, heap, record);
  if (IsOfValues(type))
    value_types_.push_back(type);
}

void Observer::Mention(PyTypeObject* type) {
  if (!mentioned_.insert(type).second)
    return;
  PyObject* object = reinterpret_cast<PyObject*>(type);
  ObjectRecord record{.handle = handles_.Add(object)};
  record.edges.push_back({.step = Step::kType, .target = handles_.Add(reinterpret_cast<PyObject*>(Py_TYPE(object)))});
  for (Fact fact : {Fact::kTypeName, Fact::kTypeFlags, Fact::kMroLength, Fact::kSymbolName})
    AddFact(fact, object, &record);
  for (Py_ssize_t i = 0; type->tp_mro != nullptr && i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* base = PyTuple_GET_ITEM(type->tp_mro, i);
    record.edges.push_back({.step = Step::kMro, .index = static_cast<uint32_t>(i), .target = handles_.Add(base)});
    Mention(reinterpret_cast<PyTypeObject*>(base));
  }
  extra_.push_back(std::move(record));
  Mention(Py_TYPE(object));
}

// `if_absent`: an edge to nothing is of use too.
void Observer::AddTypeAttr(PyTypeObject* type, PyObject* name, bool if_absent, ObjectRecord* record) {
  PyObject* value = _PyType_Lookup(type, name);
  if (value != nullptr || if_absent)
    AddEdge(Step::kTypeAttr, NameConstant(name), value, IsHeapType(type) && value != nullptr && PyFunction_Check(value), record);
}

void Observer::DescribeFunction(PyObject* function, int depth, ObjectRecord* record) {
  for (Fact fact : {Fact::kName, Fact::kQualname, Fact::kClosureLength, Fact::kSymbolName})
    AddFact(fact, function, record);
  AddFact(Fact::kCodeId, function, record);
  const auto* parts = reinterpret_cast<PyFunctionObject*>(function);
  if (parts->func_closure != nullptr)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts->func_closure); ++i)
      AddStep(Step::kFuncClosure, static_cast<uint32_t>(i), function, depth - 1, record);
  if (IsTorchs(function) && depth < kArgumentDepth)
    return;
  AddCode(reinterpret_cast<PyCodeObject*>(CodeOf(function)));
  AddStep(Step::kFuncGlobals, 0, function, 0, record);
  AddStep(Step::kFuncBuiltins, 0, function, 0, record);
  AddStep(Step::kFuncDefaults, 0, function, 2, record);
  AddStep(Step::kFuncKwdefaults, 0, function, 2, record);
  if (depth <= 0)
    return;
  auto* code = reinterpret_cast<PyCodeObject*>(CodeOf(function));
  VisitGlobals(code, parts->func_globals, parts->func_builtins, depth - 1);
}

void Observer::DescribeModule(PyObject* module, ObjectRecord* record) {
  AddFact(Fact::kSymbolName, module, record);
  AddStep(Step::kModuleDict, 0, module, 0, record);
}

// Whole, with all modules below it; parameters and buffers lie in dicts of its instance dict.
void Observer::DescribeNetwork(PyObject* module, int depth, ObjectRecord* record) {
  AddFact(Fact::kHooksEmpty, module, record);
  const bool is_plain = record->facts.back().word != 0;
  if (!is_plain)  // what nn.Module itself does comes into play
    Visit(FindSymbol("torch.nn.modules.module:Module._call_impl"), kArgumentDepth);
  for (ItemCursor cursor(pycompat::InstanceItems(module)); cursor.Next();) {
    if (!PyUnicode_CheckExact(cursor.key) || (is_plain && IsUntouchedInternal(cursor.key, cursor.value)))
      continue;
    if (!PyDict_CheckExact(cursor.value)) {
      AddEdge(Step::kAttr, NameConstant(cursor.key), cursor.value, depth - 1, record);
      continue;
    }
    // A dict of modules must not use up the depth of what is below.
    AddEdge(Step::kAttr, NameConstant(cursor.key), cursor.value, 0, record);
    ObjectRecord of_dict{.handle = handles_.HandleOf(cursor.value)};
    if (PyDict_GET_SIZE(cursor.value) > 0)
      AddFact(Fact::kDictKeys, cursor.value, &of_dict);
    for (ItemCursor item(pycompat::ItemsOf(cursor.value)); item.Next();)
      if (Constant key; FromPython(item.key, &key))
        AddEdge(Step::kDictItem, std::move(key), item.value, IsInstance(item.value, KnownType::kNnModule) ? depth : depth - 1, &of_dict);
    if (!of_dict.edges.empty())
      extra_.push_back(std::move(of_dict));
  }
  AddAbsentAttributes(module, record);
  AddAbsentMembers(module, record);
}

void Observer::DescribeInstance(PyObject* object, int depth, ObjectRecord* record) {
  AddFact(Fact::kHasInstanceDict, object, record);
  if (model::FactValue payload = ReadFact(Fact::kPayload, object); payload.known)
    record->facts.push_back(std::move(payload));
  AddMembers(object, depth, record);
  if (!pycompat::CanHaveDict(Py_TYPE(object)) || depth <= 0)
    return;
  AddFact(Fact::kInstanceKeys, object, record);
  record->edges.push_back({.step = Step::kInstanceDict, .target = handles_.Add(pycompat::MaterializedDict(object))});
  Py_ssize_t count = 0;
  for (ItemCursor cursor(pycompat::InstanceItems(object)); count < kMaxItems && cursor.Next(); ++count)
    if (PyUnicode_CheckExact(cursor.key))
      AddEdge(Step::kAttr, NameConstant(cursor.key), cursor.value, depth - 1, record);
  if (IsHeapType(Py_TYPE(object)))
    AddAbsentAttributes(object, record);
}

// What __slots__ of its classes hold.
void Observer::AddMembers(PyObject* object, int depth, ObjectRecord* record) {
  PyObject* mro = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; depth > 0 && mro != nullptr && i < PyTuple_GET_SIZE(mro); ++i) {
    const auto* type = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
    if (!IsHeapType(type))
      continue;
    for (std::string& text : pycompat::MemberNames(type)) {
      const Constant name = Constant::Str(std::move(text));
      PyObject* target = nullptr;
      if (TakeKeyedStep(Step::kSlotMember, 0, name, object, &target) && target != nullptr)
        record->edges.push_back({.step = Step::kSlotMember, .key = name, .target = Visit(target, depth - 1)});
    }
  }
}

// What C objects are made of: each of these steps says itself whether it applies.
void Observer::DescribeParts(PyObject* object, int depth, ObjectRecord* record) {
  static constexpr Step kParts[] = {Step::kCellContents,    Step::kMethodFunc,  Step::kMethodSelf,  Step::kPropertyGet,
                                    Step::kPropertySet,     Step::kPropertyDel, Step::kPartialFunc, Step::kPartialArgs,
                                    Step::kPartialKeywords, Step::kIterSource,  Step::kProxyTarget, Step::kWeakrefTarget};
  static constexpr Fact kFacts[] = {Fact::kLength, Fact::kRange, Fact::kIterIndex, Fact::kIterRemaining, Fact::kSymbolName};
  for (Fact fact : kFacts)
    if (model::FactValue value = ReadFact(fact, object); value.known)
      record->facts.push_back(std::move(value));
  if (model::FactValue waits = ReadFact(Fact::kSuspended, object); waits.known) {
    AddStep(Step::kGenFunction, 0, object, depth, record);
    for (uint32_t cell = 0; cell < waits.constant.items[1].text.size(); ++cell)
      AddStep(Step::kGenCell, cell, object, depth, record);
    record->facts.push_back(std::move(waits));
  }
  const bool is_cell = PyCell_Check(object);
  for (Step step : kParts) {
    PyObject* target = nullptr;
    if (!TakeStep(step, object, Operand(), &target) || (target == nullptr && !(is_cell && step == Step::kCellContents)))
      continue;
    record->edges.push_back({.step = step, .target = target == nullptr ? model::kAbsent : Visit(target, depth - !is_cell)});
  }
}

}  // namespace framegate::client
