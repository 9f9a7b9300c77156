#include "translator/builtins/table.h"

#include "absl/container/flat_hash_map.h"

namespace framegate::translator {

#define FRAMEGATE_BUILTIN(body, symbol) Outcome Builtin##body(Interp& in, Args& args, Tail tail);
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN

BuiltinBody FindBuiltin(std::string_view symbol) {
  static const auto* table = new absl::flat_hash_map<std::string, BuiltinBody>{
#define FRAMEGATE_BUILTIN(body, symbol) {symbol, Builtin##body},
#include "translator/builtins/builtins.def"
#undef FRAMEGATE_BUILTIN
  };
  auto it = table->find(std::string(symbol));
  return it == table->end() ? nullptr : it->second;
}

namespace {

const AmbientQuery* FindIn(const std::vector<AmbientQuery>& rows, std::string_view symbol) {
  auto it = std::find_if(rows.begin(), rows.end(), [&](const AmbientQuery& row) { return row.symbol == symbol; });
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace

const AmbientQuery* FindAmbientQuery(std::string_view symbol) {
  static const std::vector<AmbientQuery> rows = {
#define FRAMEGATE_AMBIENT_QUERY(symbol, part, place) {symbol, model::AmbientPart::part, place},
#include "translator/builtins/ambient_queries.def"
#undef FRAMEGATE_AMBIENT_QUERY
  };
  return FindIn(rows, symbol);
}

const AmbientQuery* FindAmbientSetter(std::string_view symbol) {
  static const std::vector<AmbientQuery> rows = {
#define FRAMEGATE_AMBIENT_SETTER(symbol, part, place) {symbol, model::AmbientPart::part, place},
#include "translator/builtins/ambient_setters.def"
#undef FRAMEGATE_AMBIENT_SETTER
  };
  return FindIn(rows, symbol);
}

bool IsPureCall(std::string_view symbol) {
  static constexpr std::string_view kRows[] = {
#define FRAMEGATE_PURE_CALL(symbol, growth, sets) symbol,
#include "model/pure_calls.def"
#undef FRAMEGATE_PURE_CALL
  };
  return std::find(std::begin(kRows), std::end(kRows), symbol) != std::end(kRows);
}

std::string_view FindPolyfill(std::string_view symbol) {
  static const auto* table = new absl::flat_hash_map<std::string_view, std::string_view>{
#define FRAMEGATE_POLYFILL(symbol, function) {symbol, function},
#include "translator/builtins/polyfills.def"
#undef FRAMEGATE_POLYFILL
  };
  auto it = table->find(symbol);
  return it == table->end() ? std::string_view() : it->second;
}

const LazyIterator* FindLazyIterator(std::string_view symbol) {
  static constexpr LazyIterator kRows[] = {
#define FRAMEGATE_LAZY_ITERATOR(function, type, constructor, parameters, always) {function, type, constructor, parameters, always},
#include "translator/builtins/lazy_iterators.def"
#undef FRAMEGATE_LAZY_ITERATOR
  };
  constexpr std::string_view kPackage = "framegate.";
  const auto* row = !symbol.starts_with(kPackage)
                        ? std::end(kRows)
                        : std::find_if(std::begin(kRows), std::end(kRows),
                                       [name = symbol.substr(kPackage.size())](const LazyIterator& r) { return r.function == name; });
  return row == std::end(kRows) ? nullptr : row;
}

std::string_view FindConsumer(std::string_view symbol) {
  struct Row {
    std::string_view symbol, function;
  };

  static constexpr Row kRows[] = {
#define FRAMEGATE_CONSUMER(symbol, function) {symbol, function},
#include "translator/builtins/consumers.def"
#undef FRAMEGATE_CONSUMER
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.symbol == symbol; });
  return row == std::end(kRows) ? std::string_view() : row->function;
}

bool IsGraphFunction(std::string_view symbol) {
  struct Row {
    std::string_view prefix;
    bool is_node;
  };

  static constexpr Row kRows[] = {
#define FRAMEGATE_GRAPH_FUNCTION(prefix, is_node) {prefix, is_node == 1},
#include "translator/builtins/graph_functions.def"
#undef FRAMEGATE_GRAPH_FUNCTION
  };
  for (const Row& row : kRows) {
    bool exact = row.prefix.ends_with('$');
    if (exact ? symbol == row.prefix.substr(0, row.prefix.size() - 1) : symbol.starts_with(row.prefix))
      return row.is_node;
  }
  return false;
}

bool IsTensorMethod(std::string_view symbol) {
  return symbol.starts_with("torch._C:TensorBase.") || symbol.starts_with("torch:Tensor.") || symbol.starts_with("torch._tensor:Tensor.");
}

Outcome WrongArguments(Interp& in, const char* name) {
  return in.Break(model::Reason::kUnsupportedCall, StrCat(name, " with these arguments"));
}

}  // namespace framegate::translator
