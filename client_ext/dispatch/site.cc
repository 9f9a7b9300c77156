#include "client_ext/dispatch/site.h"

#include <algorithm>

namespace framegate::client {

namespace {

std::vector<PyObject*>& Kept() {
  static auto* kept = new std::vector<PyObject*>(64);
  return *kept;
}

}  // namespace

PyObject** KeptObjects() {
  return Kept().data();
}

void ReserveKept(size_t count) {
  if (count > Kept().size())
    Kept().resize(count);
}

Installed* Site::Find(const LiveFrame* frames, size_t count, PyObject** kept) noexcept {
  for (size_t i = 0; i < entries.size(); ++i) {
    Installed* candidate = entries[i].get();
    if (!candidate->checks->Passes(frames, count, kept))
      continue;
    if (i > 0)  // what is used more often comes to be tried first
      std::swap(entries[i], entries[i - 1]);
    return candidate;
  }
  return nullptr;
}

}  // namespace framegate::client
