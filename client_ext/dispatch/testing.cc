#include "client_ext/dispatch/testing.h"

#include "base/text.h"
#include "client_ext/capture/code.h"
#include "client_ext/dispatch/code_extra.h"
#include "client_ext/dispatch/verify.h"
#include "client_ext/link/link.h"
#include "client_ext/region/graph.h"
#include "client_ext/region/region.h"
#include "guards/program/program.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

PyObject* Fail(const absl::Status& status) {
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, std::string(status.message()).c_str());
  return nullptr;
}

// An entry from its text form and its program's; null with an exception set.
std::shared_ptr<Installed> ParseEntry(const char* entry_text, const char* program_text) {
  auto entry = std::make_shared<model::Entry>();
  const absl::StatusOr<guards::Program> program = guards::ParseProgram(program_text);
  const absl::Status parsed = program.ok() ? Parse(entry_text, entry.get()) : program.status();
  if (!parsed.ok()) {
    Fail(parsed);
    return nullptr;
  }
  entry->program = guards::EncodeProgram(*program);
  auto installed = std::make_shared<Installed>();
  absl::StatusOr<std::unique_ptr<CheckProgram>> checks = CheckProgram::Link(entry->program, nullptr);
  if (!checks.ok()) {
    Fail(checks.status());
    return nullptr;
  }
  installed->checks = *std::move(checks);
  ReserveKept(installed->checks->keep_slots().size());
  installed->entry = std::move(entry);
  return installed;
}

LiveFrame FrameOf(PyObject* object) {
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  return {.function = object, .code = code, .globals = function->func_globals, .builtins = function->func_builtins};
}

bool IsFunction(PyObject* object) {
  if (PyFunction_Check(object))
    return true;
  PyErr_SetString(PyExc_TypeError, "expected a function");
  return false;
}

PyObject* Add(Site* site, std::shared_ptr<Installed> installed, const LiveUnit& live, PyObject* graph) {
  installed->id = "test";
  installed->quiet = installed->entry->reason == model::Reason::kNoGraph;
  if (!installed->entry->original) {
    LinkContext context{.region = site->region, .continuation = site->unit.continuation, .live = &live};
    if (graph != nullptr && graph != Py_None)
      context.graph = Ref::Steal(NewGraphCall(graph));
    if (const absl::Status linked = Link(context, installed.get()); !linked.ok())
      return Fail(linked);
  }
  site->Add(std::move(installed));
  Py_RETURN_NONE;
}

// install(region, function, entry, program, graph=None)
PyObject* InstallRoot(PyObject*, PyObject* args) {
  PyObject *region = nullptr, *function = nullptr, *graph = nullptr;
  const char *entry_text = nullptr, *program_text = nullptr;
  if (!PyArg_ParseTuple(args, "O!Oss|O:install", region_type, &region, &function, &entry_text, &program_text, &graph) ||
      !IsFunction(function))
    return nullptr;
  const LiveUnit live{{FrameOf(function)}};
  std::shared_ptr<Installed> installed = ParseEntry(entry_text, program_text);
  if (installed == nullptr)
    return nullptr;
  if (!installed->entry->original)
    if (const absl::Status verified = VerifyEntry(*installed->entry, installed->checks->keep_slots(), live, false); !verified.ok())
      return Fail(verified);
  auto* owner = reinterpret_cast<Region*>(region);
  PyCodeObject* code = live.frames.front().code;
  Site* site = CodeExtra::FindSite(code, owner);
  if (site == nullptr)
    site = CodeExtra::AddSite(code, owner);
  return site == nullptr ? PyErr_NoMemory() : Add(site, std::move(installed), live, graph);
}

// install_continuation(region, functions, unit, entry, program, graph=None): functions of the pending frames, outermost first
PyObject* InstallContinuation(PyObject*, PyObject* args) {
  PyObject *region = nullptr, *functions = nullptr, *graph = nullptr;
  const char *unit_text = nullptr, *entry_text = nullptr, *program_text = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!sss|O:install_continuation", region_type, &region, &PyTuple_Type, &functions, &unit_text, &entry_text,
                        &program_text, &graph))
    return nullptr;
  model::Unit unit;
  if (const absl::Status parsed = Parse(unit_text, &unit); !parsed.ok())
    return Fail(parsed);
  LiveUnit live;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); ++i) {
    if (!IsFunction(PyTuple_GET_ITEM(functions, i)))
      return nullptr;
    live.frames.push_back(FrameOf(PyTuple_GET_ITEM(functions, i)));
  }
  std::shared_ptr<Installed> installed = ParseEntry(entry_text, program_text);
  if (installed == nullptr)
    return nullptr;
  const std::shared_ptr<Site> site = ContinuationSite(reinterpret_cast<Region*>(region), unit);
  return Add(site.get(), std::move(installed), live, graph);
}

// code_id(code) -> hexadecimal digits
PyObject* CodeIdText(PyObject*, PyObject* code) {
  if (!PyCode_Check(code)) {
    PyErr_SetString(PyExc_TypeError, "expected a code object");
    return nullptr;
  }
  const absl::StatusOr<model::CodeId> id = IdOfCode(reinterpret_cast<PyCodeObject*>(code));
  return id.ok() ? PyUnicode_FromString(id->Hex().c_str()) : Fail(id.status());
}

PyMethodDef functions[] = {{"install", InstallRoot, METH_VARARGS, nullptr},
                           {"install_continuation", InstallContinuation, METH_VARARGS, nullptr},
                           {"code_id", CodeIdText, METH_O, nullptr},
                           {}};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "framegate._framegate._testing", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

bool InitTesting(PyObject* module) {
  Ref testing = Ref::Steal(PyModule_Create(&definition));
  return testing && PyModule_AddObjectRef(module, "_testing", testing.get()) == 0;
}

}  // namespace framegate::client
