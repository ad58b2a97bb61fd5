// Behaviour of the double's details: enough to build, read, copy and unpack them.
#include <GA/GA_Handle.h>
#include <GEO/GEO_BuildPrimitives.h>
#include <GU/GU_MergeUtils.h>
#include <GU/GU_PackedGeometry.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

GA_Size GA_Detail::gap = 0;

GA_Offset GA_IndexMap::append(GA_Size count, GA_Size holes) {
  const GA_Offset first = capacity + holes;
  indices.resize(static_cast<size_t>(first), -1);
  indices.resize(static_cast<size_t>(first + count));
  std::iota(indices.begin() + first, indices.end(), static_cast<GA_Index>(offsets.size()));
  const size_t old = offsets.size();
  offsets.resize(old + static_cast<size_t>(count));
  std::iota(offsets.begin() + static_cast<std::ptrdiff_t>(old), offsets.end(), first);
  capacity = first + count;
  return first;
}

void GA_IndexMap::reverse() {
  std::reverse(offsets.begin(), offsets.end());
  for (size_t i = 0; i < offsets.size(); ++i) indices[offsets[i]] = static_cast<GA_Index>(i);
}

GA_Range::GA_Range(const GA_IndexMap& map, GA_Offset start, GA_Offset end) {
  for (GA_Offset o = start; o < end; ++o)
    if (map.indices[o] >= 0) mOffsets.push_back(o);
}

GA_Range::GA_Range(const GA_ElementGroup& group, bool complement)
    : mOffsets(group.members(!group.isOrdered())) {
  if (complement) throw std::logic_error("the double has no complements");
}

bool GA_Iterator::fullBlockAdvance(GA_Offset& start, GA_Offset& end) {
  if (mAt >= mOffsets.size()) return false;
  start = mOffsets[mAt];
  end = start;
  while (mAt < mOffsets.size() && mOffsets[mAt] == end) ++mAt, ++end;
  return true;
}

void GA_ElementGroup::addOffset(GA_Offset ai) {
  const size_t at = static_cast<size_t>(ai);
  if (at >= mBits.size()) mBits.resize(at + 1, 0);
  if (!mBits[at]) mOrder.push_back(ai);
  mBits[at] = 1;
}

void GA_ElementGroup::addRange(const GA_Range& it) {
  for (const GA_Offset o : it.offsets()) addOffset(o);
}

std::vector<GA_Offset> GA_ElementGroup::members(bool sorted) const {
  std::vector<GA_Offset> list = mOrder;
  if (sorted) std::sort(list.begin(), list.end());
  return list;
}

// Attributes
// --------------------------------------------------------------------------------------------------

namespace {

template <class T>
void convertTo(GA_Attribute::Data& data) {
  std::vector<T> out;
  std::visit(
      [&](const auto& in) {
        using S = typename std::decay_t<decltype(in)>::value_type;
        if constexpr (std::is_arithmetic_v<S>)
          for (const S v : in) out.push_back(static_cast<T>(v));
      },
      data);
  data = std::move(out);
}

void setData(GA_Attribute& a, GA_Storage storage) {
  a.storage = storage;
  if (a.isArray)
    a.data = std::vector<UT_Array<int32>>();
  else if (storage == GA_STORE_REAL64)
    convertTo<fpreal64>(a.data);
  else if (storage == GA_STORE_REAL32 || storage == GA_STORE_REAL16)
    convertTo<fpreal32>(a.data);
  else if (storage == GA_STORE_INT64)
    convertTo<int64>(a.data);
  else
    convertTo<int32>(a.data);
}

}  // namespace

GA_Attribute::GA_Attribute(const char* name, GA_Storage storage, int tuple, bool string, bool array)
    : storage(storage), tuple(tuple), isString(string), isArray(array), mName(name) {
  setData(*this, storage);
}

void GA_Attribute::resize(GA_Offset capacity) {
  const size_t values = static_cast<size_t>(capacity) * static_cast<size_t>(isArray ? 1 : tuple);
  std::visit(
      [&](auto& data) {
        using T = typename std::decay_t<decltype(data)>::value_type;
        const size_t old = data.size();
        data.resize(values);
        if constexpr (std::is_arithmetic_v<T>)
          if (isString || !defaults.isZero())
            for (size_t i = old; i < values; ++i)
              data[i] =
                  isString
                      ? static_cast<T>(-1)
                      : static_cast<T>(defaults.getF(static_cast<exint>(i % static_cast<size_t>(tuple))));
      },
      data);
}

