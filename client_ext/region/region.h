// A region: one compiled callable's backend and options, the entries installed for it and the decisions made. A Python object that takes
// part in garbage collection: it owns its sites, they own the live objects their entries use. GIL held.
#pragma once

#include "client_ext/pycompat/ref.h"

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "client_ext/dispatch/site.h"
#include "client_ext/region/options.h"

namespace framegate::client {

struct Region {
  PyObject_HEAD PyObject* weakrefs;
  RegionOptions options;
  absl::flat_hash_map<PyCodeObject*, std::shared_ptr<Site>> roots;        // borrowed keys: a dying code object takes its site out
  absl::flat_hash_map<std::string, std::shared_ptr<Site>> continuations;  // by the unit's encoding
};

extern PyTypeObject* region_type;

// Adds the type to the module; false with an exception set.
bool InitRegionType(PyObject* module);

inline bool IsRegion(PyObject* object) {
  return Py_IS_TYPE(object, region_type);
}

inline PyObject* AsObject(Region* region) {
  return reinterpret_cast<PyObject*>(region);
}

// Entries, decisions and history of the region; of all regions. What is running goes on.
void ResetRegion(Region* region);
void ResetAllRegions();

// The site of a continuation; made where there is none yet.
std::shared_ptr<Site> ContinuationSite(Region* region, const model::Unit& unit);

// What the daemon must know of the options to translate for this site.
model::Config ConfigOf(const Site& site);
uint32_t RecompileLimit(const Region& region);

}  // namespace framegate::client
