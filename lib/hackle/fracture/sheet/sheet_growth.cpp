// How cracks of a sheet are born and grow within a time step.
#include <hackle/core/pi.h>
#include <hackle/core/random.h>
#include <hackle/fracture/sheet/sheet_cut.h>
#include <hackle/fracture/sheet/sheet_simulation.h>
#include <hackle/geometry/segment.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

Vec3 turned(const Vec3& direction, const Vec3& normal, double angle) {
  return std::cos(angle) * direction + std::sin(angle) * normal.cross(direction);
}

}  // namespace

double SheetSimulation::strengthAt(const Vec3& rest) const {
  double strength = mOptions.strength;
  if (mOptions.strengthScale) strength *= mOptions.strengthScale(rest);
  if (mOptions.weibull > 0) {
    // One flaw in each cell of a lattice of the rest space, whatever the mesh.
    uint64_t cell = 0;
    for (int a = 0; a < 3; ++a)
      cell = mixBits(cell + static_cast<uint64_t>(
                                static_cast<int64_t>(std::floor(rest[a] / mOptions.flawSpacing + 1e-6))));
    Random random(mOptions.seed, cell);
    strength *= std::pow(-std::log(1 - random.uniform()), 1 / mOptions.weibull) /
                std::tgamma(1 + 1 / mOptions.weibull);
  }
  return strength;
}

double SheetSimulation::toughnessAt(const Vec3& rest, const Vec3& direction) const {
  double energy = mOptions.toughness * mOptions.toughness / mOptions.material.young;
  if (mOptions.toughnessScale) energy *= mOptions.toughnessScale(rest);
  if (mOptions.grain.squaredNorm() > 0) {
    const double along = direction.dot(mOptions.grain.normalized());
    energy *= 1 + (mOptions.grainRatio - 1) * (1 - along * along);
  }
  for (const SheetGuide& guide : mOptions.guides)
    if (distanceToSegment(rest, guide.a, guide.b) < 0.25 * mOptions.fine &&
        std::abs(direction.dot((guide.b - guide.a).normalized())) > 0.7)
      energy *= guide.factor;
  return energy;
}

bool SheetSimulation::closeToTip(const Vec3& rest, double radius) const {
  for (const SheetTip& tip : mTips)
    if (tip.active && (mMesh.rest[tip.vertex] - rest).norm() < radius) return true;
  return false;
}

bool SheetSimulation::isTip(int32_t vertex) const {
  // Faces go nearly all the way round a tip, and there is a border.
  const int32_t corner = cornerAt(mMesh, vertex);
  if (corner < 0 || !mMesh.onBorder(corner)) return false;
  double sum = 0;
  for (const int32_t c : mMesh.fan(corner)) {
    const Vec3 a = mMesh.rest[mMesh.cornerVertex(SheetMesh::next(c))] - mMesh.rest[vertex];
    const Vec3 b = mMesh.rest[mMesh.cornerVertex(SheetMesh::previous(c))] - mMesh.rest[vertex];
    sum += std::atan2(a.cross(b).norm(), a.dot(b));
  }
  return sum > 1.3 * kPi;
}

std::vector<uint8_t> SheetSimulation::movableVertices() const {
  std::vector<uint8_t> movable(mMesh.vertexCount(), 1);
  for (size_t p = 0; p < mMesh.vertexCount(); ++p)
    if (pinOf(mMesh.rest[p]) >= 0 || (mOptions.pinned && mOptions.pinned(mMesh.rest[p]))) movable[p] = 0;
  for (const SheetTip& tip : mTips)
    if (tip.vertex >= 0) movable[tip.vertex] = 0;
  return movable;
}

