// What is kept with a code object, in its extra slot, and dies with it: its sites as a root (owned by their regions) and patched copies of
// it. GIL held.
#pragma once

#include "client_ext/pycompat/code.h"
#include "client_ext/pycompat/ref.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client_ext/dispatch/site.h"

namespace framegate::client {

class CodeExtra {
 public:
  explicit CodeExtra(PyCodeObject* code) : code_(code) {}

  // False, with an exception set, where no extra slot is left.
  static bool Init();

  // The code's site as a root in the region; null where there is none yet.
  static Site* FindSite(const PyCodeObject* code, const Region* region) {
    const auto* extra = static_cast<const CodeExtra*>(pycompat::ExtraOf(code, index_));
    if (extra != nullptr)
      for (const auto& [owner, site] : extra->sites_)
        if (owner == region)
          return site;
    return nullptr;
  }

  // Makes one that the region owns; null where memory is short.
  static Site* AddSite(PyCodeObject* code, Region* region);
  // The region's site is gone.
  static void RemoveSite(PyCodeObject* code, const Region* region);

  // Copies of the code that handle no exceptions, kept from call to call. Borrowed; null with an exception set.
  static PyCodeObject* WithoutHandlers(PyCodeObject* code);
  // At `offset` it returns the top `count` stack cells as a tuple.
  static PyCodeObject* StoppingAt(PyCodeObject* code, uint32_t offset, uint32_t count);
  // At `offset` it calls the callable that the two top stack cells are, without arguments, and returns what that gives.
  static PyCodeObject* CallingAt(PyCodeObject* code, uint32_t offset);

 private:
  enum class Patch : uint8_t { kNone, kStop, kCall };

  static CodeExtra* Of(PyCodeObject* code);
  static PyCodeObject* Patched(PyCodeObject* code, Patch patch, uint32_t offset, uint8_t count, std::string_view instructions);
  static void Free(void* extra);

  static inline int index_ = -1;
  PyCodeObject* code_;  // its owner
  std::vector<std::pair<Region*, Site*>> sites_;
  absl::flat_hash_map<uint64_t, pycompat::Ref> patched_;  // by kind, count and offset
};

}  // namespace framegate::client
