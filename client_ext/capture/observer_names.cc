// What is told of names ahead: those that the code at hand, and what it calls, will ask objects and their classes for.

#include "client_ext/capture/names_of.h"

#include <algorithm>

#include "client_ext/capture/observer.h"
#include "client_ext/observe/known_types.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/steps.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_instance.h"

namespace framegate::client {

using model::Constant;
using model::ObjectRecord;
using model::Step;

namespace {

constexpr size_t kMaxNames = 512;  // looked up in one type

}  // namespace

const std::vector<PyObject*>& SpecialNames() {
  static const std::vector<PyObject*> names = {
#define FRAMEGATE_SPECIAL_NAME(name) PyUnicode_InternFromString(name),
#include "client_ext/capture/special_names.def"
#undef FRAMEGATE_SPECIAL_NAME
  };
  return names;
}

bool IsTorchs(PyObject* function) {
  std::string module;
  return TextOf(reinterpret_cast<PyFunctionObject*>(function)->func_module, &module) &&
         (module == "torch" || module == "torch.nn.modules.module" ||
          (module.starts_with("torch.") && !module.starts_with("torch.nn.modules.")));
}

bool IsOfValues(PyTypeObject* type) {
  static PyTypeObject* const kPlain[] = {&PyDict_Type,     &PyList_Type,   &PyTuple_Type, &PyUnicode_Type,  &PySet_Type,
                                         &PyFunction_Type, &PyMethod_Type, &PyCode_Type,  &PyDictProxy_Type};
  return std::find(std::begin(kPlain), std::end(kPlain), type) != std::end(kPlain) || type == FindKnownType(KnownType::kTensor) ||
         type == FindKnownType(KnownType::kParameter);
}

Constant NameConstant(PyObject* name) {
  Constant constant = Constant::Str("");
  TextOf(name, &constant.text);
  return constant;
}

PyObject* ValueUnder(PyObject* dict, PyObject* name) {
  PyObject* value = nullptr;
  uint16_t hint = 0;
  if (dict != nullptr && PyDict_Check(dict))
    ValueUnderName(pycompat::ItemsOf(dict), name, &hint, &value);
  return value;
}

// The names of the code at hand, and of the type's methods that these name: one method calls another.
const std::vector<PyObject*>& Observer::AttributesUsedOf(PyTypeObject* type) {
  auto [it, is_new] = attributes_used_.try_emplace(type);
  if (!is_new)
    return it->second;
  std::vector<PyObject*> names = names_;
  for (PyObject* name : SpecialNames())
    AddMethodNames(_PyType_Lookup(type, name), &names);
  absl::flat_hash_set<PyObject*> seen(SpecialNames().begin(), SpecialNames().end());
  std::vector<PyObject*> used;
  for (size_t i = 0; i < names.size() && used.size() < kMaxNames; ++i) {
    if (!seen.insert(names[i]).second)
      continue;
    used.push_back(names[i]);
    AddMethodNames(_PyType_Lookup(type, names[i]), &names);
  }
  return attributes_used_[type] = std::move(used);
}

void Observer::AddMethodNames(PyObject* value, std::vector<PyObject*>* names) {
  if (value == nullptr || !PyFunction_Check(value) || IsTorchs(value))
    return;
  const std::vector<PyObject*>& more = NamesOf(reinterpret_cast<PyCodeObject*>(CodeOf(value)));
  names->insert(names->end(), more.begin(), more.end());
}

// Attributes are looked for in the instance before methods are taken from its class, and before __getattr__ is asked.
void Observer::AddAbsentAttributes(PyObject* object, ObjectRecord* record) {
  const pycompat::Items items = pycompat::InstanceItems(object);
  for (PyObject* name : AttributesUsedOf(Py_TYPE(object))) {
    PyObject* value = nullptr;
    uint16_t hint = 0;
    if (pycompat::FindName(items, name, &hint, &value) == pycompat::Lookup::kAbsent)
      record->edges.push_back({.step = Step::kAttr, .key = NameConstant(name)});
  }
}

// nn.Module.__getattr__, which is asked when instance and class have no such name, looks for parameters, then for buffers, then for
// modules.
void Observer::AddAbsentMembers(PyObject* module, ObjectRecord* record) {
  static PyObject* const tables[] = {GetNames().parameters, GetNames().buffers, GetNames().modules};
  const pycompat::Items items = pycompat::InstanceItems(module);
  PyTypeObject* type = Py_TYPE(module);
  ObjectRecord before[std::size(tables)], of_type{.handle = handles_.Add(reinterpret_cast<PyObject*>(type))};
  for (size_t at = 0; at < std::size(tables); ++at) {
    uint16_t hint = 0;
    PyObject* dict = nullptr;
    if (pycompat::FindName(items, tables[at], &hint, &dict) != pycompat::Lookup::kFound || !PyDict_CheckExact(dict))
      return;
    before[at].handle = handles_.Add(dict);
    for (pycompat::ItemCursor cursor(pycompat::ItemsOf(dict)); cursor.Next();) {
      PyObject* own = nullptr;
      if (!PyUnicode_CheckExact(cursor.key) || !PyUnicode_IsIdentifier(cursor.key))
        continue;
      const Constant name = NameConstant(cursor.key);
      if (pycompat::FindName(items, cursor.key, &hint, &own) == pycompat::Lookup::kAbsent)
        record->edges.push_back({.step = Step::kAttr, .key = name});
      if (absences_told_.emplace(type, cursor.key).second && _PyType_Lookup(type, cursor.key) == nullptr)
        of_type.edges.push_back({.step = Step::kTypeAttr, .key = name});
      for (size_t earlier = 0; earlier < at; ++earlier)
        before[earlier].edges.push_back({.step = Step::kDictItem, .key = name});
    }
  }
  for (ObjectRecord& each : before)
    if (!each.edges.empty())
      extra_.push_back(std::move(each));
  if (!of_type.edges.empty())
    extra_.push_back(std::move(of_type));
}

void Observer::AddUsedMethods() {
  std::vector<PyObject*> names;
  absl::flat_hash_set<PyObject*> seen;
  for (PyCodeObject* code : code_)
    for (PyObject* name : NamesOf(code))
      if (seen.insert(name).second)
        names.push_back(name);
  std::sort(value_types_.begin(), value_types_.end());
  value_types_.erase(std::unique(value_types_.begin(), value_types_.end()), value_types_.end());
  for (PyTypeObject* type : value_types_) {
    ObjectRecord record{.handle = handles_.Add(reinterpret_cast<PyObject*>(type))};
    for (PyObject* name : names)
      if (methods_told_.emplace(type, name).second)
        AddTypeAttr(type, name, false, &record);
    if (!record.edges.empty())
      extra_.push_back(std::move(record));
  }
}

}  // namespace framegate::client
