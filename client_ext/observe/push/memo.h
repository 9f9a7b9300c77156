// What a program that passed came to: the part of it that follows from a few roots is told by witnesses, the rest is a shorter program on
// what differs from call to call. Passing the memo and passing the program is the same. Owned by its program; GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>
#include <vector>

#include "client_ext/observe/push/witness.h"
#include "client_ext/observe/py_probe.h"
#include "guards/program/eval.h"

namespace framegate::client {

enum class Told : uint8_t {
  kPass,
  kFail,   // the program fails
  kStale,  // a witness does not hold: only the program itself can tell
};

struct Memo {
  // A root that everything told by witnesses starts from, and what it was.
  struct Root {
    uint32_t at = 0;  // linked instruction
    PyObject* object = nullptr;
  };

  explicit Memo(WitnessPolicy& policy) : words(policy) {}

  // REQUIRES: its roots are those of the frames that the probe looks at.
  Told Evaluate(PyProbe& probe, guards::Scratch<PyProbe>& scratch, PyObject** kept) noexcept;

  bool WordsHold(const LiveFrame& frame) noexcept;

  std::vector<Root> roots;
  Witnesses words;
  bool has_tensors = false;  // then the thread's dispatch keys count
  uint64_t thread_keys[2] = {};
  // The rest: first what is about nothing but what differs from call to call, then what looks at both.
  std::vector<PyProbe::Instruction> early, late;
  std::vector<guards::Linked<PyProbe>::Slice> early_slices, late_slices;
  std::vector<PyObject*> objects;  // registers of the rest; some hold what the witnesses tell
  std::vector<std::pair<uint32_t, PyObject*>> kept;
  Memo* next = nullptr;  // the one that was used after it last
  uint64_t period = 0;   // the calm in which the words held last; 0: none
  size_t stale_at = 0;   // the witness that did not hold
};

// REQUIRES: the program has just passed on the frames. `varying[i]`: the root at linked instruction i is of each call's own.
// Null where it is of no use.
std::unique_ptr<Memo> Record(const guards::Linked<PyProbe>& program, PyProbe& probe, const std::vector<bool>& varying,
                             WitnessPolicy& policy);

// Takes the root step of a linked instruction.
PyObject* TakeRoot(const PyProbe::Instruction& instruction, PyProbe& probe) noexcept;

}  // namespace framegate::client
