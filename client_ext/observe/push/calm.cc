#include "client_ext/observe/push/calm.h"

#include "client_ext/pycompat/observe_dict.h"

namespace framegate::client {

namespace {

// The dict that a frame's ** parameter is bound to, made for this frame; null where it has none.
const PyDictObject* KeywordsOf(const LiveFrame& frame) {
  const PyCodeObject* code = frame.code;
  if (!frame.starts || (code->co_flags & CO_VARKEYWORDS) == 0)
    return nullptr;
  const int place = code->co_argcount + code->co_kwonlyargcount + ((code->co_flags & CO_VARARGS) != 0);
  PyObject* keywords = frame.slots[place];
  return keywords != nullptr && PyDict_CheckExact(keywords) ? reinterpret_cast<PyDictObject*>(keywords) : nullptr;
}

// The changes between the two versions, at least one, are those that made the dict: itself and each of its items. With keys that are all
// plain str no code ran meanwhile, so none of them is older.
bool AreOf(const PyDictObject* dict, uint64_t before, uint64_t now) {
  return dict != nullptr && pycompat::DictVersionField(dict) == now - 1 && DK_IS_UNICODE(dict->ma_keys) &&
         now - 1 - before == 1 + static_cast<uint64_t>(dict->ma_used);
}

}  // namespace

uint64_t CalmPeriod(const LiveFrame& frame) noexcept {
  static uint64_t last = 0, period = 1;
  const uint64_t now = pycompat::NextDictVersion();
  if (now == 0)
    return 0;
  if (now != last + 1 && !AreOf(KeywordsOf(frame), last, now))
    ++period;
  last = now;
  return period;
}

}  // namespace framegate::client
