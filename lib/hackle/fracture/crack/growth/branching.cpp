#include <hackle/bem/evaluation.h>
#include <hackle/fracture/crack/growth/branching.h>

namespace hackle {

std::vector<Vec3> faceMeans(const BemSystem& system, const BemSolution& solution, Span<const int32_t> nodes,
                            Context& context) {
  const BemSurface& surface = system.surface();
  Eigen::VectorXd u = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * surface.nodeCount()));
  Eigen::VectorXd q = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * surface.triangleCount()));
  u.head(solution.u.size()) = solution.u;
  q.head(solution.q.size()) = solution.q;
  std::vector<Vec3> means =
      BoundaryField(surface, system.material(), nodeSpace(surface), u, q).sheetDisplacements(nodes, context);
  for (size_t i = 0; i < nodes.size(); ++i)
    means[i] += solution.carriedDisplacement(surface.point(static_cast<size_t>(nodes[i])));
  return means;
}

std::array<CrackFaces, 2> crackFaces(const BemSystem& system, const BemSolution& solution, Context& context) {
  std::array<CrackFaces, 2> faces;
  const BemSurface& surface = system.surface();
  const size_t first = system.body().triangleCount();
  std::vector<int32_t> sheet, nodes, local(surface.nodeCount(), -1);
  std::vector<Vec3> points;
  std::vector<Triangle> corners[2];
  for (size_t t = first; t < surface.triangleCount(); ++t) {
    if (system.crackOnto()[t - first] >= 0) continue;
    sheet.push_back(static_cast<int32_t>(t));
    Triangle triangle = surface.triangle(t);
    for (int32_t& n : triangle) {
      int32_t& number = local[n];
      if (number < 0) {
        number = static_cast<int32_t>(nodes.size());
        nodes.push_back(n);
        points.push_back(surface.point(static_cast<size_t>(n)));
      }
      n = number;
    }
    corners[0].push_back(triangle);
    corners[1].push_back({triangle[0], triangle[2], triangle[1]});
  }
  if (sheet.empty()) return faces;
  const std::vector<Vec3> means = faceMeans(system, solution, nodes, context);
  const Eigen::VectorXd free = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * sheet.size()));
  for (const size_t side : {size_t{0}, size_t{1}}) {
    Eigen::VectorXd u(static_cast<Eigen::Index>(3 * nodes.size()));
    for (size_t i = 0; i < nodes.size(); ++i) {
      // The material behind a sheet has the sheet's normal as that of its face.
      const Vec3 half = 0.5 * solution.opening(static_cast<size_t>(nodes[i]));
      u.segment<3>(static_cast<Eigen::Index>(3 * i)) =
          side == 0 ? Vec3(means[i] - half) : Vec3(means[i] + half);
    }
    faces[side].surface = BemSurface(points, corners[side]);
    faces[side].stress = surfaceStresses(faces[side].surface, system.material(), u, free);
    faces[side].triangles = sheet;
  }
  return faces;
}

}  // namespace hackle
