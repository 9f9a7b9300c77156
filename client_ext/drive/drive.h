// `drive`, as new code calls it where its segment ends: it goes on with the frames that wait at the break, to the end of the root. GIL
// held.
#pragma once

#include "client_ext/pycompat/python.h"

#include <memory>

#include "model/entry.h"

namespace framegate::client {

struct Region;

// False with an exception set.
bool InitDriveTypes();

// A callable for one break plan. It takes, frame by frame and outermost first, function, slots and stack cells, the null sentinel for empty
// ones; then, where the break stands in a handler, one more value: the exception being handled; and for BreakKind::kRaise, last, the
// exception. For a root it runs to the root's end and returns its value. In a continuation it returns its state, which the loop that runs
// the continuation takes over. Only the entry's own code may call it. A new reference, or null with an exception set.
PyObject* NewDrive(Region* region, std::shared_ptr<const model::Entry> entry, uint32_t plan, bool continuation);

// Says which code may call it; nothing where `object` is no drive. The code outlives the drive or never runs again.
void BindDrive(PyObject* object, PyCodeObject* code);

}  // namespace framegate::client
