#include "client_ext/pycompat/generator.h"

namespace framegate::pycompat {

namespace {

PyGenObject* Self(PyObject* generator) {
  return reinterpret_cast<PyGenObject*>(generator);
}

#if PY_VERSION_HEX >= 0x030D0000

// The unit after the YIELD is a RESUME; its operand says whether it was a `yield from` or an `await`.
int StateAt(PyCodeObject* code, uint32_t offset) {
  constexpr int kLocationMask = 3, kAfterYieldFrom = 2;
  const int location = OpargAt(code, offset + 1) & kLocationMask;
  return location >= kAfterYieldFrom ? FRAME_SUSPENDED_YIELD_FROM : FRAME_SUSPENDED;
}

#else

int StateAt(PyCodeObject*, uint32_t) {
  return FRAME_SUSPENDED;
}

#endif

}  // namespace

Frame* FrameOf(PyObject* generator) {
  return reinterpret_cast<Frame*>(Self(generator)->gi_iframe);
}

Frame* SuspendedFrame(PyObject* object) {
  if (!PyGen_CheckExact(object) && !PyCoro_CheckExact(object))
    return nullptr;
  const PyGenObject* self = Self(object);
  const bool waits = self->gi_frame_state == FRAME_CREATED || self->gi_frame_state == FRAME_SUSPENDED
#if PY_VERSION_HEX >= 0x030D0000
                     || self->gi_frame_state == FRAME_SUSPENDED_YIELD_FROM
#endif
      ;
  const bool handles = self->gi_exc_state.exc_value != nullptr && self->gi_exc_state.exc_value != Py_None;
  return waits && !handles ? FrameOf(object) : nullptr;
}

uint32_t SuspendedAt(PyObject* generator) {
  if (Self(generator)->gi_frame_state == FRAME_CREATED)
    return 0;
  const int offset = Offset(FrameOf(generator));
  return static_cast<uint32_t>(PY_VERSION_HEX >= 0x030D0000 ? offset - 1 : offset);
}

uint32_t SuspendedDepth(PyObject* generator) {
  const Frame* frame = FrameOf(generator);
  return static_cast<uint32_t>(frame->stacktop - CodeOf(frame)->co_nlocalsplus);
}

void DropStack(PyObject* generator) {
  Frame* frame = FrameOf(generator);
  const int slots = CodeOf(frame)->co_nlocalsplus;
  while (frame->stacktop > slots)
    Py_CLEAR(frame->localsplus[--frame->stacktop]);
}

void Unstart(PyObject* generator) {
  Frame* frame = FrameOf(generator);
  DropStack(generator);
  for (int i = 0; i < CodeOf(frame)->co_nlocalsplus; ++i)
    Py_CLEAR(frame->localsplus[i]);
  Self(generator)->gi_frame_state = FRAME_CREATED;
  PlaceAt(frame, 1);  // no handler covers the first instruction: an exception thrown in ends it at once
}

void SetSlots(PyObject* generator, PyObject** cells) {
  Frame* frame = FrameOf(generator);
  for (int i = 0; i < CodeOf(frame)->co_nlocalsplus; ++i)
    Py_XSETREF(frame->localsplus[i], cells[i]);
}

void Suspend(PyObject* generator, uint32_t offset, PyObject** cells, uint32_t depth) {
  Frame* frame = FrameOf(generator);
  PyCodeObject* code = CodeOf(frame);
  SetSlots(generator, cells);
  for (uint32_t i = 0; i < depth; ++i)
    frame->localsplus[static_cast<uint32_t>(code->co_nlocalsplus) + i] = cells[static_cast<uint32_t>(code->co_nlocalsplus) + i];
  frame->stacktop = code->co_nlocalsplus + static_cast<int>(depth);
  PlaceAt(frame, offset + 1);
  Self(generator)->gi_frame_state = static_cast<int8_t>(StateAt(code, offset));
}

}  // namespace framegate::pycompat
