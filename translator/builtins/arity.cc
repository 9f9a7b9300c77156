// TypeError of a C callable that is given another number of arguments than it takes, or keywords that it does not take.
#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "translator/builtins/table.h"

namespace framegate::translator {

namespace {

// How the message counts.
enum class Form : uint8_t {
  kNone,      // METH_NOARGS
  kOne,       // METH_O
  kCounted,   // _PyArg_CheckPositional
  kWrapper,   // a slot's wrapper
  kUnpacked,  // one that uses PyArg_UnpackTuple
  kAsked,     // in words that the client knows
};

struct Arity {
  Form form;
  bool keywords;
  int64_t least, most;
  std::string_view shown;
};

const Arity* Find(std::string_view symbol) {
  static const auto* table = new absl::flat_hash_map<std::string_view, Arity>{
#define FRAMEGATE_ARITY(symbol, form, keywords, least, most, shown) {symbol, {Form::k##form, keywords == 1, least, most, shown}},
#include "translator/builtins/arities.def"
#undef FRAMEGATE_ARITY
  };
  auto it = table->find(symbol);
  return it == table->end() ? nullptr : &it->second;
}

std::string Message(const Arity& arity, int64_t given) {
  switch (arity.form) {
    case Form::kNone:
      return StrCat(arity.shown, "() takes no arguments (", given, " given)");
    case Form::kOne:
      return StrCat(arity.shown, "() takes exactly one argument (", given, " given)");
    case Form::kCounted:
    case Form::kWrapper:
    case Form::kUnpacked:
    case Form::kAsked:
      break;
  }
  const int64_t wanted = given < arity.least ? arity.least : arity.most;
  const std::string_view name = arity.form == Form::kCounted ? arity.shown.substr(arity.shown.find_last_of('.') + 1) : "";
  return StrCat(name, arity.form == Form::kWrapper ? "" : " ", "expected ",
                arity.least == arity.most ? ""
                : given < arity.least     ? "at least "
                                          : "at most ",
                wanted, wanted == 1 ? " argument" : " arguments", ", got ", given);
}

}  // namespace

Outcome CheckArity(Interp& in, std::string_view symbol, const Args& args) {
  const Arity* arity = Find(symbol);
  const bool is_method = symbol.find('.', symbol.find(':')) != std::string_view::npos;
  if (arity == nullptr || (is_method && args.positional.empty()))
    return in.Done(nullptr);
  if (!args.keyword.empty() && !arity->keywords)
    return in.Raise("builtins:TypeError", StrCat(arity->form == Form::kWrapper || arity->form == Form::kUnpacked ? "wrapper " : "",
                                                 arity->shown, "() takes no keyword arguments"));
  const auto given = static_cast<int64_t>(args.positional.size()) - (is_method ? 1 : 0);
  if (given >= arity->least && (arity->most < 0 || given <= arity->most))
    return in.Done(nullptr);
  if (arity->form == Form::kAsked)
    return WrongArguments(in, std::string(symbol).c_str());
  return in.Raise("builtins:TypeError", Message(*arity, given));
}

}  // namespace framegate::translator
