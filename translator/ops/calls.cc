// CALL in its forms, functions made in the frame.
#include "base/strings.h"
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"
#include "translator/slots/type_parameters.h"

namespace framegate::translator {

using model::Reason;
using model::Resume;

namespace {

// The two cells below the arguments: callable and, where it was loaded as a method, self (null otherwise).
struct Callee {
  V callable;
  V self;
};

Callee CalleeBelow(Interp& in, Frame& f, size_t arguments) {
  V lower = Cell(f, arguments + 2), upper = Cell(f, arguments + 1);
  if (in.s.Is313())
    return {lower, upper};
  return lower == nullptr ? Callee{upper, nullptr} : Callee{lower, upper};
}

Args Gather(Frame& f, const Callee& callee, size_t count, const Constant* keywords) {
  Args args;
  if (callee.self != nullptr)
    args.positional.push_back(callee.self);
  size_t named = keywords == nullptr ? 0 : keywords->items.size();
  for (size_t at = count; at > named; --at)
    args.positional.push_back(Cell(f, at));
  for (size_t at = named; at > 0; --at)
    args.keyword.emplace_back(keywords->items[named - at].text, Cell(f, at));
  return args;
}

}  // namespace

Outcome OpCall(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  const Constant* keywords = i.arg2 < 0 ? nullptr : &f.code->image->consts[static_cast<size_t>(i.arg2)];
  Callee callee = CalleeBelow(in, f, count);
  return Replace(f, count + 2, in.Call(callee.callable, Gather(f, callee, count, keywords), kPushTail));
}

Outcome OpCallKw(Interp& in, Frame& f, const Instruction& i) {
  size_t count = static_cast<size_t>(i.arg);
  V names = Cell(f, 1);
  Constant constant;
  const Constant* keywords = ToConstant(in.s, names, &constant) ? &constant : nullptr;
  if (keywords == nullptr)
    return in.Break(Reason::kUnsupportedCall, "keyword names that are no constant");
  Pop(f, 1);
  Callee callee = CalleeBelow(in, f, count);
  Outcome outcome = in.Call(callee.callable, Gather(f, callee, count, keywords), kPushTail);
  if (outcome.flow == Flow::kBreak || outcome.flow == Flow::kRaise)
    f.stack.push_back(names);
  return Replace(f, count + 2, outcome);
}

Outcome OpCallFunctionEx(Interp& in, Frame& f, const Instruction& i) {
  size_t cells = (i.arg & 1) != 0 ? 3 : 2;
  V callable = Cell(f, cells);
  Args args;
  if (IsNotIterable(in, Cell(f, cells - 1)))
    return in.Raise("builtins:TypeError", StrCat(NameOfCallee(in, in.s.Is313() ? Cell(f, cells + 1) : callable),
                                                 "argument after * must be an iterable, not ", TypeName(in.s.TypeOf(Cell(f, cells - 1)))));
  if (cells == 2) {
    FRAMEGATE_TAKE([[maybe_unused]] V taken, TakeItems(in, f, kAllItems, &args.positional));
  } else {
    FRAMEGATE_TAKE([[maybe_unused]] V taken, in.ToValues(Cell(f, 2), &args.positional));
  }
  if ((i.arg & 1) != 0) {
    auto* mapping = As<MappingValue>(in.s.Resolve(Cell(f, 1)));
    if (mapping == nullptr || !in.s.Complete(mapping))
      return in.Break(Reason::kUnsupportedCall, "** of something other than a dict");
    for (const auto& [key, value] : mapping->items) {
      const Constant* name = AsConstant(in.s.Resolve(key));
      if (name == nullptr || !name->is_str())
        return in.Raise("builtins:TypeError", "keywords must be strings");
      args.keyword.emplace_back(name->text, value);
    }
  }
  // A NULL lies below the callable in 3.11 and 3.12, above it (below the arguments) in 3.13.
  if (in.s.Is313())
    callable = Cell(f, cells + 1);
  return Replace(f, cells + 1, in.Call(callable, std::move(args), kPushTail));
}

Outcome OpMakeFunction(Interp& in, Frame& f, const Instruction& i) {
  const Constant* code = AsConstant(in.s.Resolve(Cell(f, 1)));
  if (code == nullptr || code->kind != ConstantKind::kCode)
    return in.Break(Reason::kUnsupportedCall, "a function of code that is no constant");
  auto* function = in.s.New<FunctionValue>();
  function->mutable_made = true;
  function->code_id = model::IdOf(*code->code[0]);
  function->parent_code = model::IdOf(*f.code->image);
  for (uint32_t at = 0; at < f.code->image->consts.size(); ++at)
    if (f.code->image->consts[at].kind == ConstantKind::kCode && f.code->image->consts[at].code[0] == code->code[0])
      function->parent_index = at;
  function->name = code->code[0]->name;
  function->qualname = code->code[0]->qualname;
  if (f.function->globals == nullptr && f.function->is_real())
    f.function->globals = in.s.StepFrom(f.function, model::Step::kFuncGlobals);
  if (f.function->builtins == nullptr && f.function->is_real())
    f.function->builtins = in.s.StepFrom(f.function, model::Step::kFuncBuiltins);
  function->globals = f.function->globals;
  function->builtins = f.function->builtins;
  if (auto* globals = As<MappingValue>(in.s.Resolve(function->globals)))
    function->module = in.s.MappingGet(globals, in.s.Str("__name__"));
  size_t cells = 1;
  if ((i.arg & 8) != 0) {
    auto* closure = As<SequenceValue>(in.s.Resolve(Cell(f, ++cells)));
    for (V cell : closure->items)
      function->closure.push_back(cell);
  }
  if ((i.arg & 4) != 0)
    function->annotations = Cell(f, ++cells);
  if ((i.arg & 2) != 0)
    function->kwdefaults = Cell(f, ++cells);
  if ((i.arg & 1) != 0)
    function->defaults = Cell(f, ++cells);
  return Replace(f, cells, in.Done(function));
}

Outcome OpSetFunctionAttribute(Interp& in, Frame& f, const Instruction& i) {
  auto* function = As<FunctionValue>(Cell(f, 1));
  V value = Cell(f, 2);
  if (function == nullptr)
    return in.Break(Reason::kUnsupportedCall, "SET_FUNCTION_ATTRIBUTE");
  in.s.Touch(function);
  if (i.arg == 1)
    function->defaults = value;
  else if (i.arg == 2)
    function->kwdefaults = value;
  else if (i.arg == 4)
    function->annotations = value;
  else if (auto* closure = As<SequenceValue>(in.s.Resolve(value)))
    function->closure = closure->items;
  Pop(f, 2);
  f.stack.push_back(function);
  return Next();
}

Outcome OpLoadBuildClass(Interp& in, Frame& f, const Instruction&) {
  V build = in.s.Symbol("builtins:__build_class__");
  if (build == nullptr)
    return in.Break(Reason::kUnsupportedOpcode, "LOAD_BUILD_CLASS");
  f.stack.push_back(build);
  return Next();
}

// Numbers are those of 3.13's tables (translator/pyver/intrinsics.def).
Outcome OpIntrinsic1(Interp& in, Frame& f, const Instruction& i) {
  switch (i.arg) {
    case 3: {  // INTRINSIC_STOPITERATION_ERROR
      V exception = in.s.Resolve(Cell(f, 1));
      std::string text = StopIterationText(in.s, f.code->image->flags, exception);
      if (text.empty())
        return Next();
      in.Raise("builtins:RuntimeError", text);
      auto* error = As<ObjectValue>(in.s.raised);
      error->cause = error->context = exception;
      error->suppress_context = true;
      in.s.raised = nullptr;
      return Replace(f, 1, in.Done(error));
    }
    case 4:  // INTRINSIC_ASYNC_GEN_WRAP
      return OpAsyncGenWrap(in, f, i);
    case 6:  // INTRINSIC_LIST_TO_TUPLE
      return OpListToTuple(in, f, i);
    case 7:  // INTRINSIC_TYPEVAR, PARAMSPEC, TYPEVARTUPLE
      return Replace(f, 1, MakeTypeParameter(in, "typing:TypeVar", Cell(f, 1)));
    case 8:
      return Replace(f, 1, MakeTypeParameter(in, "typing:ParamSpec", Cell(f, 1)));
    case 9:
      return Replace(f, 1, MakeTypeParameter(in, "typing:TypeVarTuple", Cell(f, 1)));
    case 10: {  // INTRINSIC_SUBSCRIPT_GENERIC
      V subscript = in.s.Symbol("framegate._polyfills_typing:subscript_generic");
      return Replace(f, 1, in.Call(subscript, {.positional = {Cell(f, 1)}}));
    }
    case 11:  // INTRINSIC_TYPEALIAS
      return Replace(f, 1, MakeTypeAlias(in, Cell(f, 1)));
    default:
      return in.Break(Reason::kUnsupportedOpcode, StrCat("CALL_INTRINSIC_1 ", i.arg));
  }
}

Outcome OpIntrinsic2(Interp& in, Frame& f, const Instruction& i) {
  V first = Cell(f, 2), second = Cell(f, 1);
  switch (i.arg) {
    case 2:  // INTRINSIC_TYPEVAR_WITH_BOUND
      return Replace(f, 2, MakeTypeParameter(in, "typing:TypeVar", first, TypeParameterPart::kBound, second));
    case 3:  // INTRINSIC_TYPEVAR_WITH_CONSTRAINTS
      return Replace(f, 2, MakeTypeParameter(in, "typing:TypeVar", first, TypeParameterPart::kConstraints, second));
    case 4: {  // INTRINSIC_SET_FUNCTION_TYPE_PARAMS
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.SetAttr(first, "__type_params__", second));
      return Replace(f, 2, in.Done(first));
    }
    case 5:  // INTRINSIC_SET_TYPEPARAM_DEFAULT
      return Replace(f, 2, SetTypeParameterDefault(in, first, second));
    default:
      return in.Break(Reason::kUnsupportedOpcode, StrCat("CALL_INTRINSIC_2 ", i.arg));
  }
}

}  // namespace framegate::translator
