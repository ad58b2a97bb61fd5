#include <hackle/io/stl.h>

#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/left_out.h>
#include <hackle/io/text_emitter.h>
#include <hackle/io/text_scanner.h>
#include <hackle/io/unique_triples.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace hackle {

namespace {

constexpr size_t kHeaderBytes = 80, kPreludeBytes = 84, kTriangleBytes = 50;
constexpr size_t kCancelEvery = 1 << 14;  // triangles

Geometry weldedTriangles(UniqueTriples& points, const std::vector<int32_t>& corners) {
  Geometry geometry;
  std::vector<Vec3> positions = points.takeValues();
  geometry.addPoints(positions.size());
  geometry.editPositions().swap(positions);
  geometry.addPrimitives(PrimitiveType::Polygon, corners.size() / 3, 3, corners);
  return geometry;
}

// Reading -----------------------------------------------------------------------------------------------

Geometry readBinary(std::string_view bytes, Context& context) {
  const size_t count = loadNumber<uint32_t>(bytes.data() + kHeaderBytes);
  const size_t wanted = kPreludeBytes + count * kTriangleBytes;
  if (wanted > bytes.size())
    throw Error(ErrorCode::BadInput,
                fmt::format("byte {}: {} triangles are announced, which take {} bytes, but the file has {}",
                            kHeaderBytes, count, wanted, bytes.size()));
  if (wanted < bytes.size())
    context.warn(fmt::format("STL: left out {} bytes after the last triangle", bytes.size() - wanted));
  UniqueTriples points;
  std::vector<int32_t> corners(3 * count), spare(count);
  for (size_t t = 0; t < count; ++t) {
    if (t % kCancelEvery == 0) context.advance(static_cast<double>(t) / static_cast<double>(count));
    const char* at = bytes.data() + kPreludeBytes + t * kTriangleBytes + 12;
    for (size_t c = 0; c < 3; ++c, at += 12)
      corners[3 * t + c] = points.add(Vec3(double(loadNumber<float>(at)), double(loadNumber<float>(at + 4)),
                                           double(loadNumber<float>(at + 8))));
    spare[t] = loadNumber<uint16_t>(at);
  }
  Geometry geometry = weldedTriangles(points, corners);
  geometry.positionFileStorage = Storage::Float32;
  if (std::any_of(spare.begin(), spare.end(), [](int32_t s) { return s != 0; })) {
    Attribute a("stl_attribute", Storage::Int32, 1);
    a.assign(CowArray<int32_t>(std::move(spare)));
    geometry.addAttribute(Owner::Primitive, std::move(a));
  }
  return geometry;
}

bool sameWord(std::string_view a, std::string_view lowerCase) {
  return a == lowerCase ||
         std::equal(a.begin(), a.end(), lowerCase.begin(), lowerCase.end(),
                    [](char x, char y) { return std::tolower(static_cast<unsigned char>(x)) == y; });
}

class TextStlReader {
 public:
  TextStlReader(std::string_view bytes, Context& context) : mScan(bytes, context) {}

  Geometry read() {
    while (mScan.nextItem()) solid();
    Geometry geometry = weldedTriangles(mPoints, mCorners);
    if (!mNames.empty()) {
      geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1))
          .assignStrings({std::move(mNames), std::move(mNameOf)});
    }
    return geometry;
  }

 private:
  void expect(std::string_view keyword) {
    mScan.nextItem();
    const size_t offset = mScan.offset();
    const std::string_view found = mScan.word();
    if (!sameWord(found, keyword))
      mScan.failAt(offset, found.empty()
                               ? fmt::format("expected '{}', but the file ends", keyword)
                               : fmt::format("expected '{}', found '{}'", keyword, found.substr(0, 40)));
  }

  void solid() {
    expect("solid");
    const std::string_view name = mScan.restOfLine();
    int32_t nameIndex = -1;
    if (!name.empty()) {
      nameIndex = mNameIndex.emplace(name, static_cast<int32_t>(mNames.size())).first->second;
      if (static_cast<size_t>(nameIndex) == mNames.size()) mNames.emplace_back(name);
    }
    while (true) {
      mScan.nextItem();
      const size_t offset = mScan.offset();
      const std::string_view keyword = mScan.word();
      if (sameWord(keyword, "endsolid")) break;
      if (!sameWord(keyword, "facet"))
        mScan.failAt(offset,
                     fmt::format("expected 'facet' or 'endsolid', found '{}'", keyword.substr(0, 40)));
      facet();
      mNameOf.push_back(nameIndex);
    }
    mScan.restOfLine();
  }

  void facet() {
    expect("normal");
    for (const char* axis : {"the normal's x", "the normal's y", "the normal's z"}) number(axis);
    expect("outer");
    expect("loop");
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      const double x = number("x"), y = number("y"), z = number("z");
      mCorners.push_back(mPoints.add(Vec3(x, y, z)));
    }
    expect("endloop");
    expect("endfacet");
  }
  double number(const char* what) {
    mScan.nextItem();
    return mScan.number(what);
  }

  TextScanner mScan;
  UniqueTriples mPoints;
  std::vector<int32_t> mCorners;
  std::vector<std::string> mNames;
  std::unordered_map<std::string_view, int32_t> mNameIndex;
  std::vector<int32_t> mNameOf;  // by triangle, -1 for none
};

