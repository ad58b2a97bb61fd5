// Examples for learning the number of pieces: the body dropped from heights in many orientations.
#pragma once

#include <hackle/fracture/voronoi/piece_count_model.h>
#include <hackle/fracture/voronoi/piece_search.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/mechanics/contact.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hackle {

/// Of the body at rest in its own frame, falling on flat ground of its own material with an axis up.
struct Drop {
  Vec3 up = Vec3::UnitY();  // unit; what points upwards when it hits
  double height = 1;        // m
};

/// The hit of a drop: at the lowest point, against the fall, with the impulse of an elastic rebound,
/// 2 m' sqrt(2 g h) for the mass m' that the ground meets there. Turning about the vertical changes nothing,
/// so a direction is all of an orientation that counts.
Impact dropImpact(const TriangleMesh& mesh, const MassProperties& body, double density, const Drop& drop);

/// The directions of `count` orientations, spread evenly over the sphere: the i-th does not depend on count.
/// Another seed gives others.
std::vector<Vec3> dropDirections(size_t count, uint64_t seed);

/// Where examples are kept between runs; both may be empty. Asked from several threads, with names of
/// letters, digits and dashes.
struct ExampleStore {
  std::function<std::optional<std::string>(const std::string& name)> load;
  std::function<void(const std::string& name, const std::string& bytes)> save;
};

struct DropOptions {
  std::vector<Vec3> directions;
  std::vector<double> heights;  // m
  size_t repeats = 3;           // seeds of Lloyd's method whose numbers of pieces are averaged
  PieceSearchOptions search;    // of each example
  /// Energies that break (J per node) under an impact. Asked from several threads, each with a context of its
  /// own.
  std::function<std::vector<double>(const Impact&, Context&)> energies;
  /// Changes with everything that `energies` depends on; names the examples in the store.
  uint64_t fingerprint = 0;
};

struct DropExamples {
  std::vector<PieceCountExample> examples;  // directions first, heights within
  size_t loaded = 0;                        // directions that came from the store
};

/// Breaks the body once for each direction and height. Directions are independent of each other: in parallel,
/// each stored as soon as it is done, so a run that was stopped goes on where it was. The same result on any
/// number of threads, stored or not.
DropExamples dropExamples(const TriangleMesh& mesh, const MassProperties& body, double density,
                          const Embedding& embedding, const NodeGraph& graph, const DropOptions& options,
                          const ExampleStore& store, Context& context);

}  // namespace hackle
