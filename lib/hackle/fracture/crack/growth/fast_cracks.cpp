#include <hackle/bem/evaluation.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/fast_cracks.h>
#include <hackle/fracture/crack/growth/propagation.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

namespace hackle {

namespace {

constexpr double kDeep =
    0.3;  // depth, in sizes of the nearest triangle, from which on the inner field is good
// Estimated over solved intensity is trusted within these; beyond, the crack's shape is not that of a penny.
constexpr double kLeastCalibration = 0.5, kMostCalibration = 2.0;
// Earlier fronts, and nodes of each, at which the stress is taken for the mean over a crack.
constexpr size_t kSampledLayers = 10, kSampledNodes = 4;
// What openings add to the stress, in means of it without them, at most.
constexpr double kMostChange = 8.0;
constexpr QuadratureOptions kQuadrature{1e-3};  // as CrackOptions has it

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

CrackExtent extentOf(const CrackSheet& sheet, const BemSurface& surface) {
  CrackExtent extent;
  extent.area = sheet.coarseArea();
  for (size_t l = 0; l < sheet.fronts().size(); ++l) {
    const FineFront& front = sheet.fronts()[l];
    const std::vector<int32_t>& nodes = sheet.frontNodes(l);
    const auto atSurface = [&](size_t edge) {
      const int32_t node = nodes[edge % nodes.size()];
      return surface.site(static_cast<size_t>(node)) != node;
    };
    // Lengths are those of coarse edges, as the area is: grains lengthen a fine front without moving it.
    const std::vector<FrontMarker>& m = front.markers();
    for (size_t edge = 0; edge < front.edgeCount(); ++edge) {
      const bool open = atSurface(edge) && atSurface(edge + 1);
      const double part =
          (front.nodeMarker((edge + 1) % front.edgeCount()).inner - front.nodeMarker(edge).inner).norm() /
          static_cast<double>(front.perEdge());
      for (size_t i = edge * front.perEdge(); i < (edge + 1) * front.perEdge(); ++i) {
        const bool active =
            m[i].state == MarkerState::Active || m[(i + 1) % m.size()].state == MarkerState::Active;
        (active ? extent.front : open ? extent.free : extent.held) += part;
      }
    }
  }
  return extent;
}

FastCracks::FastCracks(BemSystem& system, const TriangleBvh& bodyTree, double compressionRatio)
    : mSystem(system), mBodyTree(bodyTree), mCompressionRatio(compressionRatio) {}

void FastCracks::newLoad(Context& context) {
  mBase = mSystem.solve(context, false);
  mKnown.clear();
}

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

/// Pa, at nodes that are known: of the surface near it, else of the field inside.
std::vector<Mat3> FastCracks::bodyStress(const BemSolution& solution, Span<const int32_t> nodes,
                                         Context& context) const {
  const BemSurface& body = mSystem.body();
  const Eigen::VectorXd u = solution.u.head(3 * static_cast<Eigen::Index>(body.nodeCount()));
  const Eigen::VectorXd q = solution.q.head(3 * static_cast<Eigen::Index>(body.triangleCount()));
  const BoundaryField field(body, mSystem.material(), nodeSpace(body), u, q);
  const std::vector<Mat3> surface = surfaceStresses(body, mSystem.material(), u, q);
  std::vector<Vec3> inner;
  for (const int32_t node : nodes)
    if (mKnown.at(node).deep) inner.push_back(pointOf(mSystem.surface(), node));
  const std::vector<Mat3> stress = field.stresses(inner, context);
  std::vector<Mat3> result;
  size_t next = 0;
  for (const int32_t node : nodes) {
    const NodeStress& known = mKnown.at(node);
    result.push_back(known.deep ? stress[next++] : surface[static_cast<size_t>(known.triangle)]);
    result.back() += solution.carriedStress(pointOf(mSystem.surface(), node));
  }
  return result;
}

/// Nodes stay where they are, and so does the stress without openings: it is evaluated once.
void FastCracks::learn(Span<const int32_t> nodes, Context& context) {
  std::vector<int32_t> fresh;
  for (const int32_t node : nodes) {
    const auto [known, isNew] = mKnown.emplace(node, NodeStress());
    if (!isNew) continue;
    const ClosestPoint closest = mBodyTree.closestPoint(pointOf(mSystem.surface(), node));
    known->second.triangle = closest.triangle;
    known->second.deep = closest.triangle < 0 ||
                         closest.squaredDistance >
                             std::pow(kDeep * mSystem.body().size(static_cast<size_t>(closest.triangle)), 2);
    fresh.push_back(node);
  }
  const std::vector<Mat3> base = bodyStress(mBase, {fresh.data(), fresh.size()}, context);
  for (size_t i = 0; i < fresh.size(); ++i) mKnown[fresh[i]].base = base[i];
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

/// Some nodes of earlier fronts: about four for each of the `active` nodes of a crack's front, whatever its
/// size.
std::vector<FastCracks::Sample> FastCracks::samples(Span<const size_t> active) const {
  std::vector<Sample> result;
  for (size_t c = 0; c < mCracks.size(); ++c) {
    const size_t layers = mCracks[c].layers.size(), wanted = 4 * active[c];
    if (wanted == 0 || layers == 0) continue;
    const size_t stride = (layers + kSampledLayers - 1) / kSampledLayers,
                 taken = (layers + stride - 1) / stride;
    const size_t most = std::min(kSampledNodes, std::max<size_t>(1, wanted / taken));
    for (size_t l = 0; l < layers; l += stride) {
      const std::vector<int32_t>& nodes = mCracks[c].layers[l].nodes;
      const size_t count = std::min(most, nodes.size());
      for (size_t k = 0; k < count; ++k)
        result.push_back({c, l, nodes[(2 * k + 1) * nodes.size() / (2 * count)]});
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
    const Vec3 alone = base[i] * places[i]->frame.normal, present = now[i] * places[i]->frame.normal;
    // A section that is opened turns pressure at the far front into tension: no relief.
    const bool turned = alone.dot(places[i]->frame.normal) < 0 && present.dot(places[i]->frame.normal) > 0;
    const Vec3 direction = turned ? places[i]->frame.normal : Vec3(alone.normalized());
    before[places[i]->crack] += alone.dot(direction);
    after[places[i]->crack] += present.dot(direction);
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

/// The uniform stress with the intensity of the present one at each place: what is at the front counts, and
/// what acts on the crack behind it, more if it is near. Otherwise a front would stop where bending turns to
/// pressure.
void FastCracks::weigh(Span<const Place* const> places, Span<const Sample> taken, Span<const Mat3> inner,
                       std::vector<Mat3>& stress) const {
  const BemSurface& surface = mSystem.surface();
  std::vector<std::vector<size_t>> rings(mCracks.size());  // first samples of rings, then the end
  for (size_t i = 0; i < taken.size(); ++i) {
    std::vector<size_t>& r = rings[taken[i].crack];
    if (r.empty() || taken[r.back()].layer != taken[i].layer) r.push_back(i);
  }
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (rings[c].empty()) continue;
    std::vector<double> parts;
    for (const size_t first : rings[c])
      parts.push_back(std::min(1.0, mCracks[c].layers[taken[first].layer].area / mCracks[c].area));
    parts.push_back(1.0);
    const std::vector<double> weights = ringWeights(parts);
    size_t end = rings[c].back();
    while (end < taken.size() && taken[end].crack == c) ++end;
    rings[c].push_back(end);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i]->crack != c) continue;
      const Vec3 at = pointOf(surface, places[i]->frame.node);
      Mat3 mean = weights.back() * stress[i];
      for (size_t r = 0; r + 1 < rings[c].size(); ++r) {
        Mat3 sum = Mat3::Zero();
        double total = 0;
        for (size_t k = rings[c][r]; k < rings[c][r + 1]; ++k) {
          const double near = 1 / (pointOf(surface, taken[k].node) - at).squaredNorm();
          sum += near * inner[k];
          total += near;
        }
        mean += weights[r] / total * sum;
      }
      stress[i] = mean;
    }
  }
}

void FastCracks::estimate(std::vector<Place>& places, const BemSolution& solution, const Sheets& cracks,
                          Context& context) {
  mCracks.resize(cracks.size());
  std::vector<CrackShape> shapes;
  for (size_t c = 0; c < cracks.size(); ++c) {
    shapes.push_back(crackShape(extentOf(*cracks[c], mSystem.surface())));
    shapes.back().factor *= mCracks[c].calibration;
    mCracks[c].area = cracks[c]->coarseArea();
  }
  std::vector<int32_t> nodes;
  std::vector<Place*> active;
  for (Place& place : places) {
    if (!place.active) continue;
    nodes.push_back(place.frame.node);
    active.push_back(&place);
  }
  // Samples behind the fronts come after the fronts' own places.
  std::vector<size_t> onFront(cracks.size(), 0);
  for (const Place* place : active) ++onFront[place->crack];
  const std::vector<Sample> taken = samples(onFront);
  for (const Sample& sample : taken) nodes.push_back(sample.node);
  learn(nodes, context);
  std::vector<char> deep;
  std::vector<Mat3> stress, now = bodyStress(solution, nodes, context);
  for (const int32_t node : nodes) {
    deep.push_back(mKnown.at(node).deep);
    stress.push_back(mKnown.at(node).base);
  }
  const size_t count = active.size();
  mBound = 0;
  for (size_t i = 0; i < count; ++i) mBound += kMostChange * stress[i].norm() / static_cast<double>(count);
  const Span<const Place* const> all{active.data(), count};
  for (std::vector<Mat3>* field : {&stress, &now}) {
    std::vector<Mat3> inner;
    std::vector<Sample> used;
    for (size_t k = 0; k < taken.size(); ++k) {
      if (!deep[count + k]) continue;
      inner.push_back((*field)[count + k]);
      used.push_back(taken[k]);
    }
    field->resize(count);
    weigh(all, used, inner, *field);
  }
  const std::vector<double> scale = settle(all, deep, stress, now);
  for (size_t i = 0; i < count; ++i)
    stress[i] += limited(scale[active[i]->crack] * (now[i] - stress[i]), mBound);
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
    const double factor = mCracks[c].calibration * crackShape(extentOf(*cracks[c], mSystem.surface())).factor;
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
    const CrackShape shape = crackShape(extentOf(*cracks[c], mSystem.surface()));
    if (!(shape.factor > 0)) continue;
    mCracks[c].intensity = mCracks[c].stress * mCracks[c].calibration * shape.opening;
    mCracks[c].radius = shape.radius;
    mCracks[c].hinge = hingeOf(*cracks[c], shape);
  }
  setOpenings();
}

/// 1/m: how much of the crack is a mouth that its front leaves behind to one side, over what the front has
/// before it in the mean.
double FastCracks::hingeOf(const CrackSheet& sheet, const CrackShape& shape) const {
  if (!(shape.surface > 0)) return 0.0;
  double sum = 0, count = 0;
  Vec3 direction = Vec3::Zero();
  for (const FineFront& front : sheet.fronts())
    for (size_t i = 0; i < front.edgeCount(); ++i) {
      const FrontMarker& marker = front.nodeMarker(i);
      if (marker.state != MarkerState::Active || marker.direction == Vec3(0, 0, 0)) continue;
      const std::optional<RayHit> hit = mBodyTree.firstHit({marker.position, marker.direction});
      if (!hit) continue;
      sum += hit->t;
      count += 1;
      direction += marker.direction;
    }
  return sum > 0 ? shape.surface * direction.norm() / sum : 0.0;
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
    if (found == placeOf.end() || !found->second->active) {
      auto crack = crackOf.find(node);
      if (crack == crackOf.end()) crack = crackOf.find(neighbour);
      if (found != placeOf.end())
        mCracks[found->second->crack].waiting.push_back(node);
      else if (crack != crackOf.end())
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
    if (!jumps[c].empty()) finishLayer(*cracks[c], c, std::move(layers[c]), std::move(jumps[c]), number);
}

std::vector<int32_t> FastCracks::openedNodes() const {
  std::vector<int32_t> nodes = mSystem.openedNodes();
  for (const EstimatedCrack& crack : mCracks) {
    for (const EstimatedLayer& layer : crack.layers)
      nodes.insert(nodes.end(), layer.nodes.begin(), layer.nodes.end());
    nodes.insert(nodes.end(), crack.waiting.begin(), crack.waiting.end());
  }
  return nodes;
}

/// m, to the nearest node of the front that is active; 0 if there is none.
double FastCracks::distanceToFront(int32_t node, const CrackSheet& sheet) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t l = 0; l < sheet.fronts().size(); ++l)
    for (size_t i = 0; i < sheet.frontNodes(l).size(); ++i)
      if (sheet.fronts()[l].nodeMarker(i).state == MarkerState::Active)
        nearest = std::min(
            nearest,
            (pointOf(mSystem.surface(), sheet.frontNodes(l)[i]) - pointOf(mSystem.surface(), node)).norm());
  return std::isfinite(nearest) ? nearest : 0.0;
}

/// `layer` comes with its nodes and the sum of their advances.
void FastCracks::finishLayer(const CrackSheet& sheet, size_t c, EstimatedLayer layer, std::vector<Vec3> jumps,
                             size_t number) {
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
    jumps.push_back(std::sqrt(std::max(1.0, distanceToFront(node, sheet) / layer.advance)) * mean);
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
    const size_t c = grown[i];
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
      const double scale = std::sqrt(distance) * openingProfile(distance, crack.radius, crack.hinge) *
                           crack.intensity / layer.intensity;
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
