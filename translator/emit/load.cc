// Pushing the real object that a value stands for.
#include <algorithm>

#include "base/strings.h"
#include "translator/emit/emitter.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Helper;
using model::LinkKind;

// What a cycle goes through is filled once the value asked for is whole.
void Emitter::Load(V value) {
  constexpr int kMaxDepth = 500;
  if (depth_ >= kMaxDepth)
    return Problem("a value nested too deep");
  ++depth_;
  LoadValue(value);
  while (depth_ == 1 && !later_.empty() && problem_.empty()) {
    auto fill = std::move(later_.back());
    later_.pop_back();
    fill();
  }
  --depth_;
}

void Emitter::Fill(V value, std::function<void()> fill) {
  if (cyclic_.contains(value))
    later_.push_back(std::move(fill));
  else
    fill();
}

void Emitter::LoadValue(V value) {
  if (value == nullptr) {
    code_.LoadFast(LinkLocal({.kind = LinkKind::kNull}));
    return;
  }
  if (auto* lazy = As<LazyValue>(value)) {
    if (lazy->resolved == nullptr) {
      LoadReal(value);
      return;
    }
    value = lazy->resolved;
  }
  if (auto* tensor = As<TensorValue>(value); tensor != nullptr && tensor->node != UINT32_MAX) {
    code_.LoadFast(graph_outputs_ + graph_.AddOutput(tensor));
    return;
  }
  if (auto* symbol = As<SymbolValue>(value)) {
    LoadSymbol(symbol);
    return;
  }
  if (const Constant* constant = AsConstant(value)) {
    LoadConstant(value, *constant);
    return;
  }
  if (value->is_real()) {
    LoadReal(value);
    return;
  }
  if (auto it = remembered_.find(value); it != remembered_.end()) {
    code_.LoadFast(it->second);
    return;
  }
  LoadMade(value);
}

void Emitter::LoadReal(V value) {
  if (value->subject == model::kNoSubject) {
    Problem("an object that has no path");
    return;
  }
  code_.LoadFast(KeepLocal(value->subject));
}

void Emitter::LoadConstant(V value, const Constant& constant) {
  auto call = [&](const char* name, const std::vector<Constant>& arguments) {
    Construct(
        name,
        [&] {
          for (const Constant& argument : arguments)
            code_.LoadConst(argument);
        },
        static_cast<uint32_t>(arguments.size()));
  };
  switch (constant.kind) {
    case ConstantKind::kDtype:
    case ConstantKind::kLayout:
    case ConstantKind::kMemoryFormat: {
      size_t dot = constant.text.rfind('.');
      code_.LoadFast(SymbolLocal(StrCat(constant.text.substr(0, dot), ":", constant.text.substr(dot + 1))));
      return;
    }
    case ConstantKind::kMember:
      code_.LoadFast(SymbolLocal(constant.text));
      return;
    case ConstantKind::kDevice:
      if (value->is_real())
        return LoadReal(value);
      return call("torch.device", {Constant::Str(constant.text)});
    case ConstantKind::kSize:
      return call("torch.Size", {Constant::Tuple(constant.items)});
    case ConstantKind::kRange:
      if (value->is_real())
        return LoadReal(value);
      return call("range", constant.items);
    case ConstantKind::kSlice:
      for (const Constant& item : constant.items)
        code_.LoadConst(item);
      code_.BuildSlice(3);
      return;
    case ConstantKind::kNotImplemented:
      code_.LoadFast(SymbolLocal("builtins:NotImplemented"));
      return;
    case ConstantKind::kCode:
      if (constant.code.size() == 1)
        return code_.LoadFast(LinkLocal({.kind = LinkKind::kCode, .index = UINT32_MAX, .code = model::IdOf(*constant.code[0])}));
      [[fallthrough]];
    case ConstantKind::kFrozenset:
      Problem("a constant that code cannot hold");
      return;
    case ConstantKind::kFloat:
    case ConstantKind::kComplex:  // which of those that are equal can be seen
      if (value->is_real() && IsParameter(value->subject))
        return LoadReal(value);
      code_.LoadConst(constant);
      return;
    default:
      if (value->is_real() && value->subject != model::kNoSubject && s_.subjects()[value->subject].step == model::Step::kSlot &&
          keeps_.contains(value->subject))
        return LoadReal(value);
      code_.LoadConst(constant);
  }
}