const GA_AIFTuple* GA_Attribute::getAIFTuple() const {
  static const GA_AIFTuple kTuple;
  return isString || isArray ? nullptr : &kTuple;
}
const GA_AIFNumericArray* GA_Attribute::getAIFNumericArray() const {
  static const GA_AIFNumericArray kArray;
  return isArray ? &kArray : nullptr;
}
GA_Storage GA_AIFTuple::getStorage(const GA_Attribute* attrib) const { return attrib->storage; }
bool GA_AIFTuple::setStorage(GA_Attribute* attrib, GA_Storage storage) const {
  return setData(*attrib, storage), true;
}
const GA_Defaults GA_AIFTuple::getDefaults(const GA_Attribute* attrib) const { return attrib->defaults; }
bool GA_AIFNumericArray::get(const GA_Attribute* attrib, GA_Offset ai, UT_Array<int32>& data) const {
  return data = std::get<std::vector<UT_Array<int32>>>(attrib->data).at(static_cast<size_t>(ai)), true;
}
bool GA_AIFNumericArray::set(GA_Attribute* attrib, GA_Offset ai, const UT_Array<int32>& data) const {
  return std::get<std::vector<UT_Array<int32>>>(attrib->data).at(static_cast<size_t>(ai)) = data, true;
}

void GA_RWHandleS::set(GA_Offset off, int comp, const UT_StringHolder& str) const {
  std::vector<UT_StringHolder>& table = mWritable->strings;
  if (str.length() == 0) return set(off, comp, GA_StringIndexType(-1));
  auto known = std::find(table.begin(), table.end(), str);
  if (known == table.end()) known = table.insert(table.end(), str);
  set(off, comp, static_cast<GA_StringIndexType>(known - table.begin()));
}

bool GA_Attribute::copy(GA_Offset desti, const GA_Attribute& src, GA_Offset srci) {
  if (!isArray || !src.isArray) throw std::logic_error("the double copies arrays only");
  return src.getAIFNumericArray()->set(
             this, desti, std::get<std::vector<UT_Array<int32>>>(src.data).at(static_cast<size_t>(srci))),
         true;
}

GA_Attribute* GA_AttributeSet::cloneAttribute(GA_AttributeOwner owner, const UT_StringHolder& name,
                                              const GA_Attribute& src, bool) {
  auto a = std::make_unique<GA_Attribute>(name.c_str(), src.storage, src.tuple, src.isString, src.isArray);
  a->defaults = src.defaults;
  a->setTypeInfo(src.getTypeInfo());
  return mDetail.addAttribute(owner, std::move(a));
}

bool GA_Detail::destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name) {
  auto& items = dicts[owner].items;
  const size_t before = items.size();
  items.erase(std::remove_if(items.begin(), items.end(), [&](const auto& a) { return a->getName() == name; }),
              items.end());
  return items.size() < before;
}

// Details
// -----------------------------------------------------------------------------------------------------

GA_Detail::GA_Detail() {
  static std::atomic<exint> next{1};
  mUniqueId = next++;
  clearAll();
}

void GA_Detail::clearAll() {
  for (GA_IndexMap& map : maps) map = {};
  maps[GA_ATTRIB_GLOBAL].append(1, 0);
  for (GA_AttributeDict& dict : dicts) dict.items.clear();
  for (GA_ElementGroupTable& table : groups) table.items.clear();
  edges.items.clear();
  primitives = {};
  vertexPoints.clear();
  objects.clear();
  auto p = std::make_unique<GA_Attribute>("P", GA_STORE_REAL32, 3, false, false);
  p->setTypeInfo(GA_TYPE_POINT);
  addAttribute(GA_ATTRIB_POINT, std::move(p));
}

GA_Attribute* GA_Detail::addAttribute(GA_AttributeOwner owner, std::unique_ptr<GA_Attribute> attribute) {
  attribute->resize(maps[owner].capacity);
  auto& items = dicts[owner].items;
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const auto& a) { return a->getName() == attribute->getName(); }),
              items.end());
  return items.emplace_back(std::move(attribute)).get();
}

GA_Offset GA_Detail::appendPointBlock(GA_Size npoints) {
  const GA_Offset first = maps[GA_ATTRIB_POINT].append(npoints, gap);
  for (auto& a : dicts[GA_ATTRIB_POINT].items) a->resize(maps[GA_ATTRIB_POINT].capacity);
  return first;
}

void GA_Detail::bumpAllDataIds() {
  for (GA_AttributeDict& dict : dicts)
    for (auto& a : dict.items) a->bumpDataId();
}

void GA_Detail::reversePrimitives() { maps[GA_ATTRIB_PRIMITIVE].reverse(); }

