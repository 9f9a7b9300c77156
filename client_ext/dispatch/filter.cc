#include "client_ext/dispatch/filter.h"

#include <algorithm>

#include "client_ext/dispatch/errors.h"
#include "client_ext/dispatch/subjects.h"
#include "client_ext/pycompat/ref.h"
#include "guards/program/notes.h"

namespace framegate::client {

namespace {

using model::SubjectId;
using pycompat::Ref;

PyObject* Text(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

bool IsAmbient(const model::Entry& entry, SubjectId id) {
  return id >= entry.subjects.size() || entry.subjects[id].step == model::Step::kAmbient;
}

// The ids from the root to the subject, itself last.
std::vector<SubjectId> PathOf(const model::Entry& entry, SubjectId id) {
  std::vector<SubjectId> path;
  for (; id < entry.subjects.size(); id = entry.subjects[id].parent)
    path.push_back(id);
  std::reverse(path.begin(), path.end());
  return path;
}

bool LeadsToGlobals(const model::Entry& entry, SubjectId id) {
  const model::Step step = entry.subjects[id].step;
  return step == model::Step::kGlobals || step == model::Step::kBuiltins || step == model::Step::kFuncGlobals ||
         step == model::Step::kFuncBuiltins || step == model::Step::kSysModule || step == model::Step::kSymbol;
}

bool IsGlobal(const model::Entry& entry, SubjectId id) {
  const std::vector<SubjectId> path = PathOf(entry, id);
  return std::any_of(path.begin(), path.end(), [&](SubjectId at) { return LeadsToGlobals(entry, at); });
}

bool Put(PyObject* dict, const char* key, Ref value) {
  return value && PyDict_SetItemString(dict, key, value.get()) == 0;
}

// ((path, object), ...) from the root to the owner of the subject. Whose method it was that named a global does not matter.
Ref Chain(const model::Entry& entry, SubjectId id, const std::vector<std::vector<std::string>>& slot_names, const LiveUnit& live) {
  const Ref list = Ref::Steal(PyList_New(0));
  std::vector<SubjectId> path = PathOf(entry, id);
  if (!path.empty())
    path.pop_back();
  const auto global = std::find_if(path.rbegin(), path.rend(), [&](SubjectId at) { return LeadsToGlobals(entry, at); });
  path.erase(path.begin(), global.base());
  for (SubjectId at : path) {
    PyObject* object = FindSubject(entry.subjects, at, live);
    if (object == nullptr)
      continue;
    const Ref item = Ref::Steal(Py_BuildValue("(N O)", Text(model::SubjectPath(entry.subjects, at, slot_names)), object));
    if (!list || !item || PyList_Append(list.get(), item.get()) != 0)
      return {};
  }
  return list ? Ref::Steal(PyList_AsTuple(list.get())) : Ref();
}

bool PutValue(PyObject* dict, const model::Entry& entry, SubjectId id, const std::vector<std::vector<std::string>>& slot_names,
              const LiveUnit& live) {
  PyObject* value = IsAmbient(entry, id) ? nullptr : FindSubject(entry.subjects, id, live);
  return Put(dict, "value", Ref::Share(value == nullptr ? Py_None : value)) &&
         Put(dict, "has_value", Ref::Steal(PyBool_FromLong(value != nullptr))) && Put(dict, "chain", Chain(entry, id, slot_names, live));
}

}  // namespace

PyObject* NewGuardInfo(const model::Entry& entry, const model::GuardNote& note, const std::vector<std::vector<std::string>>& slot_names,
                       const LiveUnit* live) {
  const std::string path = IsAmbient(entry, note.subject) ? "" : model::SubjectPath(entry.subjects, note.subject, slot_names);
  Ref dict = Ref::Steal(PyDict_New());
  if (!dict || !Put(dict.get(), "name", Ref::Steal(Text(path))) || !Put(dict.get(), "kind", Ref::Steal(Text(note.kind))) ||
      !Put(dict.get(), "torch_kind", Ref::Steal(Text(note.torch_kind))) || !Put(dict.get(), "expected", Ref::Steal(Text(note.expected))) ||
      !Put(dict.get(), "line", Ref::Steal(PyLong_FromLong(note.line))) ||
      !Put(dict.get(), "is_global", Ref::Steal(PyBool_FromLong(IsGlobal(entry, note.subject)))) ||
      (live != nullptr && !PutValue(dict.get(), entry, note.subject, slot_names, *live)))
    return nullptr;
  return dict.release();
}

std::optional<std::string> Filtered(PyObject* filter, const model::Entry& entry, const LiveUnit& live) {
  const auto slot_names = SlotNames(live);
  const Ref infos = Ref::Steal(PyList_New(0));
  for (const model::GuardNote& note : entry.guards) {
    const Ref info = Ref::Steal(infos ? NewGuardInfo(entry, note, slot_names, &live) : nullptr);
    if (!info || PyList_Append(infos.get(), info.get()) != 0)
      return std::nullopt;
  }
  const Ref answers = infos ? Ref::Steal(PyObject_CallOneArg(filter, infos.get())) : Ref();
  const Ref sequence = answers ? Ref::Steal(PySequence_Fast(answers.get(), "a guard filter must give a list of bool")) : Ref();
  if (!sequence)
    return std::nullopt;
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.get()));
  if (count != entry.guards.size()) {
    RaiseAsked({.kind = "filter",
                .detail = "the filter gave " + std::to_string(count) + " answers for " + std::to_string(entry.guards.size()) + " guards"},
               live);
    return std::nullopt;
  }
  std::vector<bool> dropped(count);
  for (size_t i = 0; i < count; ++i) {
    const int keep = PyObject_IsTrue(PySequence_Fast_GET_ITEM(sequence.get(), static_cast<Py_ssize_t>(i)));
    if (keep < 0)
      return std::nullopt;
    dropped[i] = keep == 0;
  }
  absl::StatusOr<std::string> program = guards::WithoutNotes(entry.program, entry.guards, dropped);
  if (!program.ok()) {
    PyErr_SetString(PyExc_SystemError, std::string(program.status().message()).c_str());
    return std::nullopt;
  }
  return *std::move(program);
}

}  // namespace framegate::client
