// Ambient state that the program reads and changes: reads are guarded, changes are nodes of the graph.
#pragma once

#include <optional>

#include "translator/values/session.h"

namespace framegate::translator {

class Interp;

// Notes what a manager of managers.def will put back. REQUIRES: it is about to be entered. Others are left alone.
void NoteManager(Session& s, V manager);

// The ambient state after the exit of a manager that was noted; null where it was not.
bool AfterManager(Session& s, V manager, Constant* ambient);

// Modes whose state lives in an object that only the graph holds: it leaves them at its end, and the frame enters them again, or leaves for
// good what it had entered before. REQUIRES: the unit ends here.
void LeaveModes(Interp& in);

}  // namespace framegate::translator