std::vector<double> SheetSimulation::surfaceStress(const std::vector<ShellStrain>& strains,
                                                   std::vector<Vec3>* across, Context& context) {
  const std::vector<ShellFace>& faces = mSystem.elements(mMesh, context);
  const ShellMaterial& m = mOptions.material;
  const double modulus = m.young / (1 - m.poisson * m.poisson);
  const size_t n = mMesh.vertexCount();
  std::vector<Mat3> top(n, Mat3::Zero()), bottom(n, Mat3::Zero());
  std::vector<Vec3> normal(n, Vec3::Zero());
  std::vector<double> area(n, 0.0), flowed(n, 0.0);
  for (size_t f = 0; f < mMesh.faceCount(); ++f) {
    const Sym2 membrane = modulus * (planeStress(m.poisson) * strains[f].membrane);
    const Sym2 bending = 0.5 * faces[f].thickness * modulus * (planeStress(m.poisson) * strains[f].curvature);
    const auto tensor = [&](const Sym2& a) {
      return Mat3(faces[f].area * faces[f].frame * fromSym2(a) * faces[f].frame.transpose());
    };
    const Mat3 up = tensor(membrane + bending), down = tensor(membrane - bending);
    const Vec3 side = faces[f].area * faces[f].frame.col(0).cross(faces[f].frame.col(1));
    const SheetHistory& past = mMesh.history[f];
    const double plastic =
        m.yield > 0 ? (past.stretch - Mat3::Identity()).norm() + 0.5 * past.thickness * past.curvature.norm()
                    : 0.0;
    for (const int32_t p : mMesh.faces[f]) {
      top[p] += up;
      bottom[p] += down;
      normal[p] += side;
      area[p] += faces[f].area;
      flowed[p] += faces[f].area * plastic;
    }
  }
  std::vector<double> ratio(n, 0.0);
  if (across) across->assign(n, Vec3::Zero());
  for (size_t p = 0; p < n; ++p) {
    if (!(area[p] > 0)) continue;
    const Vec3 up = normal[p].normalized();
    const Vec3 first = up.unitOrthogonal(), second = up.cross(first);
    double largest = 0;
    Vec3 pull = Vec3::Zero();
    for (const Mat3* s : {&top[p], &bottom[p]}) {
      const double a = first.dot(*s * first), b = second.dot(*s * second), c = first.dot(*s * second);
      const double mean = 0.5 * (a + b), radius = std::hypot(0.5 * (a - b), c);
      if (mean + radius <= largest) continue;
      largest = mean + radius;
      const double angle = 0.5 * std::atan2(2 * c, a - b);
      pull = std::cos(angle) * first + std::sin(angle) * second;
    }
    const double strength = strengthAt(mMesh.rest[p]);
    ratio[p] = std::max(largest / area[p] / strength,
                        flowed[p] / area[p] / (mOptions.elongation * strength / mOptions.strength));
    if (across) (*across)[p] = up.cross(pull);
  }
  return ratio;
}

void SheetSimulation::crackStep(Context& context, SheetStepReport& report) {
  for (SheetTip& tip : mTips) tip.budget = std::min(tip.budget, 0.0);
  for (SheetTip& tip : mTips) tip.release = -1;  // not looked at in this step
  for (int round = 0; round < mOptions.increments; ++round) {
    const std::vector<ShellStrain> strains = mSystem.strains(mMesh, context);
    const size_t faces = mMesh.faceCount();
    const bool grown = growTips(strains, context, report);
    // Stresses are those of the mesh before it was cut; births look at them first where no tip moved.
    const bool born = !grown && bearCracks(strains, context, report);
    if (!grown && !born) return;
    HACKLE_ASSERT(mMesh.faceCount() >= faces);
    mSystem.topologyChanged();
    adapt(mSystem.strains(mMesh, context), context, false);
    mSystem.topologyChanged();
    solve(context, report);
  }
}