void Emitter::Remember(V value) {
  uint32_t local = NewLocal(StrCat(".made", remembered_.size()));
  remembered_[value] = local;
  code_.Copy(1);
  code_.StoreFast(local);
}

void Emitter::LoadItems(const Values& items) {
  for (V item : items)
    Load(item);
}

void Emitter::LoadMade(V value) {
  if (auto it = s_.cached_calls.find(value); value->frozen && it != s_.cached_calls.end()) {
    Construct(
        "lru_cache_call", [&] { LoadItems(it->second); }, static_cast<uint32_t>(it->second.size()));
    return Remember(value);
  }
  if (value->frozen)
    return Problem("what a cached function gave");
  switch (value->kind) {
    case ValueKind::kSequence:
      return LoadSequence(As<SequenceValue>(value));
    case ValueKind::kMapping:
      return LoadMapping(As<MappingValue>(value));
    case ValueKind::kSet:
      return LoadSet(As<SetValue>(value));
    case ValueKind::kFunction:
      return LoadFunction(As<FunctionValue>(value));
    case ValueKind::kMethod:
      return LoadMethod(As<MethodValue>(value));
    case ValueKind::kObject:
      return LoadObject(As<ObjectValue>(value));
    case ValueKind::kCell:
      return LoadCell(As<CellValue>(value));
    case ValueKind::kIterator:
      return LoadIterator(As<IteratorValue>(value));
    case ValueKind::kView:
      return LoadView(As<ViewValue>(value));
    case ValueKind::kPartial:
      return LoadPartial(As<PartialValue>(value));
    case ValueKind::kSlice: {
      auto* slice = As<SliceValue>(value);
      LoadItems({slice->start, slice->stop, slice->step});
      code_.BuildSlice(3);
      return;
    }
    case ValueKind::kSuper: {
      auto* super = As<SuperValue>(value);
      CallHelper(
          Helper::kMakeSuper,
          [&] {
            LoadItems({super->start, super->self});
          },
          2);
      return;
    }
    case ValueKind::kResidual: {
      auto* residual = As<ResidualValue>(value);
      if (!residual->function.empty()) {
        Values parts;
        for (V part : {residual->of, residual->key})
          if (part != nullptr)
            parts.push_back(part);
        Construct(
            residual->function.c_str(), [&] { LoadItems(parts); }, static_cast<uint32_t>(parts.size()));
        return Remember(value);
      }
      uint32_t effect = residual->effect;
      if (effect >= residuals_.size() || residuals_[effect] == UINT32_MAX)
        return Problem("a value that is used before it is made");
      code_.LoadFast(residuals_[effect]);
      return;
    }
    case ValueKind::kBuiltin:
      code_.LoadFast(SymbolLocal(As<BuiltinValue>(value)->symbol));
      return;
    case ValueKind::kGenerator:
      return LoadGenerator(As<GeneratorValue>(value));
    case ValueKind::kType:
      return LoadType(As<TypeValue>(value));
    case ValueKind::kTensor:
    case ValueKind::kOpaque:
    case ValueKind::kLazy:
    case ValueKind::kSymbol:
    case ValueKind::kConstant:
      return Problem(StrCat("a ", EnumText(value->kind), " made in the frame"));
  }
}

