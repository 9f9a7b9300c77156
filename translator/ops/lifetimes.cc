// When objects die, as far as Python code can tell: weak references and __del__. CPython drops an object with the last reference to it; one
// that is part of a ring, or held by one, waits for the garbage collector.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "translator/ops/interp.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Step;

namespace {

V Known(V value) {
  auto* lazy = As<LazyValue>(value);
  return lazy != nullptr && lazy->resolved != nullptr ? lazy->resolved : value;
}

bool IsReference(V value) {
  auto* object = As<ObjectValue>(value);
  return object != nullptr && object->type != nullptr && !object->arguments.empty() &&
         (object->constructor == "weakref" || object->hint == kReferenceHint);
}

// All that the value holds, strongly.
void VisitHeld(V value, const std::function<void(V)>& visit) {
  if (IsReference(value)) {
    auto* reference = As<ObjectValue>(value);
    std::for_each(reference->arguments.begin() + 1, reference->arguments.end(), visit);
    for (const auto& [name, attribute] : reference->attributes)
      visit(attribute);
    return;
  }
  if (auto* number = As<ResidualValue>(value); number != nullptr && number->function == "id")
    return;
  VisitParts(value, visit);
  if (auto* object = As<ObjectValue>(value)) {
    visit(object->stand_in);
    visit(object->parts);
  }
}

class Reach {
 public:
  explicit Reach(V target) : target_(Known(target)) {}

  bool From(V value) {
    value = Known(value);
    if (value == nullptr || value == target_ || !seen_.insert(value).second)
      return value != nullptr && value == target_;
    bool found = false;
    VisitHeld(value, [&](V part) { found = found || From(part); });
    return found;
  }

  bool FromAny(const Values& values) {
    return std::any_of(values.begin(), values.end(), [this](V value) { return From(value); });
  }

 private:
  V target_;
  absl::flat_hash_set<V> seen_;
};

// Part of a ring of values, or held by one.
bool IsHeldByRing(const Session& s, V target) {
  absl::flat_hash_map<V, Values> holders;
  s.ForEach([&](V value) { VisitHeld(value, [&](V part) { part != nullptr ? holders[Known(part)].push_back(value) : void(); }); });
  absl::flat_hash_map<V, size_t> held{{target, 0}};  // how many of these hold it
  Values open{target};
  while (!open.empty()) {
    const V value = open.back();
    open.pop_back();
    for (V holder : holders[value])
      if (holder->kind != ValueKind::kLazy && held.try_emplace(holder, 0).second)
        open.push_back(holder);
  }
  for (auto& [value, count] : held)
    count =
        static_cast<size_t>(std::count_if(holders[value].begin(), holders[value].end(), [&](V holder) { return held.contains(holder); }));
  for (const auto& [value, count] : held)
    if (count == 0)
      open.push_back(value);
  size_t free = 0;
  while (!open.empty()) {
    const V value = open.back();
    open.pop_back();
    ++free;
    VisitHeld(value, [&](V part) {
      auto it = part == nullptr ? held.end() : held.find(Known(part));
      if (it != held.end() && --it->second == 0)
        open.push_back(it->first);
    });
  }
  return free < held.size();
}

}  // namespace

Outcome Interp::LeaveAsWritten(model::Reason reason, std::string detail) {
  if (s.as_written.reason == model::Reason::kNoReason)
    s.as_written = {.reason = reason, .detail = detail};
  return Break(reason, std::move(detail));
}

Interp::Held Interp::IsHeldNow(V target) {
  target = Known(target);
  if (target->kind == ValueKind::kType)
    return Held::kYes;  // its MRO has it
  Reach reach(target);
  bool found = reach.From(handled) || reach.From(s.raised) || reach.FromAny(s.mutated);
  for (size_t at = 0; at < frames_.size() && !found; ++at) {
    const Frame& frame = *frames_[at];
    found = reach.FromAny(frame.slots) || reach.FromAny(frame.stack) || reach.From(frame.function) || reach.From(frame.locals) ||
            reach.From(frame.handled);
  }
  if (found)
    return Held::kYes;
  const auto is_given = [&](const Effect& effect) { return reach.FromAny(effect.args); };
  const bool unknown = runs_sync() || std::any_of(s.effects().begin(), s.effects().end(), is_given) || IsHeldByRing(s, target);
  return unknown ? Held::kUnknown : Held::kNo;
}

namespace {

// The cell of the unit through which a real object was found; kNoSubject: none holds it.
SubjectId CellOf(Session& s, SubjectId at) {
  for (; s.subjects()[at].parent != model::kNoSubject; at = s.subjects()[at].parent)
    if (s.subjects()[at].step == Step::kWeakrefTarget)
      return model::kNoSubject;
  const Step root = s.subjects()[at].step;
  return root == Step::kSlot || root == Step::kStack ? at : model::kNoSubject;
}

}  // namespace

bool Interp::IsOfCells(V target) {
  return target->subject == model::kNoSubject || CellOf(s, target->subject) != model::kNoSubject;
}

bool Interp::LivesStill(V target) {
  if (IsHeldNow(target) == Held::kYes)
    return true;
  if (s.dropped_real || target->subject == model::kNoSubject)
    return false;
  const SubjectId cell = CellOf(s, target->subject);
  if (cell == model::kNoSubject)
    return true;
  const model::SubjectNode root = s.subjects()[cell];
  return IsHeldNow(s.Real(s.mirror().Root(root.step, root.index), cell)) == Held::kYes;
}

void Interp::NoteFinalizers() {
  if (!s.request().unit.continuation)
    return;
  for (const auto& frame : frames_)
    for (const Values* cells : {&frame->slots, &frame->stack})
      for (V cell : *cells) {
        if (cell == nullptr)
          continue;
        const std::optional<Handle> type = s.mirror().Known(cell->handle, Step::kType);
        const model::FactValue* flags =
            type.has_value() && *type != model::kAbsent ? s.mirror().Known(*type, model::Fact::kTypeFlags) : nullptr;
        if (flags != nullptr && model::HasFlag(flags->word, model::TypeFlag::kHasDel) &&
            model::HasFlag(flags->word, model::TypeFlag::kHeapType))
          finalizers_.push_back(cell);
      }
}

bool Interp::IsFinalizerDropped() {
  if (frames_.size() == 1 && top().instruction().op == Op::kReturnValue)
    return false;  // nothing comes after it
  for (V object : finalizers_)
    if (IsHeldNow(object) != Held::kYes)
      return true;
  return false;
}

}  // namespace framegate::translator