bool SheetSimulation::growTips(const std::vector<ShellStrain>& strains, Context& context,
                               SheetStepReport& report) {
  const ShellMaterial& material = mOptions.material;
  const std::vector<ShellFace>& faces = mSystem.elements(mMesh, context);
  const double rayleigh = 0.9 * std::sqrt(material.young / (2 * (1 + material.poisson)) / material.density);
  struct Plan {
    size_t tip;
    Vec3 direction;
    double toughness;
    bool divides;
  };
  std::vector<Plan> plans;
  for (size_t i = 0; i < mTips.size(); ++i) {
    SheetTip& tip = mTips[i];
    if (!tip.active) continue;
    if (!isTip(tip.vertex)) {
      tip.active = false;
      continue;
    }
    const CrackTip at{cornerAt(mMesh, tip.vertex), tip.direction};
    const TipIntensity fit =
        fitTip(mMesh, faces, strains, material, at, 1.2 * mOptions.fine, 4 * mOptions.fine);
    if (!fit.valid && !(mOptions.stored > 0)) continue;
    Vec3 normal = Vec3::Zero();
    for (const int32_t c : mMesh.fan(at.corner)) normal += mMesh.restNormal(c / 3);
    normal.normalize();
    const Vec3 ahead = (tip.direction - normal.dot(tip.direction) * normal).normalized();
    Kink kink = chooseKink(fit, material, [&](double angle) {
      const Vec3 direction = turned(ahead, normal, angle);
      return toughnessAt(mMesh.rest[tip.vertex] + mOptions.fine * direction, direction);
    });
    if (energyRelease(fit, material) < 0.1 * kink.toughness)
      kink.angle = 0;  // stored stress has no direction
    const Vec3 direction = turned(ahead, normal, kink.angle);
    kink.release += storedRelease(tip, direction);
    const bool first = tip.release < 0;
    tip.release = kink.release;
    if (kink.release <= kink.toughness) continue;
    if (mOptions.unbreakable && mOptions.unbreakable(mMesh.rest[tip.vertex] + mOptions.fine * direction))
      continue;
    if (first)
      tip.budget += mOptions.quasistatic ? 1e30 : rayleigh * (1 - kink.toughness / kink.release) * mDt;
    if (tip.budget <= 0) continue;
    const double thickness = mMesh.history[at.corner / 3].thickness;
    const bool divides = mOptions.branching > 0 && kink.release > mOptions.branching * kink.toughness &&
                         tip.sinceBranch >= branchSpacing(thickness);
    plans.push_back({i, direction, kink.toughness, divides});
  }
  for (const Plan& plan : plans) {
    if (!isTip(mTips[plan.tip].vertex)) continue;  // another crack ran into it just now
    if (plan.divides)
      divideTip(plan.tip, plan.direction, plan.toughness, report);
    else
      extendTip(mTips[plan.tip], plan.direction, plan.toughness, report);
  }
  return !plans.empty();
}

bool SheetSimulation::extendTip(SheetTip& tip, const Vec3& direction, double toughness,
                                SheetStepReport& report) {
  const double thickness = mMesh.history[cornerAt(mMesh, tip.vertex) / 3].thickness;
  const auto grown = extendCrack(mMesh, tip.vertex, direction, movableVertices(), mTime + mDt);
  tip.active = grown && !grown->ended;
  if (!grown) return false;
  tip.vertex = grown->end;
  tip.direction = grown->direction;
  tip.budget -= grown->length;
  tip.sinceBranch += grown->length;
  mCrackLength += grown->length;
  mEnergy.fracture += toughness * thickness * grown->length;
  ++report.increments;
  return true;
}

double SheetSimulation::branchSpacing(double thickness) const {
  return std::max(2 * thickness, 3 * mOptions.fine);
}

void SheetSimulation::divideTip(size_t index, const Vec3& direction, double toughness,
                                SheetStepReport& report) {
  // The angle between the branches scatters: about 50 degrees under load, and wide where stored stress pulls
  // to all sides.
  Random random(mOptions.seed, mixBits(0x6272616e6368ULL + mTips.size() + 1000003 * mSteps));
  const bool storedLeads = storedRelease(mTips[index], direction) > 0.5 * mTips[index].release;
  const double half = ((storedLeads ? 40 : 20) + (storedLeads ? 25 : 10) * random.uniform()) * kPi / 180;
  Vec3 normal = Vec3::Zero();
  for (const int32_t c : mMesh.fan(cornerAt(mMesh, mTips[index].vertex))) normal += mMesh.restNormal(c / 3);
  normal.normalize();
  const int32_t start = mTips[index].vertex;
  SheetTip branch = mTips[index];
  mTips[index].sinceBranch = branch.sinceBranch = 0;
  if (!extendTip(mTips[index], turned(direction, normal, half), toughness, report)) return;
  // The first branch has doubled the vertex: the second starts from the copy whose faces lie that way.
  const Vec3 other = turned(direction, normal, -half);
  for (const int32_t copy : {start, static_cast<int32_t>(mMesh.vertexCount()) - 1}) {
    if ((mMesh.rest[copy] - mMesh.rest[start]).norm() > 0) continue;
    branch.vertex = copy;
    branch.direction = other;
    if (!extendTip(branch, other, toughness, report)) continue;
    branch.crack = mCracks++;
    mTips.push_back(branch);
    return;
  }
}

