#include <hackle/fracture/impact/growth.h>

#include <hackle/core/pi.h>
#include <hackle/core/random.h>
#include <hackle/fracture/impact/cut_sides.h>
#include <hackle/fracture/impact/height_fit.h>
#include <hackle/fracture/impact/pair_table.h>
#include <hackle/geometry/noise.h>
#include <hackle/mechanics/stress.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace hackle {

namespace {

constexpr double kShapeFactor = 0.7;  // K = this times stress times root of pi length: half a penny
constexpr int kSkinDepth = 3;         // tetrahedra without solid in a row that a crack follows
constexpr double kCorner = 0.1;       // share of tetrahedra that a crack may enter from there
constexpr int kWallDepth = 3;         // tetrahedra at a surface in a row through which a crack is carried
constexpr double kDisagree = 0.5;     // cells by which heights may contradict the direction
constexpr double kMostTurn = 0.35;    // rad, from one tetrahedron to the next
constexpr int kWaits = 16;            // times that an arrested front or a shielded flaw is asked again
constexpr double kSlowest = 0.02;     // of the Rayleigh wave
constexpr double kBranchAngle = 0.5;  // rad
constexpr int kGenerations = 4;
constexpr int kMostCutsPerTet = 3;
constexpr double kFarAway = 10;  // radii at which a crack takes 0.2 % of the tension

/// What the event loop has to do next.
struct Event {
  double time;
  enum Kind : int32_t { Front, Arrested, Failing } kind;
  int32_t index;
  bool operator>(const Event& other) const {
    return std::tie(time, kind, index) > std::tie(other.time, other.kind, other.index);
  }
};

/// What is known of a cut besides what callers see.
struct CutDetail {
  Vec3 centre;           // m, of the tetrahedron
  Vec3 target;           // gradient that heights should have: the normal, and waves
  double reach;          // m, crack length that drives the front here
  double speed;          // m/s
  double extension = 0;  // m, along a broken ligament
  int32_t parent;        // cut
  int32_t skin = 0;      // tetrahedra in a row with next to nothing of the solid
  int32_t carried = 0;   // tetrahedra in a row that did not break by their own stress
};

struct CrackDetail {
  Vec3 along, across;                      // frame of the noise: second and third principal direction
  double flawSize;                         // m
  double paperSpent = 0, paperStored = 0;  // J, of [Glondu12] algorithm 2
  int32_t generation = 0;
};

struct Waiting {
  int32_t cut, tetrahedron, asked;
};

class Growth {
 public:
  Growth(const ModalBody& body, const StressHistory& stress, const FlawRows& flaws,
         const GrowthOptions& options, Context& context)
      : mBody(body),
        mStress(stress),
        mFlaws(flaws),
        mOptions(options),
        mContext(context),
        mRayleigh(rayleighWaveSpeed(body.material())),
        mSides(body, mSet.cuts) {
    mEnd = options.duration.value_or(std::numeric_limits<double>::infinity());
  }

  CrackSet run(const Failures& failures) {
    mSet.available = share() * mStress.largestEnergy();
    mSet.leastLeft = mSet.available;
    for (const Failure& failure : failures.first) {
      mEvents.push({failure.time, Event::Failing, static_cast<int32_t>(mFailing.size())});
      mFailing.push_back({failure.flaw, 0});
    }
    for (size_t done = 0; !mEvents.empty(); ++done) {
      const Event event = mEvents.top();
      if (event.time > mEnd) break;
      mEvents.pop();
      if (done % 1024 == 0) mContext.checkCancel();
      if (event.kind == Event::Front)
        advance(event.index, false);
      else if (event.kind == Event::Arrested)
        askAgain(event.index, event.time);
      else
        startAtFlaw(mFailing[event.index], event);
    }
    breakLigaments();
    fitAllHeights();
    return std::move(mSet);
  }

 private:
  enum class Outcome { Entered, Away, Arrested, Spent };

  // Starting ----------------------------------------------------------------------------------------------

