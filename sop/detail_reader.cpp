#include <hackle/core/error.h>
#include <hackle/volume/grid_names.h>
#include <sop/attribute_words.h>
#include <sop/detail_bridge.h>
#include <sop/detail_volumes.h>

#include <GA/GA_AttributeDict.h>
#include <GA/GA_EdgeGroup.h>
#include <GA/GA_GroupTable.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GA/GA_PrimitiveTypes.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PrimPacked.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace hackle::houdini {

namespace {

/// Elements of an owner in Geometry's order, as runs of consecutive offsets.
struct OffsetRuns {
  struct Run {
    GA_Offset start;
    GA_Size count;
  };
  std::vector<Run> runs;
  size_t size = 0;

  void add(GA_Offset offset, GA_Size count = 1) {
    if (runs.empty() || runs.back().start + runs.back().count != offset)
      runs.push_back({offset, count});
    else
      runs.back().count += count;
    size += static_cast<size_t>(count);
  }
};

/// The numbers of an attribute, tuple after tuple. Some elements at a time, so that their numbers stay in a
/// core's own cache while each component is read.
template <class T>
void readNumbers(const GA_Attribute& attribute, const OffsetRuns& elements, T* to) {
  constexpr GA_Size kBlock = 2048;
  const int tuple = attribute.getTupleSize();
  const GA_ROHandleT<T> handle(&attribute);
  for (const OffsetRuns::Run& run : elements.runs)
    for (GA_Size at = 0; at < run.count; at += kBlock) {
      const GA_Size size = std::min(kBlock, run.count - at);
      for (int c = 0; c < tuple; ++c) handle.getBlock(run.start + at, size, to + c, tuple, c);
      to += size * tuple;
    }
}

template <class T>
std::vector<T> readNumbers(const GA_Attribute& attribute, const OffsetRuns& elements) {
  std::vector<T> values(elements.size * static_cast<size_t>(attribute.getTupleSize()));
  readNumbers(attribute, elements, values.data());
  return values;
}

/// Strings keep Houdini's sharing: each text of the table is fetched once.
StringArray readStrings(const GA_Attribute& attribute, const OffsetRuns& elements) {
  const int tuple = attribute.getTupleSize();
  const GA_ROHandleS handle(&attribute);
  std::vector<std::string> table;
  std::unordered_map<GA_StringIndexType, int32_t> known;
  std::vector<int32_t> indices;
  indices.reserve(elements.size * static_cast<size_t>(tuple));
  GA_StringIndexType last = -1;
  int32_t lastEntry = -1;
  for (const OffsetRuns::Run& run : elements.runs)
    for (GA_Size i = 0; i < run.count; ++i)
      for (int c = 0; c < tuple; ++c) {
        const GA_StringIndexType index = handle.getIndex(run.start + i, c);
        if (index != last) {
          last = index;
          const auto [place, isNew] = known.try_emplace(index, static_cast<int32_t>(table.size()));
          if (index < 0)
            place->second = -1;
          else if (isNew)
            table.push_back(handle.get(run.start + i, c).toStdString());
          lastEntry = place->second;
        }
        indices.push_back(lastEntry);
      }
  return {std::move(table), std::move(indices)};
}

Attribute readAttribute(const GA_Attribute& source, const OffsetRuns& elements) {
  const std::string name = source.getName().toStdString();
  if (GA_ATIString::isType(&source)) {
    Attribute strings(name, Storage::String, source.getTupleSize());
    strings.assignStrings(readStrings(source, elements));
    return strings;
  }
  const GA_AIFTuple* tuple = source.getAIFTuple();
  Attribute numbers(name, storageOf(tuple->getStorage(&source)), source.getTupleSize(), 0,
                    qualifierOf(source.getTypeInfo()));
  const GA_Defaults defaults = tuple->getDefaults(&source);
  for (exint i = 0; i < defaults.getTupleSize(); ++i) numbers.defaults.push_back(defaults.getF(i));
  switch (numbers.storage()) {
    case Storage::Float32:
      numbers.assign<float>(readNumbers<fpreal32>(source, elements));
      break;
    case Storage::Float64:
      numbers.assign<double>(readNumbers<fpreal64>(source, elements));
      break;
    case Storage::Int64:
      numbers.assign<int64_t>(readNumbers<int64>(source, elements));
      break;
    default:
      numbers.assign<int32_t>(readNumbers<int32>(source, elements));
  }
  return numbers;
}

class DetailReader {
 public:
  DetailReader(const GU_Detail& detail, Context& context) : mDetail(detail), mContext(context) {}

