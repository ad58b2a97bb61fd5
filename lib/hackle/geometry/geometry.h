// Geometry: what a Houdini detail holds. Points, vertices, primitives, attributes, groups.
#pragma once

#include <hackle/core/cow_array.h>
#include <hackle/geometry/attribute.h>
#include <hackle/geometry/vec.h>
#include <hackle/geometry/volume_grid.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle {

enum class PrimitiveType : uint8_t { Polygon, Polyline, Tetrahedron, Volume, Packed };
const char* primitiveTypeName(PrimitiveType type);

/// A set of elements; bits[i] is 1 for members. Houdini's ordered groups keep their order.
struct Group {
  std::string name;
  CowArray<uint8_t> bits;
  CowArray<int32_t> order;  // members in order, or empty if the group has no order

  size_t count() const;
};

/// Edges by their two points.
struct EdgeGroup {
  std::string name;
  CowArray<Edge> edges;
};

class Geometry;

/// Geometry inside a primitive: its points are (x - pivot) * transform + P, row vectors, P its one point.
struct PackedPrimitive {
  enum class Kind { Geometry, Fragment, Disk };
  Kind kind = Kind::Geometry;
  std::shared_ptr<const Geometry> source;  // null for files on disk
  std::string fragmentAttribute;           // Fragment: the primitives whose string attribute ...
  std::string fragmentName;                // ... has this value
  std::string fileName;                    // Disk
  Mat3 transform = Mat3::Identity();       // row vectors, as Houdini has it
  Vec3 pivot = Vec3::Zero();
};

/// A plain value; copies are cheap (copy-on-write arrays). Primitive i uses the vertices
/// [firstVertex(i), firstVertex(i + 1)); vertex v sits on point vertexPoint(v). Polygons are
/// counter-clockwise seen from outside, tetrahedra have positive determinant. The point attribute P (double,
/// 3) is always there.
class Geometry {
 public:
  Geometry();

  // Counts and topology ---------------------------------------------------------------------------------
  size_t pointCount() const { return mPositions.size(); }
  size_t vertexCount() const { return mVertexPoint.size(); }
  size_t primitiveCount() const { return mPrimitiveType.size(); }
  size_t elementCount(Owner owner) const;
  bool empty() const { return pointCount() == 0 && primitiveCount() == 0; }

  PrimitiveType primitiveType(size_t primitive) const { return mPrimitiveType[primitive]; }
  size_t firstVertex(size_t primitive) const { return static_cast<size_t>(mVertexStart[primitive]); }
  size_t vertexCount(size_t primitive) const { return firstVertex(primitive + 1) - firstVertex(primitive); }
  int32_t vertexPoint(size_t vertex) const { return mVertexPoint[vertex]; }
  /// Points of a primitive's corners, in order.
  Span<const int32_t> corners(size_t primitive) const {
    return mVertexPoint.span().subspan(firstVertex(primitive), vertexCount(primitive));
  }
  const CowArray<int32_t>& vertexPoints() const { return mVertexPoint; }
  const CowArray<int32_t>& vertexStarts() const { return mVertexStart; }  // primitiveCount() + 1 of them
  const CowArray<PrimitiveType>& primitiveTypes() const { return mPrimitiveType; }
  size_t countOf(PrimitiveType type) const;

  // Points ----------------------------------------------------------------------------------------------
  const CowArray<Vec3>& positions() const { return mPositions; }
  std::vector<Vec3>& editPositions() { return mPositions.edit(); }  // keep the size
  const Vec3& position(size_t point) const { return mPositions[point]; }
  /// Storage of P in files: single or double.
  Storage positionFileStorage = Storage::Float64;
  Box3 bounds() const;

  // Building. Each grows attributes and groups with default values; all return the index of the first new
  // one.
  size_t addPoints(size_t count);
  size_t addPoint(const Vec3& position);
  size_t addPrimitive(PrimitiveType type, Span<const int32_t> points);
  size_t addPolygon(std::initializer_list<int32_t> points);
  /// Many primitives at once: counts[i] corners each, taken one after the other from `points`.
  size_t addPrimitives(PrimitiveType type, Span<const int32_t> counts, Span<const int32_t> points);
  /// `count` primitives of `corners` corners each.
  size_t addPrimitives(PrimitiveType type, size_t count, int corners, Span<const int32_t> points);
  size_t addVolume(VolumePtr grid, const Vec3& position = Vec3::Zero());
  size_t addPacked(PackedPrimitive packed, const Vec3& position);
  /// The same on a point that is already there.
  size_t addVolume(VolumePtr grid, int32_t point);
  size_t addPacked(PackedPrimitive packed, int32_t point);

