#include <hackle/bem/evaluation.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/fast_cracks.h>
#include <hackle/fracture/crack/propagation.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hackle {

namespace {

constexpr double kDeep =
    0.3;  // depth, in sizes of the nearest triangle, from which on the inner field is good
constexpr double kLeastCalibration = 0.5, kMostCalibration = 2.0;
constexpr size_t kSampledLayers = 10, kSampledNodes = 4;
constexpr double kLeastEvenness = 0.2, kMostEvenness = 1.5;
constexpr double kMostChange = 3.0;
constexpr QuadratureOptions kQuadrature{1e-3};

Vec3 pointOf(const BemSurface& surface, int32_t node) { return surface.point(static_cast<size_t>(node)); }

/// Normal of the triangle of a sheet at an edge of its rim.
Vec3 normalAt(const BemSurface& surface, int32_t a, int32_t b) {
  for (const BemCorner& c : surface.corners(static_cast<size_t>(a)))
    for (const int32_t n : surface.triangle(static_cast<size_t>(c.triangle)))
      if (n == b) return surface.normal(static_cast<size_t>(c.triangle));
  return Vec3::Zero();
}

/// What openings add to the stress: it may exceed what the body bears without them by so much only. Between
/// cracks that have cut a body nearly through, estimates of each other would run away.
Mat3 limited(const Mat3& change, double most) {
  const double size = change.norm();
  return size > most ? Mat3(most / size * change) : change;
}

FrontNode frameAt(const BemSurface& surface, int32_t before, int32_t node, int32_t after) {
  FrontNode f;
  f.node = node;
  const Vec3 p = pointOf(surface, node);
  const Vec3 along = (p - pointOf(surface, before)).normalized() + (pointOf(surface, after) - p).normalized();
  f.normal = (normalAt(surface, node, before) + normalAt(surface, node, after)).normalized();
  f.outward = along.cross(f.normal).normalized();
  f.tangent = f.outward.cross(f.normal);
  return f;
}

bool activeNear(const FineFront& front, size_t node) {
  const size_t count = front.markers().size(), n = front.perEdge();
  for (size_t k = 0; k < 2 * n; ++k)
    if (front.markers()[(node * n + count - n + k) % count].state == MarkerState::Active) return true;
  return false;
}

}  // namespace

CrackExtent extentOf(const CrackSheet& sheet) {
  CrackExtent extent;
  extent.area = sheet.coarseArea();
  for (const FineFront& front : sheet.fronts()) {
    const std::vector<FrontMarker>& m = front.markers();
    for (size_t i = 0; i < m.size(); ++i) {
      const FrontMarker& next = m[(i + 1) % m.size()];
      const bool active = m[i].state == MarkerState::Active || next.state == MarkerState::Active;
      (active ? extent.front : extent.held) += (next.inner - m[i].inner).norm();
    }
  }
  return extent;
}

FastCracks::FastCracks(BemSystem& system, const TriangleBvh& bodyTree, double compressionRatio)
    : mSystem(system), mBodyTree(bodyTree), mCompressionRatio(compressionRatio) {}

void FastCracks::newLoad(Context& context) { mBase = mSystem.solve(context, false); }

std::vector<FastCracks::Place> FastCracks::places(const Sheets& cracks) const {
  std::vector<Place> result;
  for (size_t c = 0; c < cracks.size(); ++c)
    for (size_t l = 0; l < cracks[c]->fronts().size(); ++l) {
      const std::vector<int32_t>& loop = cracks[c]->frontNodes(l);
      for (size_t i = 0; i < loop.size(); ++i)
        result.push_back({c,
                          frameAt(mSystem.surface(), loop[(i + loop.size() - 1) % loop.size()], loop[i],
                                  loop[(i + 1) % loop.size()]),
                          activeNear(cracks[c]->fronts()[l], i)});
    }
  return result;
}

std::vector<Mat3> FastCracks::bodyStress(const BemSolution& solution, Span<const Vec3> points,
                                         std::vector<char>& deep, Context& context) const {
  const BemSurface& body = mSystem.body();
  const Eigen::VectorXd u = solution.u.head(3 * static_cast<Eigen::Index>(body.nodeCount()));
  const Eigen::VectorXd q = solution.q.head(3 * static_cast<Eigen::Index>(body.triangleCount()));
  const BoundaryField field(body, mSystem.material(), nodeSpace(body), u, q);
  const std::vector<Mat3> surface = surfaceStresses(body, mSystem.material(), u, q);
  std::vector<Mat3> result(points.size());
  std::vector<Vec3> inner;
  deep.assign(points.size(), 1);
  for (size_t i = 0; i < points.size(); ++i) {
    const ClosestPoint closest = mBodyTree.closestPoint(points[i]);
    const size_t t = static_cast<size_t>(closest.triangle);
    deep[i] = closest.triangle < 0 || closest.squaredDistance > std::pow(kDeep * body.size(t), 2);
    if (deep[i])
      inner.push_back(points[i]);
    else
      result[i] = surface[t];
  }
  const std::vector<Mat3> stress = field.stresses(inner, context);
  for (size_t i = 0, next = 0; i < points.size(); ++i)
    if (deep[i]) result[i] = stress[next++];
  return result;
}

