// How much memory there is.
#pragma once

namespace hackle {

/// Of this machine, in bytes; less where a limit on the address space of this process says so.
double availableMemory();

}  // namespace hackle