  Geometry read() {
    readPoints();
    readPrimitives();
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
      readAttributes(owner);
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) readGroups(owner);
    readEdgeGroups();
    takeGridNames(mGeometry);
    mGeometry.flipWinding();
    warnAboutLeftOut();
    return mPacked.empty() ? std::move(mGeometry) : withUnpacked();
  }

 private:
  void readPoints() {
    GA_Iterator points{GA_Range(mDetail.getIndexMap(GA_ATTRIB_POINT))};
    GA_Offset start, end;
    while (points.fullBlockAdvance(start, end)) mElements[kPoint].add(start, GA_Size(end - start));
    mGeometry.addPoints(mElements[kPoint].size);
    const GA_Attribute* p = mDetail.getP();
    if (mElements[kPoint].size > 0)
      readNumbers<fpreal64>(*p, mElements[kPoint], mGeometry.editPositions().data()->data());
    const bool isDouble = p->getAIFTuple()->getStorage(p) == GA_STORE_REAL64;
    mGeometry.positionFileStorage = isDouble ? Storage::Float64 : Storage::Float32;
  }

  /// The kind that Geometry has for it; Packed for what is taken later, nothing for the rest.
  std::optional<PrimitiveType> kindOf(GA_Offset primitive, int type) {
    switch (type) {
      case GA_PRIMPOLY:
        return mDetail.getPrimitiveList().getClosedFlag(primitive) ? PrimitiveType::Polygon
                                                                   : PrimitiveType::Polyline;
      case GA_PRIMTETRAHEDRON:
        return PrimitiveType::Tetrahedron;
      case GA_PRIMVDB:
        return PrimitiveType::Volume;
      case GA_PRIMPOLYSOUP:
        ++mLeftOut["polygon soups; put a Convert node before"];
        return std::nullopt;
      case GA_PRIMVOLUME:
        ++mLeftOut["volumes; put a Convert VDB node before"];
        return std::nullopt;
      default:
        break;
    }
    if (GU_PrimPacked::isPackedPrimitive(*mDetail.getGEOPrimitive(primitive))) return PrimitiveType::Packed;
    ++mLeftOut["primitives that are neither polygons, tetrahedra nor VDBs; put a Convert node before"];
    return std::nullopt;
  }

  void readPrimitives() {
    const GA_PrimitiveList& list = mDetail.getPrimitiveList();
    GA_Iterator blocks{GA_Range(mDetail.getIndexMap(GA_ATTRIB_PRIMITIVE))};
    GA_Offset start, end;
    while (blocks.fullBlockAdvance(start, end))
      for (GA_Offset primitive = start; primitive < end; ++primitive) {
        const std::optional<PrimitiveType> kind = kindOf(primitive, list.getTypeId(primitive));
        if (!kind) continue;
        if (*kind == PrimitiveType::Packed)
          mPacked.push_back(primitive);
        else
          addPrimitive(primitive, *kind, list.getVertexList(primitive));
      }
    flush();
  }

  void addPrimitive(GA_Offset primitive, PrimitiveType kind, const GA_OffsetListRef& vertices) {
    if (kind != mRunKind || kind == PrimitiveType::Volume) flush();
    mRunKind = kind;
    mElements[kPrimitive].add(primitive);
    const GA_Size count = vertices.size();
    mRunCounts.push_back(static_cast<int32_t>(count));
    for (GA_Size i = 0; i < count; ++i) {
      const GA_Offset vertex = vertices(i);
      mElements[kVertex].add(vertex);
      mRunPoints.push_back(static_cast<int32_t>(mDetail.pointIndex(mDetail.vertexPoint(vertex))));
    }
    if (kind == PrimitiveType::Volume) mRunVolume = volumeOf(*mDetail.getGEOPrimitive(primitive));
  }

  /// Hands the primitives of one kind that were collected to the geometry, many at once.
  void flush() {
    if (mRunCounts.empty()) return;
    if (mRunKind == PrimitiveType::Volume)
      mGeometry.addVolume(std::move(mRunVolume), mRunPoints[0]);
    else
      mGeometry.addPrimitives(mRunKind, mRunCounts, mRunPoints);
    mRunCounts.clear();
    mRunPoints.clear();
  }

