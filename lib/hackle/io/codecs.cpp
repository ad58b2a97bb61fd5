#include <hackle/io/codec.h>
#include <hackle/io/elmer.h>
#include <hackle/io/glb.h>
#include <hackle/io/medit.h>
#include <hackle/io/obj.h>
#include <hackle/io/off.h>
#include <hackle/io/ply.h>
#include <hackle/io/stl.h>

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
      {{"glTF", {"glb"}, true, true}, isGlb, readGlb, writeGlb},
      {{"glTF text", {"gltf"}, true, false}, nullptr, readGlb, nullptr},
      {{"PLY", {"ply", "ascii.ply", "bigendian.ply"}, true, true}, isPly, readPly, writePly},
      {{"OFF", {"off"}, true, true}, isOff, readOff, writeOff},
      {{"Medit", {"mesh"}, true, true}, isMedit, readMedit, writeMedit},
      {{"Wavefront OBJ", {"obj"}, true, true}, nullptr, readObj, writeObj},
      {{"Elmer", {"nodes", "elements", "boundary"}, true, false}, nullptr, readElmerFile, nullptr},
      // Last among those that look at the bytes: it has nothing but the size to go by.
      {{"STL", {"stl", "ascii.stl"}, true, true}, isBinaryStl, readStl, writeStl},
  };
  return kCodecs;
}

}  // namespace hackle
