#include "client_ext/drive/drive.h"

#include <opcode.h>

#include <new>
#include <utility>

#include "client_ext/drive/loop.h"
#include "client_ext/drive/pending.h"
#include "client_ext/pycompat/frame.h"
#include "client_ext/region/region.h"
#include "structmember.h"

namespace framegate::client {

namespace {

PyTypeObject* drive_type = nullptr;

struct Drive {
  PyObject_HEAD vectorcallfunc vectorcall;
  Region* region;
  std::shared_ptr<const model::Entry> entry;
  uint32_t plan;
  bool continuation;
  PyCodeObject* code;  // borrowed, compared only: what may call it
};

Drive* Self(PyObject* object) {
  return reinterpret_cast<Drive*>(object);
}

// Whether the arguments lie on the value stack of the frame and the code does nothing any more but return: then it needs neither them nor
// its locals, and what they hold can go before the frames run on.
bool IsLastCall(pycompat::Frame* frame, PyObject* const* args) {
  PyCodeObject* code = pycompat::CodeOf(frame);
  PyObject** slots = pycompat::SlotsOf(frame);
  const PyObject* const* end = slots + code->co_nlocalsplus + code->co_stacksize;
  if (args < slots + code->co_nlocalsplus || args >= end)
    return false;
  const int next = pycompat::Offset(frame) + 1 + INLINE_CACHE_ENTRIES_CALL;
  return next < Py_SIZE(code) && pycompat::OpcodeAt(code, static_cast<uint32_t>(next)) == RETURN_VALUE;
}

void ClearLocals(pycompat::Frame* frame) {
  PyObject** slots = pycompat::SlotsOf(frame);
  for (int i = 0; i < pycompat::CodeOf(frame)->co_nlocalsplus; ++i)
    Py_CLEAR(slots[i]);
}

PyObject* CallDrive(PyObject* object, PyObject* const* args, size_t nargsf, PyObject* names) {
  Drive* self = Self(object);
  PyThreadState* thread = PyThreadState_Get();
  pycompat::Frame* frame = pycompat::CurrentFrame(thread);
  if (names != nullptr || frame == nullptr || pycompat::CodeOf(frame) != self->code) {
    PyErr_SetString(PyExc_SystemError, "framegate: drive is called by compiled code only");
    return nullptr;
  }
  const bool last = IsLastCall(frame, args);
  Pending pending;
  if (!pending.Take(self->entry, self->entry->plans[self->plan], const_cast<PyObject**>(args),
                    static_cast<size_t>(PyVectorcall_NARGS(nargsf)), last))
    return nullptr;
  if (self->continuation)
    return NewPendingObject(std::move(pending));
  const pycompat::Ref region = pycompat::Ref::Share(AsObject(self->region));
  if (last)
    ClearLocals(frame);
  // From here on the frames that run are those that wait: this one, and the traceback entry it would add, nobody sees.
  pycompat::Hide(frame);
  return RunPending(thread, self->region, std::move(pending));
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<PyObject*>(Self(object)->region));
  return 0;
}

int Clear(PyObject* object) {
  PyObject* region = reinterpret_cast<PyObject*>(std::exchange(Self(object)->region, nullptr));
  Py_XDECREF(region);
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Clear(object);
  std::destroy_at(&Self(object)->entry);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Drive, vectorcall), READONLY, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.Drive", sizeof(Drive), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

bool InitDriveTypes() {
  drive_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return drive_type != nullptr && InitPendingType();
}

void BindDrive(PyObject* object, PyCodeObject* code) {
  if (Py_IS_TYPE(object, drive_type))
    Self(object)->code = code;
}

PyObject* NewDrive(Region* region, std::shared_ptr<const model::Entry> entry, uint32_t plan, bool continuation) {
  PyObject* object = drive_type->tp_alloc(drive_type, 0);
  if (object == nullptr)
    return nullptr;
  Drive* self = Self(object);
  self->vectorcall = CallDrive;
  self->region = region;
  Py_INCREF(AsObject(region));
  new (&self->entry) std::shared_ptr<const model::Entry>(std::move(entry));
  self->plan = plan;
  self->continuation = continuation;
  return object;
}

}  // namespace framegate::client
