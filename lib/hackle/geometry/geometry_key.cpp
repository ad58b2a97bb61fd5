#include <hackle/geometry/geometry_key.h>

#include <hackle/geometry/triangle_mesh.h>

namespace hackle {

namespace {

template <class T>
void addArray(MemoKey& key, const CowArray<T>& values) {
  key.add(values.span());
}

void addPacked(MemoKey& key, const PackedPrimitive& packed) {
  key.add(packed.kind).add(packed.fragmentAttribute).add(packed.fragmentName).add(packed.fileName);
  key.addBytes(packed.transform.data(), sizeof(double) * 9);
  addToKey(key, packed.pivot);
  if (packed.source) addToKey(key, *packed.source);
}

void addGroup(MemoKey& key, const Group& group) {
  key.add(group.name);
  addArray(key, group.bits);
  addArray(key, group.order);
}

size_t bytesOf(const Attribute& a) {
  if (a.isString()) return a.strings().indices.size() * sizeof(int32_t);
  return a.visitNumbers([](const auto& values) { return values.size() * sizeof(values[0]); });
}

}  // namespace

void addToKey(MemoKey& key, const Vec3& vector) { key.addBytes(vector.data(), 3 * sizeof(double)); }

void addToKey(MemoKey& key, const Attribute& a) {
  key.add(a.name()).add(a.storage()).add(a.tupleSize()).add(a.qualifier);
  key.add(Span<const double>(a.defaults))
      .add(a.fileStorage.has_value() ? static_cast<int>(*a.fileStorage) : -1);
  if (a.isString()) {
    key.add(a.strings().table.size());
    for (const std::string& text : a.strings().table) key.add(text);
    addArray(key, a.strings().indices);
  } else {
    a.visitNumbers([&](const auto& values) { key.add(values); });
  }
}

void addToKey(MemoKey& key, const TriangleMesh& mesh) {
  addArray(key, mesh.points);
  addArray(key, mesh.triangles);
}

void addToKey(MemoKey& key, const Geometry& g) {
  addArray(key, g.positions());
  key.add(g.positionFileStorage);
  addArray(key, g.vertexPoints());
  addArray(key, g.vertexStarts());
  addArray(key, g.primitiveTypes());
  const bool plain = g.countOf(PrimitiveType::Volume) + g.countOf(PrimitiveType::Packed) == 0;
  for (size_t p = 0; p < g.primitiveCount() && !plain; ++p) {
    if (g.primitiveType(p) == PrimitiveType::Volume) key.add(g.volume(p));
    if (g.primitiveType(p) == PrimitiveType::Packed) addPacked(key, g.packed(p));
  }
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    key.add(g.attributes(owner).size()).add(g.groups(owner).size());
    for (const Attribute& attribute : g.attributes(owner)) addToKey(key, attribute);
    for (const Group& group : g.groups(owner)) addGroup(key, group);
  }
  for (const EdgeGroup& group : g.edgeGroups()) {
    key.add(group.name);
    addArray(key, group.edges);
  }
}

size_t bytesOf(const TriangleMesh& mesh) {
  return mesh.points.size() * sizeof(Vec3) + mesh.triangles.size() * (2 * sizeof(Triangle) + sizeof(int32_t));
}

size_t bytesOf(const Geometry& g) {
  size_t bytes = g.pointCount() * sizeof(Vec3) + g.vertexCount() * sizeof(int32_t) + g.primitiveCount() * 9;
  for (int o = 0; o < kOwnerCount; ++o) {
    for (const Attribute& a : g.attributes(static_cast<Owner>(o))) bytes += bytesOf(a);
    for (const Group& group : g.groups(static_cast<Owner>(o))) bytes += group.bits.size();
  }
  return bytes;
}

}  // namespace hackle
