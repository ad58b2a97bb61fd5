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
  std::stable_sort(faces.begin(), faces.end(),
                   [](const CutFace& a, const CutFace& b) { return a.cell < b.cell; });
}

}  // namespace hackle
