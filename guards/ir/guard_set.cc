#include "guards/ir/guard_set.h"

namespace framegate::guards {

namespace {

struct KindRow {
  GuardKind kind;
  std::string_view text;
  std::string_view torch_name;
  bool durable;
};

constexpr KindRow kRows[] = {
#define FRAMEGATE_GUARD(number, name, text, torch_name, shape, durable, doc) {GuardKind::name, text, torch_name, durable != 0},
#include "guards/ir/guard_kinds.def"
#undef FRAMEGATE_GUARD
};

const KindRow* FindRow(GuardKind kind) {
  for (const KindRow& row : kRows)
    if (row.kind == kind)
      return &row;
  return nullptr;
}

}  // namespace

std::string_view EnumText(GuardKind value) {
  const KindRow* row = FindRow(value);
  return row ? row->text : std::string_view();
}

bool EnumFromText(std::string_view text, GuardKind* value) {
  for (const KindRow& row : kRows) {
    if (row.text == text) {
      *value = row.kind;
      return true;
    }
  }
  return false;
}

std::string_view TorchName(GuardKind kind) {
  const KindRow* row = FindRow(kind);
  return row ? row->torch_name : std::string_view();
}

bool CheckTheSame(const Guard& a, const Guard& b) {
  return a.kind == b.kind && a.subject == b.subject && a.other == b.other && a.part == b.part && a.object == b.object && a.type == b.type &&
         a.fact == b.fact && a.free_sizes == b.free_sizes && a.free_strides == b.free_strides && a.others == b.others &&
         a.terms == b.terms && a.constant == b.constant;
}

void GuardIndex::Add(Guard guard, std::vector<Guard>* guards) {
  constexpr uint32_t kNone = UINT32_MAX;
  const model::FactValue* fact = guard.fact ? &*guard.fact : nullptr;
  const size_t hash = absl::HashOf(guard.kind, guard.subject, guard.other, guard.part, guard.object, guard.type, guard.terms.size(),
                                   fact == nullptr ? model::Fact{} : fact->fact, fact == nullptr ? 0 : fact->word);
  uint32_t& latest = latest_.try_emplace(hash, kNone).first->second;
  for (uint32_t at = latest; at != kNone; at = before_[at])
    if (CheckTheSame((*guards)[at], guard)) {
      (*guards)[at].parts |= guard.parts;
      return;
    }
  before_.resize(guards->size() + 1, kNone);
  before_.back() = std::exchange(latest, static_cast<uint32_t>(guards->size()));
  guards->push_back(std::move(guard));
}

bool IsDurable(GuardKind kind) {
  const KindRow* row = FindRow(kind);
  return row != nullptr && row->durable;
}

bool IsDurable(const Guard& guard) {
  const bool of_process = guard.fact && (guard.fact->fact == model::Fact::kAbcToken || guard.fact->fact == model::Fact::kHashSecret);
  return IsDurable(guard.kind) && !of_process;
}

std::string_view TorchName(model::Fact fact) {
  switch (fact) {  // a fact without a row is a compile error
#define FRAMEGATE_FACT_GUARD(name, torch_name) \
  case model::Fact::name:                      \
    return torch_name;
#include "guards/ir/fact_guards.def"
#undef FRAMEGATE_FACT_GUARD
  }
  return "";
}

std::string_view TorchName(const Guard& guard) {
  if (guard.kind == GuardKind::kFactIs && guard.fact)
    return TorchName(guard.fact->fact);
  if (guard.kind == GuardKind::kAmbientIs)
    return model::TorchGuardType(static_cast<model::AmbientPart>(guard.part));
  return TorchName(guard.kind);
}

}  // namespace framegate::guards