GEO_Primitive* GEO_Detail::getGEOPrimitive(GA_Offset primoff) {
  return static_cast<GEO_Primitive*>(objects[primoff].get());
}
const GEO_Primitive* GEO_Detail::getGEOPrimitive(GA_Offset primoff) const {
  return static_cast<const GEO_Primitive*>(objects[primoff].get());
}

namespace {
template <class T>
T* newGroup(std::vector<std::unique_ptr<GA_Group>>& items, const UT_StringHolder& name) {
  return static_cast<T*>(items.emplace_back(std::make_unique<T>(name.c_str())).get());
}
}  // namespace

GA_PointGroup* GEO_Detail::newPointGroup(const UT_StringHolder& name) {
  return newGroup<GA_PointGroup>(groups[GA_ATTRIB_POINT].items, name);
}
GA_VertexGroup* GEO_Detail::newVertexGroup(const UT_StringHolder& name) {
  return newGroup<GA_VertexGroup>(groups[GA_ATTRIB_VERTEX].items, name);
}
GA_PrimitiveGroup* GEO_Detail::newPrimitiveGroup(const UT_StringHolder& name) {
  return newGroup<GA_PrimitiveGroup>(groups[GA_ATTRIB_PRIMITIVE].items, name);
}
GA_EdgeGroup* GEO_Detail::newEdgeGroup(const UT_StringHolder& name) {
  return newGroup<GA_EdgeGroup>(edges.items, name);
}
GA_Attribute* GEO_Detail::addTuple(GA_Storage storage, GA_AttributeOwner owner, const UT_StringHolder& name,
                                   int tuple_size, const GA_Defaults& defaults) {
  auto a = std::make_unique<GA_Attribute>(name.c_str(), storage, tuple_size, false, false);
  a->defaults = defaults;
  return addAttribute(owner, std::move(a));
}
GA_Attribute* GEO_Detail::addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name,
                                         int tuple_size) {
  return addAttribute(owner,
                      std::make_unique<GA_Attribute>(name.c_str(), GA_STORE_INT32, tuple_size, true, false));
}
GA_Attribute* GEO_Detail::addIntArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size) {
  return addAttribute(owner,
                      std::make_unique<GA_Attribute>(name.c_str(), GA_STORE_INT32, tuple_size, false, true));
}
const GA_Attribute* GEO_Detail::findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const {
  for (const auto& a : dicts[owner].items)
    if (a->getName() == name) return a.get();
  return nullptr;
}
GA_Attribute* GEO_Detail::findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) {
  return const_cast<GA_Attribute*>(static_cast<const GEO_Detail*>(this)->findAttribute(owner, name));
}

template <typename INT_T>
GA_Offset GEObuildPrimitives(GEO_Detail* detail, const std::pair<int, exint>* primtype_count_pairs,
                             const GA_Offset init_startpt, const GA_Size npoints_per_copy,
                             const GA_PolyCounts& vertexlistsizelist, const INT_T* vertexpointnumbers,
                             const bool hassharedpoints, const exint* closed_span_lengths,
                             const exint ncopies) {
  if (ncopies != 1 || !hassharedpoints)
    throw std::logic_error("the double builds one copy with shared points");
  GA_Size count = 0, corners = 0;
  for (const auto& [size, n] : vertexlistsizelist.runs) count += n, corners += size * n;
  const GA_Offset first = detail->maps[GA_ATTRIB_PRIMITIVE].append(count, GA_Detail::gap);
  const GA_Offset firstVertex = detail->maps[GA_ATTRIB_VERTEX].append(corners, GA_Detail::gap);
  for (const GA_AttributeOwner owner : {GA_ATTRIB_PRIMITIVE, GA_ATTRIB_VERTEX})
    for (auto& a : detail->dicts[owner].items) a->resize(detail->maps[owner].capacity);
  GA_PrimitiveList& list = detail->primitives;
  const size_t capacity = static_cast<size_t>(detail->maps[GA_ATTRIB_PRIMITIVE].capacity);
  list.types.resize(capacity, GA_PRIMNONE);
  list.closed.resize(capacity, 0);
  list.firstVertex.resize(capacity, GA_INVALID_OFFSET);
  list.vertexCount.resize(capacity, 0);
  detail->objects.resize(capacity);
  detail->vertexPoints.resize(static_cast<size_t>(detail->maps[GA_ATTRIB_VERTEX].capacity),
                              GA_INVALID_OFFSET);
  GA_Size vertex = 0, left = primtype_count_pairs->second, span = 0, used = 0;
  size_t p = static_cast<size_t>(first);
  for (const auto& [size, n] : vertexlistsizelist.runs)
    for (GA_Size i = 0; i < n; ++i, ++p) {
      while (left == 0) left = (++primtype_count_pairs)->second;
      --left;
      while (used == closed_span_lengths[span]) used = 0, ++span;
      ++used;
      list.types[p] = primtype_count_pairs->first;
      list.closed[p] = span % 2 == 1;
      list.firstVertex[p] = firstVertex + vertex;
      list.vertexCount[p] = size;
      for (GA_Size k = 0; k < size; ++k, ++vertex) {
        const INT_T point = vertexpointnumbers[vertex];
        if (point < 0 || point >= npoints_per_copy) throw std::out_of_range("a vertex is on no point");
        detail->vertexPoints[firstVertex + vertex] = init_startpt + point;
      }
      const int type = primtype_count_pairs->first;
      if (type != GA_PRIMPOLY && type != GA_PRIMTETRAHEDRON)
        detail->objects[p] = detail->makeObject(type, static_cast<GA_Offset>(p));
    }
  return first;
}
template GA_Offset GEObuildPrimitives<int>(GEO_Detail*, const std::pair<int, exint>*, const GA_Offset,
                                           const GA_Size, const GA_PolyCounts&, const int*, const bool,
                                           const exint*, const exint);

