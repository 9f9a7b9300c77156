// The client's gate for received bytecode: nothing of it runs before VerifyCode accepts it. Deny by default: straight-line code of the
// instructions in allowed_ops.def over {NULL, object, callable} per slot and stack cell, without cells, handlers, jumps or code constants.
// Knows no Python and no translator. Thread-safe: pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "model/entry.h"

namespace framegate::client {

// What a slot holds when the code starts. Only what is callable may be called: helpers, graphs and drive; in a forward, its globals.
enum class SlotContent : uint8_t { kEmpty, kObject, kCallable };

struct CodeLimits {
  uint32_t units = uint32_t{1} << 20;
  uint32_t rows = uint32_t{1} << 16;  // of each of: constants, names, slots, stack cells
};

// What the place that new code is for demands of it.
struct ExpectedCode {
  model::PyVersion version = model::PyVersion::k311;  // of the running interpreter
  uint32_t argcount = 0;
  uint32_t posonlyargcount = 0;
  uint32_t kwonlyargcount = 0;
  uint32_t star_flags = 0;                      // CO_VARARGS and CO_VARKEYWORDS
  std::vector<SlotContent> slots;               // of the first slots; further ones are empty
  uint32_t origin_units = 0;                    // size of the code that origins point into
  absl::flat_hash_set<std::string> globals;     // that LOAD_GLOBAL may name; none outside a forward
  absl::flat_hash_set<std::string> attributes;  // that attribute and method loads may name; none outside a forward
  CodeLimits limits;
};

// Marks the slots of an entry's links in expected->slots. InvalidArgument where two links share a slot, or one takes a full one.
absl::Status ExpectLinks(const std::vector<model::LinkSlot>& links, ExpectedCode* expected);

// What the graph of an entry allows its forward: one argument for each input, its targets as globals, the attributes its nodes name.
// REQUIRES: entry.graph.
ExpectedCode ExpectForward(const model::Entry& entry, const model::GraphBlob& graph, model::PyVersion version);

// InvalidArgument, naming rule and unit, for what is not allowed; ResourceExhausted over a limit. Linear in the code.
absl::Status VerifyCode(const model::NewCode& code, const ExpectedCode& expected);

}  // namespace framegate::client
