// Names of class bodies, which live in a namespace that may be any mapping.
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

namespace {

const std::string& Name(const Frame& f, const Instruction& i) {
  return f.code->image->names[static_cast<size_t>(i.arg)];
}

// What a namespace holds under a name; value null where it has none.
Outcome Find(Interp& in, V space, const std::string& name) {
  if (space == nullptr)
    return in.Break(Reason::kUnsupportedFrame, "names without a namespace");
  auto* mapping = As<MappingValue>(in.s.Resolve(space));
  TypeValue* type = mapping == nullptr ? nullptr : in.s.TypeOf(mapping);
  if (type != nullptr && type->is("builtins:dict"))
    return in.Done(in.s.MappingGet(mapping, in.s.Str(name)));
  Outcome outcome = in.GetItem(space, in.s.Str(name));
  if (outcome.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:KeyError")) {
    in.s.raised = nullptr;
    return in.Done(nullptr);
  }
  return outcome;
}

Outcome PushFoundOrGlobal(Interp& in, Frame& f, V space, const std::string& name, size_t pops) {
  FRAMEGATE_TAKE(V value, Find(in, space, name));
  if (value == nullptr) {
    FRAMEGATE_TAKE(value, GlobalOrBuiltin(in, f, name));
  }
  Pop(f, pops);
  f.stack.push_back(value);
  return Next();
}

Outcome PushFoundOrCell(Interp& in, Frame& f, const Instruction& i, V space, size_t pops) {
  const std::string& name = f.code->image->localsplusnames[static_cast<size_t>(i.arg)];
  FRAMEGATE_TAKE(V value, Find(in, space, name));
  if (value == nullptr) {
    auto* cell = As<CellValue>(in.s.Resolve(f.slots[static_cast<size_t>(i.arg)]));
    value = cell == nullptr ? nullptr : in.s.CellContents(cell);
  }
  if (value == nullptr)
    return in.Raise("builtins:NameError",
                    StrCat("cannot access free variable '", name, "' where it is not associated with a value in enclosing scope"));
  Pop(f, pops);
  f.stack.push_back(value);
  return Next();
}

}  // namespace

Outcome OpLoadClassDeref(Interp& in, Frame& f, const Instruction& i) {
  return PushFoundOrCell(in, f, i, f.locals, 0);
}

Outcome OpLoadFromDictOrDeref(Interp& in, Frame& f, const Instruction& i) {
  return PushFoundOrCell(in, f, i, Cell(f, 1), 1);
}

Outcome OpLoadName(Interp& in, Frame& f, const Instruction& i) {
  return PushFoundOrGlobal(in, f, f.locals, Name(f, i), 0);
}

Outcome OpLoadFromDictOrGlobals(Interp& in, Frame& f, const Instruction& i) {
  return PushFoundOrGlobal(in, f, Cell(f, 1), Name(f, i), 1);
}

Outcome OpStoreName(Interp& in, Frame& f, const Instruction& i) {
  if (f.locals == nullptr)
    return in.Break(Reason::kUnsupportedFrame, "names without a namespace");
  return Consume(f, 1, in.SetItem(f.locals, in.s.Str(Name(f, i)), Cell(f, 1)));
}

Outcome OpDeleteName(Interp& in, Frame& f, const Instruction& i) {
  if (f.locals == nullptr)
    return in.Break(Reason::kUnsupportedFrame, "names without a namespace");
  Outcome outcome = in.SetItem(f.locals, in.s.Str(Name(f, i)), nullptr);
  if (outcome.flow == Flow::kRaise && in.s.IsSubclass(in.s.TypeOf(in.s.raised), "builtins:KeyError"))
    return in.Raise("builtins:NameError", StrCat("name '", Name(f, i), "' is not defined"));
  return outcome;
}

Outcome OpLoadLocals(Interp& in, Frame& f, const Instruction&) {
  if (f.locals == nullptr)
    return in.Break(Reason::kUnsupportedFrame, "names without a namespace");
  f.stack.push_back(f.locals);
  return Next();
}

Outcome OpSetupAnnotations(Interp& in, Frame& f, const Instruction&) {
  FRAMEGATE_TAKE(V annotations, Find(in, f.locals, "__annotations__"));
  if (annotations != nullptr)
    return Next();
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetItem(f.locals, in.s.Str("__annotations__"), in.s.Dict()));
  return Next();
}

}  // namespace framegate::translator
