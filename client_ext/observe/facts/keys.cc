// Keys in order: of dicts, instances and sets.

#include <algorithm>

#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/observe_instance.h"
#include "client_ext/pycompat/observe_objects.h"
#include "client_ext/pycompat/observe_type.h"

namespace framegate::client {

using model::Constant;
using model::Fact;
using pycompat::ItemCursor;
using pycompat::ItemsOf;

namespace {

// Calls visit(key) for each key in order until it says false; whether it never did.
template <typename F>
bool VisitKeys(PyObject* dict, F visit) {
  if (pycompat::IsOrderedDict(dict)) {
    PyObject* key = nullptr;
    for (const void* node = nullptr; (node = pycompat::NextOrderedNode(dict, node, &key)) != nullptr;)
      if (!visit(key))
        return false;
    return true;
  }
  for (ItemCursor cursor(ItemsOf(dict)); cursor.Next();)
    if (!visit(cursor.key))
      return false;
  return true;
}

template <typename F>
bool VisitElements(PyObject* set, F visit) {
  PyObject* element = nullptr;
  for (Py_ssize_t at = 0; pycompat::NextElement(set, &at, &element);)
    if (!visit(element))
      return false;
  return true;
}

// How many elements lie before the entry of the table where pop() begins to look.
bool PlaceOfPop(PyObject* object, uint64_t* place) {
  if (!PyAnySet_Check(object))
    return false;
  const auto* set = reinterpret_cast<PySetObject*>(object);
  const Py_ssize_t first = set->finger & set->mask;
  PyObject* element = nullptr;
  *place = 0;
  for (Py_ssize_t at = 0; pycompat::NextElement(object, &at, &element) && at <= first;)
    ++*place;
  return true;
}

// A visitor that collects constants.
auto Collect(Constant* tuple) {
  *tuple = Constant::Tuple({});
  return [tuple](PyObject* item) { return FromPython(item, &tuple->items.emplace_back()); };
}

// A visitor that compares with the items of an expected tuple, which is an object of ours. Equal strs take the places of its own: the next
// comparison is one of pointers.
class Comparison {
 public:
  explicit Comparison(Operand operand) : expected_(static_cast<const LinkedConstant*>(operand.pointer)->object.get()) {}

  Py_ssize_t size() const { return PyTuple_CheckExact(expected_) ? PyTuple_GET_SIZE(expected_) : -1; }

  auto Visitor() {
    return [this](PyObject* item) { return at_ < size() && Same(item, &PyTuple_GET_ITEM(expected_, at_++)); };
  }

  // As Visitor, for what comes in no order of its own: what is met takes the place where it is met, so that the next comparison finds it
  // there.
  auto AnyOrderVisitor() {
    return [this](PyObject* item) {
      for (Py_ssize_t at = at_; at < size(); ++at) {
        if (!Same(item, &PyTuple_GET_ITEM(expected_, at)))
          continue;
        std::swap(PyTuple_GET_ITEM(expected_, at), PyTuple_GET_ITEM(expected_, at_++));
        return true;
      }
      return false;
    };
  }

  bool is_complete() const { return at_ == size(); }

 private:
  static bool Same(PyObject* item, PyObject** expected) {
    if (item == *expected)
      return true;
    if (!SameConstant(item, *expected))
      return false;
    if (PyUnicode_CheckExact(item))
      Py_SETREF(*expected, Py_NewRef(item));
    return true;
  }

  PyObject* expected_;
  Py_ssize_t at_ = 0;
};

}  // namespace

template <>
bool ReadFact<Fact::kDictKeys>(PyObject* object, model::FactValue* value) {
  return PyDict_Check(object) && VisitKeys(object, Collect(&value->constant));
}

template <>
bool FactIs<Fact::kDictKeys>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Comparison comparison(operand);
  return PyDict_Check(object) && PyDict_GET_SIZE(object) == comparison.size() && VisitKeys(object, comparison.Visitor()) &&
         comparison.is_complete();
}

