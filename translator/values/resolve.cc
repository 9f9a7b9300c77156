// Real objects become values of a kind.
#include "base/strings.h"
#include "translator/slots/overrides.h"
#include "translator/values/session.h"

namespace framegate::translator {

using guards::GuardKind;
using model::Fact;
using model::Step;
using model::TypeFlag;

namespace {

// An iterator whose next number is all there is to know of it.
bool CountsByOnes(const IteratorValue* iterator) {
  return iterator->form == IteratorForm::kEnumerate || iterator->type->is("itertools:count");
}

}  // namespace

V Session::Resolve(V value) {
  value = Look(value);
  auto* symbol = As<SymbolValue>(value);
  if (symbol == nullptr)
    return value;
  Fix(symbol);
  return symbol->known;
}

V Session::Look(V value) {
  if (auto* residual = As<ResidualValue>(value); residual != nullptr && residual->range != nullptr) {
    if (residual->known == nullptr && CountsByOnes(residual->range)) {
      residual->known = Int(static_cast<int64_t>(ReadFact(residual->range, Fact::kIterIndex).word + residual->at));
    } else if (residual->known == nullptr) {
      const Constant& range = ReadFact(residual->range, Fact::kRange).constant;
      residual->known =
          range.items.size() != 3 ? value : Int(range.items[0].integer + static_cast<int64_t>(residual->at) * range.items[2].integer);
    }
    return residual->known;
  }
  if (auto* count = As<ResidualValue>(value); count != nullptr && count->is_count) {
    if (count->known == nullptr) {
      const Constant *before = AsConstant(Resolve(count->of)), *step = AsConstant(count->key);
      count->known = Int(count->function == "add" ? before->integer + step->integer : before->integer - step->integer);
    }
    return count->known;
  }
  auto* lazy = As<LazyValue>(value);
  if (lazy == nullptr)
    return value;
  if (lazy->resolved == nullptr) {
    lazy->resolved = ResolveReal(lazy);
    Absorb(lazy);
  }
  return lazy->resolved;
}

// What was added before anybody read the container is added to what was read. The effects are there already.
void Session::Absorb(LazyValue* lazy) {
  if (lazy->added.empty())
    return;
  Touch(lazy->resolved);
  if (auto* list = As<SequenceValue>(lazy->resolved)) {
    for (const auto& [item, none] : lazy->added)
      list->items.push_back(item);
  } else if (auto* set = As<SetValue>(lazy->resolved)) {
    for (const auto& [item, none] : lazy->added)
      if (set->index.try_emplace(HashKey(item), static_cast<uint32_t>(set->items.size())).second)
        set->items.push_back(item);
    set->in_order = set->is_order_unread = false;
  } else if (auto* mapping = As<MappingValue>(lazy->resolved)) {
    const size_t effects = effects_.size();
    for (const auto& [key, value] : lazy->added)
      MappingSet(mapping, key, value);
    effects_.resize(effects);
  }
}

LazyValue* Session::UnreadList(V value) {
  auto* lazy = As<LazyValue>(value);
  if (lazy == nullptr || lazy->resolved != nullptr || by_handle_.contains(lazy->handle))
    return nullptr;
  if (auto it = unread_.find(lazy->handle); it != unread_.end()) {
    if (it->second != lazy)
      GuardSame(lazy->subject, it->second->subject);
    return it->second->resolved == nullptr ? it->second : nullptr;
  }
  TypeValue* type = RealType(mirror_.Step(lazy->handle, Step::kType), subjects_.Child(lazy->subject, Step::kType));
  if (type == nullptr || !type->is("builtins:list"))
    return nullptr;
  if (NeedsGuards(lazy->subject))
    AddGuard({.kind = GuardKind::kTypeIs, .subject = lazy->subject, .type = "builtins:list"});
  return unread_[lazy->handle] = lazy;
}

// Whether objects of this type may be constants; asking each of them is what that saves.
bool Session::MayBeConstants(Handle type) {
  if (type == model::kAbsent)
    return false;
  const uint64_t flags = mirror_.Fact(type, Fact::kTypeFlags).word;
  auto has = [flags](TypeFlag flag) { return model::HasFlag(flags, flag); };
  if (has(TypeFlag::kHeapType))  // enumerations of C code look like this
    return has(TypeFlag::kPythonHash) && has(TypeFlag::kPythonEq) && !has(TypeFlag::kInstancesHaveDict);
  static constexpr std::string_view kNever[] = {"function",
                                                "method",
                                                "type",
                                                "dict",
                                                "list",
                                                "tuple",
                                                "set",
                                                "frozenset",
                                                "cell",
                                                "module",
                                                "property",
                                                "generator",
                                                "staticmethod",
                                                "classmethod",
                                                "builtin_function_or_method",
                                                "method_descriptor",
                                                "wrapper_descriptor",
                                                "getset_descriptor",
                                                "member_descriptor"};
  const model::FactValue& name = mirror_.Fact(type, Fact::kTypeName);
  return !name.known || name.constant.items.size() != 2 || name.constant.items[0].text != "builtins" ||
         std::find(std::begin(kNever), std::end(kNever), name.constant.items[1].text) == std::end(kNever);
}

V Session::ResolveReal(LazyValue* lazy) {
  static const model::FactValue kNone{.fact = Fact::kValue, .known = false};
  const bool asked = MayBeConstants(mirror_.Step(lazy->handle, Step::kType));
  const model::FactValue& constant = asked ? mirror_.Fact(lazy->handle, Fact::kValue) : kNone;
  if (constant.known && MayBeSymbol(lazy->subject, constant.constant))
    return MakeSymbol(lazy, constant.constant);
  if (constant.known) {  // constants are told apart by value, so each subject has a guard of its own
    ReadFact(lazy, Fact::kValue);
    V value = Const(constant.constant);
    if (!constant.constant.is_none() && !constant.constant.is_bool()) {
      value->handle = lazy->handle;
      value->subject = lazy->subject;
    }
    return value;
  }
  if (auto it = by_handle_.find(lazy->handle); it != by_handle_.end()) {
    V known = it->second;
    if (NeedsGuards(lazy->subject))
      GuardSame(lazy->subject, known->subject);
    return known;
  }
  if (auto it = unread_.find(lazy->handle); it != unread_.end() && it->second != lazy) {
    GuardSame(lazy->subject, it->second->subject);
    return Resolve(it->second);
  }
  TypeValue* type = RealType(mirror_.Step(lazy->handle, Step::kType), subjects_.Child(lazy->subject, Step::kType));
  if (type == nullptr) {
    auto* opaque = New<OpaqueValue>();
    opaque->handle = lazy->handle;
    opaque->subject = lazy->subject;
    return opaque;
  }
  if (NeedsGuards(lazy->subject))
    AddGuard({.kind = GuardKind::kTypeIs, .subject = lazy->subject, .type = type->symbol});
  V value = MakeReal(lazy, type);
  value->handle = lazy->handle;
  value->subject = lazy->subject;
  if (value->type == nullptr)
    value->type = type;
  by_handle_[lazy->handle] = value;
  met.push_back(value);
  return value;
}

V Session::MakeReal(LazyValue* lazy, TypeValue* type) {
  const std::string& name = type->symbol;
  if (type->Has(TypeFlag::kTypeSubclass)) {
    if (NeedsGuards(lazy->subject) && subjects_[lazy->subject].step != Step::kSymbol)
      ReadFact(lazy, Fact::kTypeName);
    TypeValue* self = RealType(lazy->handle, lazy->subject);
    return self != nullptr ? self : static_cast<V>(New<OpaqueValue>());
  }
  if (name == "builtins:function")
    return MakeFunction(lazy);
  if (name == "builtins:method") {
    auto* method = New<MethodValue>();
    method->function = StepFrom(lazy, Step::kMethodFunc);
    method->self = StepFrom(lazy, Step::kMethodSelf);
    return method;
  }
  if (name == "builtins:cell") {
    auto* cell = New<CellValue>();
    cell->loaded = false;
    return cell;
  }
  const bool may_have_symbol =
      name == "builtins:builtin_function_or_method" || name == "builtins:method_descriptor" || name == "builtins:wrapper_descriptor" ||
      name == "builtins:getset_descriptor" || name == "builtins:member_descriptor" || name == "builtins:classmethod_descriptor" ||
      name == "functools:_lru_cache_wrapper" || name == "torch._ops:OpOverloadPacket" || name == "torch._ops:OpOverload";
  if (const model::FactValue* symbol = may_have_symbol ? &PeekFact(lazy, Fact::kSymbolName) : nullptr; symbol != nullptr && symbol->known) {
    auto* builtin = New<BuiltinValue>();
    builtin->symbol = symbol->constant.text;
    if (NeedsGuards(lazy->subject))
      ReadFact(lazy, Fact::kSymbolName);
    return builtin;
  }
  if (name == "builtins:builtin_function_or_method" || name == "builtins:builtin_method" || name == "builtins:method-wrapper" ||
      name == "types:MethodWrapperType")
    if (V method = MakeBoundBuiltin(lazy))
      return method;
  if (type->Has(TypeFlag::kTensorSubclass))
    return MakeTensor(lazy, type);
  if (type->Has(TypeFlag::kListSubclass) || type->Has(TypeFlag::kTupleSubclass) || name == "collections:deque")
    return MakeSequence(lazy, type);
  if (type->Has(TypeFlag::kDictSubclass))
    return MakeMapping(lazy, type);
  if (type->Has(TypeFlag::kSetSubclass))
    return MakeSet(lazy, type);
  if (name == "builtins:range") {
    auto* range = New<ConstantValue>();
    range->constant = {.kind = ConstantKind::kRange, .items = ReadFact(lazy, Fact::kRange).constant.items};
    return range;
  }
  if (name == "builtins:slice") {
    auto* slice = New<SliceValue>();
    slice->start = StepFrom(lazy, Step::kItem, 0);
    slice->stop = StepFrom(lazy, Step::kItem, 1);
    slice->step = StepFrom(lazy, Step::kItem, 2);
    return slice;
  }
  if (name == "builtins:mappingproxy") {
    auto* view = New<ViewValue>();
    view->form = ViewForm::kProxy;
    view->target = StepFrom(lazy, Step::kProxyTarget);
    if (view->target != nullptr)
      return view;
  }
  constexpr std::pair<std::string_view, ViewForm> kViews[] = {
      {"builtins:dict_keys", ViewForm::kKeys}, {"builtins:dict_values", ViewForm::kValues}, {"builtins:dict_items", ViewForm::kItems}};
  for (const auto& [view_name, form] : kViews) {
    V target = name == view_name ? StepFrom(lazy, Step::kProxyTarget) : nullptr;
    if (target == nullptr)
      continue;
    auto* view = New<ViewValue>();
    view->form = form;
    view->target = target;
    return view;
  }
  if (name == "functools:partial") {
    auto* object = New<ObjectValue>();
    object->hint = "partial";
    return object;
  }
  if (V iterator = MakeIterator(lazy, type))
    return iterator;
  if (name == "builtins:generator" || name == "builtins:coroutine")
    if (V generator = MakeGenerator(lazy, type))
      return generator;
  if (name == "builtins:generator" || name == "builtins:coroutine" || name == "builtins:frame" || name == "builtins:code" ||
      name == "builtins:traceback" || (type->Has(TypeFlag::kIterator) && !type->Has(TypeFlag::kPythonCode)))
    return New<OpaqueValue>();
  auto* object = New<ObjectValue>();
  object->hint = name == "builtins:module" ? "module" : "";
  return object;
}

// A C method bound to an object: its descriptor is what the object's type has under its name. Null: it is none.
V Session::MakeBoundBuiltin(LazyValue* lazy) {
  V self = Resolve(StepFrom(lazy, Step::kMethodSelf));
  const model::FactValue& name = ReadFact(lazy, Fact::kName);
  if (self == nullptr || !name.known)
    return nullptr;
  auto* as_type = As<TypeValue>(self);
  TypeValue* type = as_type != nullptr ? as_type : TypeOf(self);
  V function = type == nullptr || type->is("builtins:module") ? nullptr : TypeAttr(type, name.constant.text);
  if (function == nullptr || !function->is_real() || !PeekFact(function, Fact::kSymbolName).known)
    return nullptr;  // no descriptor that has a name: perhaps another such function
  function = Resolve(function);
  if (As<BuiltinValue>(function) == nullptr)
    return nullptr;
  auto* method = New<MethodValue>();
  method->function = function;
  method->self = self;
  return method;
}

V Session::MakeFunction(LazyValue* lazy) {
  const model::FactValue& id = NeedsGuards(lazy->subject) ? ReadFact(lazy, Fact::kCodeId) : PeekFact(lazy, Fact::kCodeId);
  auto* function = New<FunctionValue>();
  function->code_id = id.hash;
  const model::FactValue& symbol = PeekFact(lazy, Fact::kSymbolName);
  if (symbol.known)
    function->symbol = symbol.constant.text;
  if (const model::FactValue& qualname = PeekFact(lazy, Fact::kQualname); qualname.known && qualname.constant.items.size() == 2) {
    function->qualname = qualname.constant.items[1].text;
    function->module = Const(qualname.constant.items[0]);
  }
  size_t dot = function->qualname.rfind('.');
  function->name = dot == std::string::npos ? function->qualname : function->qualname.substr(dot + 1);
  return function;
}

V Session::MakeSequence(LazyValue* lazy, TypeValue* type) {
  auto* sequence = New<SequenceValue>();
  sequence->type = type;
  uint64_t length = ReadFact(lazy, Fact::kLength).word;
  sequence->items.reserve(length);
  for (uint32_t i = 0; i < length; ++i) {
    V item = StepFrom(lazy, Step::kItem, i);
    if (item == nullptr)  // not of a kind that is read by place
      return New<OpaqueValue>();
    sequence->items.push_back(item);
  }
  if (!type->Has(TypeFlag::kListSubclass) && !type->Has(TypeFlag::kTupleSubclass))
    sequence->maxlen = ReadFact(lazy, Fact::kMaxlen).constant;
  return sequence;
}

V Session::MakeMapping(LazyValue*, TypeValue* type) {
  auto* mapping = New<MappingValue>();
  mapping->type = type;
  mapping->complete = false;
  return mapping;
}

V Session::MakeSet(LazyValue* lazy, TypeValue* type) {
  auto* set = New<SetValue>();
  set->type = type;
  set->in_order = true;
  set->has_history = false;
  set->pop_place = -1;
  const model::FactValue& members = ReadFact(lazy, Fact::kSetMembers);
  if (members.known) {
    set->in_order = members.constant.items.size() < 2;
    set->is_order_unread = !set->in_order;
    for (const Constant& element : members.constant.items) {
      V item = Const(element);
      set->index[HashKey(item)] = static_cast<uint32_t>(set->items.size());
      set->items.push_back(item);
    }
    return set;
  }
  uint64_t length = ReadFact(lazy, Fact::kLength).word;
  for (uint32_t i = 0; i < length; ++i) {
    V item = Resolve(StepFrom(lazy, Step::kSetItem, i));
    std::string key = item == nullptr ? "" : HashKey(item);
    if (key.empty())
      return New<OpaqueValue>();
    set->index[key] = i;
    set->items.push_back(item);
  }
  return set;
}

// Null where it is no iterator whose place and items can be read.
V Session::MakeIterator(LazyValue* lazy, TypeValue* type) {
  struct Row {
    std::string_view type;
    IteratorForm form;
  };

  static constexpr Row kRows[] = {{"builtins:list_iterator", IteratorForm::kReal},
                                  {"builtins:tuple_iterator", IteratorForm::kReal},
                                  {"builtins:range_iterator", IteratorForm::kReal},
                                  {"builtins:dict_keyiterator", IteratorForm::kReal},
                                  {"builtins:dict_valueiterator", IteratorForm::kReal},
                                  {"builtins:dict_itemiterator", IteratorForm::kReal},
                                  {"builtins:set_iterator", IteratorForm::kReal},
                                  {"builtins:list_reverseiterator", IteratorForm::kReal},
                                  {"builtins:reversed", IteratorForm::kReal},
                                  {"itertools:count", IteratorForm::kReal},
                                  {"itertools:repeat", IteratorForm::kReal},
                                  {"itertools:chain", IteratorForm::kReal},
                                  {"builtins:enumerate", IteratorForm::kEnumerate},
                                  {"builtins:zip", IteratorForm::kZip},
                                  {"builtins:map", IteratorForm::kMap}};
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return type->is(r.type); });
  if (row == std::end(kRows))
    return nullptr;
  auto* iterator = New<IteratorValue>();
  iterator->form = row->form;
  iterator->type = type;
  if (type->is("itertools:chain"))
    return iterator;
  if (type->is("itertools:count"))
    return PeekFact(lazy, Fact::kIterIndex).known ? iterator : nullptr;
  if (row->form == IteratorForm::kReal) {
    const model::FactValue& left = PeekFact(lazy, Fact::kIterRemaining);  // guarded as it is read: has another or not
    iterator->length = left.word;
    return left.known ? iterator : nullptr;
  }
  V inner = StepFrom(lazy, Step::kIterSource);
  if (inner == nullptr)
    return nullptr;
  if (row->form == IteratorForm::kEnumerate) {
    iterator->sources = {inner};
    return iterator;
  }
  auto* several = As<SequenceValue>(Resolve(inner));
  if (several == nullptr)
    return nullptr;
  iterator->sources = several->items;
  iterator->source = row->form == IteratorForm::kMap ? StepFrom(lazy, Step::kMapFunction) : nullptr;
  return iterator;
}

