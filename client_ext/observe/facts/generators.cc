// Where generators wait.

#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/steps.h"
#include "client_ext/pycompat/generator.h"

namespace framegate::client {

using model::Constant;
using model::Fact;
using model::Step;

namespace {

uint32_t CellsOf(PyObject* generator, pycompat::Frame* frame) {
  return static_cast<uint32_t>(pycompat::CodeOf(frame)->co_nlocalsplus) + pycompat::SuspendedDepth(generator);
}

char Mark(const pycompat::Frame* frame, uint32_t cell) {
  return frame->localsplus[cell] == nullptr ? '1' : '0';
}

}  // namespace

template <>
bool ReadFact<Fact::kSuspended>(PyObject* object, model::FactValue* value) {
  const pycompat::Frame* frame = pycompat::SuspendedFrame(object);
  if (frame == nullptr)
    return false;
  std::string empty;
  for (uint32_t cell = 0; cell < CellsOf(object, pycompat::FrameOf(object)); ++cell)
    empty.push_back(Mark(frame, cell));
  value->constant = Constant::Tuple({Constant::Int(pycompat::SuspendedAt(object)), Constant::Str(std::move(empty))});
  return true;
}

template <>
bool FactIs<Fact::kSuspended>(PyObject* object, Operand operand, uint16_t*) noexcept {
  const Constant& expected = static_cast<const LinkedConstant*>(operand.pointer)->value;
  pycompat::Frame* frame = pycompat::SuspendedFrame(object);
  if (frame == nullptr || expected.items.size() != 2 || expected.items[0].integer != pycompat::SuspendedAt(object))
    return false;
  const std::string& empty = expected.items[1].text;
  bool same = empty.size() == CellsOf(object, frame);
  for (uint32_t cell = 0; same && cell < empty.size(); ++cell)
    same = Mark(frame, cell) == empty[cell];
  return same;
}

template <>
bool TakeStep<Step::kGenFunction>(PyObject* from, Operand, uint16_t*, PyObject** to) noexcept {
  const pycompat::Frame* frame = pycompat::SuspendedFrame(from);
  PyObject* function = frame == nullptr ? nullptr : pycompat::FunctionOf(frame);
  if (function != nullptr && PyFunction_Check(function) &&
      reinterpret_cast<PyFunctionObject*>(function)->func_code == reinterpret_cast<PyObject*>(pycompat::CodeOf(frame)))
    *to = function;
  return true;
}

template <>
bool TakeStep<Step::kGenCell>(PyObject* from, Operand operand, uint16_t*, PyObject** to) noexcept {
  pycompat::Frame* frame = pycompat::SuspendedFrame(from);
  if (frame != nullptr && operand.word < CellsOf(from, frame))
    *to = frame->localsplus[operand.word];
  return true;
}

}  // namespace framegate::client
