// The order in which a set that the translator has followed would be iterated in this process. GIL held.
#pragma once

#include "client_ext/pycompat/python.h"

#include "client_ext/pycompat/ref.h"
#include "model/constant.h"

namespace framegate::client {

// `history`: steps done to an empty set, each a tuple of a name and its argument: (add, element), (discard, element), (pop,), (update,
// history of another set), (const, hex id of a code object, place among its constants), (or | and | sub | xor, history): the operator, (ior
// | iand | isub | ixor, history): in place. Gives (elements in order, elements before the place where pop() looks first); false where it
// cannot be said.
bool OrderOf(const model::Constant& history, model::Constant* order);

// The set itself, a frozenset if `frozen`. Null, without an exception, where it cannot be said.
pycompat::Ref SetOf(const model::Constant& history, bool frozen);

}  // namespace framegate::client
