#include <hackle/render/paint.h>

#include <hackle/geometry/piece_names.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// A number attribute, wherever it lives: the finest owner wins. P counts as one.
class NumberSource {
 public:
  NumberSource(const Geometry& geometry, const std::string& name) : mGeometry(geometry) {
    mIsPosition = name == "P";
    for (const Owner owner : {Owner::Vertex, Owner::Point, Owner::Primitive, Owner::Detail}) {
      const Attribute* attribute = geometry.findAttribute(owner, name);
      if (!attribute || mAttribute) continue;
      mAttribute = attribute;
      mOwner = owner;
    }
  }
  bool found() const { return mAttribute || mIsPosition; }
  bool isNumeric() const { return mIsPosition || (mAttribute && !mAttribute->isString()); }
  int tupleSize() const { return mAttribute ? mAttribute->tupleSize() : 3; }
  /// NaN at corners that the owner does not reach.
  double number(const Corner& corner, int c) const {
    if (!mAttribute) return mGeometry.position(static_cast<size_t>(corner.point))[c];
    const int32_t element = mOwner == Owner::Vertex      ? corner.vertex
                            : mOwner == Owner::Point     ? corner.point
                            : mOwner == Owner::Primitive ? corner.primitive
                                                         : 0;
    return element < 0 ? std::nan("") : mAttribute->number(static_cast<size_t>(element), c);
  }

 private:
  const Geometry& mGeometry;
  const Attribute* mAttribute = nullptr;
  Owner mOwner = Owner::Point;
  bool mIsPosition = false;
};

/// Fills all corners with f(corner).
template <class F>
void paintAll(const Drawable& drawable, DrawnColours& paint, const F& f) {
  const auto fill = [&](const std::vector<Corner>& corners, std::vector<Vec3f>& out) {
    out.resize(corners.size());
    std::transform(corners.begin(), corners.end(), out.begin(), f);
  };
  fill(drawable.surfaceCorners, paint.surface);
  fill(drawable.segmentCorners, paint.segments);
  fill(drawable.dotCorners, paint.dots);
}

/// Lines and dots stand out from surfaces of the base colour.
Vec3f lineColour() { return linearFromSrgb(Vec3(0.20, 0.42, 0.62)).matrix(); }

void paintPlain(const Geometry& geometry, const Drawable& drawable, const RenderOptions& options,
                DrawnColours& paint) {
  const Vec3f base = linearFromSrgb(options.base).matrix();
  const NumberSource cd(geometry, "Cd");
  const bool useCd =
      options.colour == ColourMode::Plain && options.useCd && cd.isNumeric() && cd.tupleSize() >= 3;
  paintAll(drawable, paint, [&](const Corner& corner) {
    const bool isLine =
        corner.primitive < 0 ||
        geometry.primitiveType(static_cast<size_t>(corner.primitive)) == PrimitiveType::Polyline;
    if (!useCd) return isLine ? lineColour() : base;
    // Houdini's Cd is linear already.
    Vec3f colour;
    for (int c = 0; c < 3; ++c) {
      const auto value = static_cast<float>(cd.number(corner, c));
      colour[c] = std::isfinite(value) ? std::clamp(value, 0.0f, 1.0f) : base[c];
    }
    return colour;
  });
}

void paintPieces(const Geometry& geometry, const Drawable& drawable, const RenderOptions& options,
                 DrawnColours& paint) {
  const Pieces pieces = findPieces(geometry);
  if (pieces.count() <= 1) return paintPlain(geometry, drawable, options, paint);
  std::vector<Vec3f> palette;
  for (size_t i = 0; i < pieces.count(); ++i) palette.push_back(pieceColour(i).matrix());
  paintAll(drawable, paint, [&](const Corner& corner) {
    if (corner.primitive < 0) return lineColour();
    return palette[pieces.ofPrimitive[corner.primitive]];
  });
}

void paintInside(const Geometry& geometry, const Drawable& drawable, const RenderOptions& options,
                 DrawnColours& paint, Context& context) {
  paintPlain(geometry, drawable, options, paint);
  const Group* inside = geometry.findGroup(Owner::Primitive, "inside");
  if (!inside) {
    context.warn("there is no primitive group inside; all faces are drawn as outside");
    return;
  }
  const Vec3f colour = linearFromSrgb(options.inside).matrix();
  for (size_t i = 0; i < drawable.surfaceCorners.size(); ++i)
    if (inside->bits[drawable.surfaceCorners[i].primitive]) paint.surface[i] = colour;
}

void paintUv(const Geometry& geometry, const Drawable& drawable, const RenderOptions& options,
             DrawnColours& paint, Context& context) {
  const NumberSource uv(geometry, "uv");
  if (!uv.isNumeric() || uv.tupleSize() < 2) {
    context.warn("there is no uv attribute; the geometry is drawn plain");
    return paintPlain(geometry, drawable, options, paint);
  }
  paint.kind = PaintKind::Uv;
  paintAll(drawable, paint, [&](const Corner& corner) {
    return Vec3f(static_cast<float>(uv.number(corner, 0)), static_cast<float>(uv.number(corner, 1)), 0.0f);
  });
}

