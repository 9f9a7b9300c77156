#include "client_ext/dispatch/site.h"

#include <algorithm>

namespace framegate::client {

namespace {

std::vector<PyObject*>& Kept() {
  static auto* kept = new std::vector<PyObject*>(64);
  return *kept;
}

void AddSorted(std::vector<std::string>* texts, std::string text) {
  const auto at = std::lower_bound(texts->begin(), texts->end(), text);
  if (at == texts->end() || *at != text)
    texts->insert(at, std::move(text));
}

}  // namespace

PyObject** KeptObjects() {
  return Kept().data();
}

void ReserveKept(size_t count) {
  if (count > Kept().size())
    Kept().resize(count);
}

void Site::AddDynamic(std::string subject) {
  AddSorted(&dynamic_subjects, std::move(subject));
}

void Site::AddSeparating(std::string subject) {
  AddSorted(&separating, std::move(subject));
}

void Site::Add(std::shared_ptr<Installed> entry) {
  entries.push_back(std::move(entry));
  if (entries.size() > 1 && predictor == nullptr)
    predictor = std::make_unique<Predictor>();
}

Installed* Site::Find(const LiveFrame* frames, size_t count, PyObject** kept) noexcept {
  uint64_t looks = 0;
  if (predictor != nullptr) {
    looks = LooksOf(frames[0]);
    if (Installed* guess = predictor->Guess(looks); guess != nullptr && guess->checks->Passes(frames, count, kept))
      return guess;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    Installed* candidate = entries[i].get();
    if (!candidate->checks->Passes(frames, count, kept))
      continue;
    if (predictor != nullptr)
      predictor->Learn(looks, candidate);
    if (i > 0)  // what is used more often comes to be tried first
      std::swap(entries[i], entries[i - 1]);
    return candidate;
  }
  return nullptr;
}

}  // namespace framegate::client
