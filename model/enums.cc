#include "model/enums.h"

#include "model/enum_rows.h"

namespace framegate::model {

namespace {

constexpr EnumRow<PyVersion> kPyVersions[] = {
#define FRAMEGATE_PY_VERSION(number, name, text, magic) {PyVersion::name, text},
#include "model/py_versions.def"
#undef FRAMEGATE_PY_VERSION
};
constexpr EnumRow<ConstantKind> kConstants[] = {
#define FRAMEGATE_CONSTANT(number, name, text) {ConstantKind::name, text},
#include "model/constants.def"
#undef FRAMEGATE_CONSTANT
};
constexpr EnumRow<Step> kSteps[] = {
#define FRAMEGATE_STEP(number, name, text, operand, doc) {Step::name, text},
#include "model/steps.def"
#undef FRAMEGATE_STEP
};
constexpr EnumRow<Fact> kFacts[] = {
#define FRAMEGATE_FACT(number, name, text, value, doc) {Fact::name, text},
#include "model/facts.def"
#undef FRAMEGATE_FACT
};
constexpr EnumRow<AmbientPart> kAmbient[] = {
#define FRAMEGATE_AMBIENT(place, name, text, torch_name, graphs) {AmbientPart::name, text},
#include "model/ambient.def"
#undef FRAMEGATE_AMBIENT
};
constexpr EnumRow<Reason> kReasons[] = {
    {Reason::kNoReason, "none"},
#define FRAMEGATE_REASON(number, name, text, what, advice) {Reason::name, text},
#include "model/reasons.def"
#undef FRAMEGATE_REASON
};

}  // namespace

FRAMEGATE_DEFINE_ENUM(PyVersion, kPyVersions)
FRAMEGATE_DEFINE_ENUM(ConstantKind, kConstants)
FRAMEGATE_DEFINE_ENUM(Step, kSteps)
FRAMEGATE_DEFINE_ENUM(Fact, kFacts)
FRAMEGATE_DEFINE_ENUM(AmbientPart, kAmbient)
FRAMEGATE_DEFINE_ENUM(Reason, kReasons)

StepOperand OperandOf(Step step) {
  static constexpr auto kTable = [] {
    struct {
      StepOperand of[256] = {};
    } table;
#define FRAMEGATE_STEP(number, name, text, operand, doc) table.of[number] = StepOperand::k##operand;
#include "model/steps.def"
#undef FRAMEGATE_STEP
    return table;
  }();
  return kTable.of[static_cast<uint8_t>(step)];
}

FactShape ShapeOf(Fact fact) {
  static constexpr auto kTable = [] {
    struct {
      FactShape of[256] = {};
    } table;
#define FRAMEGATE_FACT(number, name, text, value, doc) table.of[number] = FactShape::k##value;
#include "model/facts.def"
#undef FRAMEGATE_FACT
    return table;
  }();
  return kTable.of[static_cast<uint8_t>(fact)];
}

std::string_view TorchGuardType(AmbientPart part) {
  static constexpr EnumRow<AmbientPart> kRows[] = {
#define FRAMEGATE_AMBIENT(place, name, text, torch_name, graphs) {AmbientPart::name, torch_name},
#include "model/ambient.def"
#undef FRAMEGATE_AMBIENT
  };
  return FindRow(kRows, part);
}

std::string_view WhatHappens(Reason reason) {
  static constexpr EnumRow<Reason> kRows[] = {
#define FRAMEGATE_REASON(number, name, text, what, advice) {Reason::name, what},
#include "model/reasons.def"
#undef FRAMEGATE_REASON
  };
  return FindRow(kRows, reason);
}

std::string_view Advice(Reason reason) {
  static constexpr EnumRow<Reason> kRows[] = {
#define FRAMEGATE_REASON(number, name, text, what, advice) {Reason::name, advice},
#include "model/reasons.def"
#undef FRAMEGATE_REASON
  };
  return FindRow(kRows, reason);
}

}  // namespace framegate::model
