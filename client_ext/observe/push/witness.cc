#include "client_ext/observe/push/witness.h"

#include <algorithm>

#include "client_ext/observe/names.h"
#include "client_ext/pycompat/observe_type.h"

namespace framegate::client {

namespace {

constexpr uintptr_t kWord = sizeof(uint64_t);

}  // namespace

void Witnesses::Add(const void* at, uint64_t mask) {
  const auto* word = static_cast<const uint64_t*>(at);
  auto [it, is_new] = at_.try_emplace(word, static_cast<uint32_t>(words_.size()));
  if (is_new) {
    words_.push_back({word, mask, *word, calm_, leaf_});
    return;
  }
  Witness& known = words_[it->second];
  known.mask |= mask;
  known.calm = known.calm && calm_;
  known.leaf = known.leaf && leaf_;
}

void Witnesses::Bytes(const void* at, size_t count) {
  uintptr_t from = reinterpret_cast<uintptr_t>(at);
  const uintptr_t end = from + count;
  while (from < end) {
    const uintptr_t word = from & ~(kWord - 1), next = std::min(word + kWord, end);
    const uint64_t bytes = next - from, all = bytes == kWord ? ~uint64_t{0} : (uint64_t{1} << bytes * 8) - 1;
    Add(reinterpret_cast<const void*>(word), all << (from - word) * 8);
    from = next;
  }
}

void WitnessTable::Add(const Witness& word) {
  if (word.mask == ~uint64_t{0})
    whole_.push_back({word.at, word.value});
  else
    (word.leaf ? leaves_ : parts_).push_back({word.at, word.mask, word.value, whole_.size()});
}

void WitnessTable::Seal() {
  static const uint64_t nothing = 0;
  leaves_.push_back({.at = &nothing});
  for (PartWitness& leaf : leaves_) {
    leaf.before = whole_.size();
    parts_.push_back(leaf);
  }
  leaves_.clear();
}

void Witnesses::Seal() {
  for (const Witness& word : words_) {
    all_.Add(word);
    if (!word.calm)
      restless_.Add(word);
    calm_words_ += word.calm;
  }
  all_.Seal();
  restless_.Seal();
}

size_t Witnesses::FirstBroken() const noexcept {
  for (size_t i = 0; i < words_.size(); ++i)
    if (((*words_[i].at ^ words_[i].value) & words_[i].mask) != 0)
      return i;
  return words_.size();
}

bool Witnesses::Object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  const bool is_heap = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
  // Only modules change an immutable type for another.
  if ((type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0 || PyModule_Check(object) || !IsSteady(object))
    Field(object->ob_type);
  return !is_heap || Type(type);
}

bool Witnesses::Type(PyTypeObject* type) {
  // Flags that change without a new version (PyProbe::TypeVersion).
  constexpr uint64_t kLoose = Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING | Py_TPFLAGS_IS_ABSTRACT | Py_TPFLAGS_VALID_VERSION_TAG;
  if (pycompat::AssuredVersionTag(type, GetNames().module) == 0)
    return false;
  Field(type->tp_version_tag);
  Bits(type->tp_flags, kLoose);
  return true;
}

bool Witnesses::Dict(PyObject* dict) {
  const auto* d = reinterpret_cast<const PyDictObject*>(dict);
  if (!pycompat::VersionTellsAll(d))
    return false;
  const size_t before = words_.size();
  DictField(pycompat::DictVersionField(d));
  if (words_.size() > before)
    versioned_.emplace_back(static_cast<uint32_t>(before), dict);
  return true;
}

const PyObject* Witnesses::DictOf(size_t index) const {
  for (const auto& [at, dict] : versioned_)
    if (at == index)
      return dict;
  return nullptr;
}

uint32_t Witnesses::RootOf(size_t index) const {
  uint32_t root = 0;
  for (const auto& [at, origin] : origins_)
    if (at <= index)
      root = origin;
  return root;
}

bool Witnesses::Item(PyObject* dict, PyObject* name, PyObject* value) {
  const pycompat::Items items = pycompat::ItemsOf(dict);
  if (!policy_.loose_dicts.contains(dict) || items.values != nullptr || items.keys == nullptr || !DK_IS_UNICODE(items.keys)) {
    if (!Dict(dict))
      return false;
    Steady(value);
    return true;
  }
  DictField(reinterpret_cast<PyDictObject*>(dict)->ma_keys);
  Py_ssize_t place = -1;
  // All that a search for the name meets: places in the hash table, and the keys they lead to.
  const pycompat::Lookup answer = pycompat::FindNameAmongNames(items, name, &place, [&](const void* index, size_t size, Py_ssize_t met) {
    calm_ = true;
    Bytes(index, size);
    calm_ = false;
    if (met >= 0)
      Key(DK_UNICODE_ENTRIES(items.keys)[met].me_key);
  });
  if ((answer == pycompat::Lookup::kFound ? pycompat::ValueAt(items, place) : nullptr) != value)
    return false;
  if (answer == pycompat::Lookup::kFound)
    DictField(DK_UNICODE_ENTRIES(items.keys)[place].me_value);
  return answer != pycompat::Lookup::kUnknown;
}

void Witnesses::Key(PyObject* const& key) {
  DictField(key);
  if (key != nullptr)
    Pin(key);
}

bool Witnesses::Place(PyObject* object, PyObject** dict) {
  *dict = nullptr;
  if (!Object(object))
    return false;
  if (!pycompat::CanHaveDict(Py_TYPE(object)))
    return true;
  const pycompat::InstancePlace place = pycompat::PlaceOf(object);
  if (place.dict == nullptr)
    return false;
  const bool is_inline = pycompat::InlineValues(object) != nullptr;
  const bool stays = !is_inline && place.values_go_with_dict && (*place.dict != nullptr || IsSteady(object));
  if (place.values != nullptr && !stays)
    Bytes(place.values, place.values_size);
  if (!is_inline) {
    Field(*place.dict);
    *dict = *place.dict;
  }
  return *dict == nullptr || PyDict_Check(*dict);
}

bool Witnesses::Attribute(PyObject* object, PyObject* name, PyObject* value) {
  PyObject* dict = nullptr;
  if (!Place(object, &dict))
    return false;
  if (dict != nullptr)
    return Item(dict, name, value);
  const pycompat::Items items = pycompat::InstanceItems(object);
  if (items.values == nullptr)
    return value == nullptr;
  // Names keep their places in the keys that all instances of the type share.
  auto* type = reinterpret_cast<PyHeapTypeObject*>(Py_TYPE(object));
  Field(type->ht_cached_keys);
  Py_ssize_t place = 0;
  const pycompat::Lookup answer = pycompat::FindNameAmongNames(items, name, &place);
  if (answer == pycompat::Lookup::kUnknown)
    return false;
  if (answer == pycompat::Lookup::kFound)
    Field(items.values->values[place]);
  else
    Field(items.keys->dk_nentries);
  return answer == pycompat::Lookup::kFound ? items.values->values[place] == value : value == nullptr;
}

bool Witnesses::Attributes(PyObject* object) {
  PyObject* dict = nullptr;
  if (!Place(object, &dict))
    return false;
  if (dict != nullptr)
    return Dict(dict);
  const PyDictValues* values = pycompat::InlineValues(object);
  if (values != nullptr)
    Field(pycompat::SplitCountField(values));
  return values == nullptr || pycompat::SplitCount(values) == 0;
}

}  // namespace framegate::client
