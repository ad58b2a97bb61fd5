#include <hackle/core/error.h>
#include <hackle/geometry/unpack.h>
#include <hackle/volume/grid_names.h>
#include <sop/attribute_words.h>
#include <sop/carried_attributes.h>
#include <sop/detail_bridge.h>
#include <sop/detail_volumes.h>
#include <sop/package/element_runs.h>

#include <GA/GA_AttributeDict.h>
#include <GA/GA_EdgeGroup.h>
#include <GA/GA_GroupTable.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GA/GA_PrimitiveTypes.h>
#include <GEO/GEO_PrimPolySoup.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PrimPacked.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace hackle::houdini {

namespace {

/// The numbers of an attribute, tuple after tuple. Some elements at a time, so that their numbers stay in a
/// core's own cache while each component is read.
template <class T>
void readNumbers(const GA_Attribute& attribute, const ElementRuns& elements, T* to) {
  constexpr GA_Size kBlock = 2048;
  const int tuple = attribute.getTupleSize();
  const GA_ROHandleT<T> handle(&attribute);
  for (const ElementRuns::Run& run : elements.runs())
    for (GA_Size at = 0; at < run.count; at += kBlock) {
      const GA_Size size = std::min<GA_Size>(kBlock, run.count - at);
      for (int c = 0; c < tuple; ++c) handle.getBlock(GA_Offset(run.start + at), size, to + c, tuple, c);
      to += size * tuple;
    }
}

template <class T>
std::vector<T> readNumbers(const GA_Attribute& attribute, const ElementRuns& elements) {
  std::vector<T> values(elements.size() * static_cast<size_t>(attribute.getTupleSize()));
  readNumbers(attribute, elements, values.data());
  return values;
}

/// Strings keep Houdini's sharing: each text of the table is fetched once.
StringArray readStrings(const GA_Attribute& attribute, const ElementRuns& elements) {
  const int tuple = attribute.getTupleSize();
  const GA_ROHandleS handle(&attribute);
  std::vector<std::string> table;
  std::unordered_map<GA_StringIndexType, int32_t> known;
  std::vector<int32_t> indices;
  indices.reserve(elements.size() * static_cast<size_t>(tuple));
  GA_StringIndexType last = -1;
  int32_t lastEntry = -1;
  for (const ElementRuns::Run& run : elements.runs())
    for (GA_Size i = 0; i < run.count; ++i)
      for (int c = 0; c < tuple; ++c) {
        const GA_Offset element(run.start + i);
        const GA_StringIndexType index = handle.getIndex(element, c);
        if (index != last) {
          last = index;
          const auto [place, isNew] = known.try_emplace(index, static_cast<int32_t>(table.size()));
          if (index < 0)
            place->second = -1;
          else if (isNew)
            table.push_back(handle.get(element, c).toStdString());
          lastEntry = place->second;
        }
        indices.push_back(lastEntry);
      }
  return {std::move(table), std::move(indices)};
}

Attribute readAttribute(const GA_Attribute& source, const ElementRuns& elements) {
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

/// Houdini's own order is not documented.
template <class T>
void sortByName(std::vector<const T*>& found) {
  std::sort(found.begin(), found.end(),
            [](const T* a, const T* b) { return a->getName().toStdString() < b->getName().toStdString(); });
}

/// The groups of a table that users see.
template <class GroupType, class Table>
std::vector<const GroupType*> publicGroups(const Table& groups) {
  std::vector<const GroupType*> found;
  for (GA_GroupTable::iterator<GroupType> it = groups.beginTraverse(); !it.atEnd(); ++it)
    if (!it.group()->getInternal()) found.push_back(it.group());
  sortByName(found);
  return found;
}

/// Adds the public attributes of an owner in the order of their names; `leftOut` gets the names of those that
/// are neither numbers nor text.
void addAttributes(const GU_Detail& detail, Owner owner, const ElementRuns& elements, Geometry& geometry,
                   std::vector<std::string>& leftOut) {
  std::vector<const GA_Attribute*> found;
  const GA_AttributeDict& dict = detail.getAttributeDict(houdiniOwner(owner));
  for (GA_AttributeDict::iterator it = dict.begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) {
    const GA_Attribute* attribute = it.attrib();
    if (attribute == detail.getP()) continue;
    if (isCarried(*attribute))
      leftOut.push_back(attribute->getName().toStdString());
    else
      found.push_back(attribute);
  }
  sortByName(found);
  for (const GA_Attribute* attribute : found)
    geometry.addAttribute(owner, readAttribute(*attribute, elements));
}

void addPoints(const GU_Detail& detail, const ElementRuns& points, Geometry& geometry) {
  geometry.addPoints(points.size());
  const GA_Attribute* p = detail.getP();
  if (points.size() > 0) readNumbers<fpreal64>(*p, points, geometry.editPositions().data()->data());
  const bool isDouble = p->getAIFTuple()->getStorage(p) == GA_STORE_REAL64;
  geometry.positionFileStorage = isDouble ? Storage::Float64 : Storage::Float32;
}

class DetailReader {
 public:
  DetailReader(const GU_Detail& detail, Context& context, int input)
      : mDetail(detail), mContext(context), mInput(input) {}

  Geometry read() {
    readPoints();
    readPrimitives();
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
      readAttributes(owner);
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) {
      readGroups(owner);
      markOrigins(owner);
    }
    readEdgeGroups();
    takeGridNames(mGeometry);
    mGeometry.flipWinding();
    warnAboutLeftOut();
    return mPacked.empty() ? std::move(mGeometry) : withPacked();
  }

 private:
  void readPoints() {
    GA_Iterator points{GA_Range(mDetail.getIndexMap(GA_ATTRIB_POINT))};
    GA_Offset start, end;
    while (points.fullBlockAdvance(start, end)) mElements[kPoint].add(GA_Size(start), GA_Size(end - start));
    addPoints(mDetail, mElements[kPoint], mGeometry);
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
      case GA_PRIMVOLUME:
        return PrimitiveType::Volume;
      case GA_PRIMPOLYSOUP:
        return PrimitiveType::Polygon;
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
        else if (list.getTypeId(primitive) == GA_PRIMPOLYSOUP)
          addSoup(primitive);
        else
          addPrimitive(primitive, *kind, list.getVertexList(primitive));
      }
    flush();
  }

