#pragma once

#include <GEO/GEO_PrimVDB.h>
#include <GEO/GEO_PrimVolume.h>
#include <GU/GU_Detail.h>

//@ class_g_u___prim_v_d_b
class GU_PrimVDB : public GEO_PrimVDB {
 public:
  using GEO_PrimVDB::GEO_PrimVDB;
  //@ class_g_u___prim_v_d_b; with the source in OpenVDB's GU_PrimVDB.h; further arguments have defaults. A
  // null
  // name sets none
  static GU_PrimVDB* buildFromPrimVolume(GU_Detail& geo, const GEO_PrimVolume& vol, const char* name,
                                         const bool flood_sdf = false);
};
