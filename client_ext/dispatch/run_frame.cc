#include "client_ext/dispatch/run_frame.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "client_ext/dispatch/code_extra.h"
#include "client_ext/dispatch/resolve.h"
#include "client_ext/dispatch/unsafe.h"
#include "client_ext/drive/enter.h"
#include "client_ext/hook/hook.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/region/region.h"
#include "client_ext/region/stats.h"
#include "client_ext/torch_bridge/table.h"
#include "model/libraries.h"

namespace framegate::client {

namespace {

using model::Reason;

int ArgumentSlots(const PyCodeObject* code) {
  return code->co_argcount + code->co_kwonlyargcount + ((code->co_flags & CO_VARARGS) != 0) + ((code->co_flags & CO_VARKEYWORDS) != 0);
}

LiveFrame LiveOf(pycompat::Frame* frame) {
  PyCodeObject* code = pycompat::CodeOf(frame);
  return {.function = pycompat::FunctionOf(frame),
          .code = code,
          .globals = frame->f_globals,
          .builtins = frame->f_builtins,
          .slots = pycompat::SlotsOf(frame),
          .slot_count = static_cast<uint32_t>(code->co_nlocalsplus),
          .starts = true};
}

// Why a code object is never a root; kNoReason where it may be one.
Reason WhyNever(const PyCodeObject* code) {
  constexpr int kFunction = CO_OPTIMIZED | CO_NEWLOCALS;
  if ((code->co_flags & kFunction) != kFunction)
    return Reason::kUnsupportedFrame;
  if (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
    return Reason::kGeneratorRoot;
  constexpr int kMostSlots = 1 << 16;
  return code->co_nlocalsplus >= kMostSlots ? Reason::kUnsupportedFrame : Reason::kNoReason;
}

bool UsesNumpy(const PyCodeObject* code) {
  for (PyObject* names : {code->co_names, code->co_localsplusnames})
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(names); ++at)
      if (std::string name; TextOf(PyTuple_GET_ITEM(names, at), &name) && model::IsNumpyName(name))
        return true;
  return false;
}

bool IsGivenTensor(pycompat::Frame* frame) {
  const TorchTable* torch = Torch();
  PyObject** slots = pycompat::SlotsOf(frame);
  for (int i = 0; torch != nullptr && i < ArgumentSlots(pycompat::CodeOf(frame)); ++i)
    if (slots[i] != nullptr && torch->is_tensor(slots[i]))
      return true;
  return false;
}

bool IsInFiles(std::string_view name, const Prefixes& prefixes) {
  // Packages may be installed inside the standard library's folder.
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return name.starts_with(prefix) && name.find("-packages/", prefix.size()) == std::string_view::npos;
  });
}

Site* NewSite(PyCodeObject* code, Region* region) {
  Site* site = CodeExtra::AddSite(code, region);
  if (site == nullptr)
    return nullptr;
  site->passed = WhyNever(code);
  std::string file;
  TextOf(code->co_filename, &file);
  site->quiet = site->passed == Reason::kNoReason && IsInFiles(file, Options().quiet_files);
  site->only_direct =
      site->passed == Reason::kNoReason && (site->quiet || IsInFiles(file, Options().skip_files) || model::IsLibraryFile(file));
  site->of_numpy = UsesNumpy(code);
  if (site->passed != Reason::kNoReason || site->only_direct) {
    Count(Counter::kFrames);
    Count(Counter::kFramesSkipped);
  }
  return site;
}

// New code in a frame of its own, where the one at hand cannot grow to its size.
PyObject* RunElsewhere(PyThreadState* thread, pycompat::Frame* frame, const Installed& entry, PyObject* const* kept) {
  auto* code = reinterpret_cast<PyCodeObject*>(entry.code.get());
  const pycompat::Ref keep_code = entry.code, function = pycompat::Ref::Share(pycompat::FunctionOf(frame));
  std::vector<PyObject*> cells(static_cast<size_t>(code->co_nlocalsplus));
  PyObject** arguments = pycompat::SlotsOf(frame);
  for (int i = 0; i < ArgumentSlots(pycompat::CodeOf(frame)); ++i)
    cells[static_cast<size_t>(i)] = Py_XNewRef(arguments[i]);
  FillSlots(entry, kept, frame->f_globals, cells.data());
  PyObject* result = EnterFrame(thread, {.function = function.get(), .code = code, .cells = cells.data()});
  if (!DisposeOfFrame(thread, frame))
    Py_CLEAR(result);
  return result;
}

PyObject* RunNewCode(PyThreadState* thread, pycompat::Frame* frame, const Installed& entry, PyObject* const* kept) {
  auto* code = reinterpret_cast<PyCodeObject*>(entry.code.get());
  PyCodeObject* original = pycompat::CodeOf(frame);
  if (pycompat::FrameSize(code) > pycompat::FrameSize(original) && !pycompat::HasRoomFor(thread, frame, code)) [[unlikely]]
    return RunElsewhere(thread, frame, entry, kept);
  pycompat::SwapCode(thread, frame, code, ArgumentSlots(original));
  FillSlots(entry, kept, frame->f_globals, pycompat::SlotsOf(frame));
  return RunFrameAsIs(thread, frame, 0);
}

