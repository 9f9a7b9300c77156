#include "translator/ops/stack.h"

namespace framegate::translator {

namespace {

V MakeSlice(Interp& in, V start, V stop, V step) {
  auto* slice = in.s.New<SliceValue>();
  slice->start = start;
  slice->stop = stop;
  slice->step = step;
  return slice;
}

}  // namespace

Outcome OpBinarySubscr(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 2, in.GetItem(Cell(f, 2), Cell(f, 1), kPushTail));
}

Outcome OpStoreSubscr(Interp& in, Frame& f, const Instruction&) {
  return Consume(f, 3, in.SetItem(Cell(f, 2), Cell(f, 1), Cell(f, 3), {true, model::Resume::kDiscard}));
}

Outcome OpDeleteSubscr(Interp& in, Frame& f, const Instruction&) {
  return Consume(f, 2, in.SetItem(Cell(f, 2), Cell(f, 1), nullptr, {true, model::Resume::kDiscard}));
}

Outcome OpBinarySlice(Interp& in, Frame& f, const Instruction&) {
  return Replace(f, 3, in.GetItem(Cell(f, 3), MakeSlice(in, Cell(f, 2), Cell(f, 1), in.s.None()), kPushTail));
}

Outcome OpStoreSlice(Interp& in, Frame& f, const Instruction&) {
  V slice = MakeSlice(in, Cell(f, 2), Cell(f, 1), in.s.None());
  return Consume(f, 4, in.SetItem(Cell(f, 3), slice, Cell(f, 4), {true, model::Resume::kDiscard}));
}

Outcome OpBuildSlice(Interp& in, Frame& f, const Instruction& i) {
  V slice = i.arg == 3 ? MakeSlice(in, Cell(f, 3), Cell(f, 2), Cell(f, 1)) : MakeSlice(in, Cell(f, 2), Cell(f, 1), in.s.None());
  return Replace(f, static_cast<size_t>(i.arg), in.Done(slice));
}

}  // namespace framegate::translator
