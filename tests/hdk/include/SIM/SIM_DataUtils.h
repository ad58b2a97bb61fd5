#pragma once

#include <SIM/SIM_Data.h>
