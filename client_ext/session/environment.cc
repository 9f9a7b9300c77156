#include "client_ext/pycompat/ref.h"

#include <unistd.h>

#include <cstdlib>

#include "base/socket_path.h"
#include "base/strings.h"
#include "client_ext/session/environment.h"
#include "client_ext/session/gil.h"
#include "model/entry.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

// sys.<name>, or an attribute of it; "" where it is no str.
std::string TextOf(PyObject* object) {
  const char* text = object != nullptr && PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (text == nullptr)
    PyErr_Clear();
  return text != nullptr ? text : "";
}

std::string SysText(const char* name) {
  return TextOf(PySys_GetObject(name));
}

std::string Attribute(const char* name, const char* attribute) {
  PyObject* object = PySys_GetObject(name);
  Ref value = Ref::Steal(object != nullptr ? PyObject_GetAttrString(object, attribute) : nullptr);
  Ref text = Ref::Steal(value ? PyObject_Str(value.get()) : nullptr);
  if (!text)
    PyErr_Clear();
  return TextOf(text.get());
}

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

// site-packages/framegate, "" where the package has no place.
std::string PackageDirectory() {
  PyObject* package = PyDict_GetItemString(PyImport_GetModuleDict(), "framegate");
  Ref file = Ref::Steal(package != nullptr ? PyObject_GetAttrString(package, "__file__") : nullptr);
  if (!file)
    PyErr_Clear();
  return DirectoryOf(TextOf(file.get()));
}

// Beside the interpreter, in the environment's scripts, or in the scripts that belong to the package's lib/pythonX.Y/site-packages.
std::string FindProgram() {
  const std::string places[] = {DirectoryOf(SysText("executable")), StrCat(SysText("prefix"), "/bin"),
                                StrCat(PackageDirectory(), "/../../../../bin")};
  for (const std::string& place : places) {
    std::string program = StrCat(place, "/framegated");
    if (program[0] == '/' && access(program.c_str(), X_OK) == 0)
      return program;
  }
  return {};
}

}  // namespace

const std::string& PythonIdentity() {
  static const std::string identity = StrCat(
      Attribute("implementation", "cache_tag"), " ", Attribute("implementation", "hexversion"), " magic ", PyImport_GetMagicNumber(),
      " abi ", SysText("abiflags"), " optimize ", Attribute("flags", "optimize"), " bytes_warning ", Attribute("flags", "bytes_warning"),
      " digits ", Attribute("flags", "int_max_str_digits"), " byteorder ", SysText("byteorder"), " pointer ", sizeof(void*));
  return identity;
}

absl::StatusOr<Daemon::Options> DaemonOptions() {
  const char* wanted = std::getenv("FRAMEGATE_DAEMON");
  const std::string program = wanted != nullptr ? wanted : "";
  if (program == "off")
    return Daemon::Options{.off = true};
  if (!program.empty() && program[0] != '/')
    return absl::InvalidArgumentError(StrCat("FRAMEGATE_DAEMON is \"", program, "\": neither \"off\" nor an absolute path"));
  ASSIGN_OR_RETURN(std::string socket, SocketPath(model::SchemaHash()));
  return Daemon::Options{
      .launch = {.program = program.empty() ? FindProgram() : program, .socket = std::move(socket), .environment = DaemonEnvironment()},
      .interrupted = SignalRaised,
      .blocking = WithoutGil};
}

}  // namespace framegate::client
