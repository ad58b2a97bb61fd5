#pragma once

#include <GEO/GEO_Primitive.h>

//@ class_g_e_o___prim_volume
class GEO_PrimVolume : public GEO_Primitive {
 public:
  explicit GEO_PrimVolume(GA_Offset offset) : GEO_Primitive(GA_PRIMVOLUME, offset) {}
  //@ class_g_e_o___prim_volume; OpenVDB's GU_PrimVDB.cc asks it
  bool isSDF() const { return sdf; }

  // Test double only: voxels of size 1 from the origin, x fastest.
  bool sdf = false;
  int resolution[3] = {0, 0, 0};
  std::vector<float> voxels;
};
