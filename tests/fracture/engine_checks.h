// What every fracture engine has to keep, asked through its interface alone.
#pragma once

#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/engine.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/geometry/topology.h>

#include <numeric>

namespace hackle::engine_checks {

inline SolidPtr makeSolid(const Geometry& geometry) {
  Context context;
  return std::make_shared<const Solid>(geometry, context);
}

/// An engine with one solid and its state.
class Prepared {
 public:
  template <class Engine>
  Prepared(const Engine& engine, const Geometry& geometry, int threads = 0)
      : mEngine(std::make_unique<Engine>(engine)), mSolid(makeSolid(geometry)), mThreads(threads) {
    Context context;
    context.setThreads(threads);
    mState = mEngine->prepare(mSolid, context);
  }

  FractureResult fracture(const LoadCase& load) const { return fracture(load, *mState); }
  FractureResult fracture(const LoadCase& load, const EngineState& state) const {
    Context context;
    context.setThreads(mThreads);
    return mEngine->fracture(*mSolid, state, load, context);
  }
  bool mayBreak(const LoadCase& load) const { return mEngine->mayBreak(*mSolid, *mState, load); }

  const FractureEngine& engine() const { return *mEngine; }
  const SolidPtr& solidPtr() const { return mSolid; }
  const Solid& solid() const { return *mSolid; }
  const EngineState& state() const { return *mState; }

 private:
  std::unique_ptr<FractureEngine> mEngine;
  SolidPtr mSolid;
  EngineStatePtr mState;
  int mThreads;
};

/// All of a result, to the last bit.
inline MemoKey bytesOfResult(const FractureResult& result) {
  MemoKey key("result");
  addToKey(key, result.pieces.geometry);
  key.add(result.area).add(result.report.toJson()).add(result.held.has_value());
  for (const std::string& name : result.pieces.names) key.add(name);
  for (const double v : result.pieces.volume) key.add(v);
  return key;
}

/// Closed pieces without gaps: volumes add up, and the crack area is half of the inside faces'.
inline void expectSound(const FractureResult& result, const Solid& solid) {
  const FracturePieces& pieces = result.pieces;
  Context context;
  const Topology topology = analyseTopology(pieces.geometry, context);
  EXPECT_TRUE(topology.closed && topology.manifold && topology.oriented);
  EXPECT_NEAR(std::accumulate(pieces.volume.begin(), pieces.volume.end(), 0.0) / solid.mass.volume, 1, 1e-9);
  EXPECT_EQ(result.states.size(), pieces.names.size());
  EXPECT_EQ(result.held.has_value(), pieces.contacts.empty());
  EXPECT_TRUE(pieces.geometry.findAttribute(Owner::Point, "depth"));
  const double area = massProperties(triangleMesh(pieces.geometry), context).area - solid.mass.area;
  EXPECT_NEAR(result.area, area / 2, 1e-6 * solid.mass.area);
}

template <class Engine>
void expectSameOnThreads(const Engine& engine, const Geometry& solid, const LoadCase& load) {
  const FractureResult one = Prepared(engine, solid, 1).fracture(load);
  for (const int threads : {2, 7})
    EXPECT_TRUE(bytesOfResult(one) == bytesOfResult(Prepared(engine, solid, threads).fracture(load)))
        << threads;
}

inline void expectRefused(const FractureEngine& engine, const SolidPtr& solid, const std::string& bytes) {
  Context context;
  try {
    engine.load(solid, bytes, context);
    ADD_FAILURE() << "was not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
  }
}

/// A state that was saved and loaded breaks the solid into the same bytes; other bytes are refused.
template <class Engine>
void expectStatesSurviveBytes(const Engine& engine, const Geometry& geometry, const Geometry& another,
                              const LoadCase& load) {
  const Prepared prepared(engine, geometry);
  const std::string bytes = engine.save(prepared.state());
  Context context;
  const EngineStatePtr again = engine.load(prepared.solidPtr(), bytes, context);
  EXPECT_TRUE(bytesOfResult(prepared.fracture(load)) == bytesOfResult(prepared.fracture(load, *again)));
  EXPECT_EQ(prepared.mayBreak(load), engine.mayBreak(prepared.solid(), *again, load));
  EXPECT_GT(again->bytes(), 0u);
  EXPECT_EQ(bytes, engine.save(*again));
  expectRefused(engine, makeSolid(another), bytes);
  expectRefused(engine, prepared.solidPtr(), "");
  expectRefused(engine, prepared.solidPtr(), bytes.substr(0, bytes.size() / 2));
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  expectRefused(engine, prepared.solidPtr(), damaged);
}

/// Teeth on a bar.
inline Geometry comb(int teeth) {
  Geometry g;
  std::vector<Vec2> outline{{0, 0}, {2.0 * teeth - 1, 0}};
  for (int t = teeth - 1; t >= 0; --t) {
    outline.push_back({2.0 * t + 1, 5});
    outline.push_back({2.0 * t, 5});
    if (t > 0) {
      outline.push_back({2.0 * t, 1});
      outline.push_back({2.0 * t - 1, 1});
    }
  }
  const int32_t n = static_cast<int32_t>(outline.size());
  for (const double z : {0.0, 1.0})
    for (const Vec2& p : outline) g.addPoint({p.x(), p.y(), z});
  std::vector<int32_t> back, front;
  for (int32_t k = 0; k < n; ++k) {
    back.push_back(n - 1 - k);
    front.push_back(n + k);
    const int32_t next = (k + 1) % n;
    g.addPolygon({k, next, n + next, n + k});
  }
  g.addPrimitives(PrimitiveType::Polygon, 1, static_cast<size_t>(n), back);
  g.addPrimitives(PrimitiveType::Polygon, 1, static_cast<size_t>(n), front);
  return g;
}

/// About an axis along which nothing is.
inline Mat3 someRotation() { return Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix(); }

}  // namespace hackle::engine_checks
