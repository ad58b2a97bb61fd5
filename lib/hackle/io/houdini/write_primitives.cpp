#include <hackle/geometry/fragment_index.h>
#include <hackle/io/houdini/detail_writer.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hackle::houdini {

namespace {

constexpr size_t kVdbTile = size_t(1) << 16;  // bytes of an OpenVDB stream in one array

const char* packedTypeName(PackedPrimitive::Kind kind) {
  switch (kind) {
    case PackedPrimitive::Kind::Fragment:
      return "PackedFragment";
    case PackedPrimitive::Kind::Disk:
      return "PackedDisk";
    default:
      return "PackedGeometry";
  }
}

class PrimitiveWriter {
 public:
  PrimitiveWriter(const Geometry& geometry, JsonWriter& out, Context& context)
      : mGeometry(geometry), mOut(out), mContext(context) {}

  void write() {
    mOut.word("primitives");
    mOut.beginArray();
    for (size_t first = 0; first < mGeometry.primitiveCount();) {
      mContext.checkCancel();
      const size_t last = runEnd(first);
      mOut.beginArray();
      switch (mGeometry.primitiveType(first)) {
        case PrimitiveType::Volume:
          writeVdb(first);
          break;
        case PrimitiveType::Packed:
          writePackedRun(first, last);
          break;
        default:
          writeFaces(first, last);
      }
      mOut.endArray();
      first = last;
    }
    mOut.endArray();
  }

  void writeShared() {
    if (mSources.empty()) return;
    mOut.word("sharedprimitivedata");
    mOut.forgetWords();
    mOut.beginArray();
    for (const auto& [kind, source] : mSources) {
      mOut.word(packedTypeName(kind));
      mOut.beginArray();
      mOut.word("gu:embeddedgeo");
      mOut.word(mKeys.at({kind, source.get()}));
      mOut.forgetWords();
      writeDetail(*source, mOut, mContext);
      mOut.forgetWords();
      mOut.endArray();
    }
    mOut.endArray();
  }

 private:
  /// One past the last primitive that is written in one record with `first`.
  size_t runEnd(size_t first) const {
    const PrimitiveType type = mGeometry.primitiveType(first);
    size_t last = first + 1;
    if (type == PrimitiveType::Volume) return last;
    while (last < mGeometry.primitiveCount() && mGeometry.primitiveType(last) == type &&
           (type != PrimitiveType::Packed || mGeometry.packed(last).kind == mGeometry.packed(first).kind))
      ++last;
    return last;
  }

  void writeFaces(size_t first, size_t last) {
    const PrimitiveType type = mGeometry.primitiveType(first);
    const bool binary = mOut.binary();
    const char* name = type == PrimitiveType::Polygon    ? (binary ? "p_r" : "Polygon_run")
                       : type == PrimitiveType::Polyline ? (binary ? "c_r" : "PolygonCurve_run")
                                                         : (binary ? "t_r" : "Tetrahedron_run");
    mOut.beginArray();
    mOut.field("type", name);
    mOut.endArray();
    mOut.beginArray();
    mOut.field(binary ? "s_v" : "startvertex", static_cast<int64_t>(mGeometry.firstVertex(first)));
    mOut.field(binary ? "n_p" : "nprimitives", static_cast<int64_t>(last - first));
    if (type != PrimitiveType::Tetrahedron) writeFaceSizes(first, last);
    mOut.endArray();
  }

  void writeFaceSizes(size_t first, size_t last) {
    std::vector<int32_t> runs;
    for (size_t p = first; p < last && runs.size() <= last - first; ++p) {
      const int32_t size = static_cast<int32_t>(mGeometry.vertexCount(p));
      if (runs.empty() || runs[runs.size() - 2] != size) runs.insert(runs.end(), {size, 0});
      ++runs.back();
    }
    const bool binary = mOut.binary();
    if (runs.size() <= last - first || last - first == 1) {
      mOut.word(binary ? "r_v" : "nvertices_rle");
      return mOut.numbers(Span<const int32_t>(runs));
    }
    std::vector<int32_t> sizes(last - first);
    for (size_t p = first; p < last; ++p) sizes[p - first] = static_cast<int32_t>(mGeometry.vertexCount(p));
    mOut.word(binary ? "n_v" : "nvertices");
    mOut.numbers(Span<const int32_t>(sizes));
  }

  void writePackedRun(size_t first, size_t last) {
    mOut.beginArray();
    mOut.field("type", "run");
    mOut.field("runtype", packedTypeName(mGeometry.packed(first).kind));
    mOut.word("varyingfields");
    mOut.beginArray();
    for (const char* name : {"parameters", "pivot", "transform", "vertex"}) mOut.word(name);
    mOut.endArray();
    mOut.word("uniformfields");
    mOut.beginMap();
    mOut.field("viewportlod", "full");
    mOut.endMap();
    mOut.endArray();
    mOut.beginArray();
    for (size_t p = first; p < last; ++p) writePacked(p);
    mOut.endArray();
  }

