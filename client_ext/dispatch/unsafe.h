// set_stance(skip_guard_eval_unsafe=True): only what has told entries apart so far is checked, and tensors among the arguments. What that
// gives up is the user's risk. GIL held; no Python code runs.
#pragma once

#include "client_ext/dispatch/site.h"

namespace framegate::client {

// As Site::Find, with the reduced checks.
Installed* FindUnsafe(Site& site, const LiveUnit& live, PyObject** kept);

}  // namespace framegate::client
