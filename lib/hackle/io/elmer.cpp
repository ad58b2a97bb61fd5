#include <hackle/io/elmer.h>

#include <hackle/core/error.h>
#include <hackle/io/bytes.h>
#include <hackle/io/left_out.h>
#include <hackle/io/tetrahedra.h>
#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <unordered_map>

namespace hackle {

namespace {

/// Shapes by the hundreds of their type; those without a primitive are left out.
struct Shape {
  const char* name;
  size_t corners;
  PrimitiveType type;
};
constexpr size_t kKnownShapes = 5;
constexpr Shape kShapes[] = {
    {nullptr, 0, PrimitiveType::Polyline},        {"point", 1, PrimitiveType::Polyline},
    {"line", 2, PrimitiveType::Polyline},         {"triangle", 3, PrimitiveType::Polygon},
    {"quadrilateral", 4, PrimitiveType::Polygon}, {"tetrahedron", 4, PrimitiveType::Tetrahedron},
    {"pyramid", 5, PrimitiveType::Polygon},       {"wedge", 6, PrimitiveType::Polygon},
    {"brick", 8, PrimitiveType::Polygon}};
bool isRead(int64_t shape) { return shape >= 2 && shape <= static_cast<int64_t>(kKnownShapes); }

class ElmerReader {
 public:
  explicit ElmerReader(Context& context) : mContext(context) {}

  Geometry read(const ElmerFiles& files) {
    nodes(files.nodes);
    elements(files.elements, ".elements", 0);
    const size_t inside = mBodies.size();
    elements(files.boundary, ".boundary", 2);
    flush();
    Attribute body("body", Storage::Int32, 1);
    body.assign(CowArray<int32_t>(std::move(mBodies)));
    mGeometry.addAttribute(Owner::Primitive, std::move(body));
    if (mGeometry.primitiveCount() > inside) {
      std::vector<uint8_t>& bits = mGeometry.addGroup(Owner::Primitive, "boundary").bits.edit();
      std::fill(bits.begin() + static_cast<ptrdiff_t>(inside), bits.end(), uint8_t(1));
    }
    orientTetrahedra(mGeometry, "Elmer", mContext);
    mLeftOut.warn(mContext);
    return std::move(mGeometry);
  }

 private:
  void nodes(std::string_view bytes) {
    TextScanner scan(bytes, mContext, {'!', false, ".nodes"});
    std::vector<Vec3> positions;
    std::vector<int64_t> ids;
    while (scan.nextItem()) {
      const int64_t id = scan.integer("the node's number");
      scan.integer("the node's tag");
      const double x = scan.number("x"), y = scan.number("y"), z = scan.number("z");
      positions.emplace_back(x, y, z);
      ids.push_back(id);
      if (id != static_cast<int64_t>(ids.size())) mInOrder = false;
      scan.nextLine();
    }
    for (size_t p = 0; !mInOrder && p < ids.size(); ++p)
      if (!mNodes.emplace(ids[p], static_cast<int32_t>(p)).second)
        scan.fail(fmt::format("node {} is there twice", ids[p]));
    mGeometry.addPoints(positions.size());
    mGeometry.editPositions().swap(positions);
  }

  /// Rows of elements; `parents` columns stand between the body and the type.
  void elements(std::string_view bytes, const char* fileName, int parents) {
    TextScanner scan(bytes, mContext, {'!', false, fileName});
    while (scan.nextItem()) {
      scan.integer("the element's number");
      const int64_t body = scan.integer("the body");
      if (body < INT32_MIN || body > INT32_MAX) scan.fail("the body is out of range");
      for (int c = 0; c < parents; ++c) scan.integer("a parent");
      element(scan, static_cast<int32_t>(body));
      scan.nextLine();
    }
  }

  void element(TextScanner& scan, int32_t body) {
    const int64_t type = scan.integer("the type");
    const int64_t shape = type / 100;
    const size_t nodeCount = static_cast<size_t>(std::max<int64_t>(type % 100, 0));
    if (shape < 1 || shape >= static_cast<int64_t>(std::size(kShapes)))
      scan.fail(fmt::format("there is no element type {}", type));
    const Shape& s = kShapes[static_cast<size_t>(shape)];
    if (nodeCount < s.corners) scan.fail(fmt::format("type {} has too few nodes for a {}", type, s.name));
    if (!isRead(shape)) return mLeftOut.add("element type", std::to_string(type));
    if (nodeCount > s.corners) mLeftOut.add("edge nodes of element type", std::to_string(type));
    if (s.type != mType) flush();
    mType = s.type;
    for (size_t n = 0; n < nodeCount; ++n) {
      const int32_t point = node(scan);
      if (n < s.corners) mPoints.push_back(point);
    }
    mCounts.push_back(static_cast<int32_t>(s.corners));
    mBodies.push_back(body);
  }

  int32_t node(TextScanner& scan) {
    if (mInOrder) return scan.index("node", mGeometry.pointCount(), 1);
    const int64_t id = scan.integer("a node");
    const auto found = mNodes.find(id);
    if (found == mNodes.end()) scan.fail(fmt::format("node {} does not exist", id));
    return found->second;
  }

  void flush() {
    mGeometry.addPrimitives(mType, mCounts, mPoints);
    mCounts.clear();
    mPoints.clear();
  }

  Context& mContext;
  LeftOut mLeftOut{"Elmer"};
  Geometry mGeometry;
  std::unordered_map<int64_t, int32_t> mNodes;   // by id, if they are not in order
  bool mInOrder = true;                          // ids are 1, 2, 3, ...
  PrimitiveType mType = PrimitiveType::Polygon;  // of the elements below, not yet in the geometry
  std::vector<int32_t> mCounts, mPoints;
  std::vector<int32_t> mBodies;
};

}  // namespace

Geometry readElmer(const ElmerFiles& files, Context& context) { return ElmerReader(context).read(files); }

Geometry readElmerFile(std::string_view bytes, const std::filesystem::path& path, Context& context) {
  std::vector<std::unique_ptr<FileBytes>> siblings;
  std::string given = path.extension().string();
  std::transform(given.begin(), given.end(), given.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto bytesOf = [&](const char* extension, bool needed) -> std::string_view {
    if (given == extension) return bytes;
    std::filesystem::path sibling = path;
    sibling.replace_extension(extension);
    std::error_code ignored;
    if (!needed && !std::filesystem::exists(sibling, ignored)) return {};
    siblings.push_back(std::make_unique<FileBytes>(sibling));
    return siblings.back()->bytes();
  };
  ElmerFiles files;
  files.nodes = bytesOf(".nodes", true);
  files.elements = bytesOf(".elements", true);
  files.boundary = bytesOf(".boundary", false);
  return readElmer(files, context);
}

}  // namespace hackle
