// Frames that wait at a break: functions, slots, value stacks, and where each goes on. What drive works on. GIL held; one owner.
#pragma once

#include "client_ext/pycompat/ref.h"

#include <memory>
#include <utility>
#include <vector>

#include "client_ext/observe/live_unit.h"
#include "model/entry.h"

namespace framegate::client {

class Pending {
 public:
  struct Frame {
    pycompat::Ref function;
    pycompat::Ref code;              // the function's at the time of the break
    const model::PendingFrame* row;  // of the plan: how it goes on
    size_t begin = 0;                // of its slots among the cells
    uint32_t slots = 0;
    uint32_t depth = 0;   // stack cells, after the slots
    uint32_t offset = 0;  // where it stands, in code units
    bool waits = false;   // for the value of the frame above it
  };

  Pending() = default;
  Pending(Pending&& other) noexcept;
  Pending& operator=(Pending&& other) noexcept;
  ~Pending();

  // From drive's arguments (drive.h says their order). With `steal` they are taken out of the array, None put in their place. False with an
  // exception set where they do not fit the plan.
  bool Take(std::shared_ptr<const model::Entry> entry, const model::BreakPlan& plan, PyObject** args, size_t count, bool steal);

  bool empty() const { return frames_.empty(); }

  Frame& top() { return frames_.back(); }

  const std::vector<Frame>& frames() const { return frames_; }

  PyObject* const* cells() const { return cells_.data(); }

  PyCodeObject* top_code() { return reinterpret_cast<PyCodeObject*>(top().code.get()); }

  PyObject** top_cells() { return cells_.data() + top().begin; }

  size_t top_count() const { return frames_.back().slots + frames_.back().depth; }

  // The innermost value stack. Push takes the reference over; Pop gives it.
  void Push(PyObject* value);
  PyObject* Pop();
  void Shrink(uint32_t depth);

  PyObject* peek() { return cells_.back(); }

  // The innermost frame ends; the one below becomes the innermost.
  void DropTop();
  // The same, but the references of its cells go to the caller.
  void TakeTop(std::vector<PyObject*>* cells);

  // The references of all cells, for code that continues all frames. The frames stay, without cells.
  std::vector<PyObject*> TakeCells() { return std::exchange(cells_, {}); }

  // The same frames with references of their own.
  Pending Twin() const;

  // Views into this object, valid until it changes.
  LiveUnit Live() const;
  // What the frames are called for as a continuation.
  model::Unit ToUnit() const;

  const model::BreakPlan& plan() const { return *plan_; }

  // The exception that is on its way through the frames; null: none.
  pycompat::Ref exception;
  // The exception being handled at the break, where it was given.
  pycompat::Ref handled;
  bool has_handled = false;

 private:
  void Clear();

  std::shared_ptr<const model::Entry> entry_;  // keeps plan and rows
  const model::BreakPlan* plan_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<PyObject*> cells_;  // owned; null where empty
};

}  // namespace framegate::client
