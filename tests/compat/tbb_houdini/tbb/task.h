// Stand-in for the TBB of a Houdini, in which nobody but Houdini sets the number of threads.
#pragma once

#include "../../tbb2020/tbb/task.h"
