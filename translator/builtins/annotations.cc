// Expressions on classes that hints and casts evaluate at run time: list[int], A | B.
#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

ObjectValue* NewOf(Session& s, const char* type) {
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol(type);
  object->mutable_made = true;
  return object;
}

// What `|` joins: classes, None, aliases and unions, whose parts count each for itself. False: something else.
bool AddUnionParts(Interp& in, V side, Values* parts) {
  Session& s = in.s;
  side = s.Resolve(side);
  TypeValue* type = s.TypeOf(side);
  if (type == nullptr)
    return false;
  if (side == s.None()) {
    side = type;
  } else if (type->is("types:UnionType")) {
    Outcome all = in.GetAttr(side, "__args__");
    Values items;
    if (!all.ok() || !in.ToValues(all.value, &items).ok())
      return false;
    for (V item : items)
      if (!AddUnionParts(in, item, parts))
        return false;
    return true;
  } else if (As<TypeValue>(side) == nullptr && !type->is("types:GenericAlias")) {
    return false;
  }
  if (std::find(parts->begin(), parts->end(), side) == parts->end())
    parts->push_back(side);
  return true;
}

}  // namespace

Outcome BuiltinGenericAlias(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  if (args.positional.size() != 2 || !args.keyword.empty())
    return in.Break(Reason::kUnsupportedCall, "an alias of a class with these arguments");
  V parts = s.Resolve(args.positional[1]);
  if (auto* tuple = As<SequenceValue>(parts); tuple == nullptr || !s.TypeOf(tuple)->is("builtins:tuple"))
    parts = s.Tuple({parts});
  ObjectValue* alias = NewOf(s, "types:GenericAlias");
  alias->arguments = {args.positional[0], parts};
  return in.Done(alias);
}

Outcome BuiltinTypeUnion(Interp& in, Args& args, Tail) {
  Values parts;
  if (args.positional.size() != 2 || !AddUnionParts(in, args.positional[0], &parts) || !AddUnionParts(in, args.positional[1], &parts))
    return in.Break(Reason::kUnsupportedCall, "| of something other than classes");
  if (parts.size() == 1)
    return in.Done(parts[0]);
  ObjectValue* joined = NewOf(in.s, "types:UnionType");
  joined->attributes.emplace_back("__args__", in.s.Tuple(std::move(parts)));
  return in.Done(joined);
}

}  // namespace framegate::translator
