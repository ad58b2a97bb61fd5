#include <hackle/io/left_out.h>
#include <hackle/io/obj.h>
#include <hackle/io/text_emitter.h>
#include <hackle/io/unique_triples.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

bool isFloatVector(const Attribute& a) { return a.isFloat() && a.tupleSize() == 3; }
bool isOneString(const Attribute& a) { return a.isString() && a.tupleSize() == 1; }

Vec3 vectorAt(const Attribute& a, size_t element) {
  return a.visitNumbers([&](auto v) {
    return Vec3(static_cast<double>(v[3 * element]), static_cast<double>(v[3 * element + 1]),
                static_cast<double>(v[3 * element + 2]));
  });
}

/// An attribute as OBJ has it: different values, and an index into them for every vertex.
struct ValueList {
  std::vector<Vec3> values;
  std::vector<int32_t> indices;  // empty if there is no such attribute
};

/// Text that is one line, and one word if `word`, when OBJ reads it again.
std::string lineText(std::string text, bool word) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || (word && c == ' ')) c = '_';
  if (!text.empty() && text.back() == '\\') text.back() = '_';
  return text;
}

class ObjWriter {
 public:
  ObjWriter(const Geometry& geometry, Context& context)
      : mGeometry(geometry), mContext(context), mOut(context) {}

  std::string write() {
    findAttributes();
    libraries();
    if (mGeometry.positionFileStorage == Storage::Float32)
      positions<float>();
    else
      positions<double>();
    const ValueList uvs = valueList(mUv), normals = valueList(mNormal);
    const bool flat =
        std::all_of(uvs.values.begin(), uvs.values.end(), [](const Vec3& v) { return v.z() == 0; });
    values("vt", mUv, uvs.values, flat ? 2 : 3);
    values("vn", mNormal, normals.values, 3);
    primitives(uvs.indices, normals.indices);
    leaveOut();
    return mOut.take();
  }

 private:
  /// Vertices first, then points.
  void findAttributes() {
    for (const Owner owner : {Owner::Point, Owner::Vertex}) {
      const Attribute* uv = mGeometry.findAttribute(owner, "uv");
      const Attribute* normal = mGeometry.findAttribute(owner, "N");
      if (uv && isFloatVector(*uv)) mUv = {uv, owner};
      if (normal && isFloatVector(*normal)) mNormal = {normal, owner};
    }
    const auto find = [&](Owner owner, const char* name, auto accepts) {
      const Attribute* a = mGeometry.findAttribute(owner, name);
      return a && accepts(*a) ? a : nullptr;
    };
    mColour = find(Owner::Point, "Cd", isFloatVector);
    mName = find(Owner::Primitive, "name", isOneString);
    mMaterial = find(Owner::Primitive, "shop_materialpath", isOneString);
    mSmoothing = find(Owner::Primitive, "smoothing_group",
                      [](const Attribute& a) { return a.isInt() && a.tupleSize() == 1; });
    mLibraries = find(Owner::Detail, "mtllib", [](const Attribute& a) { return a.isString(); });
  }

  struct Source {
    const Attribute* attribute = nullptr;
    Owner owner = Owner::Vertex;
  };

  void libraries() {
    for (int c = 0; mLibraries && c < mLibraries->tupleSize(); ++c)
      statement("mtllib", mLibraries->string(0, c));
  }

  void statement(std::string_view keyword, const std::string& text) {
    mOut.text(keyword);
    if (!text.empty()) mOut.character(' ');
    mOut.text(lineText(text, false));
    mOut.endLine();
  }

  template <class Real>
  void positions() {
    for (size_t p = 0; p < mGeometry.pointCount(); ++p) {
      mOut.character('v');
      for (const double x : mGeometry.position(p)) mOut.next(static_cast<Real>(x));
      if (mColour) vector(*mColour, vectorAt(*mColour, p), 3);
      mOut.endLine();
    }
  }

  void vector(const Attribute& a, const Vec3& v, int size) {
    for (int c = 0; c < size; ++c) {
      if (a.storage() == Storage::Float32)
        mOut.next(static_cast<float>(v[c]));
      else
        mOut.next(v[c]);
    }
  }

  ValueList valueList(const Source& source) const {
    ValueList list;
    if (!source.attribute) return list;
    UniqueTriples unique;
    list.indices.resize(mGeometry.vertexCount());
    for (size_t v = 0; v < list.indices.size(); ++v) {
      const size_t element =
          source.owner == Owner::Vertex ? v : static_cast<size_t>(mGeometry.vertexPoint(v));
      list.indices[v] = unique.add(vectorAt(*source.attribute, element));
      if (v % (1 << 16) == 0) mContext.checkCancel();
    }
    list.values = unique.takeValues();
    return list;
  }

