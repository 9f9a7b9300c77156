#include "client_ext/pycompat/observe_instance.h"

#include "client_ext/torch_bridge/native/marks.h"

#include <algorithm>

namespace framegate::client {

namespace {

// A str for lookups: interned, its hash cached; kept.
PyObject* Interned(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  PyObject_Hash(name);
  return name;
}

PyObject* DynamicName() {
  static PyObject* const name = Interned("_dynamo_dynamic_indices");
  return name;
}

PyObject* StaticName() {
  static PyObject* const name = Interned("_dynamo_static_indices");
  return name;
}

PyObject* FindSet(PyObject* tensor, PyObject* name) noexcept {
  uint16_t hint = 0;
  PyObject* value = nullptr;
  if (pycompat::FindName(pycompat::InstanceItems(tensor), name, &hint, &value) != pycompat::Lookup::kFound)
    return nullptr;
  return PySet_CheckExact(value) ? value : nullptr;
}

// Calls visit(dimension) for each exact int of the set.
template <typename F>
void ForEach(PyObject* set, int64_t rank, F visit) noexcept {
  if (set == nullptr)
    return;
  const auto* table = reinterpret_cast<const PySetObject*>(set);
  for (Py_ssize_t i = 0; i <= table->mask; ++i) {
    PyObject* item = table->table[i].key;
    if (item == nullptr || table->table[i].hash == -1 || !PyLong_CheckExact(item))  // -1: deleted
      continue;
    int overflow = 0;
    const long long dimension = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (overflow == 0)
      visit(dimension < 0 ? dimension + rank : dimension);
  }
}

std::vector<int64_t> Dimensions(PyObject* set, int64_t rank) {
  std::vector<int64_t> dimensions;
  ForEach(set, rank, [&](int64_t dimension) { dimensions.push_back(dimension); });
  std::sort(dimensions.begin(), dimensions.end());
  dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());
  return dimensions;
}

bool Same(PyObject* set, int64_t rank, const std::vector<int64_t>& expected) noexcept {
  if (set == nullptr || PySet_GET_SIZE(set) == 0)
    return expected.empty();
  // Both a dimension and its negative twin may be marked, so subset in both directions decides.
  bool known = true;
  ForEach(set, rank, [&](int64_t d) { known = known && std::binary_search(expected.begin(), expected.end(), d); });
  for (int64_t dimension : expected) {
    bool found = false;
    ForEach(set, rank, [&](int64_t d) { found = found || d == dimension; });
    known = known && found;
  }
  return known;
}

}  // namespace

bool MayHaveMarks(PyObject* tensor) noexcept {
  if (const PyDictValues* values = pycompat::InlineValues(tensor))
    return pycompat::SplitCount(values) > 0;
  const PyObject* dict = pycompat::MaterializedDict(tensor);
  return dict != nullptr && (!PyDict_Check(dict) || PyDict_GET_SIZE(dict) > 0);
}

DimMarks ReadMarks(PyObject* tensor, int64_t rank) {
  if (!MayHaveMarks(tensor))
    return {};
  return {Dimensions(FindSet(tensor, DynamicName()), rank), Dimensions(FindSet(tensor, StaticName()), rank)};
}

bool MarksAre(PyObject* tensor, int64_t rank, const DimMarks& marks) noexcept {
  if (!MayHaveMarks(tensor))
    return marks.dynamic_dims.empty() && marks.static_dims.empty();
  return Same(FindSet(tensor, DynamicName()), rank, marks.dynamic_dims) && Same(FindSet(tensor, StaticName()), rank, marks.static_dims);
}

}  // namespace framegate::client
