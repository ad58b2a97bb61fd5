#include <hackle/io/medit.h>

#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/left_out.h>
#include <hackle/io/tetrahedra.h>
#include <hackle/io/text_emitter.h>
#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hackle {

namespace {

/// Sections that hold primitives, in the order in which they are written.
struct Section {
  std::string_view keyword;
  PrimitiveType type;
  int corners;
};
constexpr Section kSections[] = {{"Edges", PrimitiveType::Polyline, 2},
                                 {"Triangles", PrimitiveType::Polygon, 3},
                                 {"Quadrilaterals", PrimitiveType::Polygon, 4},
                                 {"Tetrahedra", PrimitiveType::Tetrahedron, 4}};

/// Adds an int attribute `ref` if any value is not 0.
void addReferences(Geometry& geometry, Owner owner, std::vector<int32_t> values) {
  if (std::all_of(values.begin(), values.end(), [](int32_t r) { return r == 0; })) return;
  Attribute a("ref", Storage::Int32, 1);
  a.assign(CowArray<int32_t>(std::move(values)));
  geometry.addAttribute(owner, std::move(a));
}

// Reading -----------------------------------------------------------------------------------------------

class MeditReader {
 public:
  MeditReader(std::string_view bytes, Context& context)
      : mScan(bytes, context, {'#', false, {}}), mContext(context) {}

  Geometry read() {
    if (!mScan.nextItem() || mScan.word() != "MeshVersionFormatted")
      mScan.failAt(0, "the file does not begin with MeshVersionFormatted");
    nextInteger("the version");
    while (mScan.nextItem()) {
      const size_t offset = mScan.offset();
      const std::string_view keyword = mScan.word();
      if (keyword == "End") break;
      section(keyword, offset);
    }
    addReferences(mGeometry, Owner::Point, std::move(mPointRefs));
    addReferences(mGeometry, Owner::Primitive, std::move(mPrimitiveRefs));
    orientTetrahedra(mGeometry, "Medit", mContext);
    mLeftOut.warn(mContext);
    return std::move(mGeometry);
  }

 private:
  void section(std::string_view keyword, size_t offset) {
    if (keyword == "Dimension") {
      const int64_t dimension = nextInteger("the dimension");
      if (dimension != 2 && dimension != 3) mScan.failAt(offset, "the dimension must be 2 or 3");
      mDimension = static_cast<int>(dimension);
      return;
    }
    if (keyword == "Vertices") return vertices(offset);
    const auto known = std::find_if(std::begin(kSections), std::end(kSections),
                                    [&](const Section& s) { return s.keyword == keyword; });
    if (known != std::end(kSections)) return primitives(*known, offset);
    if (!std::isalpha(static_cast<unsigned char>(keyword[0])))
      mScan.failAt(offset, fmt::format("expected a section's name, found '{}'", keyword.substr(0, 40)));
    skip(keyword);
  }

  void vertices(size_t offset) {
    if (mGeometry.pointCount() > 0) mScan.failAt(offset, "there are Vertices twice");
    mScan.nextItem();
    const size_t count = mScan.count("vertices", 2 * static_cast<size_t>(mDimension) + 2);
    std::vector<Vec3> positions(count, Vec3::Zero());
    mPointRefs.resize(count);
    for (size_t p = 0; p < count; ++p) {
      for (int c = 0; c < mDimension; ++c) {
        mScan.nextItem();
        positions[p][c] = mScan.number("a coordinate");
      }
      mPointRefs[p] = reference();
    }
    mGeometry.addPoints(count);
    mGeometry.editPositions().swap(positions);
  }

  void primitives(const Section& section, size_t offset) {
    mScan.nextItem();
    const size_t corners = static_cast<size_t>(section.corners);
    const size_t count = mScan.count("elements", 2 * corners + 2);
    if (count > 0 && mGeometry.pointCount() == 0)
      mScan.failAt(offset, fmt::format("{} come before the Vertices", section.keyword));
    std::vector<int32_t> points(corners * count);
    mPrimitiveRefs.reserve(mPrimitiveRefs.size() + count);
    for (size_t e = 0; e < count; ++e) {
      for (size_t c = 0; c < corners; ++c) {
        mScan.nextItem();
        points[corners * e + c] = mScan.index("vertex", mGeometry.pointCount(), 1);
      }
      mPrimitiveRefs.push_back(reference());
    }
    mGeometry.addPrimitives(section.type, count, section.corners, points);
  }

  /// A section that we do not know: numbers up to the next name.
  void skip(std::string_view keyword) {
    mLeftOut.add("section", std::string(keyword.substr(0, 40)));
    while (mScan.nextItem()) {
      if (std::isalpha(static_cast<unsigned char>(mScan.peek()))) return;
      mScan.word();
    }
  }

  int64_t nextInteger(const char* what) {
    mScan.nextItem();
    return mScan.integer(what);
  }
  int32_t reference() {
    const int64_t value = nextInteger("the reference");
    if (value < INT32_MIN || value > INT32_MAX) mScan.fail("the reference is out of range");
    return static_cast<int32_t>(value);
  }

