// Subclasses of torch.Tensor that say themselves what functions of torch do to their instances.
#pragma once

#include "translator/values/session.h"

namespace framegate::translator {

// By a __torch_function__ that is neither torch's own nor the one that does nothing.
bool OverridesTorchFunction(Session& s, TypeValue* type);

// torch's C code of this method asks no __torch_function__.
bool AsksNobody(std::string_view symbol);

// Modes were active when the unit began: what graphs do they see when those run, what is answered here they do not.
bool HasRealModes(Session& s);

}  // namespace framegate::translator
