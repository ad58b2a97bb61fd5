#pragma once

#include <GEO/GEO_Detail.h>
#include <GEO/GEO_VolumeOptions.h>

#include <openvdb/openvdb.h>

//@ class_g_e_o___prim_v_d_b
class GEO_PrimVDB : public GEO_Primitive {
 public:
  GEO_PrimVDB(GA_Detail* detail, GA_Offset offset) : GEO_Primitive(GA_PRIMVDB, offset), mDetail(detail) {}
  //@ class_g_e_o___prim_v_d_b
  openvdb::GridBase::ConstPtr getConstGridPtr() const { return mGrid; }
  //@ class_g_e_o___prim_v_d_b; keeps a copy of the grid that shares its voxels; copyPosition moves the point
  void setGrid(const openvdb::GridBase& grid, bool copyPosition = true);
  //@ class_g_e_o___prim_v_d_b; a further argument has a default
  void setVisualization(GEO_VolumeVis vismode, fpreal iso, fpreal density) {
    visualization = vismode, (void)iso, (void)density;
  }
  //@ class_g_e_o___prim_v_d_b
  fpreal getVisIso() const { return 0; }
  //@ class_g_e_o___prim_v_d_b
  fpreal getVisDensity() const { return 1; }

  GEO_VolumeVis visualization = GEO_VOLUMEVIS_SMOKE;  // test double only

 private:
  GA_Detail* mDetail;
  openvdb::GridBase::ConstPtr mGrid;
};
