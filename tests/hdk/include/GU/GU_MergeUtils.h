#pragma once

#include <GU/GU_Detail.h>

//@ _g_u___merge_utils_8h; attributes that either detail lacks are added
bool GUmatchAttributesAndMerge(GU_Detail& dest, GU_Detail& src);