  /// Stress that earlier cracks leave.
  Mat3 shielded(Mat3 stress, const Vec3& at) const {
    for (const Crack& crack : mSet.cracks) {
      if (!(crack.radius > 0)) continue;
      const double tension = crack.normal.dot(stress * crack.normal);
      if (!(tension > 0)) continue;
      const Vec3 away = at - crack.start;
      const double height = std::abs(crack.normal.dot(away)), square = away.squaredNorm();
      if (square > kFarAway * kFarAway * crack.radius * crack.radius) continue;
      const double beyond = std::max(0.0, std::sqrt(std::max(0.0, square - height * height)) - crack.radius);
      const double left = shieldedShare(crack.radius, std::sqrt(height * height + beyond * beyond));
      stress -= (1 - left) * tension * crack.normal * crack.normal.transpose();
    }
    return stress;
  }

  Mat3 drivingStress(const LatticePlace& place, double time) const {
    return mOptions.factor * mOptions.grain.apply(mStress.stressAt(place, time));
  }

  /// Of what is solid in a tetrahedron. A wall that bends is pulled at one of its surfaces: the one with the
  /// larger tension drives the crack.
  Mat3 drivingStressIn(int32_t tet, double time) const {
    const Tetrahedron& corners = mBody.tetrahedra()[tet];
    Mat3 best = Mat3::Zero();
    std::optional<double> largest;
    for (const Eigen::Vector4d& at : placesIn(tet)) {
      const Mat3 stress = drivingStress({corners, {at[0], at[1], at[2], at[3]}}, time);
      const double tension = principalValues(stress)[0];
      // Rounding does not decide between equals.
      if (!largest || tension > *largest + 1e-6 * std::abs(*largest)) {
        largest = tension;
        best = stress;
      }
    }
    return best;
  }

  /// The middle of a tetrahedron that is solid as a whole, both sides of others.
  Span<const Eigen::Vector4d> placesIn(int32_t tet) const {
    static const Eigen::Vector4d kMiddle = Eigen::Vector4d::Constant(0.25);
    if (!(mBody.parts()[tet].share < 1)) return {&kMiddle, 1};
    return {mBody.partEnds()[tet].data(), 2};
  }

  struct FailingFlaw {
    int32_t flaw;
    int32_t asked;
  };

  void startAtFlaw(FailingFlaw& failing, const Event& event) {
    const size_t flaw = static_cast<size_t>(failing.flaw);
    const int32_t tet = mFlaws.tetrahedra[flaw];
    // Cracks closer than a cell cannot both pass.
    if (mSides.count(tet) > 0) return;
    if (mSet.cracks.size() >= mOptions.maxCracks) {
      mSet.limited = true;
      return;
    }
    const Mat3 raw = mOptions.factor * mOptions.grain.apply(mStress.stressAtFlaw(mFlaws, flaw, event.time));
    const double strength = mFlaws.flaws[flaw].strength;
    const PrincipalStress left = principalStress(shielded(raw, mFlaws.flaws[flaw].position));
    // The first time is interpolated; only what other cracks take away is asked then.
    double needed = strength;
    if (failing.asked == 0) needed = std::min(needed, principalValues(raw)[0]);
    if (!(left.values[0] >= 0.999 * needed)) {
      askFlawAgain(failing, event, raw, left);
      return;
    }
    Crack crack;
    crack.start = mFlaws.flaws[flaw].position;
    crack.normal = left.directions.col(0);
    crack.time = event.time;
    crack.stress = left.values[0];
    crack.flaw = failing.flaw;
    CrackDetail detail;
    detail.along = left.directions.col(1);
    detail.across = left.directions.col(2);
    // The flaw whose strength this is: K reaches the toughness at that stress.
    const double ratio = toughnessAt(crack.start) / (kShapeFactor * strength);
    detail.flawSize = std::min(ratio * ratio / kPi, 0.05 * mBody.diagonal());
    startCrack(crack, detail, tet, {}, 0.0);
  }

