// Fast locals and cells.
#include "base/strings.h"
#include "translator/ops/stack.h"

namespace framegate::translator {

namespace {

constexpr char kFree = static_cast<char>(0x80);

const std::string& SlotName(const Frame& f, int32_t slot) {
  return f.code->image->localsplusnames[static_cast<size_t>(slot)];
}

Outcome Unbound(Interp& in, const Frame& f, int32_t slot) {
  const std::string& name = SlotName(f, slot);
  if ((f.code->image->localspluskinds[static_cast<size_t>(slot)] & kFree) != 0)
    return in.Raise("builtins:NameError",
                    StrCat("cannot access free variable '", name, "' where it is not associated with a value in enclosing scope"));
  return in.Raise("builtins:UnboundLocalError",
                  StrCat("cannot access local variable '", name, "' where it is not associated with a value"));
}

CellValue* CellAt(Interp& in, Frame& f, int32_t slot) {
  return As<CellValue>(in.s.Resolve(f.slots[static_cast<size_t>(slot)]));
}

}  // namespace

Outcome OpLoadFast(Interp& in, Frame& f, const Instruction& i) {
  V value = f.slots[static_cast<size_t>(i.arg)];
  if (value == nullptr)
    return Unbound(in, f, i.arg);
  f.stack.push_back(value);
  return Next();
}

Outcome OpLoadFastAndClear(Interp&, Frame& f, const Instruction& i) {
  f.stack.push_back(f.slots[static_cast<size_t>(i.arg)]);
  f.slots[static_cast<size_t>(i.arg)] = nullptr;
  return Next();
}

namespace {

// A continuation's cell may have been the only one to hold the object.
void NoteDropped(Session& s, V value) {
  if (value == nullptr || !s.request().unit.continuation)
    return;
  if (auto* lazy = As<LazyValue>(value); lazy != nullptr && lazy->resolved != nullptr)
    value = lazy->resolved;
  s.dropped_real = s.dropped_real || (value->is_real() && AsConstant(value) == nullptr && As<TensorValue>(value) == nullptr);
}

}  // namespace

Outcome OpStoreFast(Interp& in, Frame& f, const Instruction& i) {
  V value = Cell(f, 1);
  if (auto* tensor = As<TensorValue>(value); tensor != nullptr && tensor->node != UINT32_MAX) {
    Node& node = in.s.graph().nodes()[tensor->node];
    if (node.hint.empty())
      node.hint = SlotName(f, i.arg);
  }
  NoteDropped(in.s, f.slots[static_cast<size_t>(i.arg)]);
  f.slots[static_cast<size_t>(i.arg)] = value;
  Pop(f, 1);
  return Next();
}

Outcome OpDeleteFast(Interp& in, Frame& f, const Instruction& i) {
  V& slot = f.slots[static_cast<size_t>(i.arg)];
  if (slot == nullptr)
    return Unbound(in, f, i.arg);
  NoteDropped(in.s, slot);
  slot = nullptr;
  return Next();
}

Outcome OpLoadClosure(Interp& in, Frame& f, const Instruction& i) {
  V value = f.slots[static_cast<size_t>(i.arg)];
  if (value == nullptr)
    return Unbound(in, f, i.arg);
  f.stack.push_back(value);
  return Next();
}

Outcome OpMakeCell(Interp& in, Frame& f, const Instruction& i) {
  auto* cell = in.s.New<CellValue>();
  cell->mutable_made = true;
  cell->contents = f.slots[static_cast<size_t>(i.arg)];
  f.slots[static_cast<size_t>(i.arg)] = cell;
  return Next();
}

Outcome OpCopyFreeVars(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg), first = f.slots.size() - count;
  Values& closure = f.function->closure;
  for (size_t at = closure.size(); at < count && f.function->is_real(); ++at)
    closure.push_back(in.s.StepFrom(f.function, model::Step::kFuncClosure, static_cast<uint32_t>(at)));
  if (closure.size() != count)
    return in.Break(model::Reason::kUnsupportedFrame, "a closure does not fit its code");
  for (size_t at = 0; at < count; ++at)
    f.slots[first + at] = closure[at];
  return Next();
}

Outcome OpLoadDeref(Interp& in, Frame& f, const Instruction& i) {
  CellValue* cell = CellAt(in, f, i.arg);
  if (cell == nullptr)
    return in.Break(model::Reason::kUnsupportedValue, "a cell slot without a cell");
  V value = in.s.CellContents(cell);
  if (value == nullptr)
    return Unbound(in, f, i.arg);
  f.stack.push_back(value);
  return Next();
}

namespace {

Outcome SetCell(Interp& in, CellValue* cell, V value) {
  in.s.Touch(cell);
  cell->contents = value;
  cell->loaded = true;
  if (cell->is_real()) {
    if (value == nullptr)
      in.s.AddEffect({.helper = model::Helper::kCellClear, .args = {cell}});
    else
      in.s.AddEffect({.helper = model::Helper::kCellSet, .args = {cell, value}});
  }
  return Next();
}

}  // namespace

Outcome OpStoreDeref(Interp& in, Frame& f, const Instruction& i) {
  CellValue* cell = CellAt(in, f, i.arg);
  if (cell == nullptr)
    return in.Break(model::Reason::kUnsupportedValue, "a cell slot without a cell");
  SetCell(in, cell, Cell(f, 1));
  Pop(f, 1);
  return Next();
}

Outcome OpDeleteDeref(Interp& in, Frame& f, const Instruction& i) {
  CellValue* cell = CellAt(in, f, i.arg);
  if (cell == nullptr)
    return in.Break(model::Reason::kUnsupportedValue, "a cell slot without a cell");
  if (in.s.CellContents(cell) == nullptr)
    return Unbound(in, f, i.arg);
  return SetCell(in, cell, nullptr);
}

}  // namespace framegate::translator
