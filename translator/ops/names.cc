// Globals, names of class bodies, imports.
#include "base/strings.h"
#include "translator/ops/stack.h"

namespace framegate::translator {

using model::Reason;

namespace {

const std::string& Name(const Frame& f, const Instruction& i) {
  return f.code->image->names[static_cast<size_t>(i.arg)];
}

MappingValue* Globals(Interp& in, Frame& f) {
  FunctionValue* function = f.function;
  if (function->globals == nullptr && function->is_real())
    function->globals = in.s.StepFrom(function, model::Step::kFuncGlobals);
  return As<MappingValue>(in.s.Resolve(function->globals));
}

MappingValue* Builtins(Interp& in, Frame& f) {
  FunctionValue* function = f.function;
  if (function->builtins == nullptr && function->is_real())
    function->builtins = in.s.StepFrom(function, model::Step::kFuncBuiltins);
  return As<MappingValue>(in.s.Resolve(function->builtins));
}

}  // namespace

Outcome GlobalOrBuiltin(Interp& in, Frame& f, const std::string& name) {
  MappingValue* globals = Globals(in, f);
  if (globals == nullptr)
    return in.Break(Reason::kUnsupportedValue, "globals that are no dict");
  V key = in.s.Str(name);
  if (V value = in.s.MappingGet(globals, key))
    return in.Done(value);
  MappingValue* builtins = Builtins(in, f);
  if (builtins == nullptr)
    return in.Break(Reason::kUnsupportedValue, "builtins that are no dict");
  if (V value = in.s.MappingGet(builtins, key))
    return in.Done(value);
  Outcome raised = in.Raise("builtins:NameError", StrCat("name '", name, "' is not defined"));
  if (auto* exception = As<ObjectValue>(in.s.raised))
    exception->attributes.emplace_back("name", in.s.Str(name));
  return raised;
}

Outcome OpLoadGlobal(Interp& in, Frame& f, const Instruction& i) {
  FRAMEGATE_TAKE(V value, GlobalOrBuiltin(in, f, Name(f, i)));
  bool with_null = i.arg2 == 1;
  if (with_null && !in.s.Is313())
    f.stack.push_back(nullptr);
  f.stack.push_back(value);
  if (with_null && in.s.Is313())
    f.stack.push_back(nullptr);
  return Next();
}

Outcome OpStoreGlobal(Interp& in, Frame& f, const Instruction& i) {
  MappingValue* globals = Globals(in, f);
  if (globals == nullptr)
    return in.Break(Reason::kUnsupportedValue, "globals that are no dict");
  in.s.MappingSet(globals, in.s.Str(Name(f, i)), Cell(f, 1));
  Pop(f, 1);
  return Next();
}

Outcome OpDeleteGlobal(Interp& in, Frame& f, const Instruction& i) {
  MappingValue* globals = Globals(in, f);
  if (globals == nullptr)
    return in.Break(Reason::kUnsupportedValue, "globals that are no dict");
  if (!in.s.MappingDelete(globals, in.s.Str(Name(f, i))))
    return in.Raise("builtins:NameError", StrCat("name '", Name(f, i), "' is not defined"));
  return Next();
}

Outcome OpImportStar(Interp& in, Frame&, const Instruction&) {
  return in.Break(Reason::kImport, "import *");
}

Outcome OpPrintExpr(Interp& in, Frame&, const Instruction&) {
  return in.Break(Reason::kInputOutput, "PRINT_EXPR");
}

namespace {

// The full name of what is imported relative to the frame's package, `level` dots up; "" where the package is not told by __package__.
std::string FromPackage(Interp& in, Frame& f, int64_t level, const std::string& name) {
  MappingValue* globals = Globals(in, f);
  V package = globals == nullptr ? nullptr : in.s.MappingGet(globals, in.s.Str("__package__"));
  const Constant* text = package == nullptr ? nullptr : AsConstant(in.s.Resolve(package));
  std::string base = text != nullptr && text->kind == ConstantKind::kStr ? text->text : "";
  for (; level > 1 && !base.empty(); --level)
    base.resize(base.rfind('.') == std::string::npos ? 0 : base.rfind('.'));
  return base.empty() || name.empty() ? base : StrCat(base, ".", name);
}

}  // namespace

// An import of a loaded module is a look-up in sys.modules; what is not loaded would run code.
Outcome OpImportName(Interp& in, Frame& f, const Instruction& i) {
  const Constant* level = AsConstant(in.s.Resolve(Cell(f, 2)));
  V from = in.s.Resolve(Cell(f, 1));
  const bool relative = level != nullptr && level->is_int() && level->integer > 0 && from != in.s.None();
  const std::string name = relative ? FromPackage(in, f, level->integer, Name(f, i)) : Name(f, i);
  if (name.empty() || level == nullptr || !level->is_int() || (level->integer != 0 && !relative))
    return in.Break(Reason::kImport, StrCat("relative import of ", Name(f, i)));
  std::string module = from == in.s.None() ? name.substr(0, name.find('.')) : name;
  Constant key = Constant::Str(module), full = Constant::Str(name);
  if (in.s.mirror().Root(model::Step::kSysModule, 0, full) == model::kAbsent)
    return in.Break(Reason::kImport, name);
  V value = in.s.Real(in.s.mirror().Root(model::Step::kSysModule, 0, key), in.s.subjects().Root(model::Step::kSysModule, 0, key));
  if (value == nullptr)
    return in.Break(Reason::kImport, name);
  return Replace(f, 2, in.Done(value));
}

Outcome OpImportFrom(Interp& in, Frame& f, const Instruction& i) {
  Outcome outcome = in.GetAttr(Cell(f, 1), Name(f, i));
  if (outcome.flow == Flow::kRaise)
    return in.Break(Reason::kImport, StrCat("from ... import ", Name(f, i)));
  if (outcome.ok())
    f.stack.push_back(outcome.value);
  return outcome;
}

}  // namespace framegate::translator
