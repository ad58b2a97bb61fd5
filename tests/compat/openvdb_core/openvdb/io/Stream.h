// Stand-in for the archives of OpenVDB 9 to 12.
#pragma once

#include <openvdb/openvdb.h>

#include <iosfwd>

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
namespace io {

class Archive {
 public:
  Archive();
  Archive(const Archive&) = default;
  Archive& operator=(const Archive&) = default;
  virtual ~Archive();
  virtual void write(const GridCPtrVec&, const MetaMap& = MetaMap()) const {}

 protected:
  void write(std::ostream&, const GridPtrVec&, bool seekable, const MetaMap& = MetaMap()) const;
  void write(std::ostream&, const GridCPtrVec&, bool seekable, const MetaMap& = MetaMap()) const;
};

class Stream : public Archive {
 public:
  explicit Stream(std::istream&, bool delayLoad = true);
  Stream();
  explicit Stream(std::ostream&);
  ~Stream() override;
  GridPtrVecPtr getGrids();
  void write(const GridCPtrVec&, const MetaMap& = MetaMap()) const override;
};

}  // namespace io
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb
