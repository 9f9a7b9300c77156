#include "translator/values/session.h"

#include <algorithm>

#include "base/strings.h"

namespace framegate::translator {

using guards::Guard;
using guards::GuardKind;
using model::Fact;
using model::Step;
using model::TypeFlag;

std::string_view EnumText(ValueKind kind) {
  switch (kind) {
#define FRAMEGATE_VALUE(number, name, text, mutable_, runs_code, doc) \
  case ValueKind::k##name:                                            \
    return text;
#include "translator/values/value_kinds.def"
#undef FRAMEGATE_VALUE
  }
  return "";
}

bool MayRunCode(ValueKind kind) {
  static constexpr bool kRunsCode[] = {
      false,
#define FRAMEGATE_VALUE(number, name, text, mutable_, runs_code, doc) runs_code != 0,
#include "translator/values/value_kinds.def"
#undef FRAMEGATE_VALUE
  };
  return kRunsCode[static_cast<size_t>(kind)];
}

Session::Session(const Request& request, CodeStore& codes, Mirror& mirror, SetOrders* orders)
    : request_(request), codes_(codes), mirror_(mirror), orders_(orders) {
  auto constant = [this](Constant c) {
    auto* value = New<ConstantValue>();
    value->constant = std::move(c);
    return value;
  };
  none_ = constant(Constant::None());
  true_ = constant(Constant::Bool(true));
  false_ = constant(Constant::Bool(false));
  Handle root = mirror_.Root(Step::kAmbient);
  if (root != model::kAbsent) {
    const model::FactValue& fact = mirror_.Fact(root, Fact::kAmbient);
    if (fact.known)
      ambient_ = initial_ambient_ = fact.constant;
  }
}

V Session::Const(Constant constant) {
  if (constant.is_none())
    return none_;
  if (constant.is_bool())
    return Bool(constant.is_true());
  if (constant.kind == ConstantKind::kTuple || constant.kind == ConstantKind::kSize) {  // sequences, whoever made them
    Values items;
    items.reserve(constant.items.size());
    for (Constant& item : constant.items)
      items.push_back(Const(std::move(item)));
    SequenceValue* tuple = Tuple(std::move(items));
    if (constant.kind == ConstantKind::kSize)
      tuple->type = TypeOfSymbol("torch:Size");
    return tuple;
  }
  if (constant.kind == ConstantKind::kSlice && constant.items.size() == 3) {
    auto* slice = New<SliceValue>();
    slice->start = Const(std::move(constant.items[0]));
    slice->stop = Const(std::move(constant.items[1]));
    slice->step = Const(std::move(constant.items[2]));
    return slice;
  }
  auto* value = New<ConstantValue>();
  value->constant = std::move(constant);
  return value;
}

SequenceValue* Session::Tuple(Values items) {
  auto* value = New<SequenceValue>();
  value->items = std::move(items);
  value->type = TypeOfSymbol("builtins:tuple");
  return value;
}

SequenceValue* Session::List(Values items) {
  auto* value = New<SequenceValue>();
  value->items = std::move(items);
  value->type = TypeOfSymbol("builtins:list");
  value->mutable_made = true;
  return value;
}

MappingValue* Session::Dict() {
  auto* value = New<MappingValue>();
  value->type = TypeOfSymbol("builtins:dict");
  value->mutable_made = true;
  return value;
}

V Session::Real(Handle handle, SubjectId subject) {
  if (handle == model::kAbsent)
    return nullptr;
  auto [it, is_new] = by_subject_.try_emplace(subject, nullptr);
  if (is_new || it->second->handle != handle) {
    auto* lazy = New<LazyValue>();
    lazy->handle = handle;
    lazy->subject = subject;
    it->second = lazy;
  }
  return it->second;
}

V Session::Symbol(const std::string& symbol) {
  auto it = symbols_.find(symbol);
  if (it != symbols_.end())
    return it->second;
  Constant key = Constant::Str(symbol);
  Handle handle = mirror_.Root(Step::kSymbol, 0, key);
  V value = Real(handle, subjects_.Root(Step::kSymbol, 0, key));
  symbols_[symbol] = value;
  return value;
}

TypeValue* Session::TypeOfSymbol(const std::string& symbol) {
  V value = Symbol(symbol);
  auto* type = value == nullptr ? nullptr : As<TypeValue>(Resolve(value));
  if (type == nullptr && status().ok())
    Fail(absl::InternalError(StrCat("the client has no type ", symbol)));
  if (type == nullptr) {  // the translation has failed; give callers something to look at until they notice
    type = New<TypeValue>();
    type->symbol = symbol;
  }
  return type;
}

bool Session::NeedsGuards(SubjectId subject) const {
  return subject >= immutable_subject_.size() || !immutable_subject_[subject];
}

SubjectId Session::SubjectOf(V value) {
  return value == nullptr ? model::kNoSubject : value->subject;
}

V Session::StepFrom(V value, Step step, uint32_t index, const Constant& key) {
  Handle target = mirror_.Step(value->handle, step, index, key);
  SubjectId subject = subjects_.Child(value->subject, step, index, key);
  if (!NeedsGuards(value->subject))
    MarkImmutable(subject);
  AddGuard({.kind = target == model::kAbsent ? GuardKind::kAbsent : GuardKind::kPresent, .subject = subject});
  return Real(target, subject);
}

namespace {

bool IsDataDescriptor(Mirror& mirror, Handle object) {
  const model::FactValue& flags = mirror.Fact(mirror.Step(object, Step::kType), Fact::kTypeFlags);
  return !flags.known || model::HasFlag(flags.word, TypeFlag::kDataDescriptor);
}

}  // namespace

bool Session::IsHidden(TypeValue* type, std::string_view name) {
  if (!type->is_real() || types_changed)
    return false;
  const Handle found = mirror_.Step(type->handle, Step::kTypeAttr, name);
  return found == model::kAbsent || !IsDataDescriptor(mirror_, found);
}

bool Session::LacksDataDescriptor(TypeValue* type, std::string_view name) {
  if (!IsHidden(type, name))
    return false;
  mirror_.Conclude(type->handle, Step::kDataDescriptor, name, model::kAbsent);
  return StepFrom(type, Step::kDataDescriptor, name) == nullptr;
}

const model::FactValue& Session::PeekFact(V value, Fact fact) {
  return mirror_.Fact(value->handle, fact);
}

const model::FactValue& Session::ReadFact(V value, Fact fact) {
  const model::FactValue& observed = mirror_.Fact(value->handle, fact);
  if (NeedsGuards(value->subject))
    AddGuard({.kind = GuardKind::kFactIs, .subject = value->subject, .fact = Shared<model::FactValue>::Borrow(observed)});
  return observed;
}

void Session::MarkImmutable(SubjectId subject) {
  if (subject >= immutable_subject_.size())
    immutable_subject_.resize(subject + 1);
  immutable_subject_[subject] = true;
}

void Session::AddGuard(Guard guard) {
  if (guard.subject != model::kNoSubject && !NeedsGuards(guard.subject) && (guard.other == model::kNoSubject || !NeedsGuards(guard.other)))
    return;
  guard.line = line;
  guard_index_.Add(std::move(guard), &guards_);
}

void Session::GuardSame(SubjectId a, SubjectId b) {
  if (a == b || a == model::kNoSubject || b == model::kNoSubject)
    return;
  AddGuard({.kind = GuardKind::kSame, .subject = std::max(a, b), .other = std::min(a, b)});
}

void Session::RelyOnParts(TensorValue* tensor, uint32_t parts) {
  if (!tensor->is_real())
    return;
  FactsOf(tensor);
  for (Guard& guard : guards_)
    if (guard.kind == GuardKind::kTensorIs && guard.subject == tensor->subject)
      guard.parts |= parts;
}

void Session::RelyOnParts(uint32_t parts) {
  for (Guard& guard : guards_)
    if (guard.kind == GuardKind::kTensorIs)
      guard.parts |= parts;
}

void Session::RelyOnSymbol(FunctionValue* function) {
  if (function->is_real())
    ReadFact(function, Fact::kSymbolName);
}

bool Session::RelyOnRegistrations() {
  return RelyOnProcess(Fact::kAbcToken);
}

bool Session::IsNamed(TypeValue* type) {
  return type->is_real() && PeekFact(type, Fact::kSymbolName).known;
}

void Session::RelyOnAbcAnswer(TypeValue* type, TypeValue* base, bool answer) {
  const Constant said =
      Constant::Tuple({ReadFact(type, Fact::kSymbolName).constant, ReadFact(base, Fact::kSymbolName).constant, Constant::Bool(answer)});
  AddGuard({.kind = GuardKind::kFactIs,
            .subject = subjects_.Root(Step::kAmbient),
            .fact = model::FactValue{.fact = Fact::kAbcAnswers, .constant = Constant::Tuple({said})}});
}

bool Session::RelyOnHashes() {
  return RelyOnProcess(Fact::kHashSecret);
}

bool Session::RelyOnOrder(const SetValue* set, Values* elements) {
  return (orders_ != nullptr && orders_->Assume(set, elements)) || RelyOnHashes();
}

bool Session::RelyOnProcess(Fact fact) {
  const model::FactValue& token = mirror_.Fact(mirror_.Root(Step::kAmbient), fact);
  if (token.known)
    AddGuard({.kind = GuardKind::kFactIs, .subject = subjects_.Root(Step::kAmbient), .fact = token});
  return token.known;
}

void Session::GuardIdentities() {
  Guard guard{.kind = GuardKind::kAllDistinct};
  for (V key : identity_keys_) {
    if (!NeedsGuards(key->subject))  // a builtin thing: what else is guarded tells it from all others
      continue;
    if (guard.subject == model::kNoSubject)
      guard.subject = key->subject;
    else
      guard.others.push_back(key->subject);
  }
  if (guard.others.size() == 1)
    AddGuard({.kind = GuardKind::kDistinct, .subject = guard.subject, .other = guard.others[0]});
  else if (!guard.others.empty())
    AddGuard(std::move(guard));
}

void Session::GuardTypes() {
  GuardIdentities();
  for (size_t i = 0; i < real_types_.size(); ++i) {  // bases that are met here come behind
    TypeValue* type = real_types_[i];
    if (!NeedsGuards(type->subject))
      continue;
    line = type->line;
    if (type->flags_read != 0)
      AddGuard({.kind = GuardKind::kFactIs,
                .subject = type->subject,
                .fact = model::FactValue{.fact = Fact::kTypeFlags,
                                         .word = guards::MaskedWord(type->flags & type->flags_read, type->flags_read)}});
    if (!type->mro_read)
      continue;
    ReadFact(type, Fact::kMroLength);
    const uint64_t length = BasesOf(type).empty() ? 0 : PeekFact(type, Fact::kMroLength).word;
    for (uint32_t place = 1; place < length; ++place) {
      const Handle base = mirror_.Step(type->handle, Step::kMro, place);
      const SubjectId subject = subjects_.Child(type->subject, Step::kMro, place);
      AddGuard(
          {.kind = GuardKind::kFactIs, .subject = subject, .fact = Shared<model::FactValue>::Borrow(mirror_.Fact(base, Fact::kTypeName))});
      if (auto it = by_handle_.find(base); it != by_handle_.end() && NeedsGuards(it->second->subject))
        GuardSame(subject, it->second->subject);
    }
  }
}

namespace {

template <typename T>
std::function<void()> Saved(V value) {
  auto* target = static_cast<T*>(value);
  return [target, copy = *target] { *target = copy; };
}

// Generators keep their frame behind a pointer: the frame's state is what must come back.
template <>
std::function<void()> Saved<GeneratorValue>(V value) {
  auto* target = static_cast<GeneratorValue*>(value);
  auto frame = target->frame == nullptr ? nullptr : std::make_shared<Frame>(*target->frame);
  return [target, copy = *target, frame] {
    auto keep = copy.frame;
    *target = copy;
    if (keep != nullptr)
      *keep = *frame;
  };
}

}  // namespace

namespace {

// A change of a value of this kind may take something out of it. What is added to a list that nobody has read does not; attributes of
// objects are told one by one.
bool MayDrop(ValueKind kind) {
  return kind == ValueKind::kSequence || kind == ValueKind::kMapping || kind == ValueKind::kSet || kind == ValueKind::kType ||
         kind == ValueKind::kCell || kind == ValueKind::kGenerator || kind == ValueKind::kPartial;
}

}  // namespace

void Session::Touch(V value) {
  ++changes_;
  changed_frozen = changed_frozen || value->frozen;
  if (value->is_real() && MayDrop(value->kind))
    dropped_real = true;
  if (value->is_real() && !value->mutated) {
    value->mutated = true;
    mutated.push_back(value);
  }
  Journal(value);
}

void Session::Journal(V value) {
  ++journaled_;
  if (snapshots_ == 0 || value->epoch == epoch_)
    return;
  switch (value->kind) {
#define FRAMEGATE_VALUE(number, name, text, mutable_, runs_code, doc) \
  case ValueKind::k##name:                                            \
    journal_.emplace_back(value, Saved<name##Value>(value));          \
    break;
#include "translator/values/value_kinds.def"
#undef FRAMEGATE_VALUE
  }
  value->epoch = epoch_;
}

// A list or set that is written whole again right after itself is written once.
void Session::AddEffect(Effect effect) {
  ++changes_;
  bool whole = effect.helper == model::Helper::kListAssign || effect.helper == model::Helper::kSetAssign;
  if (whole && effects_.size() > kept_effects_ && effects_.back().helper == effect.helper && effects_.back().args[0] == effect.args[0])
    effects_.back() = std::move(effect);
  else
    effects_.push_back(std::move(effect));
}

Session::Mark Session::Snapshot() {
  ++snapshots_;
  ++epoch_;
  kept_effects_ = effects_.size();
  return {.journal = journal_.size(), .effects = effects_.size(), .nodes = graph_.nodes().size(), .epoch = epoch_, .ambient = ambient_};
}

void Session::Rollback(const Mark& mark) {
  while (journal_.size() > mark.journal) {
    journal_.back().second();
    journal_.pop_back();
  }
  effects_.resize(mark.effects);
  graph_.Truncate(mark.nodes);
  ambient_ = mark.ambient;
  cached.clear();  // what they hold may have been made since
  if (late_raiser != UINT32_MAX && late_raiser >= mark.nodes)
    late_raiser = UINT32_MAX;
  if (first_raiser != UINT32_MAX && first_raiser >= mark.nodes) {
    first_raiser = UINT32_MAX;
    early_effects = 0;
  }
  if (first_handled >= mark.nodes)
    first_handled = UINT32_MAX;
  --snapshots_;
  ++epoch_;
}

void Session::Release(const Mark&) {
  if (--snapshots_ == 0)
    journal_.clear();
  ++epoch_;
}

std::shared_ptr<const DecodedCode> Session::CodeOf(const model::CodeId& id, Handle function) {
  auto it = decoded_.find(id);
  if (it != decoded_.end())
    return it->second;
  std::shared_ptr<const model::CodeImage> image = codes_.Find(id);
  if (image == nullptr) {
    const model::AnswerItem* answer = mirror_.Ask({.kind = model::QuestionKind::kCode, .object = function, .code = id});
    if (answer != nullptr && !answer->code.empty() && model::IdOf(*answer->code[0]) == id) {
      image = answer->code[0];
      codes_.Add(image);
    }
  }
  std::shared_ptr<const DecodedCode> decoded;
  if (image != nullptr) {
    absl::StatusOr<DecodedCode> result = Decode(image);
    if (result.ok())
      decoded = std::make_shared<DecodedCode>(*std::move(result));
  }
  decoded_[id] = decoded;
  return decoded;
}

V Session::HandledBefore() {
  SubjectId subject = subjects_.Root(Step::kHandled);
  Handle handle = mirror_.Root(Step::kHandled);
  if (handle == model::kAbsent)
    AddGuard({.kind = GuardKind::kAbsent, .subject = subject});
  return Real(handle, subject);
}

Constant Session::AmbientPart(model::AmbientPart part) {
  size_t place = static_cast<size_t>(part);
  if (place >= ambient_.items.size())
    return Constant::None();
  return ambient_.items[place];
}

Constant Session::initial_ambient(model::AmbientPart part) const {
  size_t place = static_cast<size_t>(part);
  return place < initial_ambient_.items.size() ? initial_ambient_.items[place] : Constant::None();
}

bool Session::RunsAgain() const {
  return retries() || (first_raiser != UINT32_MAX && !graph_.ChangesOutside());
}

void Session::SetAmbient(model::AmbientPart part, Constant value) {
  ++changes_;
  size_t place = static_cast<size_t>(part);
  if (place < ambient_.items.size())
    ambient_.items[place] = std::move(value);
}

}  // namespace framegate::translator