  /// A flaw in the shadow of other cracks fails when so much more pulls that what they leave is enough.
  void askFlawAgain(FailingFlaw& failing, const Event& event, const Mat3& raw, const PrincipalStress& left) {
    if (!(left.values[0] > 0) || ++failing.asked >= kWaits) return;
    const Vec3 v = left.directions.col(0);
    const double strength = mFlaws.flaws[failing.flaw].strength;
    const double needed = strength / left.values[0] * v.dot(raw * v) / mOptions.factor;
    const auto next =
        mStress.firstTensionAtFlaw(mFlaws, static_cast<size_t>(failing.flaw), mOptions.grain.apply(v), needed,
                                   event.time + mStress.step(), std::min(mStress.window(), mEnd));
    if (next) mEvents.push({*next, Event::Failing, event.index});
  }

  /// `side`: of each cut that the tetrahedron has already; found at the start if empty.
  bool startCrack(const Crack& crack, const CrackDetail& detail, int32_t tet,
                  std::optional<std::pair<int32_t, int>> side, double reach) {
    const int32_t number = static_cast<int32_t>(mSet.cracks.size());
    mSet.cracks.push_back(crack);
    mDetails.push_back(detail);
    CornerHeights heights;
    const Tetrahedron& corners = mBody.tetrahedra()[tet];
    for (size_t k = 0; k < 4; ++k) {
      const Vec3& x = mBody.points()[corners[k]];
      heights[k] = (x - crack.start).dot(crack.normal) + wave(number, x) - wave(number, crack.start);
    }
    const uint8_t near = mSides.nearCorners(tet, mSides.weightsIn(tet, crack.start), side);
    const uint8_t edges = separatedEdges(heights, near);
    CrackCut cut;
    cut.time = crack.time;
    cut.stress = static_cast<float>(crack.stress);
    CutDetail more;
    more.reach = reach;
    more.parent = -1;
    const double K = intensity(number, crack.stress, reach);
    more.speed = speed(K, toughnessAt(crack.start));
    more.target = crack.normal;
    if (edges == 0 || !pay(number, tet, heights, edges, cut, crack.time)) {
      mSet.cracks.pop_back();
      mDetails.pop_back();
      return false;
    }
    record(number, tet, heights, edges, cut, more, crack.normal);
    return true;
  }

  // Running -----------------------------------------------------------------------------------------------

  void advance(int32_t cut, bool forced) {
    const int32_t tet = mSet.cuts[cut].tetrahedron;
    for (size_t k = 0; k < 4; ++k) {
      // Across faces that the crack itself meets: not those behind a crack on which it ends.
      if (!(mSet.cuts[cut].edges & kFaceEdges[k])) continue;
      const int32_t neighbour = mBody.neighbours()[tet][k];
      if (neighbour < 0 || mVisited.find(mSet.cuts[cut].crack, neighbour)) continue;
      const Outcome outcome = enter(cut, neighbour, forced, mSet.cuts[cut].time);
      if (outcome != Outcome::Arrested || forced) continue;
      mWaiting.push_back({cut, neighbour, 0});
      wait(static_cast<int32_t>(mWaiting.size()) - 1, mSet.cuts[cut].time + mStress.step());
    }
  }

  /// Waves that come later may load an arrested front again: at the first time when what pulls across it is
  /// enough.
  void wait(int32_t waiting, double time) {
    Waiting& w = mWaiting[waiting];
    if (w.asked++ >= kWaits || mOptions.shape == GrowthShape::Flat) return;
    const double last = std::min(mStress.window(), mEnd);
    const Tetrahedron& corners = mBody.tetrahedra()[w.tetrahedron];
    const CutDetail& before = mCutDetails[w.cut];
    const Vec3 centre = centreOf(w.tetrahedron);
    const int32_t crack = mSet.cuts[w.cut].crack;
    const double unit = intensity(crack, 1.0, before.reach + (centre - before.centre).norm());
    const double needed = toughnessAt(centre) / (unit * mOptions.factor);
    const Vec3 pulls = mOptions.grain.apply(mSet.cuts[w.cut].normal);
    std::optional<double> next;
    for (const Eigen::Vector4d& at : placesIn(w.tetrahedron)) {
      const LatticePlace place{corners, {at[0], at[1], at[2], at[3]}};
      if (const auto found = mStress.firstTension(place, pulls, needed, time, next.value_or(last)))
        next = found;
    }
    if (next) mEvents.push({*next, Event::Arrested, waiting});
  }