  /// Begins a primitive; its corners come next.
  void startPrimitive(GA_Offset primitive, PrimitiveType kind, GA_Size corners) {
    if (kind != mRunKind || kind == PrimitiveType::Volume) flush();
    mRunKind = kind;
    mElements[kPrimitive].add(GA_Size(primitive));
    mRunCounts.push_back(static_cast<int32_t>(corners));
  }

  void addCorner(GA_Offset vertex) {
    mElements[kVertex].add(GA_Size(vertex));
    mRunPoints.push_back(static_cast<int32_t>(mDetail.pointIndex(mDetail.vertexPoint(vertex))));
  }

  void addPrimitive(GA_Offset primitive, PrimitiveType kind, const GA_OffsetListRef& vertices) {
    const GA_Size count = vertices.size();
    startPrimitive(primitive, kind, count);
    for (GA_Size i = 0; i < count; ++i) addCorner(vertices(i));
    if (kind == PrimitiveType::Volume) mRunVolume = volumeOf(*mDetail.getGEOPrimitive(primitive));
  }

  /// Every polygon of a soup is one of its own, with the attributes and groups of the soup. Polygons of a
  /// soup may share vertices.
  void addSoup(GA_Offset primitive) {
    const auto& soup = static_cast<const GEO_PrimPolySoup&>(*mDetail.getGEOPrimitive(primitive));
    for (GEO_PrimPolySoup::PolygonIterator polygon(soup); !polygon.atEnd(); ++polygon) {
      const GA_Size count = polygon.getVertexCount();
      startPrimitive(primitive, PrimitiveType::Polygon, count);
      for (GA_Size i = 0; i < count; ++i) addCorner(polygon.getVertexOffset(i));
    }
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
    ElementRuns detail;
    detail.add(0);
    addAttributes(mDetail, owner, owner == Owner::Detail ? detail : mElements[index(owner)], mGeometry,
                  mLeftOutAttributes);
  }

  /// Lets elements remember where they came from, if there is something to carry along.
  void markOrigins(Owner owner) {
    if (mInput < 0 || !hasCarried(mDetail, houdiniOwner(owner))) return;
    Attribute origins(kOriginAttribute, Storage::Int64, 2);
    origins.defaults = {-1, -1};
    origins.assign<int64_t>(mElements[index(owner)].origins(mInput));
    mGeometry.addAttribute(owner, std::move(origins));
  }