  void readAttributes(Owner owner) {
    OffsetRuns detail;
    detail.add(GA_Offset(0));
    const OffsetRuns& elements = owner == Owner::Detail ? detail : mElements[index(owner)];
    std::vector<const GA_Attribute*> found;
    const GA_AttributeDict& dict = mDetail.getAttributeDict(houdiniOwner(owner));
    for (GA_AttributeDict::iterator it = dict.begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) {
      const GA_Attribute* attribute = it.attrib();
      if (attribute == mDetail.getP()) continue;
      if (GA_ATINumeric::isType(attribute) || GA_ATIString::isType(attribute))
        found.push_back(attribute);
      else
        mLeftOutAttributes.push_back(attribute->getName().toStdString());
    }
    std::sort(found.begin(), found.end(), [](const GA_Attribute* a, const GA_Attribute* b) {
      return a->getName().toStdString() < b->getName().toStdString();
    });
    for (const GA_Attribute* attribute : found)
      mGeometry.addAttribute(owner, readAttribute(*attribute, elements));
  }

  /// Number of an element in the geometry from its offset; -1 for elements that were left out.
  const std::vector<int32_t>& numbers(Owner owner) {
    std::vector<int32_t>& table = mNumbers[index(owner)];
    if (!table.empty()) return table;
    GA_Size capacity = 0;
    for (const OffsetRuns::Run& run : mElements[index(owner)].runs)
      capacity = std::max(capacity, GA_Size(run.start) + run.count);
    table.assign(static_cast<size_t>(capacity) + 1, -1);
    int32_t number = 0;
    for (const OffsetRuns::Run& run : mElements[index(owner)].runs)
      for (GA_Size i = 0; i < run.count; ++i) table[GA_Size(run.start) + i] = number++;
    return table;
  }

  void readGroups(Owner owner) {
    std::vector<const GA_ElementGroup*> found;
    const GA_ElementGroupTable& groups = mDetail.getElementGroupTable(houdiniOwner(owner));
    for (GA_GroupTable::iterator<GA_ElementGroup> it = groups.beginTraverse(); !it.atEnd(); ++it)
      if (!it.group()->getInternal()) found.push_back(it.group());
    std::sort(found.begin(), found.end(), [](const GA_ElementGroup* a, const GA_ElementGroup* b) {
      return a->getName().toStdString() < b->getName().toStdString();
    });
    for (const GA_ElementGroup* group : found) readGroup(owner, *group);
  }

  void readGroup(Owner owner, const GA_ElementGroup& source) {
    const std::vector<int32_t>& number = numbers(owner);
    Group& group = mGeometry.addGroup(owner, source.getName().toStdString());
    std::vector<uint8_t>& bits = group.bits.edit();
    std::vector<int32_t> order;
    GA_Iterator members{GA_Range(source)};
    GA_Offset start, end;
    while (members.fullBlockAdvance(start, end))
      for (GA_Offset member = start; member < end; ++member) {
        const size_t at = static_cast<size_t>(GA_Size(member));
        if (at >= number.size() || number[at] < 0) continue;
        bits[number[at]] = 1;
        if (source.isOrdered()) order.push_back(number[at]);
      }
    if (!order.empty()) group.order = std::move(order);
  }

  void readEdgeGroups() {
    std::vector<const GA_EdgeGroup*> found;
    const GA_EdgeGroupTable& groups = mDetail.edgeGroups();
    for (GA_GroupTable::iterator<GA_EdgeGroup> it = groups.beginTraverse(); !it.atEnd(); ++it)
      if (!it.group()->getInternal()) found.push_back(it.group());
    std::sort(found.begin(), found.end(), [](const GA_EdgeGroup* a, const GA_EdgeGroup* b) {
      return a->getName().toStdString() < b->getName().toStdString();
    });
    for (const GA_EdgeGroup* source : found) {
      std::vector<Edge> edges;
      for (GA_EdgeGroup::const_iterator it = source->begin(); !it.atEnd(); ++it)
        edges.push_back({static_cast<int32_t>(mDetail.pointIndex((*it).p0())),
                         static_cast<int32_t>(mDetail.pointIndex((*it).p1()))});
      mGeometry.addEdgeGroup(source->getName().toStdString()).edges = std::move(edges);
    }
  }

