#include "client_ext/observe/push/memos.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "client_ext/observe/facts.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

constexpr uint32_t kWarm = 2;  // passes before the first memo: many entries are used once
constexpr int kCost = 4, kMostCredit = 64;
constexpr uint32_t kRetry = 256;       // passes until a program that is out of credit is tried again
constexpr uint32_t kLooseDict = 2;     // changes of a dict until its items are told one by one
constexpr uint32_t kVaryingRoot = 12;  // changes of what a root leads to until it is looked at anew each time

bool IsShadowed() {
  static const bool shadowed = [] {
    const char* text = std::getenv("FRAMEGATE_SHADOW");
    return text != nullptr && std::strcmp(text, "1") == 0;
  }();
  return shadowed;
}

// What a call is likely to make for itself.
bool IsPassing(PyObject* object) {
  if (object == nullptr || PyTuple_CheckExact(object) || PyList_CheckExact(object) || PyDict_CheckExact(object) || PyAnySet_Check(object))
    return true;
  return (Torch() != nullptr && Torch()->is_tensor(object)) || ReadFact(model::Fact::kValue, object).known;
}

}  // namespace

Memos::Memos(const guards::Linked<PyProbe>& program) : program_(program) {
  for (uint32_t i = 0; i < program.code().size(); ++i)
    if (guards::IsStepOp(program.code()[i].op) && model::IsRoot(guards::StepOf(program.code()[i].op)))
      root_steps_.push_back(i);
}

bool Memos::IsOf(const Memo& memo, PyProbe& probe) const noexcept {
  for (const Memo::Root& root : memo.roots)
    if (TakeRoot(program_.code()[root.at], probe) != root.object)
      return false;
  return true;
}

// Objects that share a program mostly take turns.
Memo* Memos::Find(PyProbe& probe) const noexcept {
  if (last_ == nullptr)
    return nullptr;
  if (last_->next != nullptr && IsOf(*last_->next, probe))
    return last_->next;
  if (IsOf(*last_, probe))
    return last_;
  for (const auto& memo : memos_)
    if (IsOf(*memo, probe))
      return memo.get();
  return nullptr;
}

void Memos::Use(Memo* memo) noexcept {
  if (last_ != nullptr)
    last_->next = memo;
  last_ = memo;
}

bool Memos::Pass(const LiveFrame* frames, size_t count, guards::Scratch<PyProbe>& scratch, PyObject** kept) noexcept {
  PyProbe probe(frames, count);
  Memo* memo = Find(probe);
  if (memo != nullptr) {
    const Told told = memo->Evaluate(probe, scratch, kept);
    if (IsShadowed()) [[unlikely]]
      Compare(frames, count, scratch, kept, told);
    if (told == Told::kFail)
      return false;
    if (told == Told::kPass) {
      Use(memo);
      ++hits_;
      credit_ = std::min(credit_ + 1, kMostCredit);
      return true;
    }
  }
  if (!guards::Evaluate(program_, probe, scratch, kept).pass)
    return false;
  if (++passes_ >= kWarm && (credit_ > 0 || passes_ % kRetry == 0))
    Learn(probe, memo);
  return true;
}

void Memos::Compare(const LiveFrame* frames, size_t count, guards::Scratch<PyProbe>& scratch, const PyObject* const* kept, Told told) {
  if (told == Told::kStale)
    return;
  PyProbe probe(frames, count);
  std::vector<PyObject*> expected(program_.keep_slots().size() + 1);
  const guards::Verdict verdict = guards::Evaluate(program_, probe, scratch, expected.data());
  const bool same =
      verdict.pass == (told == Told::kPass) && (!verdict.pass || std::equal(kept, kept + program_.keep_slots().size(), expected.begin()));
  if (!same)
    Py_FatalError("framegate: FRAMEGATE_SHADOW: the memo of a check program and the program differ");
}

void Memos::ChooseVarying(PyProbe& probe) {
  varying_.assign(program_.code().size(), false);
  changes_.assign(program_.code().size(), 0);
  for (const uint32_t at : root_steps_) {
    const model::Step step = guards::StepOf(program_.code()[at].op);
    if (step == model::Step::kSlot || step == model::Step::kStack)
      varying_[at] = IsPassing(TakeRoot(program_.code()[at], probe));
  }
}

void Memos::Vary(uint32_t root) {
  const model::Step step = guards::StepOf(program_.code()[root].op);
  if (step != model::Step::kSlot && step != model::Step::kStack)
    return;
  varying_[root] = true;
  memos_.clear();
  last_ = nullptr;
}

void Memos::LearnFromStale(const Memo& stale) {
  if (stale.stale_at >= stale.words.size())
    return;
  if (const PyObject* dict = stale.words.DictOf(stale.stale_at); dict != nullptr && ++dict_changes_[dict] == kLooseDict)
    policy_.loose_dicts.insert(dict);
  if (const uint32_t root = stale.words.RootOf(stale.stale_at); root < stale.roots.size())
    ++changes_[stale.roots[root].at];
}

void Memos::LearnFromMiss(PyProbe& probe) {
  if (last_ == nullptr)
    return;
  for (const Memo::Root& root : last_->roots)
    if (TakeRoot(program_.code()[root.at], probe) != root.object)
      ++changes_[root.at];
}

void Memos::Learn(PyProbe& probe, Memo* stale) {
  if (varying_.empty())
    ChooseVarying(probe);
  if (stale != nullptr)
    LearnFromStale(*stale);
  else
    LearnFromMiss(probe);
  for (const uint32_t at : root_steps_)
    if (!varying_[at] && changes_[at] >= kVaryingRoot && changes_[at] * 4 > hits_) {
      Vary(at);
      stale = nullptr;
    }
  credit_ = std::max(credit_ - kCost, -kCost);
  if (policy_.pins.size() > kMostPins)
    return;
  std::unique_ptr<Memo> memo = Record(program_, probe, varying_, policy_);
  if (memo == nullptr)
    return;
  Memo* made = memo.get();
  const auto place = std::find_if(memos_.begin(), memos_.end(), [&](const auto& each) { return each.get() == stale; });
  for (const auto& each : memos_)
    if (each->next == stale)
      each->next = nullptr;
  if (last_ == stale)
    last_ = nullptr;
  if (place != memos_.end())
    *place = std::move(memo);
  else if (memos_.size() < kMost)
    memos_.push_back(std::move(memo));
  else
    return;
  Use(made);
}

}  // namespace framegate::client
