#pragma once

#include <GU/GU_Detail.h>

//@ class_g_u___detail_handle
class GU_DetailHandle {
 public:
  //@ class_g_u___detail_handle
  void allocateAndSet(GU_Detail* gdp, bool own = true) { (void)own, mDetail.reset(gdp); }
  //@ class_g_u___detail_handle
  GU_Detail* gdpNC() { return mDetail.get(); }
  const GU_Detail* gdp() const { return mDetail.get(); }
  std::shared_ptr<GU_Detail> shared() const { return mDetail; }

 private:
  std::shared_ptr<GU_Detail> mDetail;
};

//@ class_g_u___const_detail_handle
class GU_ConstDetailHandle {
 public:
  GU_ConstDetailHandle() = default;
  //@ class_g_u___const_detail_handle
  GU_ConstDetailHandle(const GU_DetailHandle& handle) : mDetail(handle.shared()) {}
  const GU_Detail* gdp() const { return mDetail.get(); }
  bool isValid() const { return mDetail != nullptr; }

 private:
  std::shared_ptr<const GU_Detail> mDetail;
};

//@ class_g_u___detail_handle_auto_read_lock
class GU_DetailHandleAutoReadLock {
 public:
  //@ class_g_u___detail_handle_auto_read_lock
  GU_DetailHandleAutoReadLock(const GU_ConstDetailHandle& handle) : mHandle(handle) {}
  //@ class_g_u___detail_handle_auto_read_lock; null for an empty handle
  const GU_Detail* getGdp() const { return mHandle.gdp(); }

 private:
  GU_ConstDetailHandle mHandle;
};
