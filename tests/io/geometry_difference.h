// Field by field comparison of two geometries, for round trips.
#pragma once

#include <hackle/geometry/geometry.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <string>

namespace hackle::test {

/// The first difference in words, or "" if there is none. Embedded geometries and voxels are compared too.
inline std::string difference(const Geometry& a, const Geometry& b);

inline std::string packedDifference(const PackedPrimitive& a, const PackedPrimitive& b) {
  if (a.kind != b.kind) return "kind";
  if (a.fragmentAttribute != b.fragmentAttribute || a.fragmentName != b.fragmentName) return "fragment";
  if (a.fileName != b.fileName) return "file name";
  if (a.transform != b.transform || a.pivot != b.pivot) return "transform";
  if ((a.source == nullptr) != (b.source == nullptr)) return "presence of its source";
  if (!a.source) return "";
  const std::string inside = difference(*a.source, *b.source);
  return inside.empty() ? "" : "source, " + inside;
}

inline std::string difference(const Geometry& a, const Geometry& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
  };
  if (!same(a.positions(), b.positions())) return "positions";
  if (a.positionFileStorage != b.positionFileStorage) return "storage of P";
  if (!same(a.vertexPoints(), b.vertexPoints())) return "vertices";
  if (!same(a.vertexStarts(), b.vertexStarts())) return "sizes of primitives";
  if (!same(a.primitiveTypes(), b.primitiveTypes())) return "types of primitives";
  for (size_t p = 0; p < a.primitiveCount(); ++p) {
    if (a.primitiveType(p) == PrimitiveType::Packed) {
      const std::string d = packedDifference(a.packed(p), b.packed(p));
      if (!d.empty()) return fmt::format("packed primitive {}: {}", p, d);
    }
    if (a.primitiveType(p) == PrimitiveType::Volume && gridToBytes(*a.volume(p)) != gridToBytes(*b.volume(p)))
      return fmt::format("volume {}", p);
  }
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    if (a.attributes(owner).size() != b.attributes(owner).size())
      return fmt::format("number of {} attributes", ownerName(owner));
    for (size_t i = 0; i < a.attributes(owner).size(); ++i) {
      const Attribute &x = a.attributes(owner)[i], &y = b.attributes(owner)[i];
      if (!(x == y)) return fmt::format("{} attribute {}", ownerName(owner), x.name());
      if (x.qualifier != y.qualifier || x.defaults != y.defaults)
        return fmt::format("qualifier or defaults of {} attribute {}", ownerName(owner), x.name());
    }
    if (a.groups(owner).size() != b.groups(owner).size())
      return fmt::format("number of {} groups", ownerName(owner));
    for (size_t i = 0; i < a.groups(owner).size(); ++i) {
      const Group &x = a.groups(owner)[i], &y = b.groups(owner)[i];
      if (x.name != y.name || !same(x.bits, y.bits) || !same(x.order, y.order))
        return fmt::format("{} group {}", ownerName(owner), x.name);
    }
  }
  if (a.edgeGroups().size() != b.edgeGroups().size()) return "number of edge groups";
  for (size_t i = 0; i < a.edgeGroups().size(); ++i)
    if (a.edgeGroups()[i].name != b.edgeGroups()[i].name ||
        !same(a.edgeGroups()[i].edges, b.edgeGroups()[i].edges))
      return fmt::format("edge group {}", a.edgeGroups()[i].name);
  return "";
}

}  // namespace hackle::test
