#include "model/libraries.h"
#include "translator/translate.h"

#include "base/fields.h"
#include "base/strings.h"
#include "guards/passes/lower.h"
#include "translator/breaks/plan.h"
#include "translator/breaks/retreat.h"
#include "translator/builtins/state.h"
#include "translator/emit/emitter.h"
#include "translator/emit/term_guards.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::BreakKind;
using model::Reason;
using model::Step;

std::shared_ptr<const model::CodeImage> CodeStore::Find(const model::CodeId& id) const {
  absl::MutexLock lock(&mutex_);
  auto it = images_.find(id);
  return it == images_.end() ? nullptr : it->second;
}

void CodeStore::Add(std::shared_ptr<const model::CodeImage> image) {
  for (const Constant& constant : image->consts)
    for (const auto& nested : constant.code)
      Add(nested);
  model::CodeId id = model::IdOf(*image);
  absl::MutexLock lock(&mutex_);
  images_.try_emplace(id, std::move(image));
}

size_t CodeStore::size() const {
  absl::MutexLock lock(&mutex_);
  return images_.size();
}

namespace {

// The pending frames of a unit, with every slot and stack cell a value of its own.
absl::Status EnterUnit(Session& s, Interp& in, const model::Unit& unit) {
  if (unit.frames.empty() || unit.frames.size() > 1000)
    return absl::InvalidArgumentError(StrCat("a unit of ", unit.frames.size(), " frames"));
  for (uint32_t at = 0; at < unit.frames.size(); ++at) {
    const model::UnitFrame& from = unit.frames[at];
    std::shared_ptr<const DecodedCode> code = s.CodeOf(from.code);
    if (code == nullptr)
      return s.status().ok() ? absl::InvalidArgumentError(StrCat("frame ", at, ": its code cannot be had")) : s.status();
    V function = s.Resolve(s.Real(s.mirror().Root(Step::kFunction, at), s.subjects().Root(Step::kFunction, at)));
    auto frame = std::make_shared<Frame>();
    frame->code = code;
    frame->function = As<FunctionValue>(function);
    if (frame->function == nullptr)
      return absl::InvalidArgumentError(StrCat("frame ", at, " has no function"));
    frame->function->code = code;
    frame->library = model::IsLibraryFile(code->image->filename);
    size_t slots = code->image->nlocalsplus();
    if (unit.continuation && from.nulls.size() != slots + from.depth)
      return absl::InvalidArgumentError(
          StrCat("frame ", at, ": the null mask has ", from.nulls.size(), " cells, not ", slots + from.depth));
    if (from.offset >= code->index_of_unit.size() || slots > 0xffff)
      return absl::InvalidArgumentError(StrCat("frame ", at, ": offset ", from.offset, " is outside of its code"));
    auto cell = [&](Step step, uint32_t index) {
      Handle handle = s.mirror().Root(step, model::PairIndex(at, index));
      return s.Real(handle, s.subjects().Root(step, model::PairIndex(at, index)));
    };
    size_t arguments =
        code->image->argcount + code->image->kwonlyargcount + ((code->image->flags & 0x4) != 0) + ((code->image->flags & 0x8) != 0);
    for (uint32_t i = 0; i < slots; ++i) {
      bool empty = unit.continuation ? from.nulls[i] != 0 : i >= arguments;
      frame->slots.push_back(empty ? nullptr : cell(Step::kSlot, i));
    }
    for (uint32_t i = 0; i < from.depth; ++i)
      frame->stack.push_back(from.nulls[slots + i] != 0 ? nullptr : cell(Step::kStack, i));
    frame->ip = code->index_of_unit[from.offset];
    bool innermost = at + 1 == unit.frames.size();
    frame->waiting = innermost ? model::Resume::kInnermost : from.resume;
    in.frames().push_back(std::move(frame));
  }
  return s.status();
}

absl::StatusOr<model::Entry> Original(Session& s, Interp& in, Reason reason, std::string detail) {
  model::Entry entry{.original = true, .reason = reason, .detail = std::move(detail)};
  s.GuardTypes();
  guards::GuardSet set{.subjects = s.subjects().nodes(), .guards = s.guards()};
  AddTermGuards(s, &set);
  ASSIGN_OR_RETURN(guards::Lowered lowered, guards::Lower(std::move(set)));
  entry.subjects = s.subjects().nodes();
  entry.program = std::move(lowered.program);
  entry.guards = std::move(lowered.notes);
  entry.local = !lowered.durable;
  entry.instructions = in.instructions();
  return entry;
}

// An emission that found a value it cannot rebuild ends in the original, for the reason given.
absl::StatusOr<model::Entry> OrOriginal(Session& s, Interp& in, absl::StatusOr<model::Entry> entry, const Refusal& broke = {}) {
  if (entry.ok() || entry.status().code() != absl::StatusCode::kFailedPrecondition)
    return entry;
  std::string what(entry.status().message());
  if (broke.reason != Reason::kNoReason)
    what = StrCat(what, ", at a break: ", model::WhatHappens(broke.reason), ": ", broke.detail);
  return Original(s, in, Reason::kCannotRebuild, std::move(what));
}

absl::StatusOr<model::Entry> EndInBreak(Session& s, Interp& in, BreakKind kind, V exception) {
  Refusal refusal = exception != nullptr ? Refusal{Reason::kUserException, TypeName(s.TypeOf(exception))} : s.refusal;
  std::optional<model::BreakPlan> plan = MakePlan(in, kind, refusal);
  if (!plan.has_value())
    return Original(s, in, refusal.reason, refusal.detail);
  Emitter emitter(s, in);
  return OrOriginal(s, in, emitter.Broke(*std::move(plan), exception), refusal);
}

absl::StatusOr<model::Entry> TranslateOnce(const Request& request, CodeStore& codes, Mirror& mirror, SetOrders* orders) {
  Session s(request, codes, mirror, orders);
  const Terms::Use use(&s.terms());
  Interp in(s);
  RETURN_IF_ERROR(EnterUnit(s, in, request.unit));
  End end = in.Run();
  RETURN_IF_ERROR(s.status());
  LeaveModes(in);
  absl::StatusOr<model::Entry> entry;
  if (end == End::kRaised) {
    entry = EndInBreak(s, in, BreakKind::kRaise, s.raised);
  } else if (end == End::kBroke) {
    entry = EndInBreak(s, in, in.break_kind(), nullptr);
  } else {
    Emitter emitter(s, in);
    entry = OrOriginal(s, in, emitter.Returned(in.returned()));
  }
  RETURN_IF_ERROR(s.status());
  if (s.as_written.reason != Reason::kNoReason)
    return Original(s, in, s.as_written.reason, s.as_written.detail);
  if (s.dropped_real && s.has_callbacks)
    return Original(s, in, Reason::kLifetime, "what a weak reference's callback waits for");
  if (in.dropped())
    return Original(s, in, Reason::kUnsupportedGenerator, "what a generator does that is dropped");
  if (s.changed_frozen)
    return Original(s, in, Reason::kUnsupportedMutation, "what a cached function gave");
  if (std::optional<uint32_t> dimension = s.FixedMark())
    return Original(s, in, Reason::kFixedDynamic, StrCat("dimension ", *dimension));
  if (entry.ok() && !entry->original && !entry->graph.has_value() && !request.config.graphless)
    return Original(s, in, Reason::kNoGraph, "");
  return entry;
}

// Whether all orders that sets may have lead to this entry.
bool IsSameInAllOrders(const Request& request, CodeStore& codes, Mirror& mirror, SetOrders& orders, const model::Entry& entry) {
  const std::string expected = Encode(entry);
  while (orders.Next()) {
    absl::StatusOr<model::Entry> other = TranslateOnce(request, codes, mirror, &orders);
    if (!other.ok() || !orders.IsAsBefore())
      return false;
    other->instructions = entry.instructions;
    if (Encode(*other) != expected)
      return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<model::Entry> Translate(const Request& request, CodeStore& codes, Asker& asker) {
  Mirror mirror(*request.summary, codes, asker);
  SetOrders orders;
  absl::StatusOr<model::Entry> entry = TranslateOnce(request, codes, mirror, &orders);
  if (!orders.any())
    return entry;
  if (entry.ok() && orders.CanTryAll() && IsSameInAllOrders(request, codes, mirror, orders, *entry))
    return entry;
  RETURN_IF_ERROR(mirror.status());
  return TranslateOnce(request, codes, mirror, nullptr);
}

}  // namespace framegate::translator
