// Test double of the HDK; see tests/hdk/README.md. Lines after //@ are HDK declarations with their page.
#pragma once

#include <cstddef>
#include <cstdint>

//@ _s_y_s___types_8h
typedef int64_t exint;
typedef double fpreal;
//@ _s_y_s___types_8h
typedef float fpreal32;
//@ _s_y_s___types_8h
typedef double fpreal64;
//@ _s_y_s___types_8h
typedef int32_t int32;
//@ _s_y_s___types_8h
typedef int64_t int64;
