#pragma once

#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_Data.h>

//@ class_s_i_m___geometry_copy; getGeometry is of its base, SIM_Geometry
class SIM_GeometryCopy : public SIM_Data {
 public:
  SIM_GeometryCopy() { handle.allocateAndSet(new GU_Detail); }
  //@ class_s_i_m___geometry
  GU_ConstDetailHandle getGeometry() const { return handle; }

  // Test double only.
  std::unique_ptr<SIM_Data> clone() const override;
  GU_DetailHandle handle;
};

//@ class_s_i_m___geometry_auto_write_lock
class SIM_GeometryAutoWriteLock {
 public:
  //@ class_s_i_m___geometry_auto_write_lock; a further argument has a default
  SIM_GeometryAutoWriteLock(SIM_GeometryCopy* simgeo) : mDetail(*simgeo->handle.gdpNC()) {}
  ~SIM_GeometryAutoWriteLock() { mDetail.bumpAllDataIds(); }
  SIM_GeometryAutoWriteLock(const SIM_GeometryAutoWriteLock&) = delete;
  //@ class_s_i_m___geometry_auto_write_lock
  GU_Detail& getGdp() { return mDetail; }

 private:
  GU_Detail& mDetail;
};
