#include "client_ext/observe/steps.h"

namespace framegate::client {

bool TakeStep(model::Step step, PyObject* from, Operand operand, PyObject** to) noexcept {
  uint16_t hint = 0;
  *to = nullptr;
  switch (step) {
#define FRAMEGATE_STEP(number, name, text, shape, doc)              \
  case model::Step::name:                                           \
    if constexpr (!model::IsRoot(model::Step::name))                \
      return TakeStep<model::Step::name>(from, operand, &hint, to); \
    else                                                            \
      return false;
#include "model/steps.def"
#undef FRAMEGATE_STEP
  }
  return false;
}

bool TakeKeyedStep(model::Step step, uint32_t index, const model::Constant& key, PyObject* from, PyObject** to) {
  if (model::OperandOf(step) != model::StepOperand::kKey)
    return TakeStep(step, from, Operand(uint64_t{index}), to);
  LinkedConstant linked{.object = pycompat::Ref::Steal(ToPython(key))};
  if (linked.object)
    linked.hash = PyObject_Hash(linked.object.get());
  PyErr_Clear();
  const bool is_name = linked.object && PyUnicode_CheckExact(linked.object.get());
  if (!linked.object || (!model::TakesAnyKey(step) && !is_name))
    return false;
  return TakeStep(step, from, Operand(static_cast<const void*>(&linked)), to);
}

}  // namespace framegate::client
