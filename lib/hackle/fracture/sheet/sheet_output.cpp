#include <hackle/core/parallel.h>
#include <hackle/fracture/sheet/sheet_output.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/meshing/surface/attribute_transfer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle {

namespace {

/// Weights of the corners of a triangle at a point of its plane; outside of it some are negative.
Vec3 weightsAt(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  const double wb = (c - a).cross(a - p).dot(n) / area, wc = (a - p).cross(b - a).dot(n) / area;
  return {1 - wb - wc, wb, wc};
}

/// Pieces are numbered by their first face.
std::vector<int32_t> pieceOfFaces(const SheetMesh& mesh) {
  UnionFind parts(mesh.faceCount());
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (const int32_t other : mesh.across[f])
      if (other >= 0) parts.unite(static_cast<int32_t>(f), other / 3);
  std::map<int32_t, int32_t> numbers;
  std::vector<int32_t> piece;
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    piece.push_back(numbers.emplace(parts.find(static_cast<int32_t>(f)), static_cast<int32_t>(numbers.size()))
                        .first->second);
  return piece;
}

}  // namespace

SheetOutput::SheetOutput(const Geometry& artist, const SheetMesh& last, const SheetOutputOptions& options,
                         Context& context)
    : mOptions(options),
      mRest(last.rest),
      mInside(last.rest),
      mFaces(last.faces),
      mPieceOfFace(pieceOfFaces(last)) {
  const int32_t pieces =
      mPieceOfFace.empty() ? 0 : *std::max_element(mPieceOfFace.begin(), mPieceOfFace.end()) + 1;
  for (int32_t i = 0; i < pieces; ++i) mNames.push_back(fmt::format("{}{}", options.prefix, i));
  for (const Triangle& t : mFaces) {
    const Vec3 middle = (mRest[t[0]] + mRest[t[1]] + mRest[t[2]]) / 3;
    for (const int32_t p : t) mInside[p] = mRest[p] + 1e-3 * (middle - mRest[p]);
  }

  // The middle surface with the attributes of what was given.
  mTemplate.addPoints(mRest.size());
  mTemplate.editPositions() = mRest;
  std::vector<int32_t> corners;
  for (const Triangle& t : mFaces) corners.insert(corners.end(), t.begin(), t.end());
  mTemplate.addPrimitives(PrimitiveType::Polygon, mFaces.size(), 3, corners);
  transferAttributes(artist, mTemplate, context);
  for (const char* name : {"v", "rest", "thickness", "stress", "plastic"})
    mTemplate.removeAttribute(Owner::Point, name);
  for (const char* name : {"name", "crack_time"}) mTemplate.removeAttribute(Owner::Primitive, name);
  mTemplate.removeGroup(Owner::Primitive, options.insideGroup);
  mTemplate.removeGroup(Owner::Primitive, options.outsideGroup);
  if (options.thick) {
    Geometry bottom = mTemplate;
    bottom.flipWinding();
    mTemplate.append(bottom);
    addWalls(last);
  }

  // What does not change from frame to frame.
  const size_t primitives = mTemplate.primitiveCount(), faces = mFaces.size();
  std::vector<uint8_t> inside(primitives, 0), outside(primitives, 1);
  Attribute name("name", Storage::String, 1, primitives), time("crack_time", Storage::Float32, 1, primitives);
  const auto pieceOf = [&](size_t p) {
    const size_t sides = options.thick ? 2 * faces : faces;
    return p < sides ? mPieceOfFace[p % faces] : mPieceOfFace[mWalls[p - sides].face];
  };
  for (size_t p = 0; p < primitives; ++p) {
    name.setString(p, mNames[pieceOf(p)]);
    const bool wall = options.thick && p >= 2 * faces;
    const double since = wall ? mWalls[p - 2 * faces].time : -1.0;
    time.setNumber(p, 0, since);
    inside[p] = since >= 0;
    outside[p] = !inside[p];
  }
  mTemplate.addAttribute(Owner::Primitive, std::move(name));
  mTemplate.addAttribute(Owner::Primitive, std::move(time));
  mTemplate.addGroup(Owner::Primitive, options.insideGroup).bits.edit() = inside;
  mTemplate.addGroup(Owner::Primitive, options.outsideGroup).bits.edit() = outside;
}

