#include <hackle/io/animation.h>

#include <hackle/core/error.h>
#include <hackle/io/text_emitter.h>

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace hackle {

namespace {

class UsdaText {
 public:
  explicit UsdaText(Context& context) : mOut(context) {}

  void line(const std::string& text) {
    for (int i = 0; i < mDepth; ++i) mOut.text("    ");
    mOut.text(text);
    mOut.endLine();
  }
  void open(const std::string& text) {
    line(text);
    line("{");
    ++mDepth;
  }
  void close() {
    --mDepth;
    line("}");
  }
  /// `head [item, item, ...]`
  template <class Item>
  void list(const std::string& head, size_t count, const Item& item) {
    for (int i = 0; i < mDepth; ++i) mOut.text("    ");
    mOut.text(head);
    mOut.text(" = [");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) mOut.text(", ");
      item(i);
    }
    mOut.text("]");
  }
  void samples(const std::string& head, int first, size_t count, const std::function<void(size_t)>& item) {
    line(head + ".timeSamples = {");
    for (size_t i = 0; i < count; ++i) {
      for (int k = 0; k <= mDepth; ++k) mOut.text("    ");
      mOut.number(first + static_cast<int>(i));
      mOut.text(": ");
      item(i);
      mOut.text(",");
      mOut.endLine();
    }
    line("}");
  }
  void tuple(std::initializer_list<double> numbers) {
    mOut.text("(");
    bool later = false;
    for (const double number : numbers) {
      if (later) mOut.text(", ");
      later = true;
      mOut.number(number);
    }
    mOut.text(")");
  }
  /// Single precision, as most USD attributes have it.
  void single(std::initializer_list<double> numbers) {
    mOut.text("(");
    bool later = false;
    for (const double number : numbers) {
      if (later) mOut.text(", ");
      later = true;
      mOut.number(static_cast<float>(number));
    }
    mOut.text(")");
  }
  TextEmitter& out() { return mOut; }
  std::string take() { return mOut.take(); }

 private:
  TextEmitter mOut;
  int mDepth = 0;
};

void header(UsdaText& text, const std::string& prim, const std::vector<std::string>& more) {
  text.line("#usda 1.0");
  text.line("(");
  text.line(fmt::format("    defaultPrim = \"{}\"", prim));
  text.line("    metersPerUnit = 1");
  for (const std::string& line : more) text.line("    " + line);
  text.line("    upAxis = \"Y\"");
  text.line(")");
  text.line("");
}

/// A float attribute of corners, on vertices or points.
const Attribute* cornerAttribute(const Geometry& geometry, const std::string& name, bool& onPoints) {
  for (const Owner owner : {Owner::Vertex, Owner::Point}) {
    const Attribute* found = geometry.findAttribute(owner, name);
    if (!found || !found->isFloat() || found->tupleSize() < 2) continue;
    onPoints = owner == Owner::Point;
    return found;
  }
  return nullptr;
}

void writeMesh(UsdaText& text, const AnimatedBody& body) {
  const Geometry& g = body.geometry;
  text.open(fmt::format("def Mesh \"{}\"", usdName(body.name)));
  std::vector<size_t> faces;
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    if (g.primitiveType(p) == PrimitiveType::Polygon) faces.push_back(p);
  TextEmitter& out = text.out();
  Box3 box;
  for (const Vec3& p : g.positions()) box.add(Vec3(p - body.pivot));
  text.list("float3[] extent", 2, [&](size_t i) {
    const Vec3& c = i == 0 ? box.min : box.max;
    text.single({c.x(), c.y(), c.z()});
  });
  out.endLine();
  text.list("int[] faceVertexCounts", faces.size(), [&](size_t i) { out.number(g.vertexCount(faces[i])); });
  out.endLine();
  std::vector<size_t> corners;
  for (const size_t f : faces)
    for (size_t k = 0; k < g.vertexCount(f); ++k) corners.push_back(g.firstVertex(f) + k);
  text.list("int[] faceVertexIndices", corners.size(),
            [&](size_t i) { out.number(g.vertexPoint(corners[i])); });
  out.endLine();
  text.list("point3f[] points", g.pointCount(), [&](size_t i) {
    const Vec3 p = g.position(i) - body.pivot;
    text.single({p.x(), p.y(), p.z()});
  });
  out.endLine();
  for (const char* name : {"N", "uv"}) {
    bool onPoints = false;
    const Attribute* values = cornerAttribute(g, name, onPoints);
    const bool normals = name[0] == 'N';
    if (!values || (normals && values->tupleSize() < 3)) continue;
    text.list(normals ? "normal3f[] normals" : "texCoord2f[] primvars:st", corners.size(), [&](size_t i) {
      const size_t e = onPoints ? static_cast<size_t>(g.vertexPoint(corners[i])) : corners[i];
      if (normals)
        text.single({values->number(e, 0), values->number(e, 1), values->number(e, 2)});
      else
        text.single({values->number(e, 0), values->number(e, 1)});
    });
    out.text(" (");
    out.endLine();
    text.line("    interpolation = \"faceVarying\"");
    text.line(")");
  }
  text.line("uniform token subdivisionScheme = \"none\"");
  text.close();
}

}  // namespace

std::string usdName(const std::string& name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result = "_" + result;
  return result;
}

std::string usdaGeometry(const std::vector<AnimatedBody>& bodies, Context& context) {
  HACKLE_ASSERT(!bodies.empty());
  UsdaText text(context);
  header(text, usdName(bodies[0].name), {});
  for (const AnimatedBody& body : bodies) {
    writeMesh(text, body);
    text.line("");
  }
  return text.take();
}

std::string usdaAnimation(const Animation& animation, const std::vector<std::string>& geometryFiles,
                          Context& context) {
  HACKLE_ASSERT(geometryFiles.size() == animation.bodies.size());
  UsdaText text(context);
  header(text, "sim",
         {fmt::format("endTimeCode = {}", animation.last), fmt::format("startTimeCode = {}", animation.first),
          fmt::format("timeCodesPerSecond = {}", animation.rate)});
  text.open("def Xform \"sim\"");
  for (size_t i = 0; i < animation.bodies.size(); ++i) {
    const AnimatedBody& body = animation.bodies[i];
    const std::string name = usdName(body.name);
    text.open(fmt::format("def Xform \"{}\"", name));
    text.samples("quatf xformOp:orient", body.first, body.positions.size(), [&](size_t k) {
      const Eigen::Quaterniond& q = body.orientations[k];
      text.single({q.w(), q.x(), q.y(), q.z()});
    });
    text.samples("double3 xformOp:translate", body.first, body.positions.size(), [&](size_t k) {
      const Vec3& p = body.positions[k];
      text.tuple({p.x(), p.y(), p.z()});
    });
    text.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
    // Seen from its first frame to its last.
    text.line("token visibility.timeSamples = {");
    if (body.first > animation.first) text.line(fmt::format("    {}: \"invisible\",", animation.first));
    text.line(fmt::format("    {}: \"inherited\",", body.first));
    if (body.last() < animation.last) text.line(fmt::format("    {}: \"invisible\",", body.last() + 1));
    text.line("}");
    text.line("");
    text.line("def Mesh \"geo\" (");
    text.line(fmt::format("    prepend references = @{}@</{}>", geometryFiles[i], name));
    text.line(")");
    text.line("{");
    text.line("}");
    text.close();
    text.line("");
  }
  text.close();
  return text.take();
}

}  // namespace hackle
