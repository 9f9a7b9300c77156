// What a check saw, as words of memory: while they hold what they held, the check would see the same. Nothing is called to find out, and
// the words of a whole tree of modules lie in one table.
//
// A word may be looked at only where those before it hold: they are what keeps its memory alive. An object that is named by its address
// alone may be another one by now, so what a check read of it is told by words of its own; dict and type versions are never given twice.
// Objects that have no version and cannot change (constants, code) are pinned. GIL held; no Python code runs.
#pragma once

#include "client_ext/pycompat/observe_instance.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "client_ext/pycompat/ref.h"
#include "guards/program/link.h"
#include "model/enums.h"

namespace framegate::client {

using guards::Operand;

struct Witness {
  const uint64_t* at = nullptr;
  uint64_t mask = 0;
  uint64_t value = 0;
  bool calm = false;  // changes only where a dict changes
  bool leaf = false;  // keeps no memory of other words alive
};

// The same for comparing: most words count as a whole, and the others lie apart.
struct WholeWitness {
  const uint64_t* at = nullptr;
  uint64_t value = 0;
};

struct PartWitness {
  const uint64_t* at = nullptr;
  uint64_t mask = 0;
  uint64_t value = 0;
  size_t before = 0;  // whole ones that are looked at first
};

class WitnessTable {
 public:
  void Add(const Witness& word);
  // No more is added.
  void Seal();

  // REQUIRES: Seal() was called.
  bool Holds() const noexcept {
    const WholeWitness* const begin = whole_.data();
    const WholeWitness* w = begin;
    for (const PartWitness& part : parts_) {
      const WholeWitness* const end = begin + part.before;
#pragma GCC unroll 4
      for (; w != end; ++w)
        if (*w->at != w->value) [[unlikely]]
          return false;
      if (((*part.at ^ part.value) & part.mask) != 0) [[unlikely]]
        return false;
    }
    return true;
  }

 private:
  std::vector<WholeWitness> whole_;
  std::vector<PartWitness> parts_, leaves_;  // once sealed: all in parts_, and some part after the last whole one
};

// Objects kept alive for witnesses, and dicts that change too often to be told by their version.
struct WitnessPolicy {
  absl::flat_hash_map<PyObject*, pycompat::Ref> pins;
  absl::flat_hash_set<const PyObject*> loose_dicts;
};

class Witnesses {
 public:
  explicit Witnesses(WitnessPolicy& policy) : policy_(policy) {}

  // --- recording; false: the words do not tell ---
  void Bytes(const void* at, size_t count);

  template <typename T>
  void Field(const T& field) {
    Bytes(&field, sizeof field);
  }

  // Some bits of a field.
  void Bits(const unsigned long& field, uint64_t mask) { Add(&field, mask); }

  // What is added from now on leads from this root.
  void From(uint32_t root) {
    if (origins_.empty() || origins_.back().second != root)
      origins_.emplace_back(static_cast<uint32_t>(words_.size()), root);
  }

  // As Bytes, of memory that only a change of a dict changes.
  template <typename T>
  void DictField(const T& field) {
    calm_ = true;
    Field(field);
    calm_ = false;
  }

  // As Bytes, of memory that leads nowhere.
  void Leaf(const void* at, size_t count) {
    leaf_ = true;
    Bytes(at, count);
    leaf_ = false;
  }

  // The object is this very one while the words before hold, and is kept alive by what they tell of.
  void Steady(PyObject* object) {
    if (object != nullptr)
      steady_.insert(object);
  }

  bool IsSteady(PyObject* object) const { return steady_.contains(object); }

  void Pin(PyObject* object) { policy_.pins.try_emplace(object, pycompat::Ref::Share(object)); }

  // The exact type, also as it is now.
  bool Object(PyObject* object);
  bool Type(PyTypeObject* type);
  // All items and their order; not the order of an OrderedDict, which is its own.
  bool Dict(PyObject* dict);
  // The value under a name: by the dict's version, or for one that changes often by its entry. `value` null: there is none.
  bool Item(PyObject* dict, PyObject* name, PyObject* value);

  // From now on by its entries.
  void Loosen(PyObject* dict) { policy_.loose_dicts.insert(dict); }

  // Where the instance's attributes are; those that are there.
  bool Attribute(PyObject* object, PyObject* name, PyObject* value);
  bool Attributes(PyObject* object);

  // --------------------------------------------

  // No more is added.
  void Seal();

  // Whether all hold. `calm`: no dict has changed since they did. REQUIRES: Seal() was called.
  bool Hold(bool calm) const noexcept { return calm ? restless_.Holds() : all_.Holds(); }

  // The index of the first that does not hold, or size().
  size_t FirstBroken() const noexcept;

  // Whether there is much that a calm evaluation leaves out.
  bool GainsByCalm() const { return calm_words_ >= 24; }

  size_t size() const { return words_.size(); }

  // The dict whose version the word is; null for others.
  const PyObject* DictOf(size_t index) const;
  uint32_t RootOf(size_t index) const;

 private:
  void Add(const void* at, uint64_t mask);
  void Key(PyObject* const& key);
  // Where the attributes are as a whole: in the object (false in *dict), in a dict, or nowhere.
  bool Place(PyObject* object, PyObject** dict);

  WitnessPolicy& policy_;
  std::vector<Witness> words_;
  WitnessTable all_, restless_;
  size_t calm_words_ = 0;
  bool calm_ = false, leaf_ = false;  // of what is being added
  absl::flat_hash_set<const PyObject*> steady_;
  absl::flat_hash_map<const void*, uint32_t> at_;
  std::vector<std::pair<uint32_t, const PyObject*>> versioned_;  // words that are dict versions
  std::vector<std::pair<uint32_t, uint32_t>> origins_;           // from this word on: the root
};

// Tells that module:qualified.name is the object.
bool WitnessSymbol(std::string_view symbol, PyObject* object, Witnesses& words);
// Tells the step from `from` to `to` (null: nothing there), or that the fact is as it is. False where words do not tell.
bool WitnessStep(model::Step step, PyObject* from, Operand operand, PyObject* to, Witnesses& words);
bool WitnessFact(model::Fact fact, PyObject* object, Operand operand, Witnesses& words);

}  // namespace framegate::client