void SheetOutput::addWalls(const SheetMesh& last) {
  const auto bottom = static_cast<int32_t>(mRest.size());
  std::vector<int32_t> corners;
  for (int32_t f = 0; f < static_cast<int32_t>(mFaces.size()); ++f)
    for (int32_t k = 0; k < 3; ++k) {
      if (last.across[f][k] >= 0) continue;
      const int32_t a = mFaces[f][(k + 1) % 3], b = mFaces[f][(k + 2) % 3];
      const int32_t edge = last.edges[f][k];
      const double time =
          last.kind[edge] == SheetEdgeKind::Crack ? std::max(last.crackTime[edge], 0.0) : -1.0;
      corners.insert(corners.end(), {a, bottom + a, bottom + b, b});
      mWalls.push_back({a, b, f, time, 0.5 * (mRest[a] + mRest[b])});
    }
  mTemplate.addPrimitives(PrimitiveType::Polygon, mWalls.size(), 4, corners);
}

Geometry SheetOutput::at(const SheetFrame& frame, Context& context) const {
  const size_t n = mRest.size(), points = mTemplate.pointCount(), faces = mFaces.size();
  const TriangleBvh tree(frame.rest, frame.faces, context);
  std::vector<Vec3> x(n), v(n);
  std::vector<double> thickness(n), stress(n), plastic(n);
  parallelFor(context, n, 256, [&](size_t p) {
    const ClosestPoint at = tree.closestPoint(mInside[p]);
    const Triangle& t = frame.faces[at.triangle];
    const Vec3 w = weightsAt(mRest[p], frame.rest[t[0]], frame.rest[t[1]], frame.rest[t[2]]);
    x[p] = w[0] * frame.x[t[0]] + w[1] * frame.x[t[1]] + w[2] * frame.x[t[2]];
    v[p] = w[0] * frame.v[t[0]] + w[1] * frame.v[t[1]] + w[2] * frame.v[t[2]];
    thickness[p] = frame.thickness[at.triangle];
    stress[p] = frame.stress[at.triangle];
    plastic[p] = frame.plastic[at.triangle];
  });

  Geometry result = mTemplate;
  std::vector<Vec3>& positions = result.editPositions();
  if (mOptions.thick) {
    std::vector<Vec3> normal(n, Vec3::Zero());
    for (const Triangle& t : mFaces) {
      const Vec3 area = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
      for (const int32_t p : t) normal[p] += area;
    }
    for (size_t p = 0; p < n; ++p) {
      const Vec3 up = 0.5 * thickness[p] * normal[p].normalized();
      positions[p] = x[p] + up;
      positions[n + p] = x[p] - up;
    }
  } else {
    positions = x;
  }
  const auto add = [&](const char* name, int size, const char* qualifier, const auto& value) {
    Attribute attribute(name, Storage::Float32, size, points, qualifier);
    std::vector<float>& values = attribute.edit<float>();
    for (size_t p = 0; p < points; ++p)
      for (int c = 0; c < size; ++c)
        values[p * static_cast<size_t>(size) + static_cast<size_t>(c)] = static_cast<float>(value(p % n, c));
    result.addAttribute(Owner::Point, std::move(attribute));
  };
  add("v", 3, "vector", [&](size_t p, int c) { return v[p][c]; });
  add("rest", 3, "", [&](size_t p, int c) { return mRest[p][c]; });
  add("thickness", 1, "", [&](size_t p, int) { return thickness[p]; });
  add("stress", 1, "", [&](size_t p, int) { return stress[p]; });
  add("plastic", 1, "", [&](size_t p, int) { return plastic[p]; });
  if (!mOptions.thick) return result;

  // Walls: normals across them, uv in metres along the crack and through the sheet.
  Attribute* uv = result.findAttribute(Owner::Vertex, "uv");
  Attribute normals("N", Storage::Float32, 3, result.vertexCount(), "normal");
  std::vector<float>& N = normals.edit<float>();
  for (size_t p = 0; p < result.primitiveCount(); ++p) {
    const Span<const int32_t> c = result.corners(p);
    const Vec3 area =
        (positions[c[1]] - positions[c[0]]).cross(positions[c[2]] - positions[c[0]]).normalized();
    const size_t first = result.firstVertex(p);
    for (size_t k = 0; k < c.size(); ++k)
      for (size_t a = 0; a < 3; ++a)
        N[3 * (first + k) + a] = static_cast<float>(area[static_cast<Eigen::Index>(a)]);
    if (!uv || p < 2 * faces) continue;
    const Wall& wall = mWalls[p - 2 * faces];
    const double u[4] = {0, 0, 1, 1}, w[4] = {0, 1, 1, 0};
    for (size_t k = 0; k < 4; ++k) {
      const int32_t vertex = k < 2 ? wall.a : wall.b;
      uv->setNumber(first + k, 0, u[k] * (mRest[wall.b] - mRest[wall.a]).norm());
      if (uv->tupleSize() > 1) uv->setNumber(first + k, 1, w[k] * thickness[vertex]);
    }
  }
  result.addAttribute(Owner::Vertex, std::move(normals));
  return result;
}