  void writePacked(size_t primitive) {
    const PackedPrimitive& packed = mGeometry.packed(primitive);
    mOut.beginArray();
    mOut.beginMap();
    writeParameters(packed);
    mOut.endMap();
    mOut.numbers(Span<const double>(packed.pivot.data(), 3));
    const Mat3 rowMajor = packed.transform.transpose();  // Eigen stores columns
    mOut.numbers(Span<const double>(rowMajor.data(), 9));
    mOut.integer(static_cast<int64_t>(mGeometry.firstVertex(primitive)));
    mOut.endArray();
  }

  void writeParameters(const PackedPrimitive& packed) {
    if (packed.kind == PackedPrimitive::Kind::Disk) {
      mOut.field("expandfilename", false);
      mOut.field("expandframe", int64_t(1));
      mOut.word("filename");
      mOut.text(packed.fileName);
    } else {
      mOut.field("embedded", keyOf(packed));
    }
    if (packed.kind == PackedPrimitive::Kind::Fragment) {
      mOut.field("attribute", packed.fragmentAttribute);
      mOut.word("bounds");
      writeBounds(fragmentBounds(packed));
      mOut.word("name");
      mOut.text(packed.fragmentName);
    }
    mOut.field("pointinstancetransform", false);
  }

  std::string keyOf(const PackedPrimitive& packed) {
    const auto [known, isNew] = mKeys.try_emplace({packed.kind, packed.source.get()}, std::string());
    if (isNew) {
      known->second = fmt::format("embed:{:016x}", mSources.size() + 1);
      mSources.push_back({packed.kind, packed.source});
    }
    return known->second;
  }

  Box3 fragmentBounds(const PackedPrimitive& packed) {
    std::unique_ptr<FragmentIndex>& index = mIndices[{packed.source.get(), packed.fragmentAttribute}];
    if (!index) index = std::make_unique<FragmentIndex>(*packed.source, packed.fragmentAttribute);
    Box3 box;
    for (const int32_t primitive : index->members(packed.fragmentName))
      for (const int32_t point : packed.source->corners(static_cast<size_t>(primitive)))
        box.add(packed.source->position(static_cast<size_t>(point)));
    return box;
  }

  /// Houdini's order: xmin, xmax, ymin, ymax, zmin, zmax.
  void writeBounds(const Box3& box) {
    double bounds[6] = {};
    if (!box.empty())
      for (int axis = 0; axis < 3; ++axis) {
        bounds[2 * axis] = box.min[axis];
        bounds[2 * axis + 1] = box.max[axis];
      }
    mOut.numbers(Span<const double>(bounds, 6));
  }

  void writeVdb(size_t primitive) {
    const VolumeGrid& grid = *mGeometry.volume(primitive);
    mOut.beginArray();
    mOut.field("type", "VDB");
    mOut.endArray();
    mOut.beginArray();
    mOut.field("vertex", static_cast<int64_t>(mGeometry.firstVertex(primitive)));
    mOut.word("vdb");
    mOut.beginArray();
    mOut.beginMap();
    mOut.field("tilesize", static_cast<int64_t>(kVdbTile));
    mOut.endMap();
    const std::string bytes = gridToBytes(grid);
    for (size_t at = 0; at < bytes.size(); at += kVdbTile)
      mOut.numbers(Span<const uint8_t>(reinterpret_cast<const uint8_t*>(bytes.data()) + at,
                                       std::min(kVdbTile, bytes.size() - at)));
    mOut.endArray();
    mOut.word("vdbvis");
    mOut.beginMap();
    mOut.field("mode", grid.gridClass() == "level set" ? "iso" : "smoke");
    mOut.word("iso");
    mOut.real(0);
    mOut.word("density");
    mOut.real(1);
    mOut.endMap();
    mOut.endArray();
  }

  const Geometry& mGeometry;
  JsonWriter& mOut;
  Context& mContext;
  using Source = std::pair<PackedPrimitive::Kind, const Geometry*>;
  std::map<Source, std::string> mKeys;
  std::vector<std::pair<PackedPrimitive::Kind, std::shared_ptr<const Geometry>>> mSources;  // in order of use
  std::map<std::pair<const Geometry*, std::string>, std::unique_ptr<FragmentIndex>> mIndices;
};

}  // namespace

void writePrimitives(const Geometry& geometry, JsonWriter& out, Context& context) {
  PrimitiveWriter writer(geometry, out, context);
  writer.write();
  writeGroups(geometry, out, context);
  writer.writeShared();
}

}  // namespace hackle::houdini
