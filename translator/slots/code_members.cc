// What code objects say of the code they hold.
#include "translator/slots/slots.h"

namespace framegate::translator {

namespace {

// The kinds of slots (CO_FAST_*).
constexpr unsigned char kLocal = 0x20, kCell = 0x40, kFree = 0x80;

V Names(Session& s, const model::CodeImage& image, unsigned char kind) {
  Values names;
  for (size_t slot = 0; slot < image.nlocalsplus() && slot < image.localspluskinds.size(); ++slot)
    if ((static_cast<unsigned char>(image.localspluskinds[slot]) & kind) != 0)
      names.push_back(s.Str(image.localsplusnames[slot]));
  return s.Tuple(std::move(names));
}

}  // namespace

V CodeMember(Session& s, const model::CodeImage& image, std::string_view name) {
  if (name == "co_varnames")
    return Names(s, image, kLocal);
  if (name == "co_cellvars")
    return Names(s, image, kCell);
  if (name == "co_freevars")
    return Names(s, image, kFree);
  if (name == "co_nlocals")
    return s.Int(static_cast<int64_t>(As<SequenceValue>(Names(s, image, kLocal))->items.size()));
  if (name == "co_name")
    return s.Str(image.name);
  if (name == "co_qualname")
    return s.Str(image.qualname);
  if (name == "co_argcount")
    return s.Int(image.argcount);
  if (name == "co_posonlyargcount")
    return s.Int(image.posonlyargcount);
  if (name == "co_kwonlyargcount")
    return s.Int(image.kwonlyargcount);
  if (name == "co_flags")
    return s.Int(image.flags);
  return nullptr;
}

}  // namespace framegate::translator