  void askAgain(int32_t waiting, double time) {
    const Waiting w = mWaiting[waiting];
    if (mVisited.find(mSet.cuts[w.cut].crack, w.tetrahedron)) return;
    if (enter(w.cut, w.tetrahedron, false, time) == Outcome::Arrested) wait(waiting, time + mStress.step());
  }

  /// Goes on where little is left in front of a crack: the stress there is that of a small section, which
  /// the vibrations of the whole body do not know.
  void breakLigaments() {
    if (!(mOptions.ligament > 0) || mOptions.shape == GrowthShape::Flat) return;
    mEvents = {};
    const size_t arrested = mWaiting.size();
    for (size_t w = 0; w < arrested; ++w) {
      const Waiting& waiting = mWaiting[w];
      if (!mVisited.find(mSet.cuts[waiting.cut].crack, waiting.tetrahedron))
        enter(waiting.cut, waiting.tetrahedron, true, mSet.cuts[waiting.cut].time);
    }
    for (size_t done = 0; !mEvents.empty(); ++done) {
      if (done % 1024 == 0) mContext.checkCancel();
      const Event event = mEvents.top();
      mEvents.pop();
      advance(event.index, true);
    }
  }

  /// Smooths each crack by itself.
  void fitAllHeights() {
    if (mOptions.shape == GrowthShape::Flat) return;
    std::vector<std::vector<int32_t>> cutsOfCrack(mSet.cracks.size());
    for (size_t c = 0; c < mSet.cuts.size(); ++c)
      cutsOfCrack[mSet.cuts[c].crack].push_back(static_cast<int32_t>(c));
    PairTable<int32_t> numbers;
    for (const std::vector<int32_t>& cuts : cutsOfCrack) {
      std::vector<double> heights;
      std::vector<HeightFitCell> cells;
      for (const int32_t c : cuts) {
        const CrackCut& cut = mSet.cuts[c];
        HeightFitCell cell{cut.tetrahedron, {}, mCutDetails[c].target};
        for (size_t k = 0; k < 4; ++k) {
          const int32_t point = mBody.tetrahedra()[cut.tetrahedron][k];
          const int32_t* known = numbers.find(cut.crack, point);
          cell.heights[k] = known ? *known : static_cast<int32_t>(heights.size());
          if (known) continue;
          numbers.set(cut.crack, point, cell.heights[k]);
          heights.push_back(*mHeights.find(cut.crack, point));
        }
        cells.push_back(cell);
      }
      fitHeights(mBody, cells, 1e-3 * mBody.cellSize(), heights);
      for (size_t i = 0; i < cuts.size(); ++i)
        for (size_t k = 0; k < 4; ++k) mSet.cuts[cuts[i]].heights[k] = heights[cells[i].heights[k]];
    }
  }

  double intensity(int32_t crack, double stress, double reach) const {
    return kShapeFactor * stress * std::sqrt(kPi * (reach + mDetails[crack].flawSize));
  }

  double toughnessAt(const Vec3& x) const {
    return mOptions.toughness * (mOptions.toughnessPaint ? mOptions.toughnessPaint(x) : 1.0);
  }

  /// [Freund90]: the Rayleigh wave's times 1 - G_c / G, up to the limit.
  double speed(double K, double toughness) const {
    const double share = K > toughness ? 1 - toughness * toughness / (K * K) : 0.0;
    return mRayleigh * std::clamp(share, kSlowest, std::max(mOptions.speedLimit, kSlowest));
  }

