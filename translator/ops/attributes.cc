#include "base/strings.h"
#include "translator/ops/stack.h"

namespace framegate::translator {

namespace {

const std::string& Name(const Frame& f, const Instruction& i) {
  return f.code->image->names[static_cast<size_t>(i.arg)];
}

// The method form of a load: (unbound, self) where the value is a method bound just now, else the version's (NULL, value).
void PushMethod(Interp& in, Frame& f, V value) {
  auto* method = As<MethodValue>(value);
  if (method != nullptr && !method->is_real()) {
    f.stack.push_back(method->function);
    f.stack.push_back(method->self);
  } else if (in.s.Is313()) {
    f.stack.push_back(value);
    f.stack.push_back(nullptr);
  } else {
    f.stack.push_back(nullptr);
    f.stack.push_back(value);
  }
}

// A list is read as it grows where some iterator from elsewhere may go through it.
bool IsIterated(Interp& in, V list) {
  for (const auto& frame : in.frames())
    for (V cell : frame->stack) {
      if (cell == list)
        continue;
      TypeValue* type = cell == nullptr || As<LazyValue>(cell) == nullptr ? nullptr : in.s.TypeOf(cell);
      V known = cell == nullptr ? nullptr : in.s.Look(cell);
      if ((type != nullptr && type->is("builtins:list_iterator")) || (As<IteratorValue>(known) != nullptr && known->is_real()))
        return true;
    }
  return false;
}

// append of a list that nobody has read: the list stays unread.
V MethodOfUnread(Interp& in, V object, const std::string& name) {
  LazyValue* list = name == "append" && As<LazyValue>(object) != nullptr && !IsIterated(in, object) ? in.s.UnreadList(object) : nullptr;
  V function = list == nullptr ? nullptr : in.s.TypeAttr(in.s.TypeOfSymbol("builtins:list"), name);
  if (function == nullptr)
    return nullptr;
  auto* method = in.s.New<MethodValue>();
  method->function = function;
  method->self = list;
  return method;
}

}  // namespace

Outcome OpLoadAttr(Interp& in, Frame& f, const Instruction& i) {
  return Replace(f, 1, in.GetAttr(Cell(f, 1), Name(f, i), kPushTail));
}

Outcome OpLoadMethod(Interp& in, Frame& f, const Instruction& i) {
  if (V method = MethodOfUnread(in, Cell(f, 1), Name(f, i))) {
    Pop(f, 1);
    PushMethod(in, f, method);
    return Next();
  }
  Outcome outcome = in.GetAttr(Cell(f, 1), Name(f, i));
  if (!outcome.ok())
    return outcome;
  Pop(f, 1);
  PushMethod(in, f, outcome.value);
  return outcome;
}

// 3.12+: super().name without the super object. Stack: super, class, self.
Outcome OpLoadSuperAttr(Interp& in, Frame& f, const Instruction& i) {
  Values args = (i.arg2 & 2) != 0 ? Values{Cell(f, 2), Cell(f, 1)} : Values{};
  V callable = in.s.Resolve(Cell(f, 3));
  if (args.empty())  // the zero-argument form has the same two operands
    args = {Cell(f, 2), Cell(f, 1)};
  FRAMEGATE_TAKE(V super, in.Call(callable, {.positional = args}));
  Outcome outcome = in.GetAttr(super, Name(f, i));
  if (!outcome.ok())
    return outcome;
  Pop(f, 3);
  if ((i.arg2 & 1) != 0)
    PushMethod(in, f, outcome.value);
  else
    f.stack.push_back(outcome.value);
  return outcome;
}

Outcome OpStoreAttr(Interp& in, Frame& f, const Instruction& i) {
  return Consume(f, 2, in.SetAttr(Cell(f, 1), Name(f, i), Cell(f, 2), {true, model::Resume::kDiscard}));
}

Outcome OpDeleteAttr(Interp& in, Frame& f, const Instruction& i) {
  return Consume(f, 1, in.SetAttr(Cell(f, 1), Name(f, i), nullptr, {true, model::Resume::kDiscard}));
}

}  // namespace framegate::translator
