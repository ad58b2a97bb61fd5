#pragma once

#include <GAS/GAS_SubSolver.h>