  /// The direction across which the stress pulls most, of those near the one before: powers of the stress
  /// above its smallest principal value turn it there, and leave it where directions are alike.
  Vec3 turned(const Mat3& stress, const Vec3& before) const {
    const double smallest = principalValues(stress)[2];
    const Mat3 above = stress - smallest * Mat3::Identity();
    Vec3 d = before;
    for (int k = 0; k < 6; ++k) {
      const Vec3 next = above * d;
      if (!(next.norm() > 1e-12 * above.norm())) return before;
      d = next.normalized();
    }
    // A running crack does not turn sharply, even if the stress does.
    const Vec3 aside = d - before.dot(d) * before;
    if (before.dot(d) >= std::cos(kMostTurn) || !(aside.norm() > 0)) return d;
    return std::cos(kMostTurn) * before + std::sin(kMostTurn) * aside.normalized();
  }

  /// Of a corner of the lattice, kept.
  double waveAt(int32_t crack, int32_t point) {
    if (!(mOptions.noise > 0)) return 0;
    if (const double* known = mWaves.find(crack, point)) return *known;
    const double made = wave(crack, mBody.points()[point]);
    mWaves.set(crack, point, made);
    return made;
  }

  double wave(int32_t crack, const Vec3& x) const {
    if (!(mOptions.noise > 0)) return 0;
    const CrackDetail& detail = mDetails[crack];
    const double size = mOptions.noiseScale * mBody.cellSize();
    const Vec3 r = (x - mSet.cracks[crack].start) / size;
    const Vec3 place(r.dot(detail.along), r.dot(detail.across), 0.37);
    return mOptions.noise * mBody.cellSize() *
           fractalNoise(place, mixBits(mOptions.seed) + static_cast<uint64_t>(crack), 3, 0.5);
  }

  Outcome enter(int32_t from, int32_t tet, bool forced, double now) {
    const int32_t crack = mSet.cuts[from].crack;
    const CutDetail& before = mCutDetails[from];
    const Tetrahedron& corners = mBody.tetrahedra()[tet];
    const Vec3 normalBefore = mSet.cuts[from].normal;
    // Heights that are known, and whether the crack can pass here at all.
    CornerHeights heights;
    uint8_t known = 0;
    for (size_t k = 0; k < 4; ++k)
      if (const double* h = mHeights.find(crack, corners[k])) {
        heights[k] = *h;
        known = static_cast<uint8_t>(known | 1u << k);
      }
    if (!mayPass(corners, heights, known, normalBefore)) return Outcome::Away;

    // Through what is next to nothing of the solid a crack goes on a little, but not back into the solid,
    // around the end of another crack.
    const double share = mBody.parts()[tet].share;
    const bool skin = !(share > kLeastSolidShare);
    if (skin ? before.skin >= kSkinDepth : before.skin > 0 && share > kCorner) return Outcome::Away;
    const Vec3 centre = centreOf(tet);
    const double distance = (centre - before.centre).norm();
    const double time = now + distance / before.speed;
    if (time > mEnd) return Outcome::Away;
    if (forced && before.extension + distance > mOptions.ligament * before.reach) return Outcome::Away;
    const bool flat = mOptions.shape == GrowthShape::Flat;
    const Mat3 stress = skin ? Mat3::Zero() : drivingStressIn(tet, flat ? mSet.cracks[crack].time : time);
    Vec3 normal = !flat && !forced && !skin ? turned(stress, normalBefore) : normalBefore;
    double tension = skin ? static_cast<double>(mSet.cuts[from].stress) : normal.dot(stress * normal);
    const double reach = before.reach + distance;
    const double toughness = toughnessAt(centre);
    double K = intensity(crack, std::max(tension, 0.0), reach);
    // Toughness may be painted to 0: what is not pulled does not break for all that.
    const auto holds = [&] { return K < toughness || !(K > 0); };
    // A wall that bends is cut through by what its tense side pulls: its other side is under pressure.
    const bool carried = !flat && !forced && !skin && holds() && share < 1 && before.carried < kWallDepth;
    if (carried) {
      normal = normalBefore;
      tension = static_cast<double>(mSet.cuts[from].stress);
      K = intensity(crack, tension, reach);
    }
    if (!flat && !forced && !skin && holds()) return Outcome::Arrested;
    const double load = K > 0 ? K / std::max(toughness, 1e-9 * K) : 0;
    // Where the new direction contradicts what is known of the crack, the one before may not.
    if (!completeHeights(crack, corners, heights, known, normal, load)) {
      normal = normalBefore;
      if (!completeHeights(crack, corners, heights, known, normal, load)) return Outcome::Away;
    }

    const uint8_t near = mSides.cornersReachedFrom(tet, from);
    const uint8_t edges = separatedEdges(heights, near);
    if (edges == 0 || mSides.count(tet) >= kMostCutsPerTet) return Outcome::Away;
    CrackCut cut;
    cut.time = time;
    cut.stress = static_cast<float>(std::max(tension, 0.0));
    cut.ligament = forced;
    if (flat && !paperAllows(crack, tet, heights, edges, stress)) return Outcome::Away;
    if (!pay(crack, tet, heights, edges, cut, time)) return Outcome::Spent;
    CutDetail more;
    more.reach = reach;
    more.speed = skin ? before.speed : speed(K, toughness);
    more.skin = skin ? before.skin + 1 : 0;
    more.parent = from;
    more.carried = carried ? before.carried + 1 : skin ? before.carried : 0;
    more.extension = forced ? before.extension + distance : 0;
    more.target = normal;
    record(crack, tet, heights, edges, cut, more, normal);
    if (!flat && !forced && !skin && mOptions.branching > 0 && K > mOptions.branching * toughness)
      branch(static_cast<int32_t>(mSet.cuts.size()) - 1);
    return Outcome::Entered;
  }

