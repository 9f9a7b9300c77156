#include "client_ext/torch_bridge/native/context_switches.h"

#include <ATen/Context.h>

#include <array>

#include "client_ext/torch_bridge/native/open_member.h"

namespace framegate::client {

#if FRAMEGATE_KNOWS_TORCH

FRAMEGATE_OPEN(PrecisionField, &at::Context::float32_matmul_precision);
FRAMEGATE_OPEN(CudnnTf32Field, &at::Context::allow_tf32_cudnn);
FRAMEGATE_OPEN(PrecisionTable, &at::Context::fp32_precision);
FRAMEGATE_OPEN(Fp16Field, &at::Context::allow_fp16_reduction_cublas);
FRAMEGATE_OPEN(Bf16Field, &at::Context::allow_bf16_reduction_cublas);
FRAMEGATE_OPEN(DeterministicField, &at::Context::_deterministic_algorithms);
FRAMEGATE_OPEN(WarnOnlyField, &at::Context::_deterministic_algorithms_warn_only);
#define FRAMEGATE_SWITCH(name, field, getter) FRAMEGATE_OPEN(name##Field, &at::Context::field);
#include "client_ext/torch_bridge/native/switches.def"
#undef FRAMEGATE_SWITCH

#endif

namespace {

constexpr auto kReduced = at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK;

struct Precision {
  uint8_t matmul = 0;
  bool tf32_cublas = false;
  bool tf32_cudnn = false;
};

Precision AskPrecision(const at::Context& context) {
  return {static_cast<uint8_t>(context.float32MatmulPrecision()), context.allowTF32CuBLAS(), context.allowTF32CuDNN()};
}

#if FRAMEGATE_KNOWS_TORCH

constexpr size_t kMostRows = 14;
using Fields = std::array<uint8_t, 2 + kMostRows>;

// What torch's answers are computed from; false where the table has grown.
bool ReadFields(const at::Context& context, Fields* fields) {
  static std::array<const at::Float32Precision*, kMostRows> rows;  // the nodes of the table stay where they are
  static size_t count = 0;
  const auto& table = context.*MemberOf(PrecisionTable());
  if (table.size() > kMostRows)
    return false;
  if (count != table.size()) {
    count = 0;
    for (const auto& row : table)
      rows[count++] = &row.second;
  }
  (*fields)[0] = static_cast<uint8_t>(context.*MemberOf(PrecisionField()));
  (*fields)[1] = static_cast<uint8_t>(context.*MemberOf(CudnnTf32Field()));
  for (size_t i = 0; i < count; ++i)
    (*fields)[2 + i] = static_cast<uint8_t>(*rows[i]);
  return true;
}

// Asking takes 140 ns, so it is done again only when something has changed.
Precision ReadPrecision(const at::Context& context) {
  static Fields seen{};
  static Precision answer;
  static bool known = false;
  Fields fields{};
  if (!ReadFields(context, &fields))
    return AskPrecision(context);
  if (!known || fields != seen) {
    known = false;
    answer = AskPrecision(context);
    seen = fields;
    known = true;
  }
  return answer;
}

ContextState ReadSwitches(const at::Context& context) {
  return {.deterministic = context.*MemberOf(DeterministicField()),
          .deterministic_warn_only = context.*MemberOf(WarnOnlyField()),
          .fp16_reduction = context.*MemberOf(Fp16Field()) == kReduced,
          .bf16_reduction = context.*MemberOf(Bf16Field()) == kReduced,
          .switches = {
#define FRAMEGATE_SWITCH(name, field, getter) context.*MemberOf(name##Field()),
#include "client_ext/torch_bridge/native/switches.def"
#undef FRAMEGATE_SWITCH
          }};
}

#else

Precision ReadPrecision(const at::Context& context) {
  return AskPrecision(context);
}

ContextState ReadSwitches(const at::Context& context) {
  return {.deterministic = context.deterministicAlgorithms(),
          .deterministic_warn_only = context.deterministicAlgorithmsWarnOnly(),
          .fp16_reduction = context.allowFP16ReductionCuBLAS() == kReduced,
          .bf16_reduction = context.allowBF16ReductionCuBLAS() == kReduced,
          .switches = {
#define FRAMEGATE_SWITCH(name, field, getter) context.getter(),
#include "client_ext/torch_bridge/native/switches.def"
#undef FRAMEGATE_SWITCH
          }};
}

#endif

}  // namespace

ContextState ReadContext() {
  const at::Context& context = at::globalContext();
  ContextState state = ReadSwitches(context);
  const Precision precision = ReadPrecision(context);
  state.precision = precision.matmul;
  state.tf32_cublas = precision.tf32_cublas;
  state.tf32_cudnn = precision.tf32_cudnn;
  return state;
}

}  // namespace framegate::client