// Where the graph raises, the original runs from its start, on the same arguments.
PyObject* RunOrRetry(PyThreadState* thread, pycompat::Frame* frame, const Installed& entry, PyObject* const* kept) {
  const std::shared_ptr<const model::Entry> row = entry.entry;
  PyCodeObject* original = pycompat::CodeOf(frame);
  const pycompat::Ref function = pycompat::Ref::Share(pycompat::FunctionOf(frame));
  const pycompat::Ref code = pycompat::Ref::Share(reinterpret_cast<PyObject*>(original));
  std::vector<PyObject*> cells(static_cast<size_t>(original->co_nlocalsplus));
  for (int i = 0; i < ArgumentSlots(original); ++i)
    cells[static_cast<size_t>(i)] = Py_XNewRef(pycompat::SlotsOf(frame)[i]);
  const Entering again{.function = function.get(), .code = original, .cells = cells.data()};
  PyObject* result = RunNewCode(thread, frame, entry, kept);
  if (result != nullptr || !TakeFailure(*row)) {
    DropCells(again);
    return result;
  }
  PyErr_Clear();
  return EnterFrame(thread, again);
}

PyObject* RunEntry(PyThreadState* thread, pycompat::Frame* frame, const Installed& entry, PyObject* const* kept) {
  ++this_thread.entries_run;
  const LiveScope none(thread, nullptr);  // new code calls helpers, graphs and drive only; drive makes its region live again
  return entry.entry->retries ? RunOrRetry(thread, frame, entry, kept) : RunNewCode(thread, frame, entry, kept);
}

// An exception that the user asked for: it comes from the call, not from a line of the frame that did not begin.
PyObject* RunRaising(PyThreadState* thread, pycompat::Frame* frame) {
  pycompat::Hide(frame);
  return RunFrameAsIs(thread, frame, 1);
}

PyObject* RunAs(PyThreadState* thread, pycompat::Frame* frame, const Resolution& resolution) {
  switch (resolution.way) {
    case Way::kEntry:
      return RunEntry(thread, frame, *resolution.entry, KeptObjects());
    case Way::kOriginal:
      return RunFrameAsIs(thread, frame, 0);
    case Way::kQuiet: {
      const LiveScope none(thread, nullptr);
      return RunFrameAsIs(thread, frame, 0);
    }
    case Way::kRaise:
      return RunRaising(thread, frame);
  }
  return nullptr;
}

}  // namespace

void FillSlots(const Installed& entry, PyObject* const* kept, PyObject* globals, PyObject** slots) {
  for (uint32_t slot : entry.checks->keep_slots())
    Py_XSETREF(slots[slot], Py_XNewRef(*kept++));
  for (const LinkedObject& link : entry.links)
    Py_XSETREF(slots[link.local], Py_NewRef(link.object.get()));
  for (uint32_t slot : entry.globals)
    Py_XSETREF(slots[slot], Py_NewRef(globals));
}

bool TakeFailure(const model::Entry& entry) {
  return std::exchange(this_thread.failed, nullptr) == &entry && entry.retries;
}

namespace {

// The original, because nothing fitted for so long; quiet where nothing below it did either.
PyObject* RunInVain(PyThreadState* thread, pycompat::Frame* frame, std::shared_ptr<Site> site) {
  ++site->in_vain;
  Count(Counter::kFramesSkipped);
  if (site->idle >= Site::kIdle) {
    const LiveScope none(thread, nullptr);
    return RunFrameAsIs(thread, frame, 0);
  }
  const uint64_t before = this_thread.entries_run;
  PyObject* result = RunFrameAsIs(thread, frame, 0);
  site->idle = this_thread.entries_run == before ? site->idle + 1 : 0;
  return result;
}

bool IsInVain(const Site& site) {
  return site.in_vain >= Site::kTried && site.in_vain % Site::kNowAndThen != 0 && IsUnasked(site);
}

}  // namespace

PyObject* RunRoot(PyThreadState* thread, pycompat::Frame* frame) {
  const bool direct = std::exchange(this_thread.direct, false);
  Region* region = this_thread.live;
  PyCodeObject* code = pycompat::CodeOf(frame);
  Site* site = CodeExtra::FindSite(code, region);
  if (site == nullptr) [[unlikely]]
    site = NewSite(code, region);
  if (site != nullptr && site->quiet && !direct) {
    const LiveScope none(thread, nullptr);
    return RunFrameAsIs(thread, frame, 0);
  }
  if (site == nullptr || site->passed != Reason::kNoReason || (site->only_direct && !direct) || pycompat::IsTraced(thread) ||
      (site->of_numpy && !direct && !IsGivenTensor(frame)))
    return RunFrameAsIs(thread, frame, 0);
  if (IsInVain(*site)) [[unlikely]]
    return RunInVain(thread, frame, region->roots.at(code));
  const LiveFrame live = LiveOf(frame);
  Installed* entry = this_thread.skip_guard_eval ? FindUnsafe(*site, {{live}}, KeptObjects()) : site->Find(&live, 1, KeptObjects());
  if (entry != nullptr) [[likely]] {
    site->in_vain -= std::min(site->in_vain, Site::kWorth);
    site->idle = 0;
    return RunAs(thread, frame, {WayOf(*entry), entry});
  }
  return RunAs(thread, frame, ResolveMiss(thread, region->roots.at(code), LiveUnit{{live}}));
}

}  // namespace framegate::client