  const VolumePtr& volume(size_t primitive) const;
  void setVolume(size_t primitive, VolumePtr grid);
  const PackedPrimitive& packed(size_t primitive) const;
  void setPacked(size_t primitive, PackedPrimitive packed);

  // Attributes other than P -----------------------------------------------------------------------------
  const std::vector<Attribute>& attributes(Owner owner) const {
    return mAttributes[static_cast<size_t>(owner)];
  }
  const Attribute* findAttribute(Owner owner, const std::string& name) const;
  Attribute* findAttribute(Owner owner, const std::string& name);
  /// Adds it, or replaces the one of that name; resized to the owner's element count. The reference holds
  /// until the next add or remove.
  Attribute& addAttribute(Owner owner, Attribute attribute);
  void removeAttribute(Owner owner, const std::string& name);

  // Groups ----------------------------------------------------------------------------------------------
  const std::vector<Group>& groups(Owner owner) const { return mGroups[static_cast<size_t>(owner)]; }
  const Group* findGroup(Owner owner, const std::string& name) const;
  Group* findGroup(Owner owner, const std::string& name);
  /// The group of that name, made empty if there is none.
  Group& addGroup(Owner owner, const std::string& name);
  void removeGroup(Owner owner, const std::string& name);
  const std::vector<EdgeGroup>& edgeGroups() const { return mEdgeGroups; }
  EdgeGroup& addEdgeGroup(const std::string& name);

  // Whole-geometry edits --------------------------------------------------------------------------------
  /// Turns every polygon and tetrahedron over, keeping each one's first vertex. Its own inverse.
  void flipWinding();
  /// Vertices in a new order inside primitives of the same sizes: new vertex i is old vertex order[i].
  void reorderVertices(Span<const int32_t> order);
  /// The given primitives (in that order) with the points they use (in order of first use if `keepPoints` is
  /// false; else all points). Attributes and groups come along.
  Geometry extract(Span<const int32_t> primitives, bool keepPoints = false) const;
  /// Adds another geometry; attributes and groups of either are kept, missing values are defaults. Numbers
  /// are converted to this one's storage; a detail attribute of both stays as it is here.
  void append(const Geometry& other);
  /// New points and corners: point i is old point sources[i], with its attributes and groups; vertex v sits
  /// on new point vertexPoints[v]. Splits points that occur twice in `sources`, joins those that vertices no
  /// longer use. Edge groups keep the edges of primitives that were in them.
  void replacePoints(Span<const int32_t> sources, Span<const int32_t> vertexPoints);

  /// Throws Error(Internal) if an index is out of range or a size does not fit. For tests and readers.
  void checkInvariants() const;

 private:
  void grow(Owner owner, size_t count);
  bool isBlank() const;  // nothing in it at all

  CowArray<Vec3> mPositions;
  CowArray<int32_t> mVertexPoint;
  CowArray<int32_t> mVertexStart;
  CowArray<PrimitiveType> mPrimitiveType;
  CowArray<int32_t> mContent;  // for volumes and packed primitives: index into the lists below, else -1
  CowArray<VolumePtr> mVolumes;
  CowArray<PackedPrimitive> mPacked;
  std::vector<Attribute> mAttributes[kOwnerCount];
  std::vector<Group> mGroups[kOwnerCount];
  std::vector<EdgeGroup> mEdgeGroups;
};

/// All of them in one, as if appended one after the other, but faster when there are many.
Geometry merged(Span<const Geometry> parts);

/// Replaces every packed primitive by what is in it, nested ones too, moved into place. A fragment's point
/// `name`, where there is one, becomes the primitives' `name`. Packed files on disk are an Error(BadInput).
Geometry unpacked(const Geometry& geometry);

}  // namespace hackle
