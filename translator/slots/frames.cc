// Frame objects: those that sys._getframe() gives of frames that the interpreter has.
#include "translator/slots/members.h"
#include "translator/slots/slots.h"
#include "translator/values/parts.h"

namespace framegate::translator {

using model::Reason;

namespace {

V NewFrameObject(Session& s, std::shared_ptr<Frame> frame) {
  auto* object = s.New<ObjectValue>();
  object->type = s.TypeOfSymbol("types:FrameType");
  object->hint = "frame";
  object->of_frame = std::move(frame);
  return object;
}

}  // namespace

MappingValue* NamesOf(Session& s, const Frame& f) {
  MappingValue* names = s.Dict();
  for (size_t slot = 0; slot < f.slots.size(); ++slot) {
    V value = f.slots[slot];
    constexpr unsigned char kCellOrFree = 0xc0;
    if (value != nullptr && (static_cast<unsigned char>(f.code->image->localspluskinds[slot]) & kCellOrFree) != 0)
      if (auto* cell = As<CellValue>(s.Resolve(value)))
        value = s.CellContents(cell);
    const std::string& name = f.code->image->localsplusnames[slot];
    if (value != nullptr && !name.starts_with("."))
      s.MappingSet(names, s.Str(name), value);
  }
  return names;
}

Outcome FrameAbove(Interp& in, int64_t depth) {
  const auto& frames = in.frames();
  for (size_t at = frames.size(); at-- > 0;)
    if (!frames[at]->hidden && depth-- == 0 && frames[at]->function != nullptr)
      return in.Done(NewFrameObject(in.s, frames[at]));
  return in.Break(Reason::kFrameReader, "a frame that called the compiled one");
}

Outcome FrameMember(Interp& in, ObjectValue* object, const std::string& name) {
  const Frame& f = *object->of_frame;
  if (name == "f_locals")
    return in.Done(f.locals != nullptr ? f.locals : NamesOf(in.s, f));
  if (name == "f_globals" || name == "f_code" || name == "f_builtins")
    return in.GetAttr(f.function, StrCat("__", name.substr(2), "__"));
  return in.Break(Reason::kFrameReader, StrCat("frame.", name));
}

// Lines are the client's: code that is the same may stand elsewhere.
Outcome TracebackMember(Interp& in, ObjectValue* entry, const std::string& name) {
  if (entry->place.has_value() && name == "tb_lasti")
    return in.Done(in.s.Int(int64_t{entry->place->offset} * 2));
  if (!entry->place.has_value() || name != "tb_next")
    return in.Break(Reason::kFrameReader, StrCat("traceback.", name));
  V next = entry->traceback;
  while (EntryOf(next) != nullptr && !EntryOf(next)->place.has_value())
    next = EntryOf(next)->traceback;
  return in.Done(next == nullptr ? in.s.None() : next);
}

}  // namespace framegate::translator