/// The surface next to a crack's mouth is strained by its opening, and says nothing of the stress that opens
/// it. Places there take the stress of deeper places of their front, or the last one that such a place had.
void FastCracks::replaceShallow(Span<const Place* const> places, Span<const char> deep,
                                std::vector<Mat3>& stress) {
  const BemSurface& surface = mSystem.surface();
  std::vector<std::vector<size_t>> deepOf(mCracks.size());
  for (size_t i = 0; i < places.size(); ++i)
    if (deep[i]) deepOf[places[i]->crack].push_back(i);
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (deepOf[c].empty()) continue;
    mCracks[c].deepStress = Mat3::Zero();
    for (const size_t i : deepOf[c])
      mCracks[c].deepStress += stress[i] / static_cast<double>(deepOf[c].size());
  }
  for (size_t i = 0; i < places.size(); ++i) {
    EstimatedCrack& crack = mCracks[places[i]->crack];
    if (deep[i]) continue;
    if (deepOf[places[i]->crack].empty()) {
      if (crack.layers.empty())
        crack.deepStress = stress[i];
      else
        stress[i] = crack.deepStress;
      continue;
    }
    Mat3 sum = Mat3::Zero();
    double weights = 0;
    for (const size_t j : deepOf[places[i]->crack]) {
      const double w =
          1 /
          (pointOf(surface, places[i]->frame.node) - pointOf(surface, places[j]->frame.node)).squaredNorm();
      sum += w * stress[j];
      weights += w;
    }
    stress[i] = sum / weights;
  }
}

/// Some nodes of earlier fronts of cracks, at most so many a crack, whatever its size.
std::vector<FastCracks::Sample> FastCracks::samples(Span<const char> wanted) const {
  const BemSurface& surface = mSystem.surface();
  std::vector<Sample> result;
  for (size_t c = 0; c < mCracks.size(); ++c) {
    const size_t layers = mCracks[c].layers.size(), stride = (layers + kSampledLayers - 1) / kSampledLayers;
    for (size_t l = 0; wanted[c] && l < layers; l += stride) {
      const std::vector<int32_t>& nodes = mCracks[c].layers[l].nodes;
      const size_t count = std::min(kSampledNodes, nodes.size());
      for (size_t k = 0; k < count; ++k) {
        const size_t node = static_cast<size_t>(nodes[(2 * k + 1) * nodes.size() / (2 * count)]);
        Vec3 normal = Vec3::Zero();
        for (const BemCorner& corner : surface.corners(node))
          normal += surface.normal(static_cast<size_t>(corner.triangle));
        result.push_back({c, l, surface.point(node), normal.normalized()});
      }
    }
  }
  return result;
}

/// Openings act back on the stress that makes them. With t the traction along that of the body without
/// openings, t0, and linear in their amplitude a: t(a) = t0 + m a. Where they relieve it (m < 0) the
/// amplitude that makes itself is a = t0 / (1 - m), and what present openings add is scaled to it, crack by
/// crack: steps would overshoot for m < -1.
std::vector<double> FastCracks::settle(Span<const Place* const> places, Span<const char> deep,
                                       Span<const Mat3> base, Span<const Mat3> now) {
  std::vector<double> before(mCracks.size(), 0.0), after(mCracks.size(), 0.0), count(mCracks.size(), 0.0);
  for (size_t i = 0; i < places.size(); ++i) {
    if (!deep[i]) continue;
    const Vec3 traction = base[i] * places[i]->frame.normal;
    const double size = traction.norm();
    if (!(size > 0)) continue;
    before[places[i]->crack] += size;
    after[places[i]->crack] += (now[i] * places[i]->frame.normal).dot(traction) / size;
    count[places[i]->crack] += 1;
  }
  std::vector<double> result(mCracks.size(), 1.0);
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (!(count[c] > 0)) continue;
    EstimatedCrack& crack = mCracks[c];
    const double alone = before[c] / count[c];
    double amplitude = alone;
    if (crack.amplitude > 0 && !crack.layers.empty()) {
      // Where openings add to the stress, the next step follows.
      const double present = after[c] / count[c], feedback = (present - alone) / crack.amplitude;
      amplitude = feedback < 0 ? alone / (1 - feedback) : present;
      if (feedback < 0) result[c] = amplitude / crack.amplitude;
    }
    crack.amplitude = amplitude;
  }
  return result;
}

