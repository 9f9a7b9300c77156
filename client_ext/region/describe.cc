#include "client_ext/region/describe.h"

#include <algorithm>

#include "base/strings.h"
#include "base/text.h"
#include "client_ext/capture/code.h"
#include "client_ext/dispatch/filter.h"
#include "client_ext/dispatch/subjects.h"
#include "client_ext/region/graph.h"
#include "client_ext/region/region.h"
#include "guards/program/program.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

struct Described {
  const Site* site;
  std::shared_ptr<Installed> entry;
  PyCodeObject* code;  // of the outermost frame, borrowed; null where it is gone
};

PyObject* Text(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

std::vector<std::vector<std::string>> NamesOf(const Site& site, PyCodeObject* root) {
  LiveUnit unit;
  for (const model::UnitFrame& frame : site.unit.frames)
    if (PyCodeObject* code = &frame == &site.unit.frames.front() && root != nullptr ? root : FindCode(frame.code))
      unit.frames.push_back({.code = code});
  return SlotNames(unit);
}

PyObject* BreakInfo(const model::BreakPlan& plan) {
  PyCodeObject* code = plan.frames.empty() ? nullptr : FindCode(plan.frames.back().code);
  return Py_BuildValue("{s:N, s:N, s:N, s:N, s:N, s:N, s:i, s:N}", "kind", Text(EnumText(plan.kind)), "reason", Text(EnumText(plan.reason)),
                       "what", Text(model::WhatHappens(plan.reason)), "advice", Text(model::Advice(plan.reason)), "detail",
                       Text(plan.detail), "filename", Text(plan.filename), "line", plan.line, "function",
                       code == nullptr ? Text("") : Py_NewRef(code->co_qualname));
}

template <typename T, typename F>
PyObject* ListOf(const std::vector<T>& elements, F make) {
  Ref list = Ref::Steal(PyList_New(0));
  for (const T& element : elements) {
    const Ref item = list ? Ref::Steal(make(element)) : Ref();
    if (!item || PyList_Append(list.get(), item.get()) != 0)
      return nullptr;
  }
  return list.release();
}

PyObject* EntryInfo(const Described& described) {
  const Installed& installed = *described.entry;
  const model::Entry& entry = *installed.entry;
  const auto names = NamesOf(*described.site, described.code);
  const Ref guards =
      Ref::Steal(ListOf(entry.guards, [&](const model::GuardNote& note) { return NewGuardInfo(entry, note, names, nullptr); }));
  const Ref breaks = Ref::Steal(guards ? ListOf(entry.plans, BreakInfo) : nullptr);
  const Ref graph = !breaks ? Ref() : entry.graph ? Ref::Steal(NewGraph(installed.entry, installed.id, names)) : Ref::Share(Py_None);
  if (!graph)
    return nullptr;
  PyCodeObject* code = described.code;
  const bool original = !installed.code;
  return Py_BuildValue("{s:N, s:N, s:N, s:i, s:O, s:O, s:N, s:N, s:O, s:O, s:O}", "id", Text(installed.id), "code",
                       code == nullptr ? Text("") : Py_NewRef(code->co_qualname), "filename",
                       code == nullptr ? Text("") : Py_NewRef(code->co_filename), "line", code == nullptr ? 0 : code->co_firstlineno,
                       "continuation", described.site->unit.continuation ? Py_True : Py_False, "original", original ? Py_True : Py_False,
                       "reason", Text(original ? EnumText(entry.reason) : ""), "detail", Text(original ? entry.detail : ""), "guards",
                       guards.get(), "breaks", breaks.get(), "graph", graph.get());
}

// (part before the stroke, part after it) of a compile id, as numbers.
std::pair<int64_t, size_t> Order(const Described& described) {
  const std::string& id = described.entry->id;
  return {described.site->number, std::stoul(id.substr(id.find('/') + 1))};
}

std::vector<Described> InOrder(const Region& region) {
  std::vector<Described> found;
  for (const auto& [code, site] : region.roots)
    for (const auto& entry : site->entries)
      found.push_back({site.get(), entry, code});
  for (const auto& [unit, site] : region.continuations)
    for (const auto& entry : site->entries)
      found.push_back({site.get(), entry, FindCode(site->unit.frames.front().code)});
  std::sort(found.begin(), found.end(), [](const Described& a, const Described& b) { return Order(a) < Order(b); });
  return found;
}

// One line each.
template <typename Noun>
void PrintLines(std::string_view title, const std::vector<Noun>& nouns, std::string* text) {
  for (size_t i = 0; i < nouns.size(); ++i) {
    std::string printed = Print(nouns[i]);
    printed.erase(printed.find_last_not_of('\n') + 1);
    std::replace(printed.begin(), printed.end(), '\n', ' ');
    *text += StrCat(title, " ", i, " ", printed, "\n");
  }
}

std::string TextOf(const model::Entry& entry) {
  std::string text = entry.original ? StrCat("original ", EnumText(entry.reason), " ", entry.detail, "\n") : "";
  text += entry.local ? "local\n" : "";
  PrintLines("subject", entry.subjects, &text);
  PrintLines("guard", entry.guards, &text);
  if (const absl::StatusOr<guards::Program> program = guards::DecodeProgram(entry.program); program.ok())
    text += guards::PrintProgram(*program);
  PrintLines("link", entry.links, &text);
  if (entry.graph) {
    PrintLines("node", entry.graph->nodes, &text);
    for (model::SubjectId input : entry.graph->inputs)
      text += StrCat("input #", input, "\n");
  }
  PrintLines("plan", entry.plans, &text);
  return text;
}

}  // namespace

PyObject* DescribeEntries(const Region& region) {
  return ListOf(InOrder(region), EntryInfo);
}

PyObject* PrintEntry(const Region& region, PyObject* id) {
  for (const Described& found : InOrder(region))
    if (PyUnicode_CompareWithASCIIString(id, found.entry->id.c_str()) == 0)
      return Py_BuildValue("(NO)", Text(TextOf(*found.entry->entry)), found.entry->code ? found.entry->code.get() : Py_None);
  PyErr_SetObject(PyExc_KeyError, id);
  return nullptr;
}

}  // namespace framegate::client