  void values(std::string_view keyword, const Source& source, const std::vector<Vec3>& list, int size) {
    for (const Vec3& v : list) {
      mOut.text(keyword);
      vector(*source.attribute, v, size);
      mOut.endLine();
    }
  }

  void primitives(const std::vector<int32_t>& uvs, const std::vector<int32_t>& normals) {
    std::vector<std::string> groupLines;
    const std::vector<int32_t> groupLine = groupLinesOf(groupLines);
    int32_t groups = emptyGroups() ? -1 : 0;
    std::string name, material;
    int64_t smoothing = 0;
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) {
      const PrimitiveType type = mGeometry.primitiveType(p);
      const bool polygon = type == PrimitiveType::Polygon;
      if ((!polygon && type != PrimitiveType::Polyline) || mGeometry.vertexCount(p) == 0) continue;
      if (mName) stringChange("o", *mName, p, name);
      if (!groupLine.empty() && groupLine[p] != groups) {
        groups = groupLine[p];
        statement("g", groupLines[groups]);
      }
      if (mMaterial) stringChange("usemtl", *mMaterial, p, material);
      if (mSmoothing && static_cast<int64_t>(mSmoothing->number(p)) != smoothing) {
        smoothing = static_cast<int64_t>(mSmoothing->number(p));
        mOut.text("s");
        mOut.next(smoothing);
        mOut.endLine();
      }
      mOut.character(polygon ? 'f' : 'l');
      for (size_t v = mGeometry.firstVertex(p); v < mGeometry.firstVertex(p + 1); ++v) {
        mOut.next(mGeometry.vertexPoint(v) + 1);
        if (!uvs.empty() || !normals.empty()) mOut.character('/');
        if (!uvs.empty()) mOut.number(uvs[v] + 1);
        if (normals.empty()) continue;
        mOut.character('/');
        mOut.number(normals[v] + 1);
      }
      mOut.endLine();
    }
  }

  void stringChange(std::string_view keyword, const Attribute& a, size_t primitive, std::string& current) {
    if (a.string(primitive) == current) return;
    current = a.string(primitive);
    statement(keyword, current);
  }

  /// Groups without members; true if there are any.
  bool emptyGroups() {
    bool any = false;
    for (const Group& group : mGeometry.groups(Owner::Primitive)) {
      if (group.count() > 0) continue;
      statement("g", lineText(group.name, true));
      any = true;
    }
    return any;
  }

  /// For every primitive the index of its g line in `lines`; line 0 is "default". Empty without groups.
  std::vector<int32_t> groupLinesOf(std::vector<std::string>& lines) const {
    std::vector<int32_t> result;
    lines = {"default"};
    for (const Group& group : mGeometry.groups(Owner::Primitive)) {
      const std::string name = lineText(group.name, true);
      std::map<int32_t, int32_t> longer;  // line before this group -> with it
      result.resize(mGeometry.primitiveCount(), 0);
      for (size_t p = 0; p < result.size(); ++p) {
        if (!group.bits[p]) continue;
        const auto [place, isNew] = longer.emplace(result[p], static_cast<int32_t>(lines.size()));
        if (isNew) {
          const std::string before = lines[result[p]];
          lines.push_back(result[p] == 0 ? name : before + ' ' + name);
        }
        result[p] = place->second;
      }
    }
    return result;
  }

  void leaveOut() {
    LeftOut leftOut("OBJ");
    Carried carried;
    carried.primitives = [](PrimitiveType type) {
      return type == PrimitiveType::Polygon || type == PrimitiveType::Polyline;
    };
    carried.attributes = [&](Owner, const Attribute& a) {
      const Attribute* written[] = {mUv.attribute, mNormal.attribute, mColour,   mName,
                                    mMaterial,     mSmoothing,        mLibraries};
      return std::find(std::begin(written), std::end(written), &a) != std::end(written);
    };
    carried.groups = [](Owner owner, const Group& group) {
      return owner == Owner::Primitive && group.name != "default";
    };
    leftOut.compare(mGeometry, carried);
    size_t bare = 0;
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) bare += mGeometry.vertexCount(p) == 0;
    leftOut.addCount(bare, "primitive without corners", "primitives without corners");
    leftOut.warn(mContext);
  }

  const Geometry& mGeometry;
  Context& mContext;
  TextEmitter mOut;
  Source mUv, mNormal;
  const Attribute* mColour = nullptr;
  const Attribute* mName = nullptr;
  const Attribute* mMaterial = nullptr;
  const Attribute* mSmoothing = nullptr;
  const Attribute* mLibraries = nullptr;
};

}  // namespace

std::string writeObj(const Geometry& geometry, const std::string&, Context& context) {
  return ObjWriter(geometry, context).write();
}

}  // namespace hackle
