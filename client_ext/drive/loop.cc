#include "client_ext/drive/loop.h"

#include <optional>
#include <utility>

#include "client_ext/dispatch/resolve.h"
#include "client_ext/dispatch/run_frame.h"
#include "client_ext/drive/act.h"
#include "client_ext/drive/enter.h"
#include "client_ext/drive/levels.h"
#include "client_ext/hook/hook.h"
#include "client_ext/pycompat/evaluator.h"
#include "client_ext/pycompat/exceptions.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// Puts the handled exception of the thread back when the frames are done: what they leave is theirs.
class HandledScope {
 public:
  explicit HandledScope(PyThreadState* thread) : thread_(thread), before_(pycompat::Handled(thread)) {}

  ~HandledScope() {
    PyObject* raised = pycompat::TakeRaised();
    pycompat::SetHandled(thread_, before_);
    if (raised != nullptr)
      pycompat::SetRaised(raised);
  }

  HandledScope(const HandledScope&) = delete;
  HandledScope& operator=(const HandledScope&) = delete;

 private:
  PyThreadState* thread_;
  PyObject* before_;
};

class Loop {
 public:
  Loop(PyThreadState* thread, Region* region, Pending pending) : thread_(thread), region_(region), pending_(std::move(pending)) {}

  PyObject* Run() {
    const HandledScope handled(thread_);
    while (true) {
      BeginSegment();
      bool raised_here = bool(pending_.exception);
      while (true) {
        if (pending_.exception && !UnwindOne(raised_here))
          return nullptr;
        std::optional<PyObject*> end = GoOn(&raised_here);
        if (end)
          return *end;
        if (at_break_)
          break;
      }
    }
  }

 private:
  void BeginSegment() {
    at_break_ = false;
    if (pending_.has_handled)
      pycompat::SetHandled(thread_, std::exchange(pending_.handled, {}).release());
    const LiveScope live(thread_, region_);
    ActOnBreak(thread_, &pending_);
  }

  // False, with the exception set, where it leaves the root.
  bool UnwindOne(bool raised_here) {
    const LiveScope live(thread_, region_);
    const Ref exception = pending_.exception;
    if (Unwind(thread_, &pending_, raised_here))
      return true;
    pycompat::SetRaised(pending_.exception.release());
    return false;
  }

  // From where the frames stand to the next break, to the end of the innermost frame or to the end of all. The root's value or null with an
  // exception set in the last case.
  std::optional<PyObject*> GoOn(bool* raised_here) {
    const Resolution resolution = Resolve();
    switch (resolution.way) {
      case Way::kEntry:
        return RunContinuation(*resolution.entry, raised_here);
      case Way::kOriginal:
        return RunOriginal(region_, raised_here);
      case Way::kQuiet:
        return RunOriginal(nullptr, raised_here);
      case Way::kRaise:
        break;
    }
    pending_.exception = Ref::Steal(pycompat::TakeRaised());
    RaiseHere();
    *raised_here = true;
    return std::nullopt;
  }

  Resolution Resolve() {
    if (pycompat::IsTraced(thread_))
      return {};
    const LiveUnit live = pending_.Live();
    const std::shared_ptr<Site> site = ContinuationSite(region_, pending_.ToUnit());
    if (Installed* entry = site->Find(live.frames.data(), live.frames.size(), KeptObjects()))
      return {WayOf(*entry), entry};
    return ResolveMiss(thread_, site, live);
  }

  std::optional<PyObject*> RunContinuation(const Installed& entry, bool* raised_here) {
    const std::shared_ptr<const model::Entry> row = entry.entry;
    Pending again = row->retries ? pending_.Twin() : Pending();
    const Ref code = entry.code, function = pending_.frames().front().function;
    auto* globals = reinterpret_cast<PyFunctionObject*>(function.get())->func_globals;
    // Kept objects are borrowed from what the cells hold: the new code gets both before anything is dropped.
    std::vector<PyObject*> cells = pending_.TakeCells();
    cells.resize(static_cast<size_t>(reinterpret_cast<PyCodeObject*>(code.get())->co_nlocalsplus));
    FillSlots(entry, KeptObjects(), globals, cells.data());
    pending_ = {};
    PyObject* result =
        EnterFrame(thread_, {.function = function.get(), .code = reinterpret_cast<PyCodeObject*>(code.get()), .cells = cells.data()});
    if (result == nullptr && TakeFailure(*row)) {
      PyErr_Clear();
      pending_ = std::move(again);
      return RunOriginal(nullptr, raised_here);
    }
    if (result == nullptr || !TakePendingObject(result, &pending_))
      return result;
    Py_DECREF(result);
    at_break_ = true;
    return std::nullopt;
  }

  std::optional<PyObject*> RunOriginal(Region* region, bool* raised_here) {
    const Pending::Frame& top = pending_.top();
    const Ref code = top.code, function = top.function;
    Entering entering{
        .function = function.get(), .code = reinterpret_cast<PyCodeObject*>(code.get()), .depth = top.depth, .offset = top.offset};
    std::vector<PyObject*> cells;
    pending_.TakeTop(&cells);
    entering.cells = cells.data();
    PyObject* value = Enter(region, entering);
    if (pending_.empty())
      return value;
    *raised_here = false;
    if (value == nullptr) {
      pending_.exception = Ref::Steal(pycompat::TakeRaised());
      return std::nullopt;
    }
    const LiveScope live(thread_, region_);
    DeliverValue(thread_, &pending_, value, entering.code->co_name);
    *raised_here = bool(pending_.exception);
    return std::nullopt;
  }

  // The original code of a frame, below those that wait for it.
  PyObject* Enter(Region* region, const Entering& entering) {
    const LiveScope live(thread_, region);
    PyObject* value = nullptr;
    Ref exception;
    const auto run = [&] {
      value = EnterFrame(thread_, entering);
      if (value == nullptr)
        exception = Ref::Steal(pycompat::TakeRaised());
    };
    bool ran = false;
    const bool back = RunBelow(thread_, pending_, pending_.frames().size(), run, &ran);
    if (!ran)
      DropCells(entering);
    if (!back) {  // raised where it waits: that is what the frames below it would see
      Py_CLEAR(value);
      return nullptr;
    }
    if (exception)
      pycompat::SetRaised(exception.release());
    return value;
  }

  void RaiseHere() {
    const LiveScope live(thread_, region_);
    RaiseInTop(thread_, &pending_);
  }

  PyThreadState* thread_;
  Region* region_;
  Pending pending_;
  bool at_break_ = false;  // a continuation has ended in another break
};

struct PendingObject {
  PyObject_HEAD Pending pending;
};

PyTypeObject* pending_type = nullptr;

void DeallocPending(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  std::destroy_at(&reinterpret_cast<PendingObject*>(object)->pending);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(DeallocPending)}, {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.Pending", sizeof(PendingObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

bool InitPendingType() {
  pending_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return pending_type != nullptr;
}

PyObject* NewPendingObject(Pending pending) {
  PyObject* object = pending_type->tp_alloc(pending_type, 0);
  if (object != nullptr)
    new (&reinterpret_cast<PendingObject*>(object)->pending) Pending(std::move(pending));
  return object;
}

bool TakePendingObject(PyObject* object, Pending* pending) {
  if (!Py_IS_TYPE(object, pending_type))
    return false;
  *pending = std::move(reinterpret_cast<PendingObject*>(object)->pending);
  return true;
}

PyObject* RunPending(PyThreadState* thread, Region* region, Pending pending) {
  return Loop(thread, region, std::move(pending)).Run();
}

}  // namespace framegate::client
