#include "client_ext/drive/pending.h"

#include <algorithm>
#include <utility>

#include "client_ext/link/helpers.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

bool Refuse(const char* what) {
  PyErr_Format(PyExc_SystemError, "framegate: drive was given %s", what);
  return false;
}

}  // namespace

Pending::Pending(Pending&& other) noexcept {
  *this = std::move(other);
}

Pending& Pending::operator=(Pending&& other) noexcept {
  std::swap(entry_, other.entry_);
  std::swap(plan_, other.plan_);
  std::swap(frames_, other.frames_);
  std::swap(cells_, other.cells_);
  std::swap(exception, other.exception);
  std::swap(handled, other.handled);
  std::swap(has_handled, other.has_handled);
  return *this;
}

Pending::~Pending() {
  Clear();
}

void Pending::Clear() {
  for (PyObject* cell : std::exchange(cells_, {}))
    Py_XDECREF(cell);
}

bool Pending::Take(std::shared_ptr<const model::Entry> entry, const model::BreakPlan& plan, PyObject** args, size_t count, bool steal) {
  entry_ = std::move(entry);
  plan_ = &plan;
  const auto next = [&args, steal] {
    PyObject** place = args++;
    return Ref::Steal(steal ? std::exchange(*place, Py_NewRef(Py_None)) : Py_NewRef(*place));
  };
  size_t expected = plan.kind == model::BreakKind::kRaise ? 1 : 0;
  for (const model::PendingFrame& row : plan.frames)
    expected += 1 + size_t{row.slots} + row.depth;
  if (plan.frames.empty() || (count != expected && count != expected + 1))
    return Refuse("another number of values than its plan says");
  has_handled = count == expected + 1;
  cells_.reserve(count);
  for (const model::PendingFrame& row : plan.frames) {
    Frame frame{.function = next(), .row = &row, .begin = cells_.size(), .slots = row.slots, .depth = row.depth, .offset = row.offset};
    if (!PyFunction_Check(frame.function.get()))
      return Refuse("something else than a function for a frame");
    auto* code = reinterpret_cast<PyCodeObject*>(reinterpret_cast<PyFunctionObject*>(frame.function.get())->func_code);
    if (static_cast<uint32_t>(code->co_nlocalsplus) != row.slots || row.depth > static_cast<uint32_t>(code->co_stacksize) ||
        std::max({row.offset, row.next, row.jump}) >= static_cast<uint32_t>(Py_SIZE(code)))
      return Refuse("a function whose code does not fit its plan");
    frame.code = Ref::Share(reinterpret_cast<PyObject*>(code));
    frame.waits = &row != &plan.frames.back();
    for (uint32_t i = 0; i < row.slots + row.depth; ++i) {
      Ref value = next();
      cells_.push_back(value.get() == NullSentinel() ? nullptr : value.release());
    }
    frames_.push_back(std::move(frame));
  }
  if (has_handled)
    handled = next();
  if (plan.kind == model::BreakKind::kRaise)
    exception = next();
  if (exception && !PyExceptionInstance_Check(exception.get()))
    return Refuse("something to raise that is no exception");
  return true;
}

void Pending::Push(PyObject* value) {
  cells_.push_back(value);
  ++top().depth;
}

PyObject* Pending::Pop() {
  PyObject* value = cells_.back();
  cells_.pop_back();
  --top().depth;
  return value;
}

void Pending::Shrink(uint32_t depth) {
  while (top().depth > depth)
    Py_XDECREF(Pop());
}

void Pending::DropTop() {
  std::vector<PyObject*> cells;
  TakeTop(&cells);
  for (PyObject* cell : cells)
    Py_XDECREF(cell);
}

void Pending::TakeTop(std::vector<PyObject*>* cells) {
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(top().begin);
  cells->assign(begin, cells_.end());
  cells_.erase(begin, cells_.end());
  const Frame done = std::move(frames_.back());  // its references go last
  frames_.pop_back();
}

Pending Pending::Twin() const {
  Pending twin;
  twin.entry_ = entry_;
  twin.plan_ = plan_;
  twin.frames_ = frames_;
  twin.cells_ = cells_;
  for (PyObject* cell : twin.cells_)
    Py_XINCREF(cell);
  return twin;
}

LiveUnit Pending::Live() const {
  LiveUnit live;
  for (const Frame& frame : frames_) {
    auto* function = reinterpret_cast<PyFunctionObject*>(frame.function.get());
    PyObject* const* slots = cells_.data() + frame.begin;
    live.frames.push_back({.function = frame.function.get(),
                           .code = reinterpret_cast<PyCodeObject*>(frame.code.get()),
                           .globals = function->func_globals,
                           .builtins = function->func_builtins,
                           .slots = slots,
                           .slot_count = frame.slots,
                           .stack = slots + frame.slots,
                           .depth = frame.depth});
  }
  return live;
}

model::Unit Pending::ToUnit() const {
  model::Unit unit{.continuation = true};
  for (const Frame& frame : frames_) {
    model::UnitFrame out{.code = frame.row->code, .offset = frame.offset, .depth = frame.depth};
    if (frame.waits) {
      out.resume = frame.row->resume;
      out.next = frame.row->next;
      out.jump = frame.row->jump;
      out.jump_if = frame.row->jump_if;
      out.keep_on_jump = frame.row->keep_on_jump;
    }
    for (size_t i = frame.begin; i < frame.begin + frame.slots + frame.depth; ++i)
      out.nulls.push_back(cells_[i] == nullptr ? 1 : 0);
    unit.frames.push_back(std::move(out));
  }
  return unit;
}

}  // namespace framegate::client
