#include "client_ext/pycompat/frame.h"

namespace framegate::pycompat {

namespace {

// A number of the exception table: six bits a byte, most significant first; bit 6 says that more follow.
uint32_t ReadNumber(const uint8_t** at) {
  uint32_t value = **at & 63;
  while (*(*at)++ & 64)
    value = value << 6 | (**at & 63);
  return value;
}

}  // namespace

void ReplaceFunction(Frame* frame, PyObject* function) {
  PyObject* old = FunctionOf(frame);
  auto* live = reinterpret_cast<PyFunctionObject*>(function);
  PutFunction(frame, Py_NewRef(function));
  frame->f_globals = live->func_globals;
  frame->f_builtins = live->func_builtins;
  Py_XDECREF(old);
}

bool FindHandler(PyCodeObject* code, uint32_t offset, Handler* handler) {
  const auto* at = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(code->co_exceptiontable));
  const uint8_t* end = at + PyBytes_GET_SIZE(code->co_exceptiontable);
  bool found = false;
  while (at < end) {  // entries ascend; a later one that covers the offset is an inner one
    const uint32_t start = ReadNumber(&at);
    const uint32_t length = ReadNumber(&at);
    const uint32_t target = ReadNumber(&at);
    const uint32_t depth_lasti = ReadNumber(&at);
    if (start > offset)
      break;
    if (offset < start + length) {
      *handler = {target, depth_lasti >> 1, (depth_lasti & 1) != 0};
      found = true;
    }
  }
  return found;
}

#if PY_VERSION_HEX >= 0x030D0000

// 3.13 looks for the handler at the unit before instr_ptr but takes the line from instr_ptr itself. One past the instruction gives the
// right handler; the instruction itself, where it has the same handler as the one before it, gives the right line as well.
void PlaceRaising(Frame* frame, uint32_t offset) {
  PyCodeObject* code = CodeOf(frame);
  uint32_t place = offset + 1;
  const int unit = static_cast<int>(sizeof(_Py_CODEUNIT));
  const int line = PyCode_Addr2Line(code, static_cast<int>(offset) * unit);
  if (offset > 0 && PyCode_Addr2Line(code, static_cast<int>(place) * unit) != line) {
    Handler here, before;
    const bool has = FindHandler(code, offset, &here);
    const bool had = FindHandler(code, offset - 1, &before);
    if (has == had && (!has || (here.target == before.target && here.depth == before.depth && here.lasti == before.lasti)))
      place = offset;
  }
  frame->instr_ptr = _PyCode_CODE(code) + place;
}

#else

void PlaceRaising(Frame* frame, uint32_t offset) {
  frame->prev_instr = _PyCode_CODE(frame->f_code) + offset;
}

#endif

}  // namespace framegate::pycompat
