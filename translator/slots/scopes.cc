// Which module's forward is running, for the graph's nodes.
#include "translator/slots/slots.h"

namespace framegate::translator {

void Interp::EnterScope(Frame& frame, V module) {
  std::vector<std::vector<std::string>> slot_names;
  for (const model::UnitFrame& unit_frame : s.request().unit.frames) {
    std::shared_ptr<const DecodedCode> code = s.CodeOf(unit_frame.code);
    slot_names.push_back(code == nullptr ? std::vector<std::string>{} : code->image->localsplusnames);
  }
  TypeValue* type = s.TypeOf(module);
  frame.module_stack = s.graph().AddScope({.parent = frame.module_stack,
                                           .path = SubjectPath(s.subjects().nodes(), module->subject, slot_names),
                                           .type = type == nullptr ? "" : type->symbol});
}

}  // namespace framegate::translator