  /// What is packed, unpacked behind the rest; the points that held it go.
  Geometry withUnpacked() {
    std::vector<Geometry> parts;
    std::vector<uint8_t> holdsPacked(mGeometry.pointCount(), 0);
    const GA_Attribute* names = mDetail.findAttribute(GA_ATTRIB_POINT, "name");
    for (const GA_Offset primitive : mPacked) {
      const GA_Offset point = mDetail.vertexPoint(mDetail.getPrimitiveList().getVertexList(primitive)(0));
      holdsPacked[mDetail.pointIndex(point)] = 1;
      GU_Detail inside;
      const auto* packed = static_cast<const GU_PrimPacked*>(mDetail.getGEOPrimitive(primitive));
      if (!packed->unpack(inside))
        throw Error(ErrorCode::BadInput, fmt::format("packed primitive {} cannot be unpacked", parts.size()),
                    "put an Unpack node before");
      Geometry part = fromDetail(inside, mContext);
      if (GA_ATIString::isType(names)) setName(part, GA_ROHandleS(names).get(point).toStdString());
      handDown(mDetail.pointIndex(point), part);
      parts.push_back(std::move(part));
    }
    parts.insert(parts.begin(), withoutPoints(holdsPacked));
    const Storage storage = mGeometry.positionFileStorage;
    Geometry all = merged(parts);
    all.positionFileStorage = storage;
    return all;
  }

  /// What names and places a piece: of no use once it is unpacked.
  static const std::set<std::string>& spentAttributes() {
    static const std::set<std::string> kNames{"name", "orient", "pivot", "scale",    "pscale",
                                              "rot",  "trans",  "up",    "transform"};
    return kNames;
  }

  /// What a packed point says of its piece (v, active, Cd, density) goes to the points inside, unless they
  /// say it themselves. What placed the piece is spent.
  void handDown(GA_Index point, Geometry& part) const {
    for (const Attribute& source : mGeometry.attributes(Owner::Point)) {
      if (spentAttributes().count(source.name()) != 0 || part.findAttribute(Owner::Point, source.name()))
        continue;
      const std::vector<int32_t> same(part.pointCount(), static_cast<int32_t>(point));
      part.addAttribute(Owner::Point, source.gathered(same));
    }
  }

  static void setName(Geometry& part, const std::string& name) {
    if (name.empty()) return;
    Attribute& names = part.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    names.assignStrings({CowArray<std::string>{name}, std::vector<int32_t>(part.primitiveCount(), 0)});
  }

  Geometry withoutPoints(std::vector<uint8_t>& unwanted) {
    for (const int32_t point : mGeometry.vertexPoints()) unwanted[point] = 0;
    std::vector<int32_t> kept, number(mGeometry.pointCount(), -1), corners;
    for (size_t p = 0; p < unwanted.size(); ++p) {
      if (unwanted[p]) continue;
      number[p] = static_cast<int32_t>(kept.size());
      kept.push_back(static_cast<int32_t>(p));
    }
    for (const int32_t point : mGeometry.vertexPoints()) corners.push_back(number[point]);
    Geometry rest = mGeometry;
    rest.replacePoints(kept, corners);
    // Points that are gone take along what only they had: names of pieces belong to primitives.
    if (kept.empty())
      for (const std::string& name : spentAttributes()) rest.removeAttribute(Owner::Point, name);
    return rest;
  }

  void warnAboutLeftOut() {
    for (const auto& [what, count] : mLeftOut) mContext.warn(fmt::format("left out {} {}", count, what));
    if (!mLeftOutAttributes.empty())
      mContext.warn(fmt::format("attributes that are neither numbers nor text are left out: {}",
                                fmt::join(mLeftOutAttributes, ", ")));
  }

  static constexpr size_t kPoint = 0, kVertex = 1, kPrimitive = 2;
  static size_t index(Owner owner) { return static_cast<size_t>(owner); }

  const GU_Detail& mDetail;
  Context& mContext;
  Geometry mGeometry;
  OffsetRuns mElements[3];  // by Owner
  std::vector<int32_t> mNumbers[3];
  std::vector<GA_Offset> mPacked;
  std::map<std::string, size_t> mLeftOut;
  std::vector<std::string> mLeftOutAttributes;

  // Primitives of one kind that wait to be added.
  PrimitiveType mRunKind = PrimitiveType::Polygon;
  std::vector<int32_t> mRunCounts, mRunPoints;
  VolumePtr mRunVolume;
};

}  // namespace

Geometry fromDetail(const GU_Detail& detail, Context& context) {
  return DetailReader(detail, context).read();
}

}  // namespace hackle::houdini