// Packed
// ------------------------------------------------------------------------------------------------------

namespace {

const std::string& nameOf(const GU_Detail& d, GA_Offset primitive, std::string& out) {
  const GA_Attribute* names = d.findAttribute(GA_ATTRIB_PRIMITIVE, "name");
  return out = names ? GA_ROHandleS(names).get(primitive).toStdString() : "";
}

/// Leaves holes where primitives, vertices and points were.
void keepOnly(GU_Detail& d, const std::string& fragment) {
  const auto rebuild = [](GA_IndexMap& map, const std::vector<uint8_t>& keep) {
    std::vector<GA_Offset> offsets;
    for (const GA_Offset o : map.offsets)
      if (keep[o]) offsets.push_back(o);
    map.offsets = offsets;
    std::fill(map.indices.begin(), map.indices.end(), -1);
    for (size_t i = 0; i < offsets.size(); ++i) map.indices[offsets[i]] = static_cast<GA_Index>(i);
  };
  std::vector<uint8_t> primitives(static_cast<size_t>(d.maps[GA_ATTRIB_PRIMITIVE].capacity), 0);
  std::vector<uint8_t> vertices(d.vertexPoints.size(), 0);
  std::vector<uint8_t> points(static_cast<size_t>(d.maps[GA_ATTRIB_POINT].capacity), 0);
  std::string name;
  for (const GA_Offset p : d.maps[GA_ATTRIB_PRIMITIVE].offsets) {
    if (nameOf(d, p, name) != fragment) continue;
    primitives[p] = 1;
    const GA_OffsetListRef list = d.primitives.getVertexList(p);
    for (GA_Size i = 0; i < list.size(); ++i) {
      vertices[list(i)] = 1;
      points[d.vertexPoint(list(i))] = 1;
    }
  }
  rebuild(d.maps[GA_ATTRIB_PRIMITIVE], primitives);
  rebuild(d.maps[GA_ATTRIB_VERTEX], vertices);
  rebuild(d.maps[GA_ATTRIB_POINT], points);
}

}  // namespace

bool GU_PrimPacked::unpack(GU_Detail& dest) const {
  if (!content.isValid()) return false;
  dest.replaceWith(*content.gdp());
  if (!fragment.empty()) keepOnly(dest, fragment);
  UT_Matrix4D m;
  getFullTransform4(m);
  std::visit(
      [&](auto& p) {
        using T = typename std::decay_t<decltype(p)>::value_type;
        if constexpr (std::is_floating_point_v<T>)
          for (size_t i = 0; i + 2 < p.size(); i += 3) {
            double x[3];
            for (unsigned c = 0; c < 3; ++c)
              x[c] = p[i] * m(0, c) + p[i + 1] * m(1, c) + p[i + 2] * m(2, c) + m(3, c);
            for (size_t c = 0; c < 3; ++c) p[i + c] = static_cast<T>(x[c]);
          }
      },
      dest.getP()->data);
  return true;
}

void GU_PrimPacked::getFullTransform4(UT_Matrix4D& matrix) const {
  // (x - pivot) * local + P of its point.
  const GA_ROHandleT<double> at(mDetail->getP());
  const GA_Offset point = mDetail->vertexPoint(mDetail->getPrimitiveList().getVertexList(offset)(0));
  const double pivot[3] = {mPivot.x(), mPivot.y(), mPivot.z()};
  matrix = UT_Matrix4D();
  matrix(3, 3) = 1;
  for (unsigned c = 0; c < 3; ++c) {
    double place;
    at.getBlock(point, 1, &place, 1, static_cast<int>(c));
    matrix(3, c) = place + position[c];
    for (unsigned r = 0; r < 3; ++r) {
      matrix(r, c) = mLocal(r, c);
      matrix(3, c) -= pivot[r] * mLocal(r, c);
    }
  }
}

