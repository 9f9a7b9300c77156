// The enums that the tables of this folder define, with their text names. One row is the truth; see each .def for its columns.
// Thread-safe: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace framegate::model {

enum class PyVersion : uint8_t {
#define FRAMEGATE_PY_VERSION(number, name, text, magic) name = number,
#include "model/py_versions.def"
#undef FRAMEGATE_PY_VERSION
};

enum class ConstantKind : uint8_t {
#define FRAMEGATE_CONSTANT(number, name, text) name = number,
#include "model/constants.def"
#undef FRAMEGATE_CONSTANT
};

enum class Step : uint8_t {
#define FRAMEGATE_STEP(number, name, text, operand, doc) name = number,
#include "model/steps.def"
#undef FRAMEGATE_STEP
};

enum class StepOperand : uint8_t { kNone, kIndex, kPair, kKey };

enum class Fact : uint8_t {
#define FRAMEGATE_FACT(number, name, text, value, doc) name = number,
#include "model/facts.def"
#undef FRAMEGATE_FACT
};

enum class FactShape : uint8_t { kWord, kConstant, kTensor, kHash };

enum class TypeFlag : uint32_t {
#define FRAMEGATE_TYPE_FLAG(bit, name, text, doc) name = uint32_t{1} << bit,
#include "model/type_flags.def"
#undef FRAMEGATE_TYPE_FLAG
};

constexpr bool HasFlag(uint64_t flags, TypeFlag flag) {
  return (flags & static_cast<uint32_t>(flag)) != 0;
}

enum class AmbientPart : uint8_t {
#define FRAMEGATE_AMBIENT(place, name, text, torch_name, graphs) name = place,
#include "model/ambient.def"
#undef FRAMEGATE_AMBIENT
};

inline constexpr size_t kAmbientParts = 0
#define FRAMEGATE_AMBIENT(place, name, text, torch_name, graphs) +1
#include "model/ambient.def"
#undef FRAMEGATE_AMBIENT
    ;

// Whether what a graph computes is taken to depend on the part.
constexpr bool GraphsDependOn(AmbientPart part) {
  switch (part) {
#define FRAMEGATE_AMBIENT(place, name, text, torch_name, graphs) \
  case AmbientPart::name:                                        \
    return graphs;
#include "model/ambient.def"
#undef FRAMEGATE_AMBIENT
  }
  return true;
}

enum class Reason : uint16_t {
  kNoReason = 0,
#define FRAMEGATE_REASON(number, name, text, what, advice) name = number,
#include "model/reasons.def"
#undef FRAMEGATE_REASON
};

// Each returns "" for a number that no row has.
std::string_view EnumText(PyVersion value);
std::string_view EnumText(ConstantKind value);
std::string_view EnumText(Step value);
std::string_view EnumText(Fact value);
std::string_view EnumText(AmbientPart value);
std::string_view EnumText(Reason value);  // "none" for kNoReason

bool EnumFromText(std::string_view text, PyVersion* value);
bool EnumFromText(std::string_view text, ConstantKind* value);
bool EnumFromText(std::string_view text, Step* value);
bool EnumFromText(std::string_view text, Fact* value);
bool EnumFromText(std::string_view text, AmbientPart* value);
bool EnumFromText(std::string_view text, Reason* value);

constexpr bool IsRoot(Step step) {
  return static_cast<uint8_t>(step) < 32;
}

StepOperand OperandOf(Step step);
FactShape ShapeOf(Fact fact);
std::string_view TorchGuardType(AmbientPart part);
std::string_view WhatHappens(Reason reason);
std::string_view Advice(Reason reason);

}  // namespace framegate::model