template <>
bool ReadFact<Fact::kInstanceKeys>(PyObject* object, model::FactValue* value) {
  if (!pycompat::CanHaveDict(Py_TYPE(object)))
    return false;
  value->constant = Constant::Tuple({});
  for (ItemCursor cursor(pycompat::InstanceItems(object)); cursor.Next();) {
    if (!PyUnicode_CheckExact(cursor.key) || !FromPython(cursor.key, &value->constant.items.emplace_back()))
      return false;
  }
  return true;
}

template <>
bool FactIs<Fact::kInstanceKeys>(PyObject* object, Operand operand, uint16_t*) noexcept {
  if (!pycompat::CanHaveDict(Py_TYPE(object)))
    return false;
  Comparison comparison(operand);
  const auto same = comparison.Visitor();
  for (ItemCursor cursor(pycompat::InstanceItems(object)); cursor.Next();)
    if (!same(cursor.key))
      return false;
  return comparison.is_complete();
}

template <>
bool ReadFact<Fact::kSetElements>(PyObject* object, model::FactValue* value) {
  return PyAnySet_Check(object) && VisitElements(object, Collect(&value->constant));
}

template <>
bool FactIs<Fact::kSetElements>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Comparison comparison(operand);
  return PyAnySet_Check(object) && PySet_GET_SIZE(object) == comparison.size() && VisitElements(object, comparison.Visitor()) &&
         comparison.is_complete();
}

template <>
bool ReadFact<Fact::kSetMembers>(PyObject* object, model::FactValue* value) {
  if (!ReadFact<Fact::kSetElements>(object, value))
    return false;
  std::vector<std::pair<std::string, Constant>> sorted;
  for (Constant& element : value->constant.items)
    sorted.emplace_back(Encode(element), std::move(element));
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(sorted.begin(), sorted.end(), value->constant.items.begin(), [](auto& element) { return std::move(element.second); });
  return true;
}

template <>
bool FactIs<Fact::kSetMembers>(PyObject* object, Operand operand, uint16_t*) noexcept {
  Comparison comparison(operand);
  return PyAnySet_Check(object) && PySet_GET_SIZE(object) == comparison.size() && VisitElements(object, comparison.AnyOrderVisitor()) &&
         comparison.is_complete();
}

template <>
bool ReadFact<Fact::kTypeKeys>(PyObject* object, model::FactValue* value) {
  PyObject* dict = PyType_Check(object) ? pycompat::TypeDict(reinterpret_cast<PyTypeObject*>(object)) : nullptr;
  if (dict == nullptr)
    return false;
  value->constant = Constant::Tuple({});
  for (ItemCursor cursor(ItemsOf(dict)); cursor.Next();)
    if (!PyUnicode_CheckExact(cursor.key) || !FromPython(cursor.key, &value->constant.items.emplace_back()))
      return false;
  return true;
}

template <>
bool FactIs<Fact::kTypeKeys>(PyObject* object, Operand operand, uint16_t*) noexcept {
  PyObject* dict = PyType_Check(object) ? pycompat::TypeDict(reinterpret_cast<PyTypeObject*>(object)) : nullptr;
  Comparison comparison(operand);
  return dict != nullptr && VisitKeys(dict, comparison.Visitor()) && comparison.is_complete();
}

template <>
bool ReadFact<Fact::kSetPlace>(PyObject* object, model::FactValue* value) {
  return PlaceOfPop(object, &value->word);
}

template <>
bool FactIs<Fact::kSetPlace>(PyObject* object, Operand operand, uint16_t*) noexcept {
  uint64_t place = 0;
  return PlaceOfPop(object, &place) && place == operand.word;
}

template <>
bool ReadFact<Fact::kHasInstanceDict>(PyObject* object, model::FactValue* value) {
  value->word = pycompat::CanHaveDict(Py_TYPE(object));
  return true;
}

}  // namespace framegate::client
