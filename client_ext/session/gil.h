// Waiting without the GIL, with signals still heard. GIL held on entry and exit.
#pragma once

#include <Python.h>

#include <functional>

namespace framegate::client {

// Runs `wait` with the GIL given up.
void WithoutGil(const std::function<void()>& wait);

// For Patience::interrupted, within WithoutGil: takes the GIL, runs handlers of signals that have come, gives it up again. True where one
// of them raised; its exception is set.
bool SignalRaised();

}  // namespace framegate::client
