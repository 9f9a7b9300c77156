// The interpreter's frames: what differs between 3.11, 3.12 and 3.13, behind one set of names. GIL held.
//
// Ownership follows CPython's: a frame owns its code, function and filled slots; globals and builtins are borrowed from the function.
#pragma once

#include "client_ext/pycompat/python.h"

#include <cstdint>

namespace framegate::pycompat {

using Frame = _PyInterpreterFrame;

#if PY_VERSION_HEX >= 0x030D0000

inline PyCodeObject* CodeOf(const Frame* frame) {
  return reinterpret_cast<PyCodeObject*>(frame->f_executable);
}

inline PyObject* FunctionOf(const Frame* frame) {
  return frame->f_funcobj;
}

inline void PutCode(Frame* frame, PyCodeObject* code) {
  frame->f_executable = reinterpret_cast<PyObject*>(code);
}

inline void PutFunction(Frame* frame, PyObject* function) {
  frame->f_funcobj = function;
}

inline bool AtFirstInstruction(const Frame* frame) {
  return frame->instr_ptr == _PyCode_CODE(CodeOf(frame));
}

inline void PlaceAt(Frame* frame, uint32_t offset) {
  frame->instr_ptr = _PyCode_CODE(CodeOf(frame)) + offset;
}

inline int Offset(const Frame* frame) {
  return static_cast<int>(frame->instr_ptr - _PyCode_CODE(CodeOf(frame)));
}

// No line, traceback or f_back of this frame is seen until its next instruction begins.
inline void Hide(Frame* frame) {
  frame->instr_ptr = _PyCode_CODE(CodeOf(frame)) - 1;
}

inline Frame* CurrentFrame(PyThreadState* thread) {
  return thread->current_frame;
}

#else

inline PyCodeObject* CodeOf(const Frame* frame) {
  return frame->f_code;
}

inline void PutCode(Frame* frame, PyCodeObject* code) {
  frame->f_code = code;
}

inline bool AtFirstInstruction(const Frame* frame) {
  return frame->prev_instr == _PyCode_CODE(frame->f_code) - 1;
}

inline void PlaceAt(Frame* frame, uint32_t offset) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + offset - 1;
}

inline int Offset(const Frame* frame) {
  return static_cast<int>(frame->prev_instr - _PyCode_CODE(frame->f_code));
}

inline void Hide(Frame* frame) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) - 1;
}

inline Frame* CurrentFrame(PyThreadState* thread) {
  return thread->cframe->current_frame;
}
#if PY_VERSION_HEX >= 0x030C0000
inline PyObject* FunctionOf(const Frame* frame) {
  return frame->f_funcobj;
}

inline void PutFunction(Frame* frame, PyObject* function) {
  frame->f_funcobj = function;
}
#else
inline PyObject* FunctionOf(const Frame* frame) {
  return reinterpret_cast<PyObject*>(frame->f_func);
}

inline void PutFunction(Frame* frame, PyObject* function) {
  frame->f_func = reinterpret_cast<PyFunctionObject*>(function);
}
#endif

#endif

// Whether an evaluation, or the caller of the hook, clears the frame and pops it.
#if PY_VERSION_HEX >= 0x030C0000
inline constexpr bool kEvaluatorClearsFrames = true;
#else
inline constexpr bool kEvaluatorClearsFrames = false;
#endif

inline PyObject** SlotsOf(Frame* frame) {
  return frame->localsplus;
}

inline bool OwnedByThread(const Frame* frame) {
  return frame->owner == FRAME_OWNED_BY_THREAD;
}

// Words that a frame of this code takes on the data stack.
inline int FrameSize(const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030C0000
  return code->co_framesize;
#else
  return code->co_nlocalsplus + code->co_stacksize + static_cast<int>(FRAME_SPECIALS_SIZE);
#endif
}

// Whether the frame, the topmost one on the data stack, can grow in place to a frame of this code.
inline bool HasRoomFor(PyThreadState* thread, Frame* frame, const PyCodeObject* code) {
  PyObject** base = reinterpret_cast<PyObject**>(frame);
  return thread->datastack_top == base + FrameSize(CodeOf(frame)) && base + FrameSize(code) < thread->datastack_limit;
}

// Puts `code` in the place of the frame's: at its first instruction, slots from `kept` on empty. The frame drops what it held there.
// REQUIRES: HasRoomFor, or FrameSize(code) is no larger; the value stack is empty.
inline void SwapCode(PyThreadState* thread, Frame* frame, PyCodeObject* code, int kept) {
  PyCodeObject* old = CodeOf(frame);
  const int had = old->co_nlocalsplus;
  for (int i = kept; i < had; ++i)
    Py_XDECREF(frame->localsplus[i]);
  if (FrameSize(code) > FrameSize(old))
    thread->datastack_top = reinterpret_cast<PyObject**>(frame) + FrameSize(code);
  for (int i = kept; i < code->co_nlocalsplus; ++i)
    frame->localsplus[i] = nullptr;
  PutCode(frame, reinterpret_cast<PyCodeObject*>(Py_NewRef(reinterpret_cast<PyObject*>(code))));
  frame->stacktop = code->co_nlocalsplus;
  PlaceAt(frame, 0);
  Py_DECREF(reinterpret_cast<PyObject*>(old));
}

// Gives the frame another function: its globals and builtins with it.
void ReplaceFunction(Frame* frame, PyObject* function);

// Before an evaluation with throwflag: where the exception counts as raised, for handlers and lines. `offset` is the instruction's.
void PlaceRaising(Frame* frame, uint32_t offset);

// Where CALL expects the NULL of a call without self: below the callable, or above it.
#if PY_VERSION_HEX >= 0x030D0000
inline constexpr bool kNullBelowCallable = false;
#else
inline constexpr bool kNullBelowCallable = true;
#endif

// The operand of the instruction at `offset`, without prefixes.
inline int OpargAt(PyCodeObject* code, uint32_t offset) {
#if PY_VERSION_HEX >= 0x030C0000
  return _PyCode_CODE(code)[offset].op.arg;
#else
  return _Py_OPARG(_PyCode_CODE(code)[offset]);
#endif
}

// Its opcode, as the interpreter has specialised it.
inline int OpcodeAt(PyCodeObject* code, uint32_t offset) {
#if PY_VERSION_HEX >= 0x030C0000
  return _PyCode_CODE(code)[offset].op.code;
#else
  return _Py_OPCODE(_PyCode_CODE(code)[offset]);
#endif
}

// The exception-table entry that covers the instruction at `offset`: where its handler is, at which stack depth, with lasti pushed or not.
struct Handler {
  uint32_t target = 0;
  uint32_t depth = 0;
  bool lasti = false;
};

// False where no handler covers it.
bool FindHandler(PyCodeObject* code, uint32_t offset, Handler* handler);

}  // namespace framegate::pycompat
