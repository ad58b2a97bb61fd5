#include <hackle/io/codec.h>

#include <hackle/io/houdini/reader.h>
#include <hackle/io/houdini/writer.h>
#include <hackle/io/vdb.h>
#include <hackle/volume/grid.h>

namespace hackle {

const std::vector<Codec>& codecs() {
  static const std::vector<Codec> kCodecs{
      {{"Houdini geometry", {"bgeo", "bgeo.sc", "bgeo.gz", "geo", "geo.sc", "geo.gz"}, true, true},
       houdini::isGeometryFile,
       houdini::readGeometryFile,
       houdini::writeGeometryFile},
      {{"OpenVDB", {"vdb"}, true, true}, isVdb, readVdbFile, writeVdbFile},
  };
  return kCodecs;
}

}  // namespace hackle
