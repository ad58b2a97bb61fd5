#include <hackle/coupling/hosted_packed.h>

#include <hackle/geometry/transform.h>

#include <algorithm>

namespace hackle {

namespace {

/// What a packed primitive holds, where it was packed.
Geometry contentOf(PackedPrimitive packed) {
  packed.transform = Mat3::Identity();
  packed.pivot = Vec3::Zero();
  Geometry holder;
  holder.addPacked(std::move(packed), Vec3::Zero());
  return unpacked(holder);
}

/// The geometry without these primitives and without the points that only they use.
Geometry withoutPrimitives(const Geometry& geometry, const std::vector<uint8_t>& gone) {
  std::vector<int32_t> kept;
  std::vector<uint8_t> unwanted(geometry.pointCount(), 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (!gone[p])
      kept.push_back(static_cast<int32_t>(p));
    else
      for (const int32_t point : geometry.corners(p)) unwanted[point] = 1;
  Geometry rest = geometry.extract(kept, /*keepPoints=*/true);
  for (const int32_t point : rest.vertexPoints()) unwanted[point] = 0;
  std::vector<int32_t> sources, number(unwanted.size(), -1), corners;
  for (size_t point = 0; point < unwanted.size(); ++point) {
    if (unwanted[point]) continue;
    number[point] = static_cast<int32_t>(sources.size());
    sources.push_back(static_cast<int32_t>(point));
  }
  for (const int32_t point : rest.vertexPoints()) corners.push_back(number[point]);
  rest.replacePoints(sources, corners);
  return rest;
}

}  // namespace

void placeBody(HostedBody& body, const Mat3& linear, const Vec3& offset, double length,
               std::function<Geometry(Context&)> content) {
  body.rotation = rotationOf(linear);
  body.offset = offset / length;
  const Mat3 stretch = body.rotation.transpose() * linear / length;
  const bool plain = (stretch - Mat3::Identity()).norm() < 1e-5;
  body.shape = [content = std::move(content), stretch, plain](Context& context) {
    Geometry shape = content(context);
    if (!plain) transformGeometry(shape, stretch, Vec3::Zero(), context);
    return shape;
  };
}

PackedPrimitive packedFragment(const Fragment& fragment, double length) {
  Geometry shape = fragment.geometry;
  if (length != 1) {
    Context quiet;
    transformGeometry(shape, length * Mat3::Identity(), Vec3::Zero(), quiet);
  }
  shape.positionFileStorage = Storage::Float64;
  PackedPrimitive packed;
  packed.source = std::make_shared<const Geometry>(std::move(shape));
  packed.transform = fragment.motion.rotation.transpose();  // for row vectors
  packed.pivot = length * fragment.mass.centre;
  return packed;
}

HostedGeometry hostedGeometry(const Geometry& geometry, double length) {
  HostedGeometry hosted;
  std::vector<int32_t> points;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) continue;
    hosted.primitives.push_back(static_cast<int32_t>(p));
    points.push_back(geometry.corners(p)[0]);
  }
  hosted.points = geometry.extract({}, /*keepPoints=*/true);
  hosted.points.replacePoints(points, {});
  hosted.pieces = hostedPieces(hosted.points, length);
  for (size_t i = 0; i < points.size(); ++i) {
    HostedPiece& piece = hosted.pieces[i];
    const PackedPrimitive& packed = geometry.packed(static_cast<size_t>(hosted.primitives[i]));
    const Mat3 linear = packed.transform.transpose();
    placeBody(piece.body, linear, hosted.points.position(i) - linear * packed.pivot, length,
              [&packed](Context&) { return contentOf(packed); });
    piece.primitiveNumber = hosted.primitives[i];
    piece.pointNumber = points[i];
  }
  return hosted;
}

Geometry replacedPieces(const Geometry& geometry, const HostedGeometry& hosted,
                        Span<const HostedBreak> breaks, Geometry points, double length) {
  std::vector<uint8_t> gone(geometry.primitiveCount(), 0);
  for (const HostedBreak& broken : breaks) gone[hosted.primitives[broken.body]] = 1;
  int32_t point = 0;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments)
      points.addPacked(packedFragment(fragment, length), point++);
  Geometry rest = withoutPrimitives(geometry, gone);
  rest.append(points);
  return rest;
}

}  // namespace hackle
