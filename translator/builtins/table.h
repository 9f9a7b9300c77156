// Which callables the translator has bodies for, which are graph nodes. Rows: builtins.def and graph_functions.def. Thread-safe: pure.
#pragma once

#include <string>
#include <string_view>

#include "translator/ops/interp.h"

namespace framegate::translator {

// A body may change `args`. Errors are the outcome's.
using BuiltinBody = Outcome (*)(Interp& in, Args& args, Tail tail);

// Null where no row has the symbol (module:qualified.name of a C callable, a Python function or a type).
// The client evaluates it on constants (model/pure_calls.def).
bool IsPureCall(std::string_view symbol);
// The function (module of framegate and name) that is inlined for a C callable; "" where there is none.
std::string_view FindPolyfill(std::string_view symbol);
std::string_view FindConsumer(std::string_view symbol);
BuiltinBody FindBuiltin(std::string_view symbol);

// What a generator of a polyfill stands for; null: it is one.
struct LazyIterator {
  std::string_view function, type, constructor;
  size_t parameters;
  bool always;
};

const LazyIterator* FindLazyIterator(std::string_view symbol);

// Raises where the C callable does not take so many arguments (arities.def).
Outcome CheckArity(Interp& in, std::string_view symbol, const Args& args);

// The break of a call that a body has no meaning for.
Outcome WrongArguments(Interp& in, const char* name);

// The body whole: where it breaks, nothing of it is done; TypeError where the function does not take such arguments.
Outcome RunWhole(Interp& in, const std::string& symbol, BuiltinBody body, Args& args, Tail tail);

// A C function that tells a part of the ambient state (ambient_queries.def), and its body.
struct AmbientQuery {
  std::string symbol;
  model::AmbientPart part;
  int place;
};

const AmbientQuery* FindAmbientQuery(std::string_view symbol);
Outcome AnswerAmbientQuery(Interp& in, const AmbientQuery& query, const Args& args);
// The same for one that sets it (ambient_setters.def).
const AmbientQuery* FindAmbientSetter(std::string_view symbol);
Outcome SetAmbientSwitch(Interp& in, const AmbientQuery& setter, Args& args);

// A callable that is called when new code runs (run_time_calls.def), and the value that stands for its result.
struct RunTimeCall {
  std::string_view symbol, self, result;
  bool raises;
};

const RunTimeCall* FindRunTimeCall(std::string_view symbol);
Outcome CallAtRunTime(Interp& in, const RunTimeCall& call, const Args& args);

// A call of it is a graph node as it stands.
bool IsGraphFunction(std::string_view symbol);
// A C method of the tensor type.
bool IsTensorMethod(std::string_view symbol);

}  // namespace framegate::translator
