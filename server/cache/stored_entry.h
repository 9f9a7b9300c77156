// An entry as the cache holds it: its bytes, what is needed to choose it, and how useful it was.
// Shared between tiers, streams and threads; immutable but for the counters, which are atomic.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "model/entry.h"

namespace framegate::server {

// What entries are kept under. `hash` is model::KeyOf; `material`, its encoding, is compared byte
// for byte wherever a hash alone was used to find something.
struct CacheKey {
  Hash128 hash;
  std::string material;
};

// A hash as a store's column holds it, and back; zero for bytes of another length.
std::string_view BytesOf(const Hash128& hash);
Hash128 HashFromBytes(std::string_view bytes);

CacheKey KeyOfMaterial(const model::KeyMaterial& material);

struct StoredEntry {
  std::string bytes;    // encoded model::Entry
  Hash128 content;      // of bytes
  std::string program;  // the entry's check program
  std::string unit;     // what was translated, for people
  std::string summary;  // what the answer is, for people
  int64_t created_ms = 0;
  // Order of arrival in this daemon, from 1; 0: not in any list yet. Set once, before the entry is
  // shared.
  uint64_t sequence = 0;
  std::atomic<int64_t> used_ms{0};
  std::atomic<uint64_t> hits{0};

  size_t size() const { return sizeof(StoredEntry) + bytes.size() + program.size() + unit.size() + summary.size(); }
};

using EntryPtr = std::shared_ptr<StoredEntry>;

// `unit` names the unit for people.
EntryPtr MakeStored(const model::Entry& entry, std::string unit, int64_t now_ms);

// From bytes out of a store. InvalidArgument where they do not decode.
absl::StatusOr<EntryPtr> StoredFromBytes(std::string bytes, std::string unit, int64_t created_ms);

}  // namespace framegate::server
