// From the contacts of a step to loads on bodies, and to the bodies that a load may break.
#pragma once

#include <hackle/core/archive.h>
#include <hackle/coupling/body.h>
#include <hackle/coupling/contact_radius.h>

#include <array>
#include <map>
#include <vector>

namespace hackle {

struct DecideOptions {
  uint64_t seed = 0;
  double gravity = 9.81;            // m/s^2; contacts slower than two steps of free fall rest
  std::optional<size_t> maxBodies;  // in the simulation; not set: no limit
};

/// A body that is asked to break, with the load that does it.
struct FractureEvent {
  int32_t body = -1;
  LoadCase load;                 // in the frame of the body's rest shape
  double impulse = 0;            // N s, of all impacts
  double force = 0;              // N, the greatest of an impact or the sum of resting ones
  double speed = 0;              // m/s, fastest approach
  double energy = 0;             // J that the impacts take away: 1/2 m_eff v^2 (1 - e^2)
  Vec3 position = Vec3::Zero();  // m, in the world, of the strongest impact
};

/// A load that was too small to ask the engine.
struct NearMiss {
  std::string body;
  double share = 0;  // of the load that would be enough, below 1
};

/// Keeps what single steps do not tell: a rigid-body engine spreads one impact over up to three steps, and
/// only several slow steps in a row are rest. Part of a simulation's saved state.
class FractureDecider {
 public:
  explicit FractureDecider(const DecideOptions& options) : mOptions(options) {}

  /// Bodies that may break now, by id. `bodies` are sorted by id and have all that the contacts name, with
  /// the motion before them; `total` is how many the simulation has, `time` (s) when the step of `dt` (s)
  /// began. Bodies whose solid the engine refuses lose their engine, with a warning.
  std::vector<FractureEvent> decide(Span<CouplingBody* const> bodies, Span<const BodyContact> contacts,
                                    size_t total, double time, double dt, Context& context);
  /// The body is gone.
  void forget(int32_t body);
  /// The one that was nearest to a threshold, or to the strength by nominal stress, without reaching it.
  const std::optional<NearMiss>& nearestMiss() const { return mNearest; }

  void save(ArchiveWriter& archive, const std::string& prefix) const;
  void restore(const ArchiveReader& archive, const std::string& prefix);

 private:
  using Pair = std::array<int32_t, 2>;
  static constexpr size_t kSteps = 3;
  /// The last three steps of two bodies that touch; impulses (N s) are on the first.
  struct PairHistory {
    std::array<Vec3, kSteps> impulse{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    int slow = 0;  // steps in a row in which they did not approach
    int idle = 0;  // steps in a row without contact

    void push(const Vec3& latest);  // a step further
  };
  /// What a body was asked last.
  struct Asked {
    double impulse = 0, force = 0, spin = 0;
    double time = -1e30;
  };
  class Places;
  struct PairContact;  // of this step
  struct Draft;
  struct BodyLoad;

  std::vector<PairContact> pairsOf(Span<const BodyContact> contacts, const Places& places) const;
  std::vector<PairContact> gather(Span<const BodyContact> contacts, const Places& places, double dt);
  std::optional<double> radiusAt(CouplingBody& body, const Vec3& place, Context& context);
  void addImpact(BodyLoad& load, const CouplingBody& body, CouplingBody& other, const PairContact& contact,
                 double sign) const;
  double shortestForce(const Draft& draft, const CouplingBody& body) const;
  double greatestForce(const BodyLoad& load, const CouplingBody& body) const;
  bool isHarmless(const BodyLoad& load, CouplingBody& body, double resting, Context& context);
  void addForces(BodyLoad& load, CouplingBody& body, Context& context);
  void spreadImpacts(BodyLoad& load, CouplingBody& body, Context& context) const;
  void addRest(BodyLoad& load, const CouplingBody& body, const PairContact& contact, double sign,
               double dt) const;
  bool reachesLimits(const CouplingBody& body, const BodyLoad& load);
  bool reachesStrength(const CouplingBody& body, double force);
  void missed(const CouplingBody& body, double share);
  bool worthAsking(const CouplingBody& body, const BodyLoad& load, double time) const;
  bool isFasterThanAsked(const CouplingBody& body) const;
  std::optional<FractureEvent> ask(CouplingBody& body, BodyLoad& load, size_t total, double time, double dt,
                                   Context& context);

  DecideOptions mOptions;
  std::vector<std::pair<Pair, PairHistory>> mPairs;      // by pair; of bodies that can break
  std::vector<std::pair<Pair, PairHistory>> mNextPairs;  // its memory is used again
  std::map<int32_t, Asked> mAsked;
  std::optional<NearMiss> mNearest;        // of this run; not saved
  std::map<int32_t, ContactRadii> mRadii;  // of bodies; follows from their shapes
  std::map<int32_t, double> mThickness;    // m, of bodies where they are thinnest; the same
};

}  // namespace hackle