void Emitter::LoadSequence(SequenceValue* value) {
  TypeValue* type = s_.TypeOf(value);
  uint32_t count = static_cast<uint32_t>(value->items.size());
  if (type->is("builtins:tuple")) {
    LoadItems(value->items);
    code_.BuildTuple(count);
    return Remember(value);
  }
  if (type->is("builtins:list") && !cyclic_.contains(value)) {
    LoadItems(value->items);
    code_.BuildList(count);
    return Remember(value);
  }
  if (type->is("torch:Size")) {
    Construct(
        "torch.Size",
        [&] {
          LoadItems(value->items);
          code_.BuildTuple(count);
        },
        1);
    return Remember(value);
  }
  if (type->Has(model::TypeFlag::kTupleSubclass)) {
    CallHelper(
        Helper::kObjectNew,
        [&] {
          Load(type);
          LoadItems(value->items);
          code_.BuildTuple(count);
        },
        2);
    Remember(value);
    if (value->attributes != nullptr)
      SetAttributes(value, As<ObjectValue>(value->attributes)->attributes);
    return;
  }
  if (s_.IsSubclass(type, "collections:deque"))
    return LoadDeque(value, type);
  if (!type->Has(model::TypeFlag::kListSubclass))
    return Problem(StrCat("a ", type->symbol, " made in the frame"));
  if (type->is("builtins:list"))
    code_.BuildList(0);
  else
    CallHelper(
        Helper::kObjectNew, [&] { Load(type); }, 1);
  Remember(value);
  Fill(value, [this, value, count] {
    CallHelper(
        Helper::kListAssign,
        [&] {
          Load(value);
          LoadItems(value->items);
          code_.BuildTuple(count);
        },
        2);
    code_.PopTop();
  });
  if (value->attributes != nullptr)
    SetAttributes(value, As<ObjectValue>(value->attributes)->attributes);
}

void Emitter::LoadMapping(MappingValue* value) {
  TypeValue* type = s_.TypeOf(value);
  uint32_t count = static_cast<uint32_t>(value->items.size());
  if (type->is("builtins:dict") && !cyclic_.contains(value)) {
    for (const auto& [key, item] : value->items) {
      Load(key);
      Load(item);
    }
    code_.BuildMap(count);
    return Remember(value);
  }
  if (type->is("builtins:dict")) {
    code_.BuildMap(0);
  } else if (type->is("collections:OrderedDict") || type->is("collections:defaultdict")) {
    Construct(
        type->is("collections:OrderedDict") ? "OrderedDict" : "defaultdict",
        [&] {
          if (value->default_factory != nullptr)
            Load(value->default_factory);
        },
        value->default_factory != nullptr ? 1 : 0);
  } else {
    CallHelper(
        Helper::kObjectNew, [&] { Load(type); }, 1);
  }
  Remember(value);
  Fill(value, [this, value, count] {
    CallHelper(
        Helper::kDictReplace,
        [&] {
          Load(value);
          for (const auto& [key, item] : value->items)
            Load(key);
          code_.BuildTuple(count);
          for (const auto& [key, item] : value->items)
            Load(item);
          code_.BuildTuple(count);
        },
        3);
    code_.PopTop();
  });
  if (value->attributes != nullptr)
    SetAttributes(value, As<ObjectValue>(value->attributes)->attributes);
}

namespace {

// Then adding the items again gives the same order.
bool IsMadeByAdding(const SetValue& set) {
  return !set.in_order && std::all_of(set.history.begin(), set.history.end(),
                                      [](const Constant& step) { return step.items.size() == 2 && step.items[0].text == "add"; });
}

}  // namespace

void Emitter::LoadSet(SetValue* value) {
  TypeValue* type = s_.TypeOf(value);
  uint32_t count = static_cast<uint32_t>(value->items.size());
  const bool frozen = type->is("builtins:frozenset");
  if ((frozen || type->is("builtins:set")) && count > 1 && value->has_history && !IsMadeByAdding(*value)) {
    CallHelper(
        Helper::kSetReplay,
        [&] {
          code_.LoadConst(Constant::Bool(frozen));
          code_.LoadConst(Constant::Tuple(value->history));
          LoadItems(value->items);
          code_.BuildTuple(count);
        },
        3);
    return Remember(value);
  }
  if (type->is("builtins:set") && count > 0) {
    LoadItems(value->items);
    code_.BuildSet(count);
    return Remember(value);
  }
  if (!type->is("builtins:set") && !frozen)
    return Problem(StrCat("a ", type->symbol, " made in the frame"));
  Construct(
      type->is("builtins:set") ? "set" : "frozenset",
      [&] {
        LoadItems(value->items);
        code_.BuildTuple(count);
      },
      1);
  Remember(value);
}

void Emitter::Construct(const char* name, const std::function<void()>& arguments, uint32_t count) {
  CallHelper(
      Helper::kConstruct,
      [&] {
        code_.LoadConst(Constant::Str(name));
        arguments();
      },
      count + 1);
}

}  // namespace framegate::translator