FracturePieces SheetOutput::pieces(const Geometry& geometry) const {
  FracturePieces result;
  result.geometry = geometry;
  result.names = mNames;
  const size_t faces = mFaces.size();
  result.volume.assign(mNames.size(), 0.0);
  result.centre.assign(mNames.size(), Vec3::Zero());
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const int32_t piece = p < 2 * faces ? mPieceOfFace[p % faces] : mPieceOfFace[mWalls[p - 2 * faces].face];
    result.primitivePiece.push_back(piece);
    result.primitiveSource.push_back(p < 2 * faces ? static_cast<int32_t>(p % faces) : -1);
    const Span<const int32_t> c = geometry.corners(p);
    for (size_t k = 2; k < c.size(); ++k) {
      const Vec3 &a = geometry.position(static_cast<size_t>(c[0])),
                 &b = geometry.position(static_cast<size_t>(c[k - 1])),
                 &d = geometry.position(static_cast<size_t>(c[k]));
      const double part = a.dot(b.cross(d)) / 6;
      result.volume[piece] += part;
      result.centre[piece] += part * (a + b + d) / 4;
    }
  }
  for (size_t i = 0; i < mNames.size(); ++i) {
    result.centre[i] /= result.volume[i];
    result.cell.push_back(static_cast<int32_t>(i));
  }
  // Walls of two pieces that lie on each other in the rest shape touched before the crack.
  std::map<std::pair<int32_t, int32_t>, PieceContact> contacts;
  std::map<std::array<int64_t, 3>, size_t> sides;
  for (size_t w = 0; w < mWalls.size(); ++w) {
    if (mWalls[w].time < 0) continue;
    std::array<int64_t, 3> key;
    for (int a = 0; a < 3; ++a) key[static_cast<size_t>(a)] = std::llround(mWalls[w].middle[a] * 1e9);
    const auto [found, fresh] = sides.emplace(key, w);
    if (fresh) continue;
    const int32_t p = mPieceOfFace[mWalls[found->second].face], q = mPieceOfFace[mWalls[w].face];
    if (p == q) continue;
    PieceContact& contact = contacts[{std::min(p, q), std::max(p, q)}];
    contact.a = std::min(p, q);
    contact.b = std::max(p, q);
    const double height = (geometry.position(static_cast<size_t>(mWalls[w].a)) -
                           geometry.position(mRest.size() + static_cast<size_t>(mWalls[w].a)))
                              .norm();
    const double area = height * (mRest[mWalls[w].a] - mRest[mWalls[w].b]).norm();
    contact.centre = (contact.area * contact.centre + area * mWalls[w].middle) / (contact.area + area);
    contact.area += area;
  }
  for (auto& [key, contact] : contacts) result.contacts.push_back(contact);
  return result;
}

}  // namespace hackle
