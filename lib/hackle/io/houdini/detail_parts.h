// The parts of a detail in a Houdini file, each turned into ours by a source of its own. Internal to the
// reader.
#pragma once

#include <hackle/geometry/geometry.h>
#include <hackle/io/houdini/json.h>
#include <hackle/io/houdini/read_scope.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hackle::houdini {

/// How many elements the file has, and which of them each of ours came from. Houdini's primitives may share
/// vertices (PolySoup) or take them in any order; ours have their own, one after the other.
struct FileElements {
  size_t points = 0;
  size_t vertices = 0;
  size_t primitives = 0;
  std::vector<int32_t> vertexSource;
  std::vector<int32_t> primitiveSource;
  bool verticesMoved = false;  // false: vertexSource is 0, 1, 2, ... and nothing is left out
  bool primitivesMoved = false;

  size_t count(Owner owner) const;
  /// Null if the owner's elements are ours as they are.
  const std::vector<int32_t>* source(Owner owner) const;
};

/// Primitives of a detail, in its order.
struct PrimitiveTable {
  std::vector<PrimitiveType> types;
  std::vector<int32_t> counts;  // vertices of each
  std::vector<PackedPrimitive> packed;
  std::vector<VolumePtr> volumes;
  bool particles = false;  // particle systems were left out; their points are there
};

/// The blocks that primitives refer to by key: embedded details and voxels.
class SharedData {
 public:
  explicit SharedData(const JsonValue& list);
  /// Error(BadInput) if the file has no such block.
  JsonValue find(std::string_view key) const;

  std::map<std::string, std::shared_ptr<const Geometry>, std::less<>> details;  // those read so far
  std::map<std::string, VolumePtr, std::less<>> voxels;                         // in index space

 private:
  std::map<std::string_view, JsonValue> mBlocks;
};

/// A whole detail: the root of a file or one that a packed primitive holds. `usable` (may be null) becomes
/// false if it has primitives, but none that Geometry carries and no particles.
Geometry readDetail(const JsonValue& root, ReadScope& scope, bool* usable);

/// Numbers in any of the file's layouts (tuples, one array a component, pages): count * width of them to
/// `out`. T is float, double, int32_t or int64_t.
template <class T>
void readValues(const JsonValue& values, size_t count, size_t width, T* out);

/// Position of every point, and the storage that P had.
std::vector<Vec3> readPositions(const JsonValue& root, size_t points, Storage& storage, ReadScope& scope);
/// All attributes but P.
void readAttributes(const JsonValue& root, const FileElements& elements, Geometry& geometry,
                    ReadScope& scope);
void readGroups(const JsonValue& root, const FileElements& elements, Geometry& geometry, ReadScope& scope);

/// Volume and VDB primitives move `positions` of their point to the grid's origin, as Geometry wants it.
PrimitiveTable readPrimitives(const JsonValue& root, Span<const int32_t> vertexPoints,
                              std::vector<Vec3>& positions, FileElements& elements, ReadScope& scope);

/// One primitive's fields: alone in the file, or in a run, where some fields are common to all.
class PrimitiveFields {
 public:
  explicit PrimitiveFields(const JsonValue& body) : mOwn(body) {}
  PrimitiveFields(const JsonValue& varyingNames, const JsonValue& varying, const JsonValue& uniform)
      : mNames(varyingNames), mOwn(varying), mUniform(uniform), mInRun(true) {}
  JsonValue operator[](std::string_view name) const;

 private:
  JsonValue mNames, mOwn, mUniform;
  bool mInRun = false;
};

/// A native volume as a float grid.
VolumePtr readNativeVolume(const PrimitiveFields& fields, const Vec3& position, SharedData& shared,
                           ReadScope& scope);
/// A VDB primitive's grid, moved so that its origin is at `position`.
VolumePtr readVdbPrimitive(const PrimitiveFields& fields, const Vec3& position, ReadScope& scope);

}  // namespace hackle::houdini
