// The memos of one program: about 16 for as many objects that share it, found by their roots. Decides what is worth a memo; without one
// the program is evaluated. Owned by the program; GIL held; no Python code runs.
#pragma once

#include "client_ext/pycompat/python.h"

#include <array>
#include <memory>
#include <vector>

#include "client_ext/observe/push/memo.h"

namespace framegate::client {

class Memos {
 public:
  // `program` outlives it.
  explicit Memos(const guards::Linked<PyProbe>& program);

  // As guards::Evaluate says.
  bool Pass(const LiveFrame* frames, size_t count, guards::Scratch<PyProbe>& scratch, PyObject** kept) noexcept;

 private:
  static constexpr size_t kMost = 64;  // memos
  static constexpr size_t kMostPins = 4096;

  Memo* Find(PyProbe& probe) const noexcept;
  bool IsOf(const Memo& memo, PyProbe& probe) const noexcept;
  // After a pass of the whole program.
  void Learn(PyProbe& probe, Memo* stale);
  void LearnFromStale(const Memo& stale);
  void LearnFromMiss(PyProbe& probe);
  void ChooseVarying(PyProbe& probe);
  void Vary(uint32_t root);
  void Use(Memo* memo) noexcept;
  // Ends the process where memo and program differ: FRAMEGATE_SHADOW=1.
  void Compare(const LiveFrame* frames, size_t count, guards::Scratch<PyProbe>& scratch, const PyObject* const* kept, Told told);

  const guards::Linked<PyProbe>& program_;
  std::vector<uint32_t> root_steps_;  // linked instructions
  std::vector<bool> varying_;         // by linked instruction
  std::vector<uint32_t> changes_;     // by linked instruction: how often a root there was another object, or led to something else
  WitnessPolicy policy_;
  absl::flat_hash_map<const PyObject*, uint32_t> dict_changes_;
  std::vector<std::unique_ptr<Memo>> memos_;
  Memo* last_ = nullptr;
  uint64_t hits_ = 0;
  uint32_t passes_ = 0;
  int credit_ = 32;  // a memo costs some, a hit earns one
};

}  // namespace framegate::client
