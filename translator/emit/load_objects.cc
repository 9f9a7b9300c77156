// Pushing functions, methods, objects, cells, iterators, views, partials and generators made in the frame.
#include "base/strings.h"
#include "translator/emit/emitter.h"
#include "translator/slots/slots.h"
#include "translator/slots/type_parameters.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Helper;
using model::LinkKind;

void Emitter::LoadFunction(FunctionValue* value) {
  if (value->parent_index == UINT32_MAX)
    return Problem("a function whose code is in no constant");
  if (auto code = s_.CodeOf(value->code_id); code != nullptr && code->image->filename.ends_with("framegate/_polyfills_records.py"))
    return Problem("a named tuple's class made in the frame");
  CallHelper(
      Helper::kMakeFunction,
      [&] {
        code_.LoadFast(LinkLocal({.kind = LinkKind::kCode, .index = value->parent_index, .code = value->parent_code}));
        Load(value->globals);
        code_.LoadConst(Constant::Str(value->qualname));
        Load(value->defaults == nullptr ? s_.None() : value->defaults);
        Load(value->kwdefaults == nullptr ? s_.None() : value->kwdefaults);
        if (value->closure.empty()) {
          Load(s_.None());
        } else {
          LoadItems(value->closure);
          code_.BuildTuple(static_cast<uint32_t>(value->closure.size()));
        }
        Load(s_.None());
      },
      7);
  Remember(value);
  SetAttributes(value, value->attributes);
  if (value->annotations != nullptr) {
    if (auto* tuple = As<SequenceValue>(s_.Resolve(value->annotations))) {
      MappingValue* dict = s_.Dict();  // annotations are given as a flat tuple of names and values
      for (size_t i = 0; i + 1 < tuple->items.size(); i += 2)
        s_.MappingSet(dict, tuple->items[i], tuple->items[i + 1]);
      SetAttributes(value, {{"__annotations__", dict}});
    }
  }
}

void Emitter::LoadMethod(MethodValue* value) {
  V function = s_.Resolve(value->function);
  auto* builtin = As<BuiltinValue>(function);
  if (builtin != nullptr && (builtin->symbol == "builtins:next" || builtin->symbol == "builtins:iter")) {  // of an iterator, a method
    CallHelper(
        Helper::kGetAttrGeneric,
        [&] {
          Load(value->self);
          code_.LoadConst(Constant::Str(builtin->symbol == "builtins:next" ? "__next__" : "__iter__"));
        },
        2);
    return;
  }
  CallHelper(
      builtin != nullptr && s_.TypeOf(builtin)->symbol.ends_with("_descriptor") ? Helper::kBind : Helper::kMakeMethod,
      [&] {
        LoadItems({function, value->self});
      },
      2);
}

// The places that an exception made in the frame has passed, on top of the traceback that it was given.
void Emitter::SetTraceback(ObjectValue* exception) {
  std::vector<TracePlace> places;
  V given = exception->traceback;
  for (ObjectValue* entry = EntryOf(given); entry != nullptr; entry = EntryOf(given)) {
    if (entry->place.has_value())
      places.push_back(*entry->place);
    given = entry->traceback;
  }
  if (given != nullptr) {
    CallHelper(
        Helper::kSetAttrGeneric,
        [&] {
          LoadItems({exception, s_.Str("__traceback__"), given});
        },
        3);
    code_.PopTop();
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    CallHelper(
        Helper::kTraceAdd,
        [&] {
          LoadItems({exception, s_.Str(place->code.Hex()), s_.Int(place->offset)});
        },
        3);
    code_.PopTop();
  }
}

// As the exception has it, which the client makes with it.
void Emitter::LoadTraceback(ObjectValue* value) {
  auto* exception = As<ObjectValue>(s_.Resolve(value->arguments[0]));
  if (exception == nullptr)  // read at run time
    return Load(value->arguments[0]);
  size_t later = 0;
  ObjectValue* entry = EntryOf(exception->traceback);
  for (; entry != nullptr && entry != value; entry = EntryOf(entry->traceback))
    ++later;
  if (entry == nullptr) {  // it has another one by now
    later = 0;
    exception = s_.New<ObjectValue>();
    exception->type = s_.TypeOfSymbol("builtins:Exception");
    exception->traceback = value;
  }
  LoadAttribute(exception, "__traceback__", later);
  Remember(value);
}

// object.name, and as often as that .tb_next of it.
void Emitter::LoadAttribute(V object, const char* name, size_t next) {
  CallHelper(
      Helper::kGetAttrGeneric,
      [&] {
        if (next == 0)
          Load(object);
        else
          LoadAttribute(object, name, next - 1);
        code_.LoadConst(Constant::Str(next == 0 ? name : "tb_next"));
      },
      2);
}

