// The one door of the translator: a unit, what is known of its objects and somebody to ask, to an entry. Pure but for what it asks:
// no clock, environment, locale or address has a part in the result. Thread-safe: any number of calls at once on one CodeStore.
#pragma once

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/status.h"
#include "model/entry.h"
#include "model/summary.h"

namespace framegate::translator {

// Who answers questions about objects: the client at the other end of the stream. Called from the translating thread only.
class Asker {
 public:
  virtual ~Asker() = default;
  // Unavailable or Cancelled when the client is gone; the translation ends with that status.
  virtual absl::StatusOr<model::Answers> Ask(const model::Questions& questions) = 0;
};

// Code images by id, kept for the life of the process. Thread-safe.
class CodeStore {
 public:
  // Null where unknown.
  std::shared_ptr<const model::CodeImage> Find(const model::CodeId& id) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds the image and the code nested in its constants.
  void Add(std::shared_ptr<const model::CodeImage> image) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<model::CodeId, std::shared_ptr<const model::CodeImage>> images_ ABSL_GUARDED_BY(mutex_);
};

struct Request {
  model::Unit unit;
  model::Config config;
  model::PyVersion version = model::PyVersion::k311;
  const model::Summary* summary = nullptr;  // outlives the call; of the unit's slots, stack cells, functions; ambient root included
};

// An entry (perhaps `original`) or: InvalidArgument for a request that is malformed, ResourceExhausted over a limit that must not be
// exceeded, the asker's status, Internal for a bug of ours.
absl::StatusOr<model::Entry> Translate(const Request& request, CodeStore& codes, Asker& asker);

}  // namespace framegate::translator