// One that waits, as its frame is. Null where that cannot be read: it runs, has ended or handles an exception.
V Session::MakeGenerator(LazyValue* lazy, TypeValue* type) {
  const model::FactValue& waits = ReadFact(lazy, Fact::kSuspended);
  V of = waits.known ? StepFrom(lazy, Step::kGenFunction) : nullptr;
  auto* function = of == nullptr ? nullptr : As<FunctionValue>(Resolve(of));
  if (function == nullptr || waits.constant.items.size() != 2)
    return nullptr;
  if (function->code == nullptr)
    function->code = CodeOf(function->code_id, function->handle);
  const std::string& empty = waits.constant.items[1].text;
  const uint64_t offset = static_cast<uint64_t>(waits.constant.items[0].integer);
  if (function->code == nullptr || empty.size() < function->code->image->nlocalsplus() || offset >= function->code->index_of_unit.size())
    return nullptr;
  auto* generator = New<GeneratorValue>();
  generator->type = type;
  generator->started = offset != 0;
  generator->qualname = function->code->image->qualname;
  generator->function = function;
  auto frame = std::make_shared<Frame>();
  frame->code = function->code;
  frame->function = function;
  frame->generator = generator;
  const std::vector<Instruction>& instructions = frame->code->instructions;
  frame->ip = generator->started ? frame->code->index_of_unit[offset] : 0;
  while (!generator->started && frame->ip + 1 < instructions.size() && instructions[frame->ip].op != Op::kReturnGenerator)
    ++frame->ip;
  for (uint32_t cell = 0; cell < empty.size(); ++cell) {
    V value = empty[cell] == '1' ? nullptr : StepFrom(lazy, Step::kGenCell, cell);
    (cell < frame->code->image->nlocalsplus() ? frame->slots : frame->stack).push_back(value);
  }
  generator->frame = std::move(frame);
  return generator;
}

