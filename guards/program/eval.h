// The evaluator: runs a linked program on a probe. One source for both processes: on live objects in the client, on a summary in the
// daemon. Never throws, never allocates, keeps no reference.
//
// Beside the types of link.h a probe P has, each noexcept:
//     template <Step S> bool Take(Object from, const LinkedInstruction<P>&, Object* to)   false: not known, the check fails; `from` is null
//                                                                                         for roots; *to is null where there is nothing
//     template <Fact F> bool Is(Object, const LinkedInstruction<P>&)                      the fact has the expected value
//     bool Lacks(Fact, Object)                                                            the fact does not apply
//     bool TypeIs(Object, const LinkedInstruction<P>&), SubclassOf(...), IsObject(...)
//     int FailingAmbient(const LinkedInstruction<P>&)                                     -1, or which of the parts differs
//     uint64_t TypeVersion(Object)                                                        changes whenever the type does; 0: not known
//     bool Size(Object, uint32_t dim, int64_t*), Stride(...), StorageOffset(Object, int64_t*), IntValue(Object, int64_t*)
//     bool WordFact(Fact, Object, int64_t*)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "guards/program/link.h"
#include "guards/program/program.h"

namespace framegate::guards {

struct Verdict {
  bool pass = false;
  uint32_t instruction = 0;  // of the program: the one that failed, or the last
};

// Room for registers and groups; made once, large enough for every program it is used with. One evaluation at a time.
template <typename P>
class Scratch {
 public:
  void Reserve(const Linked<P>& program) {
    objects_.resize(std::max<size_t>(objects_.size(), program.objects()));
    words_.resize(std::max<size_t>(words_.size(), program.words()));
    const size_t slots = std::bit_ceil(size_t{program.group_size()} * 2);
    if (program.group_size() > 0 && slots > group_.size())
      group_.assign(slots, {});
  }

  typename P::Object* objects() { return objects_.data(); }

  int64_t* words() { return words_.data(); }

  void BeginGroup() noexcept {
    if (++epoch_ == 0) {
      std::fill(group_.begin(), group_.end(), Member{});
      epoch_ = 1;
    }
  }