/// README eq. (15). Beside a crack the stress across it is gone, that along it is not.
double SheetSimulation::storedRelease(const SheetTip& tip, const Vec3& direction) const {
  if (!(mOptions.stored > 0)) return 0;
  const int32_t corner = cornerAt(mMesh, tip.vertex);
  const double thickness = mMesh.history[corner / 3].thickness;
  const double reach = std::max(thickness, mOptions.fine);
  const Vec3 ahead = mMesh.rest[tip.vertex] + reach * direction;
  const Vec3 across = mMesh.restNormal(corner / 3).cross(direction);
  double left = 1;
  for (size_t f = 0; f < mMesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k) {
      if (mMesh.across[f][k] >= 0) continue;
      const Vec3 &a = mMesh.rest[mMesh.faces[f][(k + 1) % 3]], &b = mMesh.rest[mMesh.faces[f][(k + 2) % 3]];
      if ((a - ahead).squaredNorm() > std::pow(reach + (b - a).norm(), 2)) continue;
      const double distance = distanceToSegment(ahead, a, b);
      if (distance >= 0.999 * reach) continue;
      const double parallel = 1 - std::pow(across.dot((b - a).normalized()), 2);
      left = std::min(left, 1 - (1 - distance / reach) * parallel);
    }
  constexpr double kShare = 0.28;  // of sigma^2 h / Y: an end of a plate in plane strain, by finite elements
  return kShare * mOptions.stored * mOptions.stored * thickness / mOptions.material.young * left * left;
}

bool SheetSimulation::bearCracks(const std::vector<ShellStrain>& strains, Context& context,
                                 SheetStepReport& report) {
  if (!mOptions.births || mBirths >= mOptions.cracks) return false;
  std::vector<Vec3> along;
  const std::vector<double> ratio = surfaceStress(strains, &along, context);
  std::vector<std::pair<double, int32_t>> order;
  const std::vector<uint8_t> movable = movableVertices();
  for (size_t p = 0; p < ratio.size(); ++p)
    if (ratio[p] > 1 && movable[p] && !(mOptions.unbreakable && mOptions.unbreakable(mMesh.rest[p])))
      order.emplace_back(-ratio[p], static_cast<int32_t>(p));
  std::sort(order.begin(), order.end());
  std::vector<Vec3> taken;
  bool born = false;
  for (const auto& [negative, vertex] : order) {
    const Vec3 place = mMesh.rest[vertex];
    const auto near = [&](const Vec3& other) { return (other - place).norm() < 6 * mOptions.fine; };
    if (closeToTip(place, 4 * mOptions.fine) || std::any_of(taken.begin(), taken.end(), near)) continue;
    if (taken.size() >= 8 || mBirths >= mOptions.cracks) break;
    // On a border the crack runs inwards; inside it opens to both sides.
    const int32_t corner = cornerAt(mMesh, vertex);
    const bool border = mMesh.onBorder(corner);
    int opened = 0;
    for (const double side : {1.0, -1.0}) {
      if (border && opened > 0) break;
      const auto grown = extendCrack(mMesh, vertex, side * along[vertex], movable, mTime + mDt);
      if (!grown) continue;
      ++opened;
      SheetTip tip;
      tip.vertex = grown->end;
      tip.direction = grown->direction;
      tip.crack = mCracks;
      tip.active = !grown->ended;
      mTips.push_back(tip);
      mCrackLength += grown->length;
      mEnergy.fracture +=
          toughnessAt(place, grown->direction) * mMesh.history[corner / 3].thickness * grown->length;
    }
    if (opened == 0) continue;
    taken.push_back(place);
    ++mCracks;
    ++mBirths;
    ++report.births;
    born = true;
  }
  return born;
}

}  // namespace hackle
