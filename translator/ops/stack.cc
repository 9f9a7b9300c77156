#include "translator/ops/stack.h"

#include "base/strings.h"

namespace framegate::translator {

Outcome OpNop(Interp&, Frame&, const Instruction&) {
  return Next();
}

Outcome OpPopTop(Interp&, Frame& f, const Instruction&) {
  Pop(f, 1);
  return Next();
}

Outcome OpCopy(Interp&, Frame& f, const Instruction& i) {
  f.stack.push_back(Cell(f, static_cast<size_t>(i.arg)));
  return Next();
}

Outcome OpSwap(Interp&, Frame& f, const Instruction& i) {
  std::swap(Cell(f, 1), Cell(f, static_cast<size_t>(i.arg)));
  return Next();
}

Outcome OpPushNull(Interp&, Frame& f, const Instruction&) {
  f.stack.push_back(nullptr);
  return Next();
}

Outcome OpLoadConst(Interp& in, Frame& f, const Instruction& i) {
  const Constant& constant = f.code->image->consts[static_cast<size_t>(i.arg)];
  if (constant.kind == ConstantKind::kFrozenset) {
    auto* set = in.s.New<SetValue>();
    set->type = in.s.TypeOfSymbol("builtins:frozenset");
    for (const Constant& item : constant.items) {
      V value = in.s.Const(item);
      set->index[in.s.HashKey(value)] = static_cast<uint32_t>(set->items.size());
      set->items.push_back(value);
    }
    set->history = {Constant::Tuple({Constant::Str("const"), Constant::Str(model::IdOf(*f.code->image).Hex()), Constant::Int(i.arg)})};
    set->pop_place = -1;
    f.stack.push_back(set);
    return Next();
  }
  V value = in.s.Const(constant);
  if (auto* tuple = As<SequenceValue>(value))
    tuple->literal = &constant;
  f.stack.push_back(value);
  return Next();
}

Outcome OpLoadAssertionError(Interp& in, Frame& f, const Instruction&) {
  f.stack.push_back(in.s.TypeOfSymbol("builtins:AssertionError"));
  return Next();
}

}  // namespace framegate::translator
