#include "translator/ops/foresee.h"

#include <tuple>
#include <utility>

#include "translator/builtins/table.h"

namespace framegate::translator {

using model::Constant;
using model::Handle;
using model::kAbsent;
using model::Question;
using model::QuestionKind;
using model::Step;

namespace {

constexpr size_t kMostQuestions = 96;
constexpr size_t kMostInstructions = 1500;  // looked at for one question

// One linear pass over the rest of a frame's code, with the real object that each instruction leaves on top where that can be told from
// what is known. A guess: jumps are not followed, and values that were changed are taken as they were.
class Reader {
 public:
  Reader(Interp& in, std::vector<Question>* questions) : s_(in.s), mirror_(in.s.mirror()), questions_(questions) {
    for (const Question& asked : *questions)
      Note(asked);
  }

  void Read(const Frame& f) {
    frame_ = &f;
    stored_.clear();
    top_ = {};
    named_ = Named::kNot;
    for (size_t at = f.ip; at < f.code->instructions.size() && instructions_ < kMostInstructions && HasRoom(); ++at, ++instructions_)
      Read(f.code->instructions[at]);
  }

  bool HasRoom() const { return questions_->size() < kMostQuestions; }

 private:
  // A real object; or the real type of one that was made.
  struct Object {
    Handle handle = kAbsent, type = kAbsent;
  };

  // Whose attribute the next text names.
  enum class Named : uint8_t { kNot, kOfTop, kOfSelf };

  void Read(const Instruction& i) {
    switch (i.op) {
      case Op::kNop:
      case Op::kPushNull:
        return;
      case Op::kLoadFast:
        return Push(InSlot(static_cast<uint32_t>(i.arg)));
      case Op::kLoadDeref:
        return Push(InCell(static_cast<uint32_t>(i.arg)));
      case Op::kStoreFast:
        stored_.emplace_back(static_cast<uint32_t>(i.arg), top_);
        return Push(kAbsent);
      case Op::kLoadGlobal: {
        const std::string& name = NameOf(i);
        named_ = name == "getattr" || name == "hasattr" ? Named::kOfTop : Named::kNot;
        return Push(Global(frame_->function, name));
      }
      case Op::kLoadAttr:
      case Op::kLoadMethod:
      case Op::kLoadSuperAttr:
        if (NameOf(i) != "__setattr__")
          return Push(Attribute(top_, NameOf(i)));
        named_ = Named::kOfSelf;
        return Push(kAbsent);
      case Op::kImportName:
        return Push(Module(NameOf(i)));
      case Op::kImportFrom:
        return Push(Attribute(top_, NameOf(i)));
      case Op::kLoadConst:
        if (const Constant& constant = frame_->code->image->consts[static_cast<size_t>(i.arg)]; named_ != Named::kNot && constant.is_str())
          Attribute(named_ == Named::kOfTop ? top_ : InSlot(0), constant.text);
        named_ = Named::kNot;
        return Push(kAbsent);
      default:  // what the many others leave is not foreseen
        return Push(kAbsent);
    }
  }

  // Of a module that is loaded; what an import without `from` gives is the first of its packages.
  Handle Module(const std::string& name) {
    const Constant key = Constant::Str(name);
    const std::optional<Handle> known = mirror_.KnownRoot(Step::kSysModule, key);
    if (!known.has_value())
      Ask({.kind = QuestionKind::kRoot, .step = Step::kSysModule, .key = key});
    return known.value_or(kAbsent);
  }

  void Push(Handle handle) { top_ = {.handle = handle}; }

  void Push(Object object) { top_ = object; }

  const std::string& NameOf(const Instruction& i) const { return frame_->code->image->names[static_cast<size_t>(i.arg)]; }

  static Object ObjectOf(V value) {
    if (value == nullptr)
      return {};
    return {.handle = value->handle, .type = value->is_real() || value->type == nullptr ? kAbsent : value->type->handle};
  }

  Object InSlot(uint32_t slot) const {
    for (auto it = stored_.rbegin(); it != stored_.rend(); ++it)
      if (it->first == slot)
        return it->second;
    return slot < frame_->slots.size() ? ObjectOf(frame_->slots[slot]) : Object();
  }

  Object InCell(uint32_t slot) const {
    auto* cell = slot < frame_->slots.size() ? As<CellValue>(frame_->slots[slot]) : nullptr;
    if (cell == nullptr)
      return {};
    return cell->loaded ? ObjectOf(cell->contents) : Object{.handle = mirror_.Known(cell->handle, Step::kCellContents).value_or(kAbsent)};
  }

  Handle Global(const FunctionValue* function, const std::string& name) {
    if (function == nullptr)
      return kAbsent;
    const auto handle = [&](V dict, Step step) {
      return dict != nullptr ? dict->handle : mirror_.Known(function->handle, step).value_or(kAbsent);
    };
    return Global(handle(function->globals, Step::kFuncGlobals), handle(function->builtins, Step::kFuncBuiltins), name);
  }

  Handle Global(Handle globals, Handle builtins, const std::string& name) {
    for (Handle dict : {globals, builtins}) {
      const std::optional<Handle> value = Look(dict, Step::kDictItem, name);
      if (!value.has_value() || *value != kAbsent)
        return Callee(value.value_or(kAbsent));
    }
    return kAbsent;
  }