  /// False if the crack stays clear of the tetrahedron whatever the stress there is.
  bool mayPass(const Tetrahedron& corners, const CornerHeights& heights, uint8_t known,
               const Vec3& normal) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (size_t k = 0; k < 4; ++k) {
      if (!(known >> k & 1)) continue;
      low = std::min(low, heights[k]);
      high = std::max(high, heights[k]);
    }
    if (low < 0 && high >= 0) return true;
    if (known == 15) return false;
    for (size_t k = 0; k < 4; ++k) {
      if (known >> k & 1) continue;
      for (size_t j = 0; j < 4; ++j) {
        if (!(known >> j & 1)) continue;
        // Turning by the most that is allowed moves a corner by less than its distance.
        const Vec3 edge = mBody.points()[corners[k]] - mBody.points()[corners[j]];
        const double ahead = heights[j] + normal.dot(edge), slack = 0.8 * edge.norm();
        low = std::min(low, ahead - slack);
        high = std::max(high, ahead + slack);
      }
    }
    return low < 0 && high >= 0;
  }

  /// Heights of corners that the crack has not met: from those that it has, along the normal.
  bool completeHeights(int32_t crack, const Tetrahedron& corners, CornerHeights& heights, uint8_t known,
                       const Vec3& normal, double load) {
    const auto point = [&](size_t k) -> const Vec3& { return mBody.points()[corners[k]]; };
    if (mOptions.shape == GrowthShape::Flat) {
      const Crack& c = mSet.cracks[crack];
      for (size_t k = 0; k < 4; ++k)
        heights[k] = (point(k) - c.start).dot(c.normal) + waveAt(crack, corners[k]) - wave(crack, c.start);
      return true;
    }
    const double rough = mOptions.roughness > 0 ? std::clamp(load / mOptions.roughness - 1, 0.0, 1.0) : 0.0;
    std::array<double, 4> offset;  // of known heights from the plane
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    int count = 0;
    for (size_t k = 0; k < 4; ++k) {
      const double waves = (1 + 2 * rough) * waveAt(crack, corners[k]);
      offset[k] = normal.dot(point(k)) + waves;
      if (!(known >> k & 1)) continue;
      const double apart = heights[k] - offset[k];
      low = std::min(low, apart);
      high = std::max(high, apart);
      sum += apart;
      ++count;
    }
    if (count == 0 || high - low > (kDisagree + mOptions.noise) * mBody.cellSize()) return false;
    for (size_t k = 0; k < 4; ++k)
      if (!(known >> k & 1)) heights[k] = offset[k] + sum / count;
    return true;
  }

