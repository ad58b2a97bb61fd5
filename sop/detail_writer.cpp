#include <hackle/volume/grid_names.h>
#include <sop/attribute_words.h>
#include <sop/detail_bridge.h>
#include <sop/detail_volumes.h>
#include <sop/package/blob_words.h>

#include <GA/GA_EdgeGroup.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GA/GA_PolyCounts.h>
#include <GA/GA_PrimitiveTypes.h>
#include <GEO/GEO_BuildPrimitives.h>
#include <GU/GU_Detail.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hackle::houdini {

namespace {

int houdiniType(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::Tetrahedron:
      return GA_PRIMTETRAHEDRON;
    case PrimitiveType::Volume:
      return GA_PRIMVDB;
    default:
      return GA_PRIMPOLY;
  }
}

/// Elements that go to Houdini at a time: their numbers stay in a core's own cache while each component is
/// set.
constexpr size_t kBlock = 2048;

/// Faces are turned over as they are written, so that nothing is copied as a whole.
class DetailWriter {
 public:
  DetailWriter(const Geometry& geometry, GU_Detail& detail) : mGeometry(geometry), mDetail(detail) {}

  void write() {
    mDetail.clearAndDestroy();
    writePoints();
    writePrimitives();
    // A new detail numbers its elements by offset, from the first of each block that was appended.
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
      for (const Attribute& attribute : mGeometry.attributes(owner)) writeAttribute(owner, attribute);
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive})
      for (const Group& group : mGeometry.groups(owner)) writeGroup(owner, group);
    for (const EdgeGroup& group : mGeometry.edgeGroups()) writeEdgeGroup(group);
    mDetail.bumpAllDataIds();
  }

 private:
  void writePoints() {
    GA_Attribute* p = mDetail.getP();
    p->getAIFTuple()->setStorage(p, houdiniStorage(mGeometry.positionFileStorage));
    if (mGeometry.pointCount() == 0) return;
    mFirst[0] = mDetail.appendPointBlock(static_cast<GA_Size>(mGeometry.pointCount()));
    const GA_RWHandleT<fpreal64> handle(p);
    setNumbers(handle, mFirst[0], mGeometry.positions().data()->data(), mGeometry.pointCount(), 3);
  }

  template <class T>
  static void setNumbers(const GA_RWHandleT<T>& handle, GA_Offset first, const T* values, size_t count,
                         int tuple) {
    for (size_t at = 0; at < count; at += kBlock) {
      const size_t size = std::min(kBlock, count - at);
      for (int c = 0; c < tuple; ++c)
        handle.setBlock(first + static_cast<GA_Size>(at), static_cast<GA_Size>(size),
                        values + at * static_cast<size_t>(tuple) + c, tuple, c);
    }
  }

  /// Vertices in Houdini's order: vertex i there is vertex mTurned[i] here. Faces keep their first one.
  void turnOver() {
    mTurned.resize(mGeometry.vertexCount());
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) {
      const size_t first = mGeometry.firstVertex(p), last = mGeometry.firstVertex(p + 1);
      const PrimitiveType type = mGeometry.primitiveType(p);
      for (size_t v = first; v < last; ++v)
        mTurned[v] = static_cast<int32_t>(type == PrimitiveType::Polygon && v > first ? last + first - v : v);
      if (type == PrimitiveType::Tetrahedron) std::swap(mTurned[first + 2], mTurned[first + 3]);
    }
  }

  template <class T>
  void setVertexNumbers(const GA_RWHandleT<T>& handle, const T* values, int tuple) const {
    const size_t width = static_cast<size_t>(tuple);
    std::vector<T> block(kBlock * width);
    for (size_t at = 0; at < mTurned.size(); at += kBlock) {
      const size_t size = std::min(kBlock, mTurned.size() - at);
      for (size_t i = 0; i < size; ++i)
        std::copy_n(values + static_cast<size_t>(mTurned[at + i]) * width, width, block.data() + i * width);
      setNumbers(handle, mFirst[1] + static_cast<GA_Size>(at), block.data(), size, tuple);
    }
  }

  /// All primitives in one call, in their order, whatever their types.
  void writePrimitives() {
    const size_t count = mGeometry.primitiveCount();
    if (count == 0) return;
    turnOver();
    std::vector<int32_t> corners(mTurned.size());
    for (size_t v = 0; v < corners.size(); ++v)
      corners[v] = mGeometry.vertexPoint(static_cast<size_t>(mTurned[v]));
    std::vector<std::pair<int, exint>> types;
    GA_PolyCounts sizes;
    std::vector<exint> closed{0};  // lengths of open and closed runs, open first
    for (size_t p = 0; p < count; ++p) {
      const PrimitiveType kind = mGeometry.primitiveType(p);
      const int type = houdiniType(kind);
      if (types.empty() || types.back().first != type) types.emplace_back(type, 0);
      ++types.back().second;
      sizes.append(static_cast<GA_Size>(mGeometry.vertexCount(p)));
      const bool isClosed = kind == PrimitiveType::Polygon;
      if (isClosed != (closed.size() % 2 == 0)) closed.push_back(0);
      ++closed.back();
    }
    mFirst[2] =
        GEObuildPrimitives(&mDetail, types.data(), mFirst[0], static_cast<GA_Size>(mGeometry.pointCount()),
                           sizes, corners.data(), /*hassharedpoints=*/true, closed.data());
    mFirst[1] = firstVertex(count);
    for (size_t p = 0; p < count; ++p)
      if (mGeometry.primitiveType(p) == PrimitiveType::Volume)
        setVolume(*mDetail.getGEOPrimitive(mFirst[2] + static_cast<GA_Size>(p)), *mGeometry.volume(p));
  }

  GA_Offset firstVertex(size_t primitives) const {
    for (size_t p = 0; p < primitives; ++p)
      if (mGeometry.vertexCount(p) > 0)
        return mDetail.getPrimitiveList().getVertexList(mFirst[2] + static_cast<GA_Size>(p))(0);
    return GA_Offset(0);
  }

  GA_Offset first(Owner owner) const {
    return owner == Owner::Detail ? GA_Offset(0) : mFirst[static_cast<size_t>(owner)];
  }

  void writeAttribute(Owner owner, const Attribute& source) {
    if (source.tupleSize() == 0) return;
    const UT_StringHolder name(source.name());
    if (source.isString()) {
      writeStrings(owner, source, mDetail.addStringTuple(houdiniOwner(owner), name, source.tupleSize()));
      return;
    }
    const GA_Defaults defaults =
        source.defaults.empty()
            ? GA_Defaults(0.0)
            : GA_Defaults(source.defaults.data(), static_cast<int>(source.defaults.size()));
    GA_Attribute* attribute = mDetail.addTuple(houdiniStorage(source.storage()), houdiniOwner(owner), name,
                                               source.tupleSize(), defaults);
    attribute->setTypeInfo(typeInfoOf(source.qualifier));
    const size_t count = source.elementCount();
    if (count == 0) return;
    source.visitNumbers([&](const auto& values) {
      using T = std::decay_t<decltype(values[0])>;
      const GA_RWHandleT<T> handle(attribute);
      if (owner == Owner::Vertex)
        setVertexNumbers(handle, values.data(), source.tupleSize());
      else
        setNumbers(handle, first(owner), values.data(), count, source.tupleSize());
    });
  }

  /// The first element with a text adds it to Houdini's table, the others refer to it.
  void writeStrings(Owner owner, const Attribute& source, GA_Attribute* attribute) {
    const StringArray& strings = source.strings();
    std::vector<GA_StringIndexType> entries(strings.table.size(), -1);
    const GA_RWHandleS handle(attribute);
    const int tuple = source.tupleSize();
    const size_t width = static_cast<size_t>(tuple);
    for (size_t i = 0; i < strings.indices.size(); ++i) {
      const size_t element = owner == Owner::Vertex ? static_cast<size_t>(mTurned[i / width]) : i / width;
      const int32_t entry = strings.indices[element * width + i % width];
      if (entry < 0) continue;
      const size_t text = static_cast<size_t>(entry);
      const GA_Offset offset = first(owner) + static_cast<GA_Size>(i / width);
      const int component = static_cast<int>(i % width);
      if (entries[text] >= 0) {
        handle.set(offset, component, entries[text]);
      } else {
        handle.set(offset, component, UT_StringHolder(strings.table[text]));
        entries[text] = handle.getIndex(offset, component);
      }
    }
  }

  GA_ElementGroup* newGroup(Owner owner, const std::string& name) {
    const UT_StringHolder text(name);
    if (owner == Owner::Point) return mDetail.newPointGroup(text);
    if (owner == Owner::Vertex) return mDetail.newVertexGroup(text);
    return mDetail.newPrimitiveGroup(text);
  }

  void writeGroup(Owner owner, const Group& source) {
    GA_ElementGroup* group = newGroup(owner, source.name);
    // Turning over is its own inverse.
    const auto turned = [&](size_t i) {
      return owner == Owner::Vertex ? static_cast<size_t>(mTurned[i]) : i;
    };
    if (!source.order.empty()) {
      group->makeOrdered();
      for (const int32_t member : source.order)
        group->addOffset(first(owner) + static_cast<GA_Size>(turned(static_cast<size_t>(member))));
      return;
    }
    const GA_IndexMap& map = mDetail.getIndexMap(houdiniOwner(owner));
    const size_t count = source.bits.size();
    for (size_t begin = 0; begin < count; ++begin) {
      if (!source.bits[turned(begin)]) continue;
      size_t end = begin;
      while (end < count && source.bits[turned(end)]) ++end;
      group->addRange(GA_Range(map, first(owner) + static_cast<GA_Size>(begin),
                               first(owner) + static_cast<GA_Size>(end)));
      begin = end;
    }
  }

  void writeEdgeGroup(const EdgeGroup& source) {
    GA_EdgeGroup* group = mDetail.newEdgeGroup(UT_StringHolder(source.name));
    for (const Edge& edge : source.edges)
      group->add(GA_Edge(first(Owner::Point) + GA_Size(edge[0]), first(Owner::Point) + GA_Size(edge[1])));
  }

  const Geometry& mGeometry;
  GU_Detail& mDetail;
  std::vector<int32_t> mTurned;                                      // by vertex
  GA_Offset mFirst[3] = {GA_Offset(0), GA_Offset(0), GA_Offset(0)};  // by Owner
};