// Writing -----------------------------------------------------------------------------------------------

Vec3 unitNormal(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3& a = mesh.points[t[0]];
  const Vec3 n = (mesh.points[t[1]] - a).cross(mesh.points[t[2]] - a);
  const double length = n.norm();
  return length > 0 && std::isfinite(length) ? Vec3(n / length) : Vec3(Vec3::Zero());
}

void countUnused(const Geometry& geometry, LeftOut& leftOut) {
  std::vector<bool> used(geometry.pointCount());
  size_t small = 0;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polygon) continue;
    small += geometry.vertexCount(p) < 3;
    for (const int32_t point : geometry.corners(p)) used[point] = true;
  }
  leftOut.addCount(small, "polygon of fewer than 3 corners", "polygons of fewer than 3 corners");
  leftOut.addCount(static_cast<size_t>(std::count(used.begin(), used.end(), false)),
                   "point that no polygon uses", "points that no polygon uses");
}

std::string writeBinary(const TriangleMesh& mesh, const Attribute* spare, Context& context) {
  const size_t count = mesh.triangles.size();
  std::string bytes(kPreludeBytes + count * kTriangleBytes, '\0');
  static constexpr std::string_view kTitle = "Hackle binary STL";
  std::copy(kTitle.begin(), kTitle.end(), bytes.begin());
  char* at = storeNumber(bytes.data() + kHeaderBytes, static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    if (i % kCancelEvery == 0) context.checkCancel();
    const Triangle& t = mesh.triangles[i];
    for (const double x : unitNormal(mesh, t)) at = storeNumber(at, static_cast<float>(x));
    for (const int32_t p : t)
      for (const double x : mesh.points[p]) at = storeNumber(at, static_cast<float>(x));
    const double value = spare ? spare->number(static_cast<size_t>(mesh.primitives[i])) : 0.0;
    at = storeNumber(at, static_cast<uint16_t>(std::clamp(value, 0.0, 65535.0)));
  }
  return bytes;
}

template <class Real>
std::string writeText(const TriangleMesh& mesh, const Attribute* names, Context& context) {
  TextEmitter out(context);
  const auto vector = [&](std::string_view keyword, const Vec3& v) {
    out.text(keyword);
    for (const double x : v) out.next(static_cast<Real>(x));
    out.endLine();
  };
  std::string current;
  const auto nameOf = [&](size_t i) {
    return names ? names->string(static_cast<size_t>(mesh.primitives[i])) : std::string();
  };
  const auto bracket = [&](std::string_view keyword) {
    out.text(keyword);
    if (!current.empty()) out.character(' ');
    for (const char c : current) out.character(static_cast<unsigned char>(c) < ' ' ? '_' : c);
    out.endLine();
  };
  for (size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (i == 0 || nameOf(i) != current) {
      if (i > 0) bracket("endsolid");
      current = nameOf(i);
      bracket("solid");
    }
    const Triangle& t = mesh.triangles[i];
    vector("facet normal", unitNormal(mesh, t));
    out.text("outer loop\n");
    for (const int32_t p : t) vector("vertex", mesh.points[p]);
    out.text("endloop\nendfacet\n");
  }
  if (mesh.triangles.empty()) out.text("solid\n");
  bracket("endsolid");
  return out.take();
}

}  // namespace

bool isBinaryStl(std::string_view bytes) {
  if (bytes.size() <= kPreludeBytes) return false;
  const size_t count = loadNumber<uint32_t>(bytes.data() + kHeaderBytes);
  return bytes.size() == kPreludeBytes + count * kTriangleBytes;
}

Geometry readStl(std::string_view bytes, const std::filesystem::path&, Context& context) {
  const size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (!isBinaryStl(bytes) && sameWord(bytes.substr(first, 5), "solid"))
    return TextStlReader(bytes, context).read();
  if (bytes.size() < kPreludeBytes)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("byte 0: neither text that begins with 'solid' nor the {} bytes of a binary header",
                    kPreludeBytes));
  return readBinary(bytes, context);
}

std::string writeStl(const Geometry& geometry, const std::string& extension, Context& context) {
  const bool asText = extension == "ascii.stl";
  const TriangleMesh mesh = triangleMesh(geometry);
  if (!asText && mesh.triangles.size() > UINT32_MAX)
    throw Error(ErrorCode::BadInput, "STL holds at most 2^32 triangles", "split the geometry into parts");
  const Attribute* name = geometry.findAttribute(Owner::Primitive, "name");
  const Attribute* spare = geometry.findAttribute(Owner::Primitive, "stl_attribute");
  if (!asText || !name || !name->isString() || name->tupleSize() != 1) name = nullptr;
  if (asText || !spare || !spare->isInt() || spare->tupleSize() != 1) spare = nullptr;

  LeftOut leftOut("STL");
  Carried carried;
  carried.primitives = [](PrimitiveType type) { return type == PrimitiveType::Polygon; };
  carried.attributes = [&](Owner, const Attribute& a) { return &a == name || &a == spare; };
  leftOut.compare(geometry, carried);
  countUnused(geometry, leftOut);
  leftOut.warn(context);

  if (!asText) return writeBinary(mesh, spare, context);
  return geometry.positionFileStorage == Storage::Float32 ? writeText<float>(mesh, name, context)
                                                          : writeText<double>(mesh, name, context);
}

}  // namespace hackle