  void readGroups(Owner owner) {
    const GA_ElementGroupTable& groups = mDetail.getElementGroupTable(houdiniOwner(owner));
    for (const GA_ElementGroup* group : publicGroups<GA_ElementGroup>(groups)) readGroup(owner, *group);
  }

  void readGroup(Owner owner, const GA_ElementGroup& source) {
    std::vector<int32_t>& number = mNumbers[index(owner)];
    if (number.empty()) number = mElements[index(owner)].numbers();
    std::vector<uint8_t> isMember(number.size(), 0);  // by offset
    std::vector<int32_t> order;
    GA_Iterator members{GA_Range(source)};
    GA_Offset start, end;
    while (members.fullBlockAdvance(start, end))
      for (GA_Offset member = start; member < end; ++member) {
        const size_t at = static_cast<size_t>(GA_Size(member));
        if (at >= number.size() || number[at] < 0) continue;
        isMember[at] = 1;
        if (source.isOrdered()) order.push_back(number[at]);
      }
    Group& group = mGeometry.addGroup(owner, source.getName().toStdString());
    group.bits.edit() = mElements[index(owner)].inOrder(isMember);
    if (!order.empty()) group.order = std::move(order);
  }

  void readEdgeGroups() {
    for (const GA_EdgeGroup* source : publicGroups<GA_EdgeGroup>(mDetail.edgeGroups())) {
      std::vector<Edge> edges;
      for (GA_EdgeGroup::const_iterator it = source->begin(); !it.atEnd(); ++it)
        edges.push_back({static_cast<int32_t>(mDetail.pointIndex((*it).p0())),
                         static_cast<int32_t>(mDetail.pointIndex((*it).p1()))});
      mGeometry.addEdgeGroup(source->getName().toStdString()).edges = std::move(edges);
    }
  }

  /// What is packed, unpacked behind the rest.
  Geometry withPacked() {
    std::vector<UnpackedPart> parts;
    for (const GA_Offset primitive : mPacked) {
      GU_Detail inside;
      const auto* packed = static_cast<const GU_PrimPacked*>(mDetail.getGEOPrimitive(primitive));
      if (!packed->unpack(inside))
        throw Error(ErrorCode::BadInput, fmt::format("packed primitive {} cannot be unpacked", parts.size()),
                    "put an Unpack node before");
      const GA_Offset point = mDetail.vertexPoint(mDetail.getPrimitiveList().getVertexList(primitive)(0));
      // What is packed in what is packed has no origin.
      const bool carried = mInput >= 0 && mInput < kPackedOrigin;
      const int origin = carried ? mInput + kPackedOrigin * static_cast<int>(parts.size() + 1) : -1;
      parts.push_back(
          {static_cast<int32_t>(mDetail.pointIndex(point)), fromDetail(inside, mContext, origin)});
    }
    Geometry all = withUnpacked(mGeometry, std::move(parts));
    all.positionFileStorage = mGeometry.positionFileStorage;
    return all;
  }

  void warnAboutLeftOut() {
    for (const auto& [what, count] : mLeftOut) mContext.warn(fmt::format("left out {} {}", count, what));
    if (mInput < 0 && !mLeftOutAttributes.empty())
      mContext.warn(fmt::format("attributes that are neither numbers nor text are left out: {}",
                                fmt::join(mLeftOutAttributes, ", ")));
  }

  static constexpr size_t kPoint = 0, kVertex = 1, kPrimitive = 2;
  static size_t index(Owner owner) { return static_cast<size_t>(owner); }

  const GU_Detail& mDetail;
  Context& mContext;
  const int mInput;  // -1: none
  Geometry mGeometry;
  ElementRuns mElements[3];  // by Owner
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

Geometry fromDetail(const GU_Detail& detail, Context& context, int input) {
  return DetailReader(detail, context, input).read();
}

Geometry pointsOf(const GU_Detail& detail, const std::vector<GA_Offset>& points) {
  ElementRuns elements;
  for (const GA_Offset point : points) elements.add(GA_Size(point));
  Geometry geometry;
  std::vector<std::string> leftOut;
  addPoints(detail, elements, geometry);
  addAttributes(detail, Owner::Point, elements, geometry, leftOut);
  return geometry;
}

}  // namespace hackle::houdini
