// What C descriptors (getset, member, and those of named tuples) give and take, for the slot engine's attribute algorithm.
#pragma once

#include "translator/ops/interp.h"

namespace framegate::translator {

// A class's __name__: it may have been given another than the one it was made under.
std::string NameOf(Interp& in, TypeValue* type);
// The type of a named tuple's fields: a heap type from 3.12 on, known by another module.
bool IsTupleGetter(TypeValue* kind);
// An attribute of list[int] and the like: its own, or its origin's.
Outcome AliasMember(Interp& in, ObjectValue* alias, const std::string& name, Tail tail);
// An attribute of a compiled regular expression or of a match; value null: none that it keeps itself.
Outcome RegexMember(Interp& in, ObjectValue* object, const std::string& name);
// The frame so many above the one that runs, and an attribute of one.
Outcome FrameAbove(Interp& in, int64_t depth);
Outcome FrameMember(Interp& in, ObjectValue* object, const std::string& name);
Outcome TracebackMember(Interp& in, ObjectValue* entry, const std::string& name);
// What locals() gives in a function's frame.
MappingValue* NamesOf(Session& s, const Frame& f);
// A real threading.local, or one of a subclass that looks attributes up as that does; and the dict of its attributes in this thread, null
// where it has none yet.
bool IsThreadLocal(Session& s, V object, TypeValue* type);
V LocalDict(Session& s, V local);
// object.__class__ = type.
Outcome SetClass(Interp& in, V object, V type);
// The value of a getset descriptor that the translator knows; null: unknown.
V KnownGetset(Interp& in, const std::string& name, V object);
// What a property, staticmethod or classmethod tells of its functions; value null: it tells nothing under that name.
Outcome WrapperMember(Interp& in, V wrapper, TypeValue* type, const std::string& name);
// Members of partials, functions, numbers, ranges and slices; fields of named tuples.
Outcome PartialMember(Interp& in, PartialValue* partial, const std::string& name);
Outcome FunctionMember(Interp& in, FunctionValue* function, const std::string& name);
Outcome ConstantMember(Interp& in, V object, const std::string& name);
Outcome TupleField(Interp& in, TypeValue* type, V object, const std::string& name);
// A field of a struct sequence, such as torch.return_types; null: it is none.
V NamedResult(Interp& in, TypeValue* type, V object, const std::string& name);
// Sets what was made in the frame (value null deletes).
Outcome SetGetset(Interp& in, V object, const std::string& name, V value);

}  // namespace framegate::translator