/// The stress over a crack, as its intensity weighs it, over that at its front; one for each crack.
std::vector<double> FastCracks::evenness(Span<const Place* const> places, Span<const Mat3> stress,
                                         Span<const char> deep, Span<const double> scale,
                                         const BemSolution& solution, Context& context) const {
  std::vector<double> front(mCracks.size(), 0.0), count(mCracks.size(), 0.0);
  std::vector<char> wanted(mCracks.size(), 0);
  for (size_t i = 0; i < places.size(); ++i) {
    if (!deep[i]) continue;
    front[places[i]->crack] += places[i]->frame.normal.dot(stress[i] * places[i]->frame.normal);
    count[places[i]->crack] += 1;
    wanted[places[i]->crack] = 1;
  }
  const std::vector<Sample> taken = samples(wanted);
  std::vector<Vec3> points;
  for (const Sample& sample : taken) points.push_back(sample.point);
  std::vector<char> inside;
  std::vector<Mat3> inner = bodyStress(mBase, points, inside, context);
  const std::vector<Mat3> now = bodyStress(solution, points, inside, context);
  for (size_t i = 0; i < taken.size(); ++i)
    inner[i] += limited(scale[taken[i].crack] * (now[i] - inner[i]), mBound);
  std::vector<std::vector<StressRing>> rings(mCracks.size());
  for (size_t i = 0; i < taken.size();) {
    const Sample& first = taken[i];
    double sum = 0, n = 0;
    for (; i < taken.size() && taken[i].crack == first.crack && taken[i].layer == first.layer; ++i) {
      if (!inside[i]) continue;
      sum += taken[i].normal.dot(inner[i] * taken[i].normal);
      n += 1;
    }
    const EstimatedCrack& crack = mCracks[first.crack];
    if (n > 0)
      rings[first.crack].push_back({std::min(1.0, crack.layers[first.layer].area / crack.area), sum / n});
  }
  std::vector<double> result(mCracks.size(), 1.0);
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (rings[c].empty() || front[c] == 0) continue;
    const double atFront = front[c] / count[c];
    rings[c].push_back({1.0, atFront});
    result[c] = std::clamp(weightedStress(rings[c]) / atFront, kLeastEvenness, kMostEvenness);
  }
  return result;
}

void FastCracks::estimate(std::vector<Place>& places, const BemSolution& solution, const Sheets& cracks,
                          Context& context) {
  mCracks.resize(cracks.size());
  std::vector<CrackShape> shapes;
  for (size_t c = 0; c < cracks.size(); ++c) {
    shapes.push_back(crackShape(extentOf(*cracks[c])));
    shapes.back().factor *= mCracks[c].calibration;
    mCracks[c].area = cracks[c]->coarseArea();
  }
  std::vector<Vec3> points;
  std::vector<Place*> active;
  for (Place& place : places) {
    if (!place.active) continue;
    points.push_back(pointOf(mSystem.surface(), place.frame.node));
    active.push_back(&place);
  }
  std::vector<char> deep;
  std::vector<Mat3> stress = bodyStress(mBase, points, deep, context);
  const std::vector<Mat3> now = bodyStress(solution, points, deep, context);
  const std::vector<double> scale = settle({active.data(), active.size()}, deep, stress, now);
  mBound = 0;
  for (const Mat3& s : stress) mBound += kMostChange * s.norm() / static_cast<double>(stress.size());
  for (size_t i = 0; i < active.size(); ++i)
    stress[i] += limited(scale[active[i]->crack] * (now[i] - stress[i]), mBound);
  const std::vector<double> even =
      evenness({active.data(), active.size()}, stress, deep, scale, solution, context);
  for (size_t c = 0; c < cracks.size(); ++c) shapes[c].factor *= even[c];
  replaceShallow({active.data(), active.size()}, deep, stress);
  for (size_t i = 0; i < active.size(); ++i)
    active[i]->frame.k = estimatedIntensity(stress[i], active[i]->frame, shapes[active[i]->crack],
                                            mSystem.material().poisson, mCompressionRatio);
}

