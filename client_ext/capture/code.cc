#include "client_ext/capture/code.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/code.h"

namespace framegate::client {

namespace {

using model::CodeId;
using model::CodeImage;

// In the extra slot of a code object; dies with it.
struct CodeRecord {
  PyCodeObject* code = nullptr;
  std::optional<CodeId> id;  // none: the code holds what is no constant
};

// Live code objects by id, the one met last at the end. Never destroyed: code objects may outlive everything else.
std::map<CodeId, std::vector<PyCodeObject*>>& Registry() {
  static auto* registry = new std::map<CodeId, std::vector<PyCodeObject*>>;
  return *registry;
}

void FreeRecord(void* extra) {
  auto* record = static_cast<CodeRecord*>(extra);
  if (record == nullptr)
    return;
  if (auto it = record->id ? Registry().find(*record->id) : Registry().end(); it != Registry().end()) {
    std::erase(it->second, record->code);
    if (it->second.empty())
      Registry().erase(it);
  }
  delete record;
}

int ExtraIndex() {
  static const int index = [] {
    const int requested = pycompat::RequestExtraIndex(FreeRecord);
    PyErr_Clear();
    return requested;
  }();
  return index;
}

const CodeRecord* FindRecord(PyCodeObject* code) {
  return ExtraIndex() < 0 ? nullptr : static_cast<const CodeRecord*>(pycompat::ExtraOf(code, ExtraIndex()));
}

std::string Bytes(PyObject* bytes) {
  return {PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes))};
}

absl::Status ReadTexts(PyObject* tuple, std::vector<std::string>* texts) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    if (!TextOf(PyTuple_GET_ITEM(tuple, i), &texts->emplace_back()))
      return absl::InvalidArgumentError("code: a name is no str");
  return absl::OkStatus();
}

absl::Status ReadConstants(PyCodeObject* code, CodeImage* image) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i) {
    PyObject* object = PyTuple_GET_ITEM(code->co_consts, i);
    if (!FromPython(object, &image->consts.emplace_back()))
      return absl::InvalidArgumentError(StrCat("code ", image->qualname, ": a constant of type ", Py_TYPE(object)->tp_name));
  }
  return absl::OkStatus();
}

absl::StatusOr<CodeImage> ReadImage(PyCodeObject* code) {
  const pycompat::Ref instructions = pycompat::Ref::Steal(pycompat::InstructionsOf(code));
  CodeImage image{.version = static_cast<model::PyVersion>(PY_MINOR_VERSION),
                  .argcount = static_cast<uint32_t>(code->co_argcount),
                  .posonlyargcount = static_cast<uint32_t>(code->co_posonlyargcount),
                  .kwonlyargcount = static_cast<uint32_t>(code->co_kwonlyargcount),
                  .flags = static_cast<uint32_t>(code->co_flags),
                  .stacksize = static_cast<uint32_t>(code->co_stacksize),
                  .firstlineno = code->co_firstlineno};
  if (!instructions || !TextOf(code->co_name, &image.name) || !TextOf(code->co_qualname, &image.qualname) ||
      !TextOf(code->co_filename, &image.filename)) {
    PyErr_Clear();
    return absl::InvalidArgumentError("code: its instructions or names cannot be read");
  }
  image.code = Bytes(instructions.get());
  image.localspluskinds = Bytes(code->co_localspluskinds);
  image.exceptiontable = Bytes(code->co_exceptiontable);
  image.linetable = Bytes(code->co_linetable);
  RETURN_IF_ERROR(ReadTexts(code->co_names, &image.names));
  RETURN_IF_ERROR(ReadTexts(code->co_localsplusnames, &image.localsplusnames));
  RETURN_IF_ERROR(ReadConstants(code, &image));
  return image;
}

// Remembers the id, so that the code is found by it.
void Register(PyCodeObject* code, std::optional<CodeId> id) {
  if (ExtraIndex() < 0 || FindRecord(code) != nullptr)
    return;
  auto record = std::make_unique<CodeRecord>(CodeRecord{code, id});
  if (!pycompat::SetExtra(code, ExtraIndex(), record.get()))
    return;
  record.release();
  if (id)
    Registry()[*id].push_back(code);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CodeImage>> ImageOf(PyCodeObject* code) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  auto image = ReadImage(code);
  PyErr_Restore(type, value, traceback);
  if (!image.ok()) {
    Register(code, std::nullopt);
    return image.status();
  }
  if (FindRecord(code) == nullptr)
    Register(code, model::IdOf(*image));
  return std::make_shared<const CodeImage>(*std::move(image));
}

absl::StatusOr<CodeId> IdOfCode(PyCodeObject* code) {
  if (const CodeRecord* record = FindRecord(code); record != nullptr && record->id)
    return *record->id;
  ASSIGN_OR_RETURN(auto image, ImageOf(code));
  return model::IdOf(*image);
}

const CodeId* FindCodeId(PyCodeObject* code) noexcept {
  const CodeRecord* record = FindRecord(code);
  if (record == nullptr) {
    (void)ImageOf(code).ok();
    record = FindRecord(code);
  }
  return record != nullptr && record->id ? &*record->id : nullptr;
}

PyCodeObject* FindCode(const CodeId& id) {
  auto it = Registry().find(id);
  return it == Registry().end() ? nullptr : it->second.back();
}

}  // namespace framegate::client
