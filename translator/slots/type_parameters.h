// Type variables and type aliases as the syntax of PEP 695 and 696 makes them in the frame: their bounds, constraints, defaults and values
// are computed when somebody first asks.
#pragma once

#include <string>
#include <string_view>

#include "translator/ops/interp.h"

namespace framegate::translator {

// Hints of the objects.
inline constexpr std::string_view kTypeParameter = "type_parameter";
inline constexpr std::string_view kTypeAlias = "type_alias";

// Places in `arguments` of a type parameter. A function that computes a part is followed by what it gave, null until then; both null: no
// such part.
namespace TypeParameterPart {
enum : size_t { kName = 0, kBound = 1, kConstraints = 3, kDefault = 5, kCount = 7 };
}

// Places in `arguments` of a type alias.
namespace TypeAliasPart {
enum : size_t { kName, kParameters, kCompute, kValue, kCount };
}

// `part`: kBound or kConstraints, computed by `compute`; kName: neither.
Outcome MakeTypeParameter(Interp& in, const char* type, V name, size_t part = TypeParameterPart::kName, V compute = nullptr);
Outcome SetTypeParameterDefault(Interp& in, V parameter, V compute);
// `parts`: a tuple of name, type parameters or None, function.
Outcome MakeTypeAlias(Interp& in, V parts);
// A C attribute of one; value null: the object is none, or has no such attribute of its own.
Outcome TypeParameterMember(Interp& in, V object, const std::string& name);

}  // namespace framegate::translator