void FastCracks::measure(Span<const Place> places, const Sheets& cracks) {
  std::vector<double> sum(cracks.size(), 0.0), count(cracks.size(), 0.0);
  for (const Place& place : places) {
    if (!place.active) continue;
    sum[place.crack] += effectiveIntensity(place.frame.k, mSystem.material().poisson);
    count[place.crack] += 1;
  }
  for (size_t c = 0; c < cracks.size(); ++c) {
    if (!(count[c] > 0)) continue;
    const double factor = mCracks[c].calibration * crackShape(extentOf(*cracks[c])).factor;
    mCracks[c].intensity = sum[c] / count[c];
    mCracks[c].stress = factor > 0 ? mCracks[c].intensity / factor : 0.0;
  }
}

void FastCracks::calibrate(Span<const FrontNode> solved, const BemSolution& solution, const Sheets& cracks,
                           Context& context) {
  std::vector<Place> now = places(cracks);
  estimate(now, solution, cracks, context);
  std::unordered_map<int32_t, const FrontNode*> truth;
  for (const FrontNode& f : solved) truth[f.node] = &f;
  std::vector<double> exact(cracks.size(), 0.0), estimated(cracks.size(), 0.0);
  const double nu = mSystem.material().poisson;
  for (Place& place : now) {
    const auto found = truth.find(place.frame.node);
    if (!place.active || found == truth.end()) continue;
    exact[place.crack] += effectiveIntensity(found->second->k, nu);
    estimated[place.crack] += effectiveIntensity(place.frame.k, nu);
    place.frame = *found->second;
  }
  for (size_t c = 0; c < cracks.size(); ++c)
    if (exact[c] > 0 && estimated[c] > 0)
      mCracks[c].calibration = std::clamp(exact[c] / estimated[c], kLeastCalibration, kMostCalibration);
  measure(now, cracks);
  mPlaces = std::move(now);
}

std::vector<FrontNode> FastCracks::intensities(const BemSolution& solution, const Sheets& cracks,
                                               Context& context) {
  mPlaces = places(cracks);
  estimate(mPlaces, solution, cracks, context);
  measure(mPlaces, cracks);
  std::vector<FrontNode> result;
  for (const Place& place : mPlaces) result.push_back(place.frame);
  return result;
}

void FastCracks::grow(const CrackGrowth& growth, size_t number, const Sheets& cracks, Context& context) {
  const size_t firstNew = mSystem.surface().nodeCount();
  mSystem.addSheets(growth);
  mCracks.resize(cracks.size());
  addLayers(growth, firstNew, number, cracks);
  addLoads(number, context);
  rescale(cracks);
}

void FastCracks::replay(const CrackGrowth& growth, size_t number, Context& context) {
  mSystem.addSheets(growth);
  addLoads(number, context);
}

void FastCracks::rescale(const Sheets& cracks) {
  for (size_t c = 0; c < cracks.size(); ++c) {
    // Openings follow the crack's size as long as it has a front.
    const CrackShape shape = crackShape(extentOf(*cracks[c]));
    if (!(shape.factor > 0)) continue;
    mCracks[c].intensity = mCracks[c].stress * mCracks[c].calibration * shape.opening;
    mCracks[c].radius = shape.radius;
  }
  setOpenings();
}

/// m, the mean distance from a node to the new nodes around it, and one of these.
std::pair<double, int32_t> FastCracks::advanceOf(int32_t node, size_t firstNew) const {
  const BemSurface& surface = mSystem.surface();
  double distance = 0, count = 0;
  int32_t last = -1;
  for (const BemCorner& corner : surface.corners(static_cast<size_t>(node)))
    for (const int32_t n : surface.triangle(static_cast<size_t>(corner.triangle))) {
      if (n == node || static_cast<size_t>(n) < firstNew) continue;
      distance += (pointOf(surface, n) - pointOf(surface, node)).norm();
      count += 1;
      last = n;
    }
  return {count > 0 ? distance / count : 0.0, last};
}

