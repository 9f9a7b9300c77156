// Pushing classes and generators made in the frame, and attributes of what was made.
#include "base/strings.h"
#include "translator/builtins/table.h"
#include "translator/emit/emitter.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Helper;

void Emitter::SetAttributes(V value, const std::vector<std::pair<std::string, V>>& attributes) {
  if (std::all_of(attributes.begin(), attributes.end(), [](const auto& pair) { return pair.second == nullptr; }))
    return;
  Fill(value, [this, value, attributes] {
    for (const auto& [name, attribute] : attributes) {
      if (attribute == nullptr)
        continue;
      CallHelper(
          s_.NeedsInstanceDict(value, name) ? Helper::kInstanceDictSet : Helper::kSetAttrGeneric,
          [&] {
            Load(value);
            code_.LoadConst(Constant::Str(name));
            Load(attribute);
          },
          3);
      code_.PopTop();
    }
  });
}

namespace {

// Values whose presence in a namespace runs no Python code when the class is made.
bool IsQuiet(Session& s, V value) {
  value = s.Resolve(value);
  if (value->kind == ValueKind::kFunction || AsConstant(value) != nullptr)
    return true;
  auto* object = As<ObjectValue>(value);
  return object != nullptr &&
         (object->constructor == "property" || object->constructor == "staticmethod" || object->constructor == "classmethod");
}

}  // namespace

namespace {

// What ABCMeta.__new__ sets.
bool IsOfAbcMeta(std::string_view name) {
  return name == "_abc_impl" || name == "__abstractmethods__";
}

}  // namespace

// The class is made of what its hooks leave alone; the rest is set afterwards, as the hooks have run already.
void Emitter::LoadType(TypeValue* value) {
  V hook = AttrAfter(s_, value, value, "__init_subclass__");
  auto* builtin = As<BuiltinValue>(s_.Resolve(hook));
  if (builtin == nullptr || builtin->symbol != "builtins:object.__init_subclass__")
    return Problem("a class whose bases hook its making");
  CallHelper(
      Helper::kMakeType,
      [&] {
        Load(value->type);
        code_.LoadConst(Constant::Str(TypeName(value)));
        Values bases(value->bases.begin(), value->bases.end());
        LoadItems(bases);
        code_.BuildTuple(static_cast<uint32_t>(bases.size()));
        uint32_t count = 1;
        code_.LoadConst(Constant::Str("__qualname__"));
        code_.LoadConst(Constant::Str(value->symbol.substr(value->symbol.find(':') + 1)));
        for (const auto& [name, own] : value->own) {
          if (own == nullptr || IsOfAbcMeta(name) || !(IsQuiet(s_, own) || name == "__slots__"))
            continue;
          code_.LoadConst(Constant::Str(name));
          Load(own);
          ++count;
        }
        code_.BuildMap(count);
      },
      4);
  Remember(value);
  Fill(value, [this, value] {
    for (const auto& [name, own] : value->own) {
      auto* object = own == nullptr ? nullptr : As<ObjectValue>(s_.Resolve(own));
      bool is_member = object != nullptr && !object->is_real() && s_.TypeOf(object)->is("builtins:member_descriptor");
      if (name == "_abc_impl")  // computes __abstractmethods__, too
        Construct(
            "_abc_init", [&] { Load(value); }, 1);
      else if (own != nullptr && !IsOfAbcMeta(name) && !IsQuiet(s_, own) && name != "__slots__" && !is_member)
        CallHelper(
            Helper::kTypeSetAttr,
            [&] {
              Load(value);
              code_.LoadConst(Constant::Str(name));
              Load(own);
            },
            3);
      else
        continue;
      code_.PopTop();
    }
  });
}

void Emitter::LoadDeque(SequenceValue* value, TypeValue* type) {
  if (type->is("collections:deque"))
    Construct(
        "deque",
        [&] {
          code_.BuildTuple(0);
          code_.LoadConst(value->maxlen);
        },
        2);
  else
    return Problem(StrCat("a ", type->symbol, " made in the frame"));
  Remember(value);
  Fill(value, [this, value] {
    CallHelper(
        Helper::kDequeAssign,
        [&] {
          Load(value);
          LoadItems(value->items);
          code_.BuildTuple(static_cast<uint32_t>(value->items.size()));
        },
        2);
    code_.PopTop();
  });
}

// As it waits: at the start of its code (offset 0), or at the YIELD it has run to; one that has ended has nothing left.
// One from elsewhere that has run on.
void Emitter::RestateGenerator(GeneratorValue* value) {
  const Frame* frame = value->frame.get();
  if (value->running || (frame != nullptr && (frame->handled != nullptr || !value->started)))
    return Problem("a generator that is running or handles an exception");
  const size_t cells = frame == nullptr ? 0 : frame->slots.size() + frame->stack.size();
  CallHelper(
      Helper::kGeneratorRestate,
      [&] {
        Load(value);
        code_.LoadConst(Constant::Int(frame == nullptr ? -1 : int64_t{frame->instruction().offset}));
        if (frame != nullptr) {
          LoadItems(frame->slots);
          LoadItems(frame->stack);
        }
      },
      static_cast<uint32_t>(2 + cells));
  code_.PopTop();
}

// One of a polyfill that stands for an iterator of a C type leaves the frame as that. False: it stays a generator.
bool Emitter::LoadAsIterator(GeneratorValue* value) {
  const Frame* frame = value->frame.get();
  const LazyIterator* row = frame == nullptr || frame->function == nullptr ? nullptr : FindLazyIterator(frame->function->symbol);
  if (breaks_ || row == nullptr || row->constructor.empty() || (value->started && !row->always))
    return false;
  Values given;
  for (size_t at = 0; at < frame->code->image->argcount; ++at) {
    auto* cell = As<CellValue>(frame->slots[at]);
    given.push_back(cell == nullptr ? frame->slots[at] : cell->contents);
    if (given.back() == nullptr || (at >= row->parameters && s_.Resolve(given.back()) != s_.None()))
      return false;
  }
  while (!given.empty() && s_.Resolve(given.back()) == s_.None())
    given.pop_back();
  Construct(
      std::string(row->constructor).c_str(), [&] { LoadItems(given); }, static_cast<uint32_t>(given.size()));
  Remember(value);
  return true;
}

void Emitter::LoadGenerator(GeneratorValue* value) {
  if (LoadAsIterator(value))
    return;
  if (value->running || (value->frame != nullptr && value->frame->handled != nullptr))
    return Problem("a generator that is running or handles an exception");
  if (value->frame == nullptr) {
    if (value->function == nullptr)
      return Problem("a generator that has ended");
    CallHelper(
        Helper::kGeneratorSuspended,
        [&] {
          Load(value->function);
          code_.LoadConst(Constant::Int(-1));
        },
        2);
    return Remember(value);
  }
  const Frame& frame = *value->frame;
  CallHelper(
      Helper::kGeneratorSuspended,
      [&] {
        Load(frame.function);
        code_.LoadConst(Constant::Int(value->started ? frame.instruction().offset : 0));
        LoadItems(frame.slots);
        if (value->started)
          LoadItems(frame.stack);
      },
      static_cast<uint32_t>(2 + frame.slots.size() + (value->started ? frame.stack.size() : 0)));
  Remember(value);
}

}  // namespace framegate::translator
