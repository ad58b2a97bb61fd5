#include <hackle/meshing/cut/cut.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

DegenerateCut::DegenerateCut(const Vec3& near)
    : Error(ErrorCode::BadInput,
            fmt::format("the pieces do not fit together near ({:.6g}, {:.6g}, {:.6g}): parts of the surface "
                        "lie on each other or cross",
                        near.x(), near.y(), near.z()),
            "join them with the operator repair and its parameter resurface") {}

void Cut::addFace(CutFace face, Span<const int32_t> faceCorners) {
  face.first = static_cast<int32_t>(corners.size());
  face.count = static_cast<int32_t>(faceCorners.size());
  corners.insert(corners.end(), faceCorners.begin(), faceCorners.end());
  faces.push_back(face);
}

void Cut::addInsideFace(int32_t i, int32_t j, int32_t pair, std::vector<int32_t> faceCorners) {
  CutFace inside;
  inside.cell = i;
  inside.neighbour = j;
  inside.pair = pair;
  addFace(inside, faceCorners);
  std::swap(inside.cell, inside.neighbour);
  std::reverse(faceCorners.begin(), faceCorners.end());
  addFace(inside, faceCorners);
}

void Cut::sortFaces() {
  // By counting: cells are few and the order within them stays.
  int32_t last = -1;
  for (const CutFace& face : faces) last = std::max(last, face.cell);
  std::vector<size_t> places(static_cast<size_t>(last) + 2, 0);
  for (const CutFace& face : faces) ++places[face.cell + 1];
  for (size_t c = 1; c < places.size(); ++c) places[c] += places[c - 1];
  std::vector<CutFace> sorted(faces.size());
  for (const CutFace& face : faces) sorted[places[face.cell]++] = face;
  faces = std::move(sorted);
}

}  // namespace hackle
