// Structural pattern matching.
#include "translator/ops/stack.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::Reason;
using model::TypeFlag;

namespace {

Outcome PushFlag(Interp& in, Frame& f, TypeFlag flag) {
  TypeValue* type = in.s.TypeOf(Cell(f, 1));
  if (type == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a pattern on a value of unknown type");
  f.stack.push_back(in.s.Bool(type->Has(flag)));
  return Next();
}

}  // namespace

Outcome OpMatchMapping(Interp& in, Frame& f, const Instruction&) {
  return PushFlag(in, f, TypeFlag::kMapping);
}

Outcome OpMatchSequence(Interp& in, Frame& f, const Instruction&) {
  return PushFlag(in, f, TypeFlag::kSequence);
}

// Stack: subject, keys. Pushes the tuple of values, or None.
Outcome OpMatchKeys(Interp& in, Frame& f, const Instruction&) {
  auto* mapping = As<MappingValue>(in.s.Resolve(Cell(f, 2)));
  Values keys;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(Cell(f, 1), &keys));
  if (mapping == nullptr)
    return in.Break(Reason::kUnsupportedValue, "a mapping pattern on something other than a dict");
  Values values;
  for (V key : keys) {
    V value = in.s.MappingGet(mapping, key);
    if (value == nullptr) {
      f.stack.push_back(in.s.None());
      return Next();
    }
    values.push_back(value);
  }
  f.stack.push_back(in.s.Tuple(std::move(values)));
  return Next();
}

// Stack: subject, class, names of keyword patterns. Replaces them by the tuple of attributes, or None.
Outcome OpMatchClass(Interp& in, Frame& f, const Instruction& i) {
  V subject = Cell(f, 3), names = Cell(f, 1);
  auto* type = As<TypeValue>(in.s.Resolve(Cell(f, 2)));
  if (type == nullptr)
    return in.Raise("builtins:TypeError", "called match pattern must be a class");
  FRAMEGATE_TAKE(V matches, in.IsInstance(subject, type));
  if (matches != in.s.Bool(true))
    return Replace(f, 3, in.Done(in.s.None()));
  Values attributes;
  size_t positional = static_cast<size_t>(i.arg);
  if (positional > 0) {
    Outcome match_args = in.GetAttr(type, "__match_args__");
    if (match_args.flow == Flow::kRaise || (match_args.ok() && positional == 1 && !type->Has(TypeFlag::kHeapType))) {
      if (positional > 1)
        return in.Break(Reason::kUnsupportedValue, "positional patterns of a class without __match_args__");
      in.s.raised = nullptr;
      attributes.push_back(subject);  // int(x), str(x) and the like bind the subject itself
    } else if (!match_args.ok()) {
      return match_args;
    } else {
      Values wanted;
      FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(match_args.value, &wanted));
      if (wanted.size() < positional)
        return in.Raise("builtins:TypeError", StrCat(TypeName(type), "() accepts ", wanted.size(), " positional sub-pattern",
                                                     wanted.size() == 1 ? "" : "s", " (", positional, " given)"));
      wanted.resize(positional);
      for (V name : wanted) {
        const Constant* text = AsConstant(in.s.Resolve(name));
        Outcome value =
            text == nullptr ? in.Break(Reason::kUnsupportedValue, "__match_args__ of no strings") : in.GetAttr(subject, text->text);
        if (value.flow == Flow::kRaise) {
          in.s.raised = nullptr;
          return Replace(f, 3, in.Done(in.s.None()));
        }
        if (!value.ok())
          return value;
        attributes.push_back(value.value);
      }
    }
  }
  Values keyword;
  FRAMEGATE_TAKE([[maybe_unused]] V none, in.ToValues(names, &keyword));
  for (V name : keyword) {
    Outcome value = in.GetAttr(subject, AsConstant(in.s.Resolve(name))->text);
    if (value.flow == Flow::kRaise) {
      in.s.raised = nullptr;
      return Replace(f, 3, in.Done(in.s.None()));
    }
    if (!value.ok())
      return value;
    attributes.push_back(value.value);
  }
  return Replace(f, 3, in.Done(in.s.Tuple(std::move(attributes))));
}

}  // namespace framegate::translator
