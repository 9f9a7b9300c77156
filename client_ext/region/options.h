// Options: of the process, set through set_option(), and of one region. GIL held.
#pragma once

#include "client_ext/pycompat/ref.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace framegate::client {

using Graphless = std::string;  // auto, always or never
using Number = uint32_t;
using Flag = bool;
using Prefixes = std::vector<std::string>;  // of co_filename: never a root
using Callback = pycompat::Ref;             // callable, or null

struct ProcessOptions {
#define FRAMEGATE_OPTION(member, name, kind, value) kind member{};
#include "client_ext/region/options.def"
#undef FRAMEGATE_OPTION
  uint64_t version = 0;  // changes with every option
};

const ProcessOptions& Options();

// New references, or null with ValueError or TypeError set. SetOption gives the value before.
PyObject* SetOption(PyObject* name, PyObject* value);
PyObject* GetOption(PyObject* name);

struct RegionOptions {
  pycompat::Ref dict;          // as it was given
  pycompat::Ref backend;       // (graph, inputs) -> callable; null: the graph's own forward
  pycompat::Ref guard_filter;  // null: none
  pycompat::Ref on_limit;      // null: none
  bool fullgraph = false;
  std::string dynamic = "auto";
  std::string name;
  std::optional<uint32_t> recompile_limit;
};

// False with an exception set.
bool ParseRegionOptions(PyObject* dict, RegionOptions* options);

}  // namespace framegate::client