  // Branching ---------------------------------------------------------------------------------------------

  /// A second crack leaves the front at an angle; both have half of the length that drove the one.
  void branch(int32_t cut) {
    const int32_t crack = mSet.cuts[cut].crack;
    const int32_t generation = mDetails[crack].generation + 1;
    const double reach = mCutDetails[cut].reach;
    const Vec3 centre = mCutDetails[cut].centre;
    if (generation > kGenerations || mSet.cracks.size() >= mOptions.maxCracks) return;
    // One branch for all of a front that comes by here.
    for (const Vec3& other : mBranches)
      if ((other - centre).norm() < 0.5 * reach) return;
    const Vec3 normal = mSet.cuts[cut].normal;
    Vec3 ahead = centre - mCutDetails[mCutDetails[cut].parent].centre;
    ahead -= normal.dot(ahead) * normal;
    if (!(ahead.norm() > 1e-6 * mBody.cellSize())) return;
    ahead.normalize();
    Random random(mOptions.seed, mixBits(static_cast<uint64_t>(cut) + 77));
    const int side = random.uniform() < 0.5 ? -1 : 1;
    // A place of the crack itself.
    const int32_t tet = mSet.cuts[cut].tetrahedron;
    const CutPolygon polygon = cutPolygon(cornersOf(tet), mSet.cuts[cut].heights);
    Vec3 place = Vec3::Zero();
    for (int k = 0; k < polygon.count; ++k) place += polygon.corners[k] / polygon.count;
    Crack child;
    child.start = place;
    child.normal = std::cos(kBranchAngle) * normal - side * std::sin(kBranchAngle) * ahead;
    child.time = mSet.cuts[cut].time;
    child.stress = static_cast<double>(mSet.cuts[cut].stress);
    child.parent = crack;
    CrackDetail detail = mDetails[crack];
    detail.across = normal.cross(ahead);
    detail.along = child.normal.cross(detail.across);
    detail.generation = generation;
    detail.paperSpent = detail.paperStored = 0;
    if (startCrack(child, detail, tet, std::make_pair(cut, side), 0.5 * reach)) {
      mBranches.push_back(centre);
      mCutDetails[cut].reach = 0.5 * reach;
    }
  }

  // Energy ------------------------------------------------------------------------------------------------

  /// m^2 that a cut opens inside the solid.
  double cutArea(int32_t tet, const CornerHeights& heights, uint8_t edges) const {
    const CutPolygon polygon = cutPolygon(cornersOf(tet), heights);
    int cut = 0;
    for (int e = 0; e < 6; ++e) cut += edges >> e & 1;
    return polygon.count ? polygon.area() * mBody.parts()[tet].share * cut / polygon.count : 0;
  }

  /// Of the energy that is there under loads of factor 1.
  double share() const { return mOptions.energyShare * mOptions.factor * mOptions.factor; }

  /// Takes the energy of a cut from what is there; false if that is not enough.
  bool pay(int32_t crack, int32_t tet, const CornerHeights& heights, uint8_t edges, CrackCut& cut,
           double time) {
    const double area = cutArea(tet, heights, edges);
    const double price = area * crackEnergy(mBody.material(), toughnessAt(centreOf(tet)));
    const double left = share() * mStress.energyAt(time) - mSet.spent - price;
    if (left < 0) {
      mSet.outOfEnergy = true;
      return false;
    }
    mSet.spent += price;
    mSet.area += area;
    mSet.leastLeft = std::min(mSet.leastLeft, left);
    mSet.cracks[crack].area += area;
    cut.area = static_cast<float>(area);
    return true;
  }