std::string numericAttributeNames(const Geometry& geometry) {
  std::vector<std::string> names{"P"};
  for (const Owner owner : {Owner::Vertex, Owner::Point, Owner::Primitive, Owner::Detail})
    for (const Attribute& attribute : geometry.attributes(owner))
      if (!attribute.isString() && std::find(names.begin(), names.end(), attribute.name()) == names.end())
        names.push_back(attribute.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

void paintAttribute(const Geometry& geometry, const Drawable& drawable, const RenderOptions& options,
                    DrawnColours& paint) {
  const NumberSource source(geometry, options.attribute);
  if (!source.found())
    throw Error(ErrorCode::BadInput,
                options.attribute.empty() ? std::string("no attribute to colour by was given")
                                          : fmt::format("there is no attribute {}", options.attribute),
                "this geometry has " + numericAttributeNames(geometry));
  if (!source.isNumeric())
    throw Error(ErrorCode::BadInput,
                fmt::format("attribute {} holds text, which has no colour map", options.attribute),
                "choose a number attribute (" + numericAttributeNames(geometry) + "), or colour by piece");
  const int size = source.tupleSize();
  const int component = static_cast<int>(options.component) - 1;
  if (component >= size)
    throw Error(ErrorCode::BadInput,
                fmt::format("attribute {} has {} components, not {}", options.attribute, size, component + 1),
                "choose a lower component or the magnitude");

  // Gather the numbers; a single component is shown with its sign.
  paint.kind = PaintKind::Scalar;
  paintAll(drawable, paint, [&](const Corner& corner) {
    double value = 0;
    if (component >= 0) value = source.number(corner, component);
    if (component < 0 && size == 1) value = source.number(corner, 0);
    if (component < 0 && size > 1)
      for (int c = 0; c < size; ++c) value = std::hypot(value, source.number(corner, c));
    const auto single = static_cast<float>(value);
    return Vec3f(single, std::isfinite(single) ? 1.0f : 0.0f, 0.0f);
  });
  static constexpr const char* kSuffix[] = {" magnitude", ".x", ".y", ".z", ".w"};
  paint.legendTitle = options.attribute + (size > 1 ? kSuffix[component + 1] : "");

  // Bring them to the range of the map.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::array<std::vector<Vec3f>*, 3> lists{&paint.surface, &paint.segments, &paint.dots};
  for (const std::vector<Vec3f>* list : lists)
    for (const Vec3f& v : *list)
      if (v.y() > 0) low = std::min<double>(low, v.x()), high = std::max<double>(high, v.x());
  if (options.range == RangeMode::Given) low = options.rangeMin, high = options.rangeMax;
  if (!(low <= high)) low = high = 0.0;
  paint.low = low;
  paint.high = high;
  for (std::vector<Vec3f>* list : lists)
    for (Vec3f& v : *list)
      v.x() =
          v.y() > 0 && high > low
              ? static_cast<float>(std::clamp((static_cast<double>(v.x()) - low) / (high - low), 0.0, 1.0))
              : 0.5f;
}

/// The colour map as a table: it is looked up for every sample.
Rgb mapColour(float t) {
  constexpr int kSize = 1024;
  static const std::vector<Rgb> kTable = [] {
    std::vector<Rgb> table;
    for (int i = 0; i < kSize; ++i) table.push_back(viridis(static_cast<float>(i) / (kSize - 1)));
    return table;
  }();
  return kTable[static_cast<size_t>(std::clamp(static_cast<int>(t * (kSize - 1) + 0.5f), 0, kSize - 1))];
}

Rgb checkerColour(float u, float v) {
  if (!std::isfinite(u) || !std::isfinite(v)) return Rgb(0.5f, 0.5f, 0.5f);
  // Eight squares per tile, tinted by place in the tile so that orientation shows; a line at the tile's
  // border.
  constexpr float kSquares = 8.0f;
  const float tileU = u - std::floor(u), tileV = v - std::floor(v);
  const bool even = (static_cast<int>(tileU * kSquares) + static_cast<int>(tileV * kSquares)) % 2 == 0;
  const float border = std::min({tileU, 1 - tileU, tileV, 1 - tileV});
  const float hue = 0.58f + 0.42f * tileU;
  const float lightness = (even ? 0.88f : 0.62f) - 0.14f * (1.0f - tileV);
  if (border < 0.006f) return Rgb(0.04f, 0.04f, 0.05f);
  return fromLightnessChromaHue(lightness, even ? 0.04f : 0.10f, hue);
}

}  // namespace

Rgb DrawnColours::colour(const Vec3f& numbers) const {
  switch (kind) {
    case PaintKind::Colour:
      return numbers.array();
    case PaintKind::Scalar:
      return numbers.y() > 0.99f ? mapColour(numbers.x()) : Rgb(0.35f, 0.35f, 0.35f);
    default:
      return checkerColour(numbers.x(), numbers.y());
  }
}

DrawnColours makePaint(const Geometry& geometry, const Drawable& drawable, const std::vector<Vec3f>& normals,
                       const RenderOptions& options, Context& context) {
  DrawnColours paint;
  switch (options.colour) {
    case ColourMode::Plain:
      paintPlain(geometry, drawable, options, paint);
      break;
    case ColourMode::Piece:
      paintPieces(geometry, drawable, options, paint);
      break;
    case ColourMode::Inside:
      paintInside(geometry, drawable, options, paint, context);
      break;
    case ColourMode::Attribute:
      paintAttribute(geometry, drawable, options, paint);
      break;
    case ColourMode::Uv:
      paintUv(geometry, drawable, options, paint, context);
      break;
    case ColourMode::Normal:
      paintPlain(geometry, drawable, options, paint);
      for (size_t i = 0; i < normals.size(); ++i)
        paint.surface[i] = linearFromSrgb(Vec3(0.5 * (normals[i].cast<double>() + Vec3::Ones()))).matrix();
      break;
  }
  return paint;
}

}  // namespace hackle
