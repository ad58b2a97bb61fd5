// Long calls from Python: the interpreter stays free, Ctrl-C works, progress arrives.
#pragma once

#include <hackle/core/context.h>

#include <pybind11/pybind11.h>

#include <functional>

namespace hackle::python {

/// Runs `work` on a thread of its own, while the calling thread (which holds the GIL) lets go of the GIL and
/// wakes up to call `progress(stage, fraction, seconds)`, unless it is None, and to look for signals. So
/// every Python code runs on the thread that made the call: Python handles signals on its main thread only,
/// and user interfaces want to be called from theirs. Work never touches Python.
///
/// An exception from the callback or a signal handler (KeyboardInterrupt) cancels the context, waits until
/// `work` has stopped, and is passed on; so is an exception from `work`. `work` has ended when this returns,
/// however it does.
void runWatched(Context& context, const pybind11::object& progress, const std::function<void()>& work);

/// Hands what the context warned about to Python's warnings module, as hackle.Warning at the given level of
/// the stack. Throws if the user's filters turn one into an exception.
void emitWarnings(const Context& context, int stackLevel);

/// Both, with the context's warnings out also when the work failed.
void runWithWarnings(Context& context, const pybind11::object& progress, int stackLevel,
                     const std::function<void()>& work);

}  // namespace hackle::python
