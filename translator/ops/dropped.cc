// Generators that are dropped before they end: `finally` and `with` around the yield at which they stand run then.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "translator/ops/stack.h"
#include "translator/values/parts.h"

namespace framegate::translator {

namespace {

// A yield that something handles; not the handler around a whole generator that turns StopIteration into an error (3.12).
bool DoesSomething(const Frame& f) {
  const Instruction& yield = f.instruction();
  if (yield.handler == kNoIndex)
    return false;
  const Instruction& first = f.code->instructions[f.code->handlers[yield.handler].target];
  constexpr int32_t kStopIterationError = 3;
  return first.op != Op::kIntrinsic1 || first.arg != kStopIterationError;
}

bool Reaches(V value, const GeneratorValue* target, absl::flat_hash_set<V>* seen) {
  if (auto* lazy = As<LazyValue>(value))
    value = lazy->resolved;
  if (value == target)
    return true;
  if (value == nullptr || !seen->insert(value).second)
    return false;
  auto* object = As<ObjectValue>(value);
  bool found = object != nullptr && (Reaches(object->stand_in, target, seen) || Reaches(object->parts, target, seen));
  VisitParts(value, [&](V part) { found = found || Reaches(part, target, seen); });
  return found;
}

bool AnyReaches(const Values& values, const GeneratorValue* target, absl::flat_hash_set<V>* seen) {
  return std::any_of(values.begin(), values.end(), [&](V value) { return Reaches(value, target, seen); });
}

bool WouldRun(const GeneratorValue* generator) {
  return generator->frame != nullptr && generator->started && !generator->running && DoesSomething(*generator->frame);
}

// Only the garbage collector would find it.
bool HoldsItself(const GeneratorValue* generator) {
  absl::flat_hash_set<V> seen;
  return AnyReaches(generator->frame->slots, generator, &seen) || AnyReaches(generator->frame->stack, generator, &seen);
}

}  // namespace

void Interp::NoteSuspended(GeneratorValue* generator) {
  const bool noted = std::any_of(suspended_.begin(), suspended_.end(), [&](const Suspended& one) { return one.generator == generator; });
  if (!noted && generator->type != nullptr && !generator->type->is("types:AsyncGeneratorType") &&
      !generator->type->is("builtins:async_generator") && DoesSomething(*generator->frame))
    suspended_.push_back({generator, generator});
}

bool Interp::IsHeld(Suspended& suspended, bool returned) {
  GeneratorValue* generator = suspended.generator;
  absl::flat_hash_set<V> seen;
  bool holder_is_there = false;
  for (size_t at = 0; !returned && !holder_is_there && at < frames_.size(); ++at)
    for (const Values* values : {&frames_[at]->slots, &frames_[at]->stack})
      holder_is_there = holder_is_there || std::find(values->begin(), values->end(), suspended.holder) != values->end();
  if (holder_is_there && Reaches(suspended.holder, generator, &seen))
    return true;
  seen.clear();
  if ((returned && Reaches(returned_, generator, &seen)) || AnyReaches(s.mutated, generator, &seen))
    return true;
  for (const Effect& effect : s.effects())
    if (AnyReaches(effect.args, generator, &seen))
      return true;
  for (size_t at = 0; !returned && at < frames_.size(); ++at) {
    const Frame& frame = *frames_[at];
    for (const Values* values : {&frame.slots, &frame.stack})
      for (V value : *values)
        if (Reaches(value, generator, &seen)) {
          suspended.holder = value;
          return true;
        }
    if (Reaches(frame.function, generator, &seen) || Reaches(frame.locals, generator, &seen) || Reaches(frame.handled, generator, &seen))
      return true;
  }
  return !returned && (Reaches(handled, generator, &seen) || Reaches(s.raised, generator, &seen));
}

void Interp::NoteUnwound(const Frame& frame) {
  if (sync_depth_ > 0)
    return;
  for (Suspended& one : suspended_) {
    absl::flat_hash_set<V> seen;
    if (WouldRun(one.generator) && (AnyReaches(frame.slots, one.generator, &seen) || AnyReaches(frame.stack, one.generator, &seen)))
      dropped_ = dropped_ || !IsHeld(one, false);
  }
}

void Interp::CloseDropped(bool returned) {
  for (bool again = true; again && !dropped_;) {
    again = false;
    std::vector<GeneratorValue*> dropped;
    for (Suspended& one : suspended_)
      if (WouldRun(one.generator) && !IsHeld(one, returned) && !HoldsItself(one.generator))
        dropped.push_back(one.generator);
    for (GeneratorValue* generator : dropped) {
      auto holds = [&](GeneratorValue* other) {
        absl::flat_hash_set<V> seen;
        return other != generator && Reaches(other, generator, &seen);
      };
      if (again || std::any_of(dropped.begin(), dropped.end(), holds))
        continue;
      const V raised = s.raised;
      dropped_ = !Close(generator).ok();
      s.raised = raised;
      again = true;
    }
  }
}

}  // namespace framegate::translator
