#include "client_ext/region/stats.h"

#include <algorithm>
#include <array>
#include <deque>

#include "client_ext/pycompat/ref.h"

namespace framegate::client {

namespace {

using pycompat::Ref;

constexpr const char* kKeys[] = {
#define FRAMEGATE_COUNTER(name, key) key,
#include "client_ext/region/counters.def"
#undef FRAMEGATE_COUNTER
};

constexpr size_t kMaxMisses = 1000;

std::array<uint64_t, std::size(kKeys)> counts;

std::deque<MissRecord>& Misses() {
  static auto* misses = new std::deque<MissRecord>;  // never destroyed: threads may outlive the module
  return *misses;
}

PyObject* Text(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

}  // namespace

void Count(Counter counter, uint64_t by) {
  counts[static_cast<size_t>(counter)] += by;
}

void AddMiss(MissRecord record) {
  Misses().push_back(std::move(record));
  if (Misses().size() > kMaxMisses)
    Misses().pop_front();
}

std::vector<MissRecord> LastMisses(size_t count) {
  const std::deque<MissRecord>& misses = Misses();
  return {misses.end() - static_cast<ptrdiff_t>(std::min(count, misses.size())), misses.end()};
}

PyObject* StatsDict() {
  Ref dict = Ref::Steal(PyDict_New());
  for (size_t i = 0; dict && i < counts.size(); ++i) {
    const Ref value = Ref::Steal(PyLong_FromUnsignedLongLong(counts[i]));
    if (!value || PyDict_SetItemString(dict.get(), kKeys[i], value.get()) != 0)
      return nullptr;
  }
  return dict.release();
}

PyObject* MissList() {
  return MissList(Misses().size());
}

PyObject* MissList(size_t count) {
  Ref list = Ref::Steal(PyList_New(0));
  const std::deque<MissRecord>& misses = Misses();
  for (size_t i = misses.size() - std::min(count, misses.size()); list && i < misses.size(); ++i) {
    const MissRecord& miss = misses[i];
    const Ref dict = Ref::Steal(Py_BuildValue("{s:N, s:N, s:N, s:N, s:N}", "code", Text(miss.code), "entry", Text(miss.entry), "subject",
                                              Text(miss.subject), "expected", Text(miss.expected), "actual", Text(miss.actual)));
    if (!dict || PyList_Append(list.get(), dict.get()) != 0)
      return nullptr;
  }
  return list.release();
}

void ResetStats() {
  counts.fill(0);
  Misses().clear();
}

}  // namespace framegate::client
