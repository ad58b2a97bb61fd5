#include <hackle/core/error.h>
#include <hackle/fracture/modes/mode_search.h>
#include <hackle/fracture/modes/mode_solver.h>
#include <hackle/linalg/eigenpairs.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

using Eigen::Index;
using Eigen::MatrixXd;

namespace detail {

MatrixXd vibrations(const ElementGraph& graph, Index axis, size_t count, Context& context) {
  const auto n = static_cast<int32_t>(graph.size());
  std::vector<Eigen::Triplet<double, int32_t>> stiffness, mass;
  for (size_t f = 0; f < graph.faces.size(); ++f) {
    const auto [a, b] = graph.faces[f];
    // Distance of the elements' centres: about the sum of their volumes by the area between.
    const double w =
        graph.costs(static_cast<Index>(f), axis) * graph.areas[f] / (graph.volumes[a] + graph.volumes[b]);
    stiffness.emplace_back(a, a, w);
    stiffness.emplace_back(b, b, w);
    stiffness.emplace_back(b, a, -w);
  }
  for (int32_t e = 0; e < n; ++e) mass.emplace_back(e, e, graph.masses[e]);
  SparseMatrix k(n, n), m(n, n);
  k.setFromTriplets(stiffness.begin(), stiffness.end());
  m.setFromTriplets(mass.begin(), mass.end());
  EigenOptions options;
  options.tolerance = 1e-4;
  const Eigenpairs pairs = smallestEigenpairs(k, m, std::min(count + 1, graph.size()), options, context);
  return pairs.vectors.rightCols(pairs.vectors.cols() - 1);
}

}  // namespace detail

namespace {

void check(const ElementGraph& graph, const ModeOptions& options) {
  std::vector<int32_t> partOf;
  if (const size_t parts = elementParts(graph, &partOf); parts != 1) {
    if (parts == 0) throw Error(ErrorCode::BadInput, "the lattice has no elements", "give it a closed solid");
    std::vector<size_t> size(parts, 0);
    for (const int32_t p : partOf) ++size[p];
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the lattice is in {} parts, the largest of {} of its {} elements", parts,
                    *std::max_element(size.begin(), size.end()), graph.size()),
        "find the modes of each part by itself, or join the parts with a coarser lattice or a wider cage");
  }
  if (options.count >= graph.size())
    throw Error(ErrorCode::BadInput,
                fmt::format("{} modes are asked of a lattice of {} elements", options.count, graph.size()),
                "ask for fewer modes or use a finer lattice");
}

/// The value at the place that a mirror moves each element to.
Eigen::VectorXd mirrored(const Eigen::VectorXd& values, const std::vector<int32_t>& mirror) {
  Eigen::VectorXd result(values.size());
  for (Index e = 0; e < result.size(); ++e) result[e] = values[mirror[static_cast<size_t>(e)]];
  return result;
}

}  // namespace

FractureModes fractureModes(const ElementGraph& graph, const ModeOptions& options, Context& context) {
  check(graph, options);
  const Index axes = graph.costs.cols();
  FractureModes result;
  std::vector<Eigen::VectorXd> values;
  for (Index axis = 0; axis < axes && options.count > 0; ++axis) {
    const size_t starts = std::max<size_t>(options.starts, 1);
    detail::ModeSearch search(
        graph, axis, detail::vibrations(graph, axis, options.count + starts - 1, context), options, context);
    const size_t first = values.size();
    while (values.size() - first < options.count) {
      const double found = static_cast<double>(values.size() - first) / static_cast<double>(options.count);
      context.advance((static_cast<double>(axis) + found) / static_cast<double>(axes));
      FractureMode mode;
      mode.axes = static_cast<uint8_t>(axes == 1 ? 7 : 1 << axis);
      size_t next = values.size();
      values.push_back(search.next(mode, context));
      result.modes.push_back(mode);
      // Its images, and theirs.
      for (; next < values.size(); ++next)
        for (const std::vector<int32_t>& mirror : options.mirrors)
          if (auto image = search.addImage(mirrored(values[next], mirror), graph, mode, context)) {
            values.push_back(std::move(*image));
            result.modes.push_back(mode);
          }
    }
    result.cuts += search.cuts();
  }
  result.values.resize(static_cast<Index>(graph.size()), static_cast<Index>(values.size()));
  for (size_t m = 0; m < values.size(); ++m) result.values.col(static_cast<Index>(m)) = values[m];
  return result;
}

}  // namespace hackle
