// AttributeErrors in CPython's words, which differ between versions.
#pragma once

#include <string>

#include "translator/ops/interp.h"

namespace framegate::translator {

// What an empty slot says of its class from 3.13 on: with its module, unless everybody knows it.
std::string FullName(Interp& in, TypeValue* type);
// As CPython's own lookups raise it: with the name, and the object that does not have it.
Outcome RaiseMissing(Interp& in, V object, const std::string& name, const std::string& text);
// An attribute that a lookup did not find. `type` may be null.
Outcome NoAttribute(Interp& in, V object, TypeValue* type, const std::string& name);
// An attribute that is to be set or deleted. Older versions do not say which it was, and 3.13 not where the dict is part of the object.
Outcome NoAttributeToChange(Interp& in, V object, TypeValue* type, const std::string& name, bool has_dict);

}  // namespace framegate::translator
