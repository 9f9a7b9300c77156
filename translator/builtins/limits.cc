// torch.finfo and torch.iinfo: tables of numbers.
#include <cmath>
#include <limits>

#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

namespace {

struct FloatRow {
  std::string_view dtype;
  int64_t bits;
  double most, step, least_normal, resolution;
};

const FloatRow kFloats[] = {
    {"torch.float64", 64, std::numeric_limits<double>::max(), 0x1p-52, 0x1p-1022, 1e-15},
    {"torch.float32", 32, std::numeric_limits<float>::max(), 0x1p-23, 0x1p-126, 1e-6},
    {"torch.float16", 16, 65504.0, 0x1p-10, 0x1p-14, 1e-3},
    {"torch.bfloat16", 16, 0x1.fep127, 0x1p-7, 0x1p-126, 1e-2},
};

struct IntRow {
  std::string_view dtype;
  int64_t bits, least, most;
};

constexpr IntRow kInts[] = {
    {"torch.uint8", 8, 0, 255},
    {"torch.int8", 8, -128, 127},
    {"torch.int16", 16, -32768, 32767},
    {"torch.int32", 32, INT32_MIN, INT32_MAX},
    {"torch.int64", 64, INT64_MIN, INT64_MAX},
};

// The dtype asked about; the default one where none is given. "": not known.
std::string Wanted(Interp& in, const Args& args, bool has_default) {
  V given = !args.positional.empty() ? args.positional[0] : args.Keyword("type");
  if (given == nullptr && has_default) {
    Args none;
    Outcome dtype = BuiltinGetDefaultDtype(in, none, kSync);
    given = dtype.value;
  }
  const Constant* dtype = given == nullptr || args.positional.size() + args.keyword.size() > 1 ? nullptr : AsConstant(in.s.Resolve(given));
  return dtype != nullptr && dtype->kind == ConstantKind::kDtype ? dtype->text : "";
}

Outcome NotKnown(Interp& in) {
  return in.Break(model::Reason::kUnsupportedCall, "limits of this type");
}

ObjectValue* Made(Interp& in, const char* type, std::string_view dtype, int64_t bits) {
  auto* object = in.s.New<ObjectValue>();
  object->type = in.s.TypeOfSymbol(type);
  object->mutable_made = true;
  object->attributes.emplace_back("dtype", in.s.Str(std::string(dtype.substr(dtype.find('.') + 1))));
  object->attributes.emplace_back("bits", in.s.Int(bits));
  return object;
}

}  // namespace

Outcome BuiltinFinfo(Interp& in, Args& args, Tail) {
  std::string dtype = Wanted(in, args, true);
  for (const FloatRow& row : kFloats) {
    if (row.dtype != dtype)
      continue;
    ObjectValue* object = Made(in, "torch:finfo", dtype, row.bits);
    auto set = [&](const char* name, double value) { object->attributes.emplace_back(name, in.s.Const(Constant::Float(value))); };
    set("max", row.most);
    set("min", -row.most);
    set("eps", row.step);
    set("tiny", row.least_normal);
    set("smallest_normal", row.least_normal);
    set("resolution", row.resolution);
    return in.Done(object);
  }
  return NotKnown(in);
}

Outcome BuiltinIinfo(Interp& in, Args& args, Tail) {
  std::string dtype = Wanted(in, args, false);
  for (const IntRow& row : kInts) {
    if (row.dtype != dtype)
      continue;
    ObjectValue* object = Made(in, "torch:iinfo", dtype, row.bits);
    object->attributes.emplace_back("max", in.s.Int(row.most));
    object->attributes.emplace_back("min", in.s.Int(row.least));
    return in.Done(object);
  }
  return NotKnown(in);
}

namespace {

// The numbers of "2.13.0" or "2.13.0+cpu"; nullopt for other forms of a version.
std::optional<std::vector<int64_t>> ReleaseOf(std::string_view text, bool* local) {
  *local = text.find('+') != std::string_view::npos;
  std::vector<int64_t> numbers(1, 0);
  bool digit = false;
  for (char c : text.substr(0, text.find('+'))) {
    if (c >= '0' && c <= '9' && numbers.back() < 1'000'000) {
      numbers.back() = numbers.back() * 10 + (c - '0');
      digit = true;
    } else if (c == '.' && digit) {
      numbers.push_back(0);
      digit = false;
    } else {
      return std::nullopt;
    }
  }
  while (numbers.size() > 1 && numbers.back() == 0)
    numbers.pop_back();
  return digit ? std::optional(numbers) : std::nullopt;
}

}  // namespace

// TorchVersion with a text or a tuple of numbers, where both are releases.
Outcome BuiltinCompareVersions(Interp& in, Args& args, Tail) {
  Session& s = in.s;
  auto unknown = [&] { return in.Break(model::Reason::kUnsupportedCall, "a comparison of versions that is not modelled"); };
  if (args.positional.size() != 3 || !args.keyword.empty())
    return unknown();
  V own = s.Payload(s.Resolve(args.positional[0]));
  const Constant* text = own == nullptr ? nullptr : AsConstant(s.Resolve(own));
  const Constant* method = ConstantOf(s, args.positional[2], ConstantKind::kStr);
  Constant other;
  if (text == nullptr || !text->is_str() || method == nullptr || !ToConstant(s, args.positional[1], &other))
    return unknown();
  std::string wanted = other.text;
  if (other.kind == ConstantKind::kTuple)
    for (const Constant& item : other.items) {
      if (!item.is_int() || item.integer < 0)
        return unknown();
      wanted += StrCat(wanted.empty() ? "" : ".", item.integer);
    }
  else if (!other.is_str())
    return unknown();
  bool local = false, others_local = false;
  std::optional<std::vector<int64_t>> a = ReleaseOf(text->text, &local), b = ReleaseOf(wanted, &others_local);
  if (!a || !b || others_local)
    return unknown();
  const int order = *a < *b ? -1 : *a > *b || local ? 1 : 0;  // a local version comes after its release
  const std::string& name = method->text;
  if (name == "__gt__" || name == "__lt__")
    return in.Done(s.Bool(name == "__gt__" ? order > 0 : order < 0));
  if (name == "__ge__" || name == "__le__")
    return in.Done(s.Bool(name == "__ge__" ? order >= 0 : order <= 0));
  return name == "__eq__" ? in.Done(s.Bool(order == 0)) : unknown();
}

}  // namespace framegate::translator