void Emitter::LoadObject(ObjectValue* value) {
  if (value->hint == "traceback")
    return LoadTraceback(value);
  if (value->hint == "frame" || value->hint == "lru_cache" || value->hint == "property of a derived class")
    return Problem(StrCat("a ", value->hint, " made in the frame"));
  TypeValue* type = s_.TypeOf(value);
  if (type == nullptr)
    return Problem("an object of unknown type");
  if (value->hint == kTypeParameter)
    return LoadTypeParameter(value);
  if (value->hint == kTypeAlias)
    return LoadTypeAlias(value);
  if (!value->constructor.empty()) {
    Construct(
        value->constructor.c_str(), [&] { LoadItems(value->arguments); }, static_cast<uint32_t>(value->arguments.size()));
    Remember(value);
    return SetAttributes(value, value->attributes);
  }
  if (type->is("builtins:member_descriptor"))
    return Problem("a member descriptor made in the frame");
  if (value->payload != nullptr) {
    CallHelper(
        Helper::kObjectNew,
        [&] {
          LoadItems({type, value->payload});
        },
        2);
    Remember(value);
    return SetAttributes(value, value->attributes);
  }
  CallHelper(
      Helper::kObjectNew,
      [&] {
        Load(type);
        LoadItems(value->arguments);
      },
      1 + static_cast<uint32_t>(value->arguments.size()));
  Remember(value);
  SetTraceback(value);
  SetAttributes(value, value->attributes);
  if (value->cause == nullptr && value->context == nullptr && !value->suppress_context)
    return;
  Fill(value, [this, value] {
    CallHelper(
        Helper::kExceptionSet,
        [&] {
          Load(value);
          Load(value->cause == nullptr ? s_.None() : value->cause);
          Load(value->context == nullptr ? s_.None() : value->context == in_.outside ? s_.Bool(true) : value->context);
          Load(s_.Bool(value->suppress_context));
        },
        4);
    code_.PopTop();
  });
}

void Emitter::LoadCell(CellValue* value) {
  V contents = value->contents == nullptr ? nullptr : s_.Resolve(value->contents);
  if (contents == nullptr || !(AsConstant(contents) != nullptr || contents->is_real() || contents->kind == ValueKind::kTensor)) {
    CallHelper(
        Helper::kCellNew, [] {}, 0);
    Remember(value);
    if (contents == nullptr)
      return;
    Fill(value, [this, value] {
      CallHelper(
          Helper::kCellSet,
          [&] {
            LoadItems({value, value->contents});
          },
          2);
      code_.PopTop();
    });
    return;
  }
  CallHelper(
      Helper::kCellNew, [&] { Load(value->contents); }, 1);
  Remember(value);
}

void Emitter::LoadIterator(IteratorValue* value) {
  auto made = [&](auto&& load_iterable, uint64_t skip) {
    CallHelper(
        Helper::kMakeIter,
        [&] {
          load_iterable();
          code_.LoadConst(Constant::Int(static_cast<int64_t>(skip)));
        },
        2);
    Remember(value);
  };
  switch (value->form) {
    case IteratorForm::kSequence:
    case IteratorForm::kMapping:
      return made([&] { Load(value->source); }, value->at);
    case IteratorForm::kFixed:
      if (AsConstant(value->source) != nullptr)
        return made([&] { Load(value->source); }, value->at);
      return made(
          [&] {
            LoadItems(value->items);
            code_.BuildTuple(static_cast<uint32_t>(value->items.size()));
          },
          value->at);
    case IteratorForm::kRange:
      return made(
          [&] {
            Construct(
                "range",
                [&] {
                  code_.LoadConst(Constant::Int(value->start));
                  code_.LoadConst(Constant::Int(value->start + value->step * static_cast<int64_t>(value->length)));
                  code_.LoadConst(Constant::Int(value->step));
                },
                3);
          },
          value->at);
    case IteratorForm::kReversed:
      return made(
          [&] {
            Construct(
                "reversed", [&] { Load(value->source); }, 1);
          },
          value->at);
    case IteratorForm::kEnumerate:
      Construct(
          "enumerate",
          [&] {
            Load(value->sources[0]);
            code_.LoadConst(Constant::Int(value->start + static_cast<int64_t>(value->at)));
          },
          2);
      return Remember(value);
    case IteratorForm::kZip:
    case IteratorForm::kMap:
      Construct(
          value->form == IteratorForm::kZip ? "zip" : "map",
          [&] {
            if (value->form == IteratorForm::kMap)
              Load(value->source);
            LoadItems(value->sources);
          },
          static_cast<uint32_t>(value->sources.size() + (value->form == IteratorForm::kMap)));
      return Remember(value);
    case IteratorForm::kReal:
    case IteratorForm::kCallable:
      return Problem("an iterator of a form that cannot be made again");
  }
}

void Emitter::LoadView(ViewValue* value) {
  if (value->form == ViewForm::kInstanceDict) {
    CallHelper(
        Helper::kGetAttrGeneric,
        [&] {
          Load(value->target);
          code_.LoadConst(Constant::Str("__dict__"));
        },
        2);
    return Remember(value);
  }
  if (value->form == ViewForm::kProxy) {
    Construct(
        "mappingproxy", [&] { Load(value->target); }, 1);
    return Remember(value);
  }
  if (value->form == ViewForm::kTypeDict) {
    CallHelper(
        Helper::kTypeGetAttr,
        [&] {
          Load(value->target);
          code_.LoadConst(Constant::Str("__dict__"));
        },
        2);
    return Remember(value);
  }
  const char* name = value->form == ViewForm::kKeys ? "dict.keys" : value->form == ViewForm::kValues ? "dict.values" : "dict.items";
  Construct(
      name, [&] { Load(value->target); }, 1);
  Remember(value);
}

void Emitter::LoadPartial(PartialValue* value) {
  CallHelper(
      Helper::kMakePartial,
      [&] {
        Load(value->function);
        LoadItems(value->args);
        code_.BuildTuple(static_cast<uint32_t>(value->args.size()));
        for (const auto& [name, item] : value->kwargs) {
          code_.LoadConst(Constant::Str(name));
          Load(item);
        }
        code_.BuildMap(static_cast<uint32_t>(value->kwargs.size()));
      },
      3);
  Remember(value);
  SetAttributes(value, value->attributes);
}

}  // namespace framegate::translator