void GU_PrimPacked::copyFrom(const GU_PrimPacked& other) {
  std::copy(other.position, other.position + 3, position);
  content = other.content;
  fragment = other.fragment;
  mPivot = other.mPivot;
  mLocal = other.mLocal;
}

bool GA_Detail::destroyPrimitiveOffset(GA_Offset offset, bool and_points) {
  const auto remove = [](GA_IndexMap& map, GA_Offset gone) {
    map.offsets.erase(std::remove(map.offsets.begin(), map.offsets.end(), gone), map.offsets.end());
    std::fill(map.indices.begin(), map.indices.end(), -1);
    for (size_t i = 0; i < map.offsets.size(); ++i) map.indices[map.offsets[i]] = static_cast<GA_Index>(i);
  };
  const GA_OffsetListRef list = primitives.getVertexList(offset);
  for (GA_Size i = 0; i < list.size(); ++i) {
    if (and_points) remove(maps[GA_ATTRIB_POINT], vertexPoints[list(i)]);
    remove(maps[GA_ATTRIB_VERTEX], list(i));
  }
  remove(maps[GA_ATTRIB_PRIMITIVE], offset);
  objects[offset].reset();
  return true;
}

namespace {

/// The attribute of that name and kind in the other detail, made with its defaults where there is none.
GA_Attribute* matched(GU_Detail& detail, const GA_Attribute& like) {
  if (GA_Attribute* own = detail.findAttribute(GA_ATTRIB_POINT, like.getName())) return own;
  return like.isString
             ? detail.addStringTuple(GA_ATTRIB_POINT, like.getName(), like.tuple)
             : detail.addTuple(like.storage, GA_ATTRIB_POINT, like.getName(), like.tuple, like.defaults);
}

void copyValue(const GA_Attribute& from, GA_Offset source, GA_Attribute& to, GA_Offset target) {
  for (int c = 0; c < from.tuple; ++c) {
    if (from.isString) {
      GA_RWHandleS(&to).set(target, c, GA_ROHandleS(&from).get(source, c));
    } else {
      double value;
      GA_ROHandleT<double>(&from).getBlock(source, 1, &value, 1, c);
      GA_RWHandleT<double>(&to).setBlock(target, 1, &value, 1, c);
    }
  }
}

}  // namespace

bool GUmatchAttributesAndMerge(GU_Detail& dest, GU_Detail& src) {
  for (const auto& a : src.dicts[GA_ATTRIB_POINT].items) matched(dest, *a);
  for (const GA_Offset primitive : src.maps[GA_ATTRIB_PRIMITIVE].offsets) {
    const auto* packed = dynamic_cast<const GU_PrimPacked*>(src.getGEOPrimitive(primitive));
    if (!packed) throw std::logic_error("the double merges packed primitives only");
    GU_PrimPacked* made = GU_PackedGeometry::packGeometry(dest, packed->content);
    made->copyFrom(*packed);
    const GA_Offset from = src.vertexPoint(src.primitives.getVertexList(primitive)(0));
    const GA_Offset to = dest.vertexPoint(dest.primitives.getVertexList(made->offset)(0));
    for (const auto& a : src.dicts[GA_ATTRIB_POINT].items)
      copyValue(*a, from, *dest.findAttribute(GA_ATTRIB_POINT, a->getName()), to);
  }
  return true;
}

GU_PrimPacked* GU_PackedGeometry::packGeometry(GU_Detail& destgdp, const GU_ConstDetailHandle& srcgdh) {
  return packGeometry(destgdp, srcgdh, destgdp.appendPointBlock(1));
}

GU_PrimPacked* GU_PackedGeometry::packGeometry(GU_Detail& destgdp, const GU_ConstDetailHandle& srcgdh,
                                               GA_Offset point) {
  const std::pair<int, exint> type{100, 1};
  GA_PolyCounts sizes;
  sizes.append(1);
  const int corner = 0;
  const exint open = 1;
  const GA_Offset primitive = GEObuildPrimitives(&destgdp, &type, point, 1, sizes, &corner, true, &open);
  auto* packed = static_cast<GU_PrimPacked*>(destgdp.getGEOPrimitive(primitive));
  packed->content = srcgdh;
  return packed;
}