  // What `object.name` gives, by the most common of the ways: from a module's dict, from the instance, from nn.Module's tables, from the
  // class.
  Handle Attribute(Object of, const std::string& name) {
    const Handle object = of.handle;
    if (object == kAbsent) {
      if (of.type != kAbsent)
        Callee(Look(of.type, Step::kTypeAttr, name).value_or(kAbsent));
      return kAbsent;
    }
    if (const std::optional<Handle> dict = mirror_.Known(object, Step::kModuleDict); dict.value_or(kAbsent) != kAbsent)
      return Callee(Look(*dict, Step::kDictItem, name).value_or(kAbsent));
    const std::optional<Handle> type = mirror_.Known(object, Step::kType);
    if (!type.has_value())
      return kAbsent;
    const bool is_type = mirror_.Known(object, model::Fact::kTypeFlags) != nullptr;
    const std::optional<Handle> of_type = Look(*type, Step::kTypeAttr, name);
    const std::optional<Handle> own = Look(object, is_type ? Step::kTypeAttr : Step::kAttr, name);
    if (own.value_or(kAbsent) != kAbsent)
      return Callee(*own);
    for (const char* table : {"_parameters", "_buffers", "_modules"}) {
      const std::optional<Handle> dict = mirror_.Known(object, Step::kAttr, Constant::Str(table));
      const std::optional<Handle> member =
          dict.value_or(kAbsent) == kAbsent ? std::nullopt : mirror_.Known(*dict, Step::kDictItem, Constant::Str(name));
      if (member.value_or(kAbsent) != kAbsent)
        return *member;
    }
    Callee(of_type.value_or(kAbsent));
    return kAbsent;
  }

  // Of a function, the code; of a class, what making an instance runs.
  Handle Callee(Handle object) {
    if (object == kAbsent)
      return object;
    const Handle function = mirror_.Known(object, Step::kTypeAttr, Constant::Str("__init__")).value_or(object);
    const model::FactValue* id = function == kAbsent ? nullptr : mirror_.Known(function, model::Fact::kCodeId);
    if (id == nullptr || !id->known)
      return object;
    const model::FactValue* symbol = mirror_.Known(function, model::Fact::kSymbolName);
    const bool is_inlined =
        symbol == nullptr || !symbol->known || (FindBuiltin(symbol->constant.text) == nullptr && !IsGraphFunction(symbol->constant.text));
    if (is_inlined && !s_.HasCode(id->hash))
      Ask({.kind = QuestionKind::kCode, .object = function, .code = id->hash});
    else if (is_inlined)
      GlobalsOf(function, id->hash);
    return object;
  }

  // Of a function that is about to be called.
  void GlobalsOf(Handle function, const model::CodeId& id) {
    const std::optional<Handle> globals = mirror_.Known(function, Step::kFuncGlobals),
                                builtins = mirror_.Known(function, Step::kFuncBuiltins);
    if (in_callee_ || !globals.has_value() || !builtins.has_value() || !entered_.insert(function).second)
      return;
    const std::shared_ptr<const DecodedCode> code = s_.CodeOf(id);
    if (code == nullptr)
      return;
    in_callee_ = true;
    for (const Instruction& i : code->instructions) {
      if (++instructions_ >= kMostInstructions || !HasRoom())
        break;
      if (i.op == Op::kLoadGlobal)
        Global(*globals, *builtins, code->image->names[static_cast<size_t>(i.arg)]);
    }
    in_callee_ = false;
  }

  // Nullopt where it is asked.
  std::optional<Handle> Look(Handle object, Step step, const std::string& name) {
    if (object == kAbsent)
      return std::nullopt;
    const Constant key = Constant::Str(name);
    if (std::optional<Handle> known = mirror_.Known(object, step, key))
      return known;
    Ask({.kind = QuestionKind::kStep, .object = object, .step = step, .key = key});
    return std::nullopt;
  }

  void Ask(Question question) {
    if (HasRoom() && Note(question))
      questions_->push_back(std::move(question));
  }

  bool Note(const Question& question) {
    return question.kind == QuestionKind::kCode ? codes_.insert(question.code).second
                                                : steps_.emplace(question.object, question.step, question.key.text).second;
  }

  Session& s_;
  const Mirror& mirror_;
  std::vector<Question>* questions_;
  absl::flat_hash_set<model::CodeId> codes_;
  absl::flat_hash_set<std::tuple<Handle, Step, std::string>> steps_;
  const Frame* frame_ = nullptr;
  std::vector<std::pair<uint32_t, Object>> stored_;  // slots that the code sets before it comes there
  Object top_;
  Named named_ = Named::kNot;
  absl::flat_hash_set<Handle> entered_;
  bool in_callee_ = false;
  size_t instructions_ = 0;
};

}  // namespace

void Foresee(Interp& in, std::vector<Question>* questions) {
  Reader reader(in, questions);
  for (size_t at = in.frames().size(); at-- > 0 && reader.HasRoom();)
    reader.Read(*in.frames()[at]);
}

}  // namespace framegate::translator
