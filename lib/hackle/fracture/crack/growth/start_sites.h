// Where and at which load the first crack of a body starts: stress averaged over a length against strength
// and toughness together (../README.md, "Starts").
#pragma once

#include <hackle/bem/system.h>
#include <hackle/core/context.h>
#include <hackle/fracture/crack/growth/notch.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/volume/scalar_field.h>

#include <optional>
#include <vector>

namespace hackle {

class BoundaryField;

struct StartOptions {
  double compressionRatio = 1.0;  // f_c: strength in compression over that in tension
  /// Weibull's modulus m of the strength from place to place; not set: the same everywhere. The strength of a
  /// cell is the material's times (-ln(1 - u))^(1/m), u random from the cell and the seed.
  std::optional<double> modulus;
  uint64_t seed = 0;
  bool onAnyMesh = false;  // notches count also where the mesh does not resolve the stress ahead of them
};

/// A place of the artist's surface at which a crack may start.
struct StartSite {
  Vec3 place = Vec3::Zero();   // m
  Vec3 normal = Vec3::Zero();  // unit, outwards
  double thickness = 0;        // m, of the solid behind
  double radius = 0;           // m, over which stress is averaged
  double strength = 0;         // Pa, with its Weibull factor
  double toughness = 0;        // Pa m^(1/2)
  /// Set at the root of a notch, where the mean stress ahead over `length` counts instead.
  std::optional<Notch> notch;
  double length = 0;  // m, 2 (K_c / strength)^2 / pi of the material, or the radius if that is smaller
};

/// Where the next crack starts.
struct CrackStart {
  size_t site = 0;
  double factor = 0;           // of the present load at which it starts
  double strengthFactor = 0;   // at which the stress alone reaches the strength there
  double radius = 0;           // m, a*: the size with which it starts
  Vec3 normal = Vec3::Zero();  // unit, of the crack
  bool notched = false;  // by the stress ahead of a notch; notches that the mesh does not resolve do not
};

/// Sites about 0.6 averaging radii apart. They and their strengths depend on the artist's surface alone, not
/// on the mesh that is solved on.
class StartSites {
 public:
  /// `body` are the boundary elements of the solid. Sites near triangles with given displacements or loads
  /// (`data`) are left out: stress at the edge of a condition has no limit.
  StartSites(const TriangleMesh& solid, const TriangleBvh& solidTree, const BemSurface& body,
             const BoundaryData& data, const ScalarField& strength, const ScalarField& toughness,
             const StartOptions& options, Context& context);

  const std::vector<StartSite>& sites() const { return mSites; }
  /// Pa, mean stress at each site from that of the body's triangles; of the flanks at a notch.
  std::vector<Mat3> stresses(Span<const Mat3> ofTriangles) const;
  /// Per site, the factor of the present load at which its stress reaches the strength; infinite where that
  /// never happens.
  std::vector<double> strengthFactors(const BemSystem& system, const BemSolution& solution,
                                      Context& context) const;
  /// The site whose crack starts at the smallest factor of the present load, of those that are not `closed`.
  /// The solution is that of the present load. Nothing if there is no tension (or compression) anywhere.
  std::optional<CrackStart> firstStart(const BemSystem& system, const BemSolution& solution,
                                       Span<const uint8_t> closed, Context& context) const;
  /// That start, and those that need no more than 1 + `more` times its factor.
  struct FirstStarts {
    std::optional<CrackStart> first;
    /// At least an averaging radius apart: places that are loaded alike by symmetry, or along an edge or a
    /// face. A small difference, such as that of another mesh, makes another one of them the first. At most
    /// 200.
    std::vector<CrackStart> alike;
  };
  FirstStarts firstStarts(const BemSystem& system, const BemSolution& solution, double more,
                          Context& context) const;
  /// All starts under a load that rises to `most` times the present one within `most * seconds`: by rising
  /// factor, each unless a crack that has started before has unloaded the place, by a wave of this speed
  /// (m/s), or is nearer than the averaging radius ([Mott47]). On surfaces strength alone counts: at such
  /// loads cracks have energy to spare.
  std::vector<CrackStart> startsAtRate(const BemSystem& system, const BemSolution& solution, double most,
                                       double seconds, double waveSpeed, Context& context) const;

 private:
  /// A site with the factor at which its stress reaches the strength.
  struct Candidate {
    double factor;
    size_t site;
    Vec3 direction;
    bool tension;
    static bool isBefore(const Candidate& a, const Candidate& b) {
      return a.factor != b.factor ? a.factor < b.factor : a.site < b.site;
    }
  };
  class Loaded;
  /// By rising factor; places without tension or compression are left out.
  std::vector<Candidate> candidates(const Loaded& loaded, Span<const uint8_t> closed, Context& context) const;
  void addSurfaces(const Loaded& loaded, Span<const uint8_t> closed, std::vector<Candidate>& list) const;
  void addNotched(const Loaded& loaded, Span<const uint8_t> closed, std::vector<Candidate>& list,
                  Context& context) const;
  /// Candidates with strength and toughness together.
  std::vector<CrackStart> coupledStarts(Span<const Candidate> list, const Loaded& loaded,
                                        Context& context) const;
  std::optional<CrackStart> firstOf(const std::vector<Candidate>& list, const Loaded& loaded,
                                    Context& context) const;
  struct Weight {
    int32_t triangle;
    double weight;
  };
  class SiteMaker;
  struct Place;
  static std::vector<Place> placesOf(const TriangleMesh& solid, const Box3& bounds, Context& context);
  void addNotches(const TriangleMesh& solid, const TriangleBvh& tree, SiteMaker& maker, Context& context);
  void addRoundNotches(const TriangleMesh& solid, const TriangleBvh& tree, const std::vector<Place>& places,
                       SiteMaker& maker, Context& context);
  void keepApartFrom(const BemSurface& body, const BoundaryData& data, Context& context);
  void addWeights(const BemSurface& body, Context& context);

  StartOptions mOptions;
  std::vector<StartSite> mSites;
  std::vector<size_t> mFirst;  // of the weights of each site
  std::vector<Weight> mWeights;
  std::vector<uint8_t> mNotched;  // per site: a notch that the mesh resolves; others count as surface
};

/// A half penny of radius a that starts at once in the stress s (1 - z / c), z below the surface: the
/// smallest factor of s at which both the stress at its tip reaches the strength and the mean energy release
/// rate over it reaches G_c [Leguillon02], and the radius at which it does.
struct CoupledStart {
  double factor = 0;
  double radius = 0;  // m
};
CoupledStart coupledStart(double stress, double gradientDepth, double strength, double toughness);

/// A place whose stress reaches the strength at a factor of the load.
struct RisingPlace {
  Vec3 place = Vec3::Zero();
  double factor = 0;
  double radius = 0;  // m, within which there is but one start
};

/// Which places start, of a list by rising factor, if the factor rises by one within `reach` / wave speed:
/// each but those that a wave from an earlier start has reached, or that are within their radius of one.
std::vector<size_t> unshieldedStarts(Span<const RisingPlace> places, double reach);

}  // namespace hackle
