#pragma once

#include <GA/GA_PolyCounts.h>
#include <GEO/GEO_Detail.h>

//@ include_2_g_e_o_2_g_e_o___build_primitives_8h; HDK_Sample has the same function with its source; int and
// exint are instantiated
template <typename INT_T>
GA_Offset GEObuildPrimitives(GEO_Detail* detail, const std::pair<int, exint>* primtype_count_pairs,
                             const GA_Offset init_startpt, const GA_Size npoints_per_copy,
                             const GA_PolyCounts& vertexlistsizelist, const INT_T* vertexpointnumbers,
                             const bool hassharedpoints, const exint* closed_span_lengths,
                             const exint ncopies = 1);