const char* const kBlobKind = "hackle_data_kind";

}  // namespace

const char* const kDataAttribute = "hackle_data";

void toDetail(const Geometry& geometry, GU_Detail& detail) {
  Geometry plain = geometry.countOf(PrimitiveType::Packed) == 0 ? geometry : unpacked(geometry);
  plain.positionFileStorage = geometry.positionFileStorage;
  giveGridNames(plain);
  DetailWriter(plain, detail).write();
}

void blobToDetail(const Blob& blob, GU_Detail& detail) {
  detail.clearAndDestroy();
  const std::vector<int32_t> packed = blobWords(blob.bytes.span());
  UT_Int32Array words;
  words.setSize(static_cast<exint>(packed.size()));
  std::copy(packed.begin(), packed.end(), words.getArray());
  GA_Attribute* data = detail.addIntArray(GA_ATTRIB_GLOBAL, kDataAttribute);
  data->getAIFNumericArray()->set(data, GA_Offset(0), words);
  GA_RWHandleS(detail.addStringTuple(GA_ATTRIB_GLOBAL, kBlobKind, 1))
      .set(GA_Offset(0), UT_StringHolder(blob.kind));
  detail.bumpAllDataIds();
}

Blob blobFromDetail(const GU_Detail& detail) {
  const GA_Attribute* data = detail.findAttribute(GA_ATTRIB_GLOBAL, kDataAttribute);
  const GA_Attribute* kind = detail.findAttribute(GA_ATTRIB_GLOBAL, kBlobKind);
  UT_Int32Array words;
  const bool read = data && data->getAIFNumericArray() && GA_ATIString::isType(kind) &&
                    data->getAIFNumericArray()->get(data, GA_Offset(0), words);
  const std::vector<uint8_t> bytes =
      blobBytes({words.getArray(), read ? static_cast<size_t>(words.size()) : 0});
  return {GA_ROHandleS(kind).get(GA_Offset(0)).toStdString(), bytes};
}

}  // namespace hackle::houdini