  // False where the object is in the group already.
  bool AddToGroup(typename P::Object object) noexcept {
    const size_t mask = group_.size() - 1;
    size_t at = (reinterpret_cast<uintptr_t>(object) >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;
    for (; group_[at].epoch == epoch_; at = (at + 1) & mask)
      if (group_[at].object == object)
        return false;
    group_[at] = {object, epoch_};
    return true;
  }

 private:
  struct Member {
    typename P::Object object = nullptr;
    uint32_t epoch = 0;
  };

  std::vector<typename P::Object> objects_;
  std::vector<int64_t> words_;
  std::vector<Member> group_;
  uint32_t epoch_ = 0;
};

// Arithmetic and comparisons of words. False: overflow, or division by zero.
inline bool WordResult(CheckOp op, int64_t x, int64_t y, int64_t* out) noexcept {
  switch (op) {
    case CheckOp::kWordAdd:
      return !__builtin_add_overflow(x, y, out);
    case CheckOp::kWordSub:
      return !__builtin_sub_overflow(x, y, out);
    case CheckOp::kWordMul:
      return !__builtin_mul_overflow(x, y, out);
    case CheckOp::kWordFloorDiv:
    case CheckOp::kWordMod: {
      if (y == 0 || (y == -1 && x == INT64_MIN))
        return false;
      const int64_t quotient = x / y, rest = x % y;
      const bool down = rest != 0 && (rest < 0) != (y < 0);
      *out = op == CheckOp::kWordFloorDiv ? quotient - down : rest + (down ? y : 0);
      return true;
    }
    case CheckOp::kWordMin:
      *out = std::min(x, y);
      return true;
    case CheckOp::kWordMax:
      *out = std::max(x, y);
      return true;
    case CheckOp::kWordEq:
      *out = x == y;
      return true;
    case CheckOp::kWordNe:
      *out = x != y;
      return true;
    case CheckOp::kWordLt:
      *out = x < y;
      return true;
    case CheckOp::kWordLe:
      *out = x <= y;
      return true;
    case CheckOp::kWordAnd:
      *out = x & y;
      return true;
    case CheckOp::kWordOr:
      *out = x | y;
      return true;
    case CheckOp::kNop:
    case CheckOp::kPass:
    case CheckOp::kCheckType:
    case CheckOp::kCheckSubclass:
    case CheckOp::kCheckPresent:
    case CheckOp::kCheckAbsent:
    case CheckOp::kCheckSame:
    case CheckOp::kCheckDistinct:
    case CheckOp::kCheckAmbient:
    case CheckOp::kCheckObject:
    case CheckOp::kGroupBegin:
    case CheckOp::kGroupAdd:
    case CheckOp::kKeep:
    case CheckOp::kSlice:
    case CheckOp::kWordConst:
    case CheckOp::kWordSize:
    case CheckOp::kWordStride:
    case CheckOp::kWordOffset:
    case CheckOp::kWordInt:
    case CheckOp::kWordFact:
    case CheckOp::kCheckTrue:
      return false;
  }
  return false;
}

// Where a stretch of linked instructions works. It ends with a pass.
template <typename P>
struct Stretch {
  const LinkedInstruction<P>* code;
  typename Linked<P>::Slice* slices;
  typename P::Object* objects;
  int64_t* words;
  typename P::Object* kept;
};

struct Stop {
  bool pass = false;
  uint32_t at = 0;      // the linked instruction that failed, or the last
  uint32_t offset = 0;  // of those it stands for: which one
};

template <typename P>
Stop Run(const Stretch<P>& stretch, P& probe, Scratch<P>& scratch) noexcept {
  using Object = typename P::Object;
  Object* const objects = stretch.objects;
  Object* const kept = stretch.kept;
  int64_t* const words = stretch.words;
  const LinkedInstruction<P>* i = stretch.code;
  const auto at = [&](uint32_t offset) { return Stop{false, static_cast<uint32_t>(i - stretch.code), offset}; };
  for (;; ++i) {
    switch (i->op) {
#define FRAMEGATE_STEP(number, name, text, shape, doc)                                             \
  case kStepOps + number: {                                                                        \
    Object to = nullptr;                                                                           \
    if (!probe.template Take<model::Step::name>(number < 32 ? nullptr : objects[i->b], *i, &to) || \
        (to == nullptr && !(i->sub & kOptional)))                                                  \
      return at(0);                                                                                \
    objects[i->a] = to;                                                                            \
    continue;                                                                                      \
  }
#include "model/steps.def"
#undef FRAMEGATE_STEP
#define FRAMEGATE_FACT(number, name, text, shape, doc)            \
  case kFactOps + number:                                         \
    if (!probe.template Is<model::Fact::name>(objects[i->a], *i)) \
      return at(0);                                               \
    continue;
#include "model/facts.def"
#undef FRAMEGATE_FACT
      case static_cast<uint8_t>(CheckOp::kPass):
        return {true, static_cast<uint32_t>(i - stretch.code), 0};
      case static_cast<uint8_t>(CheckOp::kCheckType):
        if (!probe.TypeIs(objects[i->a], *i))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckSubclass):
        if (!probe.SubclassOf(objects[i->a], *i))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckPresent):
        if (objects[i->a] == nullptr)
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckAbsent):
        if (objects[i->a] != nullptr)
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckSame):
        if (objects[i->a] != objects[i->b])
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckDistinct):
        if (objects[i->a] == objects[i->b])
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckObject):
        if (!probe.IsObject(objects[i->a], *i))
          return at(0);
        continue;
      case kLacksFact:
        if (!probe.Lacks(static_cast<model::Fact>(i->sub), objects[i->a]))
          return at(0);
        continue;
      case kAmbientBatch:
        if (const int failing = probe.FailingAmbient(*i); failing >= 0)
          return at(static_cast<uint32_t>(failing));
        continue;
      case static_cast<uint8_t>(CheckOp::kGroupBegin):
        scratch.BeginGroup();
        continue;
      case static_cast<uint8_t>(CheckOp::kGroupAdd):
        if (!scratch.AddToGroup(objects[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kKeep):
        kept[i->operand.word] = objects[i->a];
        continue;
      case static_cast<uint8_t>(CheckOp::kSlice): {
        const auto& slice = stretch.slices[i->operand.word];
        const uint64_t version = probe.TypeVersion(objects[i->a]);
        if (version == 0 || version != slice.version)
          continue;
        for (const auto& [index, object] : slice.outs)
          objects[index] = object;
        i = stretch.code + slice.end;
        continue;
      }
      case kSliceEnd: {
        auto& slice = stretch.slices[i->operand.word];
        slice.version = probe.TypeVersion(objects[i->a]);
        for (auto& [index, object] : slice.outs)
          object = objects[index];
        continue;
      }
      case static_cast<uint8_t>(CheckOp::kWordConst):
        words[i->a] = static_cast<int64_t>(i->operand.word);
        continue;
      case static_cast<uint8_t>(CheckOp::kWordSize):
        if (!probe.Size(objects[i->b], i->hint, &words[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kWordStride):
        if (!probe.Stride(objects[i->b], i->hint, &words[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kWordOffset):
        if (!probe.StorageOffset(objects[i->b], &words[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kWordInt):
        if (!probe.IntValue(objects[i->b], &words[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kWordFact):
        if (!probe.WordFact(static_cast<model::Fact>(i->sub), objects[i->b], &words[i->a]))
          return at(0);
        continue;
      case static_cast<uint8_t>(CheckOp::kCheckTrue):
        if (words[i->a] == 0)
          return at(0);
        continue;
      default:  // arithmetic; Link lets nothing else through
        if (!WordResult(static_cast<CheckOp>(i->op), words[i->b], words[i->hint], &words[i->a]))
          return at(0);
        continue;
    }
  }
}

// Kept objects go to `kept` in the order of program.keep_slots(), borrowed; they mean something only after a pass.
// REQUIRES: scratch.Reserve(program) was called; kept has room for program.keep_slots().
template <typename P>
Verdict Evaluate(const Linked<P>& program, P& probe, Scratch<P>& scratch, typename P::Object* kept) noexcept {
  const Stop stop = Run<P>({program.code().data(), program.slices().data(), scratch.objects(), scratch.words(), kept}, probe, scratch);
  return {stop.pass, program.origin(stop.at) + stop.offset};
}

}  // namespace framegate::guards
