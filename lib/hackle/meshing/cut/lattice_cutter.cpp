#include <hackle/meshing/cut/cutter.h>

#include <memory>

namespace hackle {

Cut cutByLattice(const Geometry& solid, const TriangleMesh& mesh, Span<const Vec3> points,
                 Span<const Tetrahedron> tetrahedra, const LatticeScores& scores, Context& context) {
  const auto cut = [&](const LatticeScores& by) {
    std::unique_ptr<LatticeEnvelope> envelope;
    LabelComplex complex;
    {
      const Context::Stage stage(context, "envelope", 0.3);
      envelope = std::make_unique<LatticeEnvelope>(points, tetrahedra, by, context);
      complex = envelope->facets(context);
    }
    return cutByComplex(
        solid, mesh, complex, [&](const Vec3& p) { return envelope->labelAt(p); }, context);
  };
  constexpr uint64_t kAttempts = 3;
  for (uint64_t attempt = 0;; ++attempt) {
    try {
      return cut(attempt == 0 ? scores : withoutTies(scores, attempt));
    } catch (const DegenerateCut&) {
      if (attempt == kAttempts) throw;
    }
  }
}

}  // namespace hackle
