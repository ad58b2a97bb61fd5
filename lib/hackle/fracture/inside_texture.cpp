#include <hackle/core/parallel.h>
#include <hackle/fracture/inside_charts.h>
#include <hackle/fracture/inside_texture.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

/// A face between two pieces.
struct SharedFace {
  int32_t side[2] = {-1, -1};   // faces of the cut
  int32_t piece[2] = {-1, -1};  // of each side
};

std::vector<SharedFace> sharedFaces(const Cut& cut, const PieceFaces& pieces) {
  std::vector<SharedFace> ofPair;
  for (size_t p = 0; p < pieces.count(); ++p)
    for (int32_t k = pieces.starts[p]; k < pieces.starts[p + 1]; ++k) {
      const CutFace& face = cut.faces[pieces.faces[k]];
      if (face.pair < 0) continue;
      if (static_cast<size_t>(face.pair) >= ofPair.size()) ofPair.resize(static_cast<size_t>(face.pair) + 1);
      const size_t side = face.cell < face.neighbour ? 0 : 1;
      ofPair[face.pair].side[side] = pieces.faces[k];
      ofPair[face.pair].piece[side] = static_cast<int32_t>(p);
    }
  const auto gone = [](const SharedFace& f) { return f.side[0] < 0 || f.side[1] < 0; };
  ofPair.erase(std::remove_if(ofPair.begin(), ofPair.end(), gone), ofPair.end());
  return ofPair;
}

/// Unit normal of a face, or of the plane under it where it is part of a rough one.
Vec3 normalOf(const Cut& cut, const CutFace& face) {
  if (face.plane >= 0) return cut.planes[face.plane];
  const auto at = [&](int32_t k) -> const Vec3& {
    return cut.vertices[cut.corners[face.first + k]].position;
  };
  Vec3 sum = Vec3::Zero();
  for (int32_t k = 1; k + 1 < face.count; ++k) sum += (at(k) - at(0)).cross(at(k + 1) - at(0));
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : Vec3(0, 1, 0);
}

InsideFaces facesToTexture(const Cut& cut, const std::vector<SharedFace>& shared, Context& context) {
  InsideFaces faces;
  std::vector<int32_t> pointOf(cut.vertices.size(), -1);
  std::map<std::pair<int32_t, int32_t>, int32_t> contacts;
  for (const SharedFace& s : shared) {
    const CutFace& face = cut.faces[s.side[0]];
    for (int32_t k = 0; k < face.count; ++k) {
      const int32_t vertex = cut.corners[face.first + k];
      if (pointOf[vertex] < 0) {
        pointOf[vertex] = static_cast<int32_t>(faces.points.size());
        faces.points.push_back(cut.vertices[vertex].position);
      }
      faces.corners.push_back(pointOf[vertex]);
    }
    faces.starts.push_back(static_cast<int32_t>(faces.corners.size()));
    const auto number = static_cast<int32_t>(contacts.size());
    faces.contact.push_back(contacts.try_emplace(std::minmax(s.piece[0], s.piece[1]), number).first->second);
  }
  faces.normals.resize(shared.size());
  parallelFor(context, shared.size(), 1024,
              [&](size_t f) { faces.normals[f] = normalOf(cut, cut.faces[shared[f].side[0]]); });
  return faces;
}

/// The corner of `front` where `back` starts: back's corner k is front's corner (result - k).
int32_t backwardsStart(const Cut& cut, const CutFace& front, const CutFace& back) {
  for (int32_t start = 0; start < front.count; ++start) {
    int32_t k = 0;
    while (k < back.count &&
           cut.corners[back.first + k] == cut.corners[front.first + (start - k + front.count) % front.count])
      ++k;
    if (k == back.count) return start;
  }
  throw Error(ErrorCode::Internal, "the two sides of a face have different corners");
}

}  // namespace

std::vector<Vec2> insideTexture(const Cut& cut, const PieceFaces& pieces, double smoothAngle,
                                Context& context) {
  const Context::Stage stage(context, "texture", 0.3);
  const std::vector<SharedFace> shared = sharedFaces(cut, pieces);
  const InsideFaces faces = facesToTexture(cut, shared, context);
  const InsideCharts charts = insideCharts(faces, smoothAngle, context);
  std::vector<Vec2> texture(cut.corners.size(), Vec2::Zero());
  parallelFor(context, shared.size(), 1024, [&](size_t f) {
    const CutFace &front = cut.faces[shared[f].side[0]], &back = cut.faces[shared[f].side[1]];
    const auto uv = charts.uv.begin() + faces.starts[f];
    for (int32_t k = 0; k < front.count; ++k) texture[front.first + k] = uv[k];
    const int32_t start = backwardsStart(cut, front, back);
    for (int32_t k = 0; k < back.count; ++k)
      texture[back.first + k] = uv[(start - k + front.count) % front.count];
  });
  return texture;
}

}  // namespace hackle