bool Session::IsChanged(V value) const {
  if (value == nullptr || value->mutated)
    return value != nullptr;
  if (auto unread = unread_.find(value->handle); unread != unread_.end() && !unread->second->added.empty())
    return true;
  auto it = by_handle_.find(value->handle);
  return it != by_handle_.end() && it->second->mutated;
}

bool Session::IsPlainSubclass(TypeValue* type) {
  if (!type->Has(TypeFlag::kTensorSubclass) || type->is("torch:Tensor") || type->Has(TypeFlag::kPythonGetattr) ||
      type->Has(TypeFlag::kPythonSetattr) || type->is("torch.nn.parameter:Parameter") || type->is("torch.nn.parameter:Buffer"))
    return false;
  TypeValue* tensor = TypeOfSymbol("torch:Tensor");
  auto same = [&](const char* name) {
    V own = TypeAttr(type, name), torchs = TypeAttr(tensor, name);
    return (own == nullptr) == (torchs == nullptr) && (own == nullptr || own->handle == torchs->handle);
  };
  return same("__torch_function__") && same("__torch_dispatch__");
}

namespace {

// By __torch_function__, which is asked here as torch asks it, and by nothing else.
bool OverridesAlone(Session& s, TypeValue* type) {
  if (!OverridesTorchFunction(s, type) || type->Has(TypeFlag::kPythonGetattr) || type->Has(TypeFlag::kPythonSetattr))
    return false;
  V own = s.TypeAttr(type, "__torch_dispatch__"), torchs = s.TypeAttr(s.TypeOfSymbol("torch:Tensor"), "__torch_dispatch__");
  return (own == nullptr) == (torchs == nullptr) && (own == nullptr || own->handle == torchs->handle);
}

}  // namespace

V Session::MakeTensor(LazyValue* lazy, TypeValue* type) {
  if (!type->is("torch:Tensor") && !type->is("torch.nn.parameter:Parameter") && !type->is("torch.nn.parameter:Buffer") &&
      !IsPlainSubclass(type) && !OverridesAlone(*this, type))
    return New<OpaqueValue>();
  const model::FactValue& fact = PeekFact(lazy, Fact::kTensor);
  if (!fact.known || !fact.tensor.has_value()) {
    ReadFact(lazy, Fact::kTensor);
    return New<OpaqueValue>();
  }
  auto* tensor = New<TensorValue>();
  model::TensorFacts facts = *fact.tensor;
  tensor->is_parameter = type->is("torch.nn.parameter:Parameter");
  if (!tensor->is_parameter)
    MakeSymbolic(lazy->subject, DynamicDims(lazy->subject, facts), &facts);
  tensor->facts = std::make_shared<model::TensorFacts>(std::move(facts));
  tensor->foreign = true;
  tensor->doubtful = foreign_joined && !fact.tensor->requires_grad;
  tensors.push_back(tensor);
  return tensor;
}

}  // namespace framegate::translator