  TextScanner mScan;
  Context& mContext;
  LeftOut mLeftOut{"Medit"};
  int mDimension = 3;
  Geometry mGeometry;
  std::vector<int32_t> mPointRefs, mPrimitiveRefs;
};

// Writing -----------------------------------------------------------------------------------------------

const Attribute* referenceOf(const Geometry& geometry, Owner owner) {
  const Attribute* a = geometry.findAttribute(owner, "ref");
  return a && a->isInt() && a->tupleSize() == 1 ? a : nullptr;
}

/// Corners of elements of one section with the primitives they come from.
struct Elements {
  std::vector<int32_t> points;
  std::vector<size_t> primitives;
};

class MeditWriter {
 public:
  MeditWriter(const Geometry& geometry, Context& context)
      : mGeometry(geometry), mContext(context), mOut(context) {}

  std::string write() {
    const bool single = mGeometry.positionFileStorage == Storage::Float32;
    mOut.text(fmt::format("MeshVersionFormatted {}\nDimension 3\nVertices\n{}\n", single ? 1 : 2,
                          mGeometry.pointCount()));
    if (single)
      vertices<float>();
    else
      vertices<double>();
    for (size_t p = 0; p < mGeometry.primitiveCount(); ++p) primitive(p);
    for (size_t s = 0; s < std::size(kSections); ++s) section(kSections[s], mElements[s]);
    mOut.text("End\n");
    leaveOut();
    return mOut.take();
  }

 private:
  template <class Real>
  void vertices() {
    for (size_t p = 0; p < mGeometry.pointCount(); ++p) {
      for (const double x : mGeometry.position(p)) {
        mOut.number(static_cast<Real>(x));
        mOut.character(' ');
      }
      mOut.number(mPointRef ? static_cast<int64_t>(mPointRef->number(p)) : 0);
      mOut.endLine();
    }
  }

  void primitive(size_t p) {
    const Span<const int32_t> corners = mGeometry.corners(p);
    switch (mGeometry.primitiveType(p)) {
      case PrimitiveType::Polyline:
        for (size_t c = 0; c + 1 < corners.size(); ++c) add(0, p, corners.subspan(c, 2));
        mCutLines += corners.size() > 2;
        mSmall += corners.size() < 2;
        break;
      case PrimitiveType::Polygon:
        mSmall += corners.size() < 3;
        if (corners.size() == 3 || corners.size() == 4)
          add(corners.size() - 2, p, corners);
        else if (corners.size() > 4)
          cut(p, corners);
        break;
      case PrimitiveType::Tetrahedron:
        add(3, p, corners);
        break;
      default:
        break;
    }
  }

  void cut(size_t p, Span<const int32_t> corners) {
    std::vector<Vec3> positions;
    for (const int32_t point : corners) positions.push_back(mGeometry.position(static_cast<size_t>(point)));
    for (const Triangle& t : triangulatePolygon(positions)) {
      Triangle points;
      for (size_t c = 0; c < 3; ++c) points[c] = corners[t[c]];
      add(1, p, Span<const int32_t>(points.data(), 3));
    }
    ++mCutPolygons;
  }

  void add(size_t section, size_t primitive, Span<const int32_t> points) {
    Elements& elements = mElements[section];
    elements.points.insert(elements.points.end(), points.begin(), points.end());
    elements.primitives.push_back(primitive);
  }

  void section(const Section& section, const Elements& elements) {
    if (elements.primitives.empty()) return;
    mOut.text(section.keyword);
    mOut.endLine();
    mOut.number(elements.primitives.size());
    mOut.endLine();
    const size_t corners = static_cast<size_t>(section.corners);
    for (size_t e = 0; e < elements.primitives.size(); ++e) {
      for (size_t c = 0; c < corners; ++c) {
        mOut.number(elements.points[corners * e + c] + 1);
        mOut.character(' ');
      }
      mOut.number(mPrimitiveRef ? static_cast<int64_t>(mPrimitiveRef->number(elements.primitives[e])) : 0);
      mOut.endLine();
    }
  }

  void leaveOut() {
    LeftOut leftOut("Medit");
    Carried carried;
    carried.primitives = [](PrimitiveType type) {
      return type != PrimitiveType::Volume && type != PrimitiveType::Packed;
    };
    carried.attributes = [&](Owner, const Attribute& a) { return &a == mPointRef || &a == mPrimitiveRef; };
    leftOut.compare(mGeometry, carried);
    leftOut.addCount(mSmall, "primitive of too few corners", "primitives of too few corners");
    leftOut.warn(mContext);
    if (mCutPolygons > 0)
      mContext.warn(
          fmt::format("Medit: cut {} polygons of more than 4 corners into triangles", mCutPolygons));
    if (mCutLines > 0) mContext.warn(fmt::format("Medit: cut {} polylines into edges", mCutLines));
  }

  const Geometry& mGeometry;
  Context& mContext;
  TextEmitter mOut;
  const Attribute* mPointRef = referenceOf(mGeometry, Owner::Point);
  const Attribute* mPrimitiveRef = referenceOf(mGeometry, Owner::Primitive);
  Elements mElements[std::size(kSections)];
  size_t mSmall = 0, mCutPolygons = 0, mCutLines = 0;
};

}  // namespace

bool isMedit(std::string_view bytes) { return bytes.substr(0, 20) == "MeshVersionFormatted"; }

Geometry readMedit(std::string_view bytes, const std::filesystem::path&, Context& context) {
  return MeditReader(bytes, context).read();
}

std::string writeMedit(const Geometry& geometry, const std::string&, Context& context) {
  return MeditWriter(geometry, context).write();
}

}  // namespace hackle