/// Nodes that a front has left, crack by crack; those of new cracks wait until their front moves.
void FastCracks::addLayers(const CrackGrowth& growth, size_t firstNew, size_t number, const Sheets& cracks) {
  std::unordered_map<int32_t, const Place*> placeOf;
  for (const Place& place : mPlaces) placeOf[place.frame.node] = &place;
  std::unordered_map<int32_t, size_t> crackOf;
  for (size_t c = 0; c < cracks.size(); ++c)
    for (size_t l = 0; l < cracks[c]->fronts().size(); ++l)
      for (const int32_t n : cracks[c]->frontNodes(l)) crackOf[n] = c;
  std::vector<EstimatedLayer> layers(cracks.size());
  std::vector<std::vector<Vec3>> jumps(cracks.size());
  for (const int32_t node : growth.opened) {
    const auto [distance, neighbour] = advanceOf(node, firstNew);
    const auto found = placeOf.find(node);
    if (found == placeOf.end()) {
      if (const auto crack = crackOf.find(neighbour); crack != crackOf.end())
        mCracks[crack->second].waiting.push_back(node);
      continue;
    }
    if (!(distance > 0)) continue;
    const Place& place = *found->second;
    layers[place.crack].nodes.push_back(node);
    layers[place.crack].advance += distance;
    jumps[place.crack].push_back(-estimatedOpening(place.frame.k, place.frame, distance, mSystem.material()));
  }
  for (size_t c = 0; c < cracks.size(); ++c)
    if (!jumps[c].empty()) finishLayer(c, std::move(layers[c]), std::move(jumps[c]), number);
}

/// `layer` comes with its nodes and the sum of their advances.
void FastCracks::finishLayer(size_t c, EstimatedLayer layer, std::vector<Vec3> jumps, size_t number) {
  EstimatedCrack& crack = mCracks[c];
  const double moved = static_cast<double>(jumps.size());
  double active = 0;
  for (const Place& place : mPlaces) active += place.crack == c && place.active;
  crack.travelled += layer.advance / std::max(moved, active);
  layer.travelled = crack.travelled;
  layer.advance /= moved;
  layer.intensity = crack.intensity;
  layer.area = crack.area;
  layer.growth = number;
  Vec3 mean = Vec3::Zero();
  for (const Vec3& jump : jumps) mean += jump / moved;
  for (const int32_t node : crack.waiting) {
    layer.nodes.push_back(node);
    jumps.push_back(mean);
  }
  crack.waiting.clear();
  layer.jumps =
      Eigen::Map<const Eigen::VectorXd>(jumps.data()->data(), 3 * static_cast<Eigen::Index>(jumps.size())) /
      std::sqrt(layer.advance);
  crack.layers.push_back(std::move(layer));
}

/// Loads of the layers of one growth, all from one assembly.
void FastCracks::addLoads(size_t number, Context& context) {
  mLoads.resize(mCracks.size());
  std::vector<int32_t> nodes;
  std::vector<size_t> grown;
  for (size_t c = 0; c < mCracks.size(); ++c) {
    const size_t next = mLoads[c].size();
    if (next >= mCracks[c].layers.size() || mCracks[c].layers[next].growth != number) continue;
    const EstimatedLayer& layer = mCracks[c].layers[next];
    nodes.insert(nodes.end(), layer.nodes.begin(), layer.nodes.end());
    grown.push_back(c);
  }
  if (grown.empty()) return;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(nodes.size()),
                                                  static_cast<Eigen::Index>(grown.size()));
  for (Eigen::Index row = 0, i = 0; i < columns.cols(); ++i) {
    const size_t c = grown[static_cast<size_t>(i)];
    const Eigen::VectorXd& values = mCracks[c].layers[mLoads[c].size()].jumps;
    columns.col(i).segment(row, values.size()) = values;
    row += values.size();
  }
  const Eigen::MatrixXd loads = mSystem.jumpLoads(nodes, columns, kQuadrature, context);
  for (size_t i = 0; i < grown.size(); ++i)
    mLoads[grown[i]].push_back(loads.col(static_cast<Eigen::Index>(i)));
}

void FastCracks::setOpenings() {
  std::vector<int32_t> nodes;
  std::vector<double> jumps;
  Eigen::VectorXd load;
  for (size_t c = 0; c < mCracks.size(); ++c) {
    const EstimatedCrack& crack = mCracks[c];
    for (size_t i = 0; i < crack.layers.size(); ++i) {
      const EstimatedLayer& layer = crack.layers[i];
      const double distance = layer.advance + crack.travelled - layer.travelled;
      const double scale =
          std::sqrt(distance) * openingProfile(distance, crack.radius) * crack.intensity / layer.intensity;
      nodes.insert(nodes.end(), layer.nodes.begin(), layer.nodes.end());
      for (Eigen::Index k = 0; k < layer.jumps.size(); ++k) jumps.push_back(scale * layer.jumps[k]);
      if (load.size() == 0) load = Eigen::VectorXd::Zero(mLoads[c][i].size());
      load += scale * mLoads[c][i];
    }
  }
  if (nodes.empty()) return;
  mSystem.setKnownJumps(
      std::move(nodes),
      Eigen::Map<const Eigen::VectorXd>(jumps.data(), static_cast<Eigen::Index>(jumps.size())),
      std::move(load));
}

}  // namespace hackle
