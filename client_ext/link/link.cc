#include "client_ext/link/link.h"

#include "base/strings.h"
#include "client_ext/capture/code.h"
#include "client_ext/drive/drive.h"
#include "client_ext/link/code.h"
#include "client_ext/link/helpers.h"
#include "client_ext/link/symbols.h"

namespace framegate::client {

namespace {

using model::LinkKind;
using model::LinkSlot;
using pycompat::Ref;

// The pending exception as a status; none is left set.
absl::Status Taken(absl::StatusCode code) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref one = Ref::Steal(type), two = Ref::Steal(value), three = Ref::Steal(traceback);
  const Ref text = value == nullptr ? Ref() : Ref::Steal(PyObject_Str(value));
  const char* message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (message == nullptr)
    PyErr_Clear();
  return absl::Status(code, message == nullptr ? "unknown" : message);
}

// The code with this id: one of the frames at hand, or any that is alive.
PyCodeObject* FindLiveCode(const model::CodeId& id, const LiveUnit& live) {
  for (const LiveFrame& frame : live.frames)
    if (const model::CodeId* known = FindCodeId(frame.code); known != nullptr && *known == id)
      return frame.code;
  return FindCode(id);
}

absl::StatusOr<Ref> FindLinkedCode(const LinkSlot& slot, const LiveUnit& live) {
  PyCodeObject* code = FindLiveCode(slot.code, live);
  if (code == nullptr)
    return absl::NotFoundError(StrCat("no live code has id ", slot.code.Hex()));
  if (slot.index == UINT32_MAX)
    return Ref::Share(reinterpret_cast<PyObject*>(code));
  if (slot.index >= static_cast<size_t>(PyTuple_GET_SIZE(code->co_consts)) ||
      !PyCode_Check(PyTuple_GET_ITEM(code->co_consts, static_cast<Py_ssize_t>(slot.index))))
    return absl::InvalidArgumentError(StrCat("constant ", slot.index, " is no code"));
  return Ref::Share(PyTuple_GET_ITEM(code->co_consts, static_cast<Py_ssize_t>(slot.index)));
}

absl::StatusOr<Ref> FindObject(const LinkContext& context, const Installed& installed, const LinkSlot& slot) {
  switch (slot.kind) {
    case LinkKind::kGraph:
      if (!context.graph)
        return absl::InvalidArgumentError("a link to a graph that is not there");
      return context.graph;
    case LinkKind::kDrive: {
      if (slot.index >= installed.entry->plans.size())
        return absl::InvalidArgumentError("a link to a plan that is not there");
      Ref drive = Ref::Steal(NewDrive(context.region, installed.entry, slot.index, context.continuation));
      return drive ? absl::StatusOr<Ref>(std::move(drive)) : Taken(absl::StatusCode::kResourceExhausted);
    }
    case LinkKind::kNull:
      return Ref::Share(NullSentinel());
    case LinkKind::kHelper: {
      PyObject* helper = FindHelper(slot.name);
      return helper == nullptr ? absl::InvalidArgumentError(StrCat("no helper ", slot.name)) : absl::StatusOr<Ref>(Ref::Share(helper));
    }
    case LinkKind::kSymbol: {
      Ref object = Ref::Steal(NewSymbolReference(slot.name));
      return object ? absl::StatusOr<Ref>(std::move(object)) : Taken(absl::StatusCode::kNotFound);
    }
    case LinkKind::kCode:
      return FindLinkedCode(slot, *context.live);
    case LinkKind::kGlobals:
      break;
  }
  return absl::InvalidArgumentError("a link of an unknown kind");
}

}  // namespace

absl::Status Link(const LinkContext& context, Installed* installed) {
  const model::NewCode& code = installed->entry->code;
  const size_t slots = code.image.nlocalsplus();
  for (const LinkSlot& slot : installed->entry->links) {
    if (slot.local >= slots)
      return absl::InvalidArgumentError("a link to a slot that is not there");
    if (slot.kind == LinkKind::kGlobals) {
      installed->globals.push_back(slot.local);
      continue;
    }
    ASSIGN_OR_RETURN(Ref object, FindObject(context, *installed, slot));
    installed->links.push_back({slot.local, std::move(object)});
  }
  for (uint32_t slot : installed->checks->keep_slots())
    if (slot >= slots)
      return absl::InvalidArgumentError("an object is kept for a slot that is not there");
  installed->code = Ref::Steal(reinterpret_cast<PyObject*>(NewCodeObject(code, context.live->frames.front().code)));
  if (!installed->code)
    return Taken(absl::StatusCode::kInvalidArgument);
  for (const LinkedObject& link : installed->links)
    BindDrive(link.object.get(), reinterpret_cast<PyCodeObject*>(installed->code.get()));
  return absl::OkStatus();
}

}  // namespace framegate::client