  /// [Glondu12] algorithm 2: a crack goes on while the energy of its surface is below what the strain of the
  /// tetrahedra that it passed gives, times gamma.
  bool paperAllows(int32_t crack, int32_t tet, const CornerHeights& heights, uint8_t edges,
                   const Mat3& stress) {
    CrackDetail& detail = mDetails[crack];
    const ElasticMaterial& m = mBody.material();
    const double density =
        ((1 + m.poisson) * stress.squaredNorm() - m.poisson * stress.trace() * stress.trace()) /
        (2 * m.young);
    const double area = cutArea(tet, heights, edges);
    const double spent = detail.paperSpent + area * crackEnergy(m, toughnessAt(centreOf(tet)));
    const double stored = detail.paperStored + area * mOptions.gamma * density;
    if (spent > stored && detail.paperSpent > 0) return false;
    detail.paperSpent = spent;
    detail.paperStored = stored;
    return true;
  }

  // Records -----------------------------------------------------------------------------------------------

  std::array<Vec3, 4> cornersOf(int32_t tet) const {
    const Tetrahedron& t = mBody.tetrahedra()[tet];
    return {mBody.points()[t[0]], mBody.points()[t[1]], mBody.points()[t[2]], mBody.points()[t[3]]};
  }
  Vec3 centreOf(int32_t tet) const {
    const Tetrahedron& t = mBody.tetrahedra()[tet];
    return 0.25 * (mBody.points()[t[0]] + mBody.points()[t[1]] + mBody.points()[t[2]] + mBody.points()[t[3]]);
  }

  void record(int32_t crack, int32_t tet, const CornerHeights& heights, uint8_t edges, CrackCut cut,
              CutDetail more, const Vec3& normal) {
    const int32_t number = static_cast<int32_t>(mSet.cuts.size());
    const Tetrahedron& corners = mBody.tetrahedra()[tet];
    cut.tetrahedron = tet;
    cut.crack = crack;
    cut.edges = edges;
    cut.normal = normal;
    for (size_t k = 0; k < 4; ++k) {
      cut.heights[k] = heights[k];
      if (!mHeights.find(crack, corners[k])) mHeights.set(crack, corners[k], heights[k]);
    }
    more.centre = centreOf(tet);
    if (mOptions.noise > 0) {
      const TetShape& shape = mBody.tetShape(static_cast<size_t>(tet));
      for (size_t k = 0; k < 4; ++k) more.target += waveAt(crack, corners[k]) * shape.gradients[k];
    }
    mVisited.set(crack, tet, number);
    Crack& c = mSet.cracks[crack];
    c.radius = std::max(c.radius, (more.centre - c.start).norm());
    mSet.cuts.push_back(cut);
    mSides.add(number);
    mCutDetails.push_back(more);
    mEvents.push({cut.time, Event::Front, number});
  }

  const ModalBody& mBody;
  const StressHistory& mStress;
  const FlawRows& mFlaws;
  const GrowthOptions& mOptions;
  Context& mContext;
  double mRayleigh, mEnd;
  CrackSet mSet;
  CutSides mSides;
  std::vector<CrackDetail> mDetails;
  std::vector<CutDetail> mCutDetails;
  std::vector<Vec3> mBranches;
  std::vector<FailingFlaw> mFailing;
  std::vector<Waiting> mWaiting;
  PairTable<int32_t> mVisited;  // crack, tetrahedron: cut
  PairTable<double> mHeights;   // crack, point: m
  PairTable<double> mWaves;     // the same, of the noise
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> mEvents;
};

}  // namespace

CrackSet growCracks(const ModalBody& body, const StressHistory& stress, const FlawRows& flaws,
                    const Failures& failures, const GrowthOptions& options, Context& context) {
  return Growth(body, stress, flaws, options, context).run(failures);
}

}  // namespace hackle
