// A check program linked in this process: verified, its constants made Python objects, its types pinned. What the dispatcher evaluates.
//
// Ownership: owns what it links (constants, symbols); never the objects it checks. Make and destroy it with the GIL held. Evaluation runs
// no Python code, allocates no Python object and leaves the error indicator as it is. One evaluation at a time (the GIL).
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client_ext/observe/live_unit.h"
#include "guards/program/eval.h"
#include "guards/program/program.h"

namespace framegate::client {

class HandleTable;
class Memos;
class PyProbe;

class CheckProgram {
 public:
  // `handles` resolves check_object; null where no translation is open (such a program is then FailedPrecondition).
  // InvalidArgument, FailedPrecondition, ResourceExhausted: the program must not be used (Reason::kProgramRejected).
  static absl::StatusOr<std::unique_ptr<CheckProgram>> Link(std::string_view bytes, const HandleTable* handles);
  ~CheckProgram();
  CheckProgram(const CheckProgram&) = delete;
  CheckProgram& operator=(const CheckProgram&) = delete;

  // `kept` receives borrowed objects in the order of keep_slots(); they mean something only after a pass.
  guards::Verdict Evaluate(const LiveFrame* frames, size_t frame_count, PyObject** kept) const noexcept;
  // Whether it passes, in the fastest way: what has not changed since it passed last is not looked at again.
  bool Passes(const LiveFrame* frames, size_t frame_count, PyObject** kept) const noexcept;
  // Localsplus slots of the new code, in the order of `kept`.
  const std::vector<uint32_t>& keep_slots() const;

  // What a failing instruction looks at, expects and sees on these frames now, for misses() and explain. Reads facts only; runs no Python.
  struct Miss {
    model::SubjectId subject = model::kNoSubject;  // of the entry's subjects
    std::string ambient;                           // name of the part of the ambient state where it is about that
    std::string expected;                          // under 500 characters
    std::string actual;
  };

  Miss Explain(uint32_t instruction, const LiveFrame* frames, size_t frame_count) const;

  const guards::Program& program() const { return program_; }

 private:
  CheckProgram();

  guards::Program program_;
  std::unique_ptr<guards::Linked<PyProbe>> linked_;
  std::unique_ptr<Memos> memos_;
};

}  // namespace framegate::client
