// A small fracture engine for tests of the coupling: cuts a solid into given cells when it is hit hard
// enough.
#pragma once

#include <hackle/core/archive.h>
#include <hackle/core/random.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/engine.h>
#include <hackle/meshing/cut/cutter.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle::testing_support {

class CellState final : public EngineState {
 public:
  explicit CellState(int hits) : hits(hits) {}
  size_t bytes() const override { return sizeof(*this); }
  int hits;  // how often it was hit and held
};

/// Breaks into `cells` random Voronoi cells at `impulse` (N s) or `force` (N of resting loads); earlier hits
/// count as damage.
class CellEngine final : public FractureEngine {
 public:
  explicit CellEngine(int cells, double impulse = 0, double force = 1e300)
      : mCells(cells), mImpulse(impulse), mForce(force) {}

  std::string id() const override { return "cells"; }
  EngineStatePtr prepare(const SolidPtr&, Context&) const override { return std::make_shared<CellState>(0); }
  bool mayBreak(const Solid&, const EngineState&, const LoadCase& load) const override {
    ++asked;
    lastLoad = load;
    double impulse = 0, force = 0;
    for (const Impact& impact : load.impacts) impulse += impact.impulse;
    for (const SteadyForce& steady : load.steady) force += steady.force.norm();
    return (!load.impacts.empty() && impulse >= mImpulse) || force >= mForce;
  }
  FractureResult fracture(const Solid& solid, const EngineState&, const LoadCase& load,
                          Context& context) const override {
    Random random(load.seed);
    const Box3 box = solid.bvh.bounds();
    std::vector<Vec3> sites;
    for (int i = 0; i < mCells; ++i)
      sites.push_back(box.min +
                      Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size()));
    FractureResult result;
    result.pieces = piecesOfCut(solid, cutByVoronoi(solid.geometry, solid.mesh, sites, context), {}, context);
    result.area = crackArea(result.pieces);
    result.states.resize(result.pieces.names.size());
    for (EngineStatePtr& state : result.states) state = std::make_shared<CellState>(1);
    if (result.pieces.names.size() < 2) result.held = Held{HeldBy::Resolution, {}, "one cell"};
    return result;
  }
  std::string save(const EngineState& state) const override {
    ArchiveWriter archive("cells", 1);
    const int32_t hits = stateAs<CellState>(state).hits;
    archive.add("hits", Span<const int32_t>(&hits, 1));
    return archive.finish();
  }
  EngineStatePtr load(const SolidPtr&, std::string_view bytes, Context&) const override {
    return std::make_shared<CellState>(ArchiveReader(bytes, "cells", 1).int32s("hits").at(0));
  }

  mutable int asked = 0;
  mutable LoadCase lastLoad;

 private:
  int mCells;
  double mImpulse, mForce;
};

}  // namespace hackle::testing_support
