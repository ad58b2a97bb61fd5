#pragma once

#include <UT/UT_Array.h>
