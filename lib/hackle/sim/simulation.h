// Bodies that move, collide, break and move on: the loop of rigid-body world and fracture coupling.
#pragma once

#include <hackle/coupling/decide.h>
#include <hackle/coupling/replace.h>
#include <hackle/sim/scene.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hackle {

/// One body of a simulation.
struct SimBody {
  CouplingBody coupling;  // name, geometry in its rest frame, mass, engine; motion at the end of the frame
  BodyKind kind = BodyKind::Dynamic;
  FragmentClass fragment = FragmentClass::Large;
  CollisionShapePtr shape;
  double friction = 0.5;
  int event = 0;       // number of the event that made it, 0: it was there at the start
  int piece = 0;       // its number among the pieces of that event
  int sceneBody = -1;  // the body of the scene that it comes from; -1: the ground
  double start = 0;    // s; held until then
  bool held = false;
  bool awake = true;
};

/// A body was asked to break.
struct SimEvent {
  int number = 0;  // from 1 for those that broke something; 0: the body held
  int frame = 0;
  double time = 0;  // s
  std::string body;
  std::string engine;
  FractureEvent cause;
  std::vector<std::string> pieces;  // empty: the body held
  std::string heldBy, reason;
  double area = 0;               // m^2
  std::optional<double> energy;  // J that the cracks took
  Momentum before, after;
  double massScale = 1;
  std::array<int, 4> classes{};  // pieces by FragmentClass
  Geometry geometry;             // of the pieces, in the rest frame; with primitive attribute `name`
  Geometry constraints;          // between them

  /// All but the geometry, one line of JSON. Has no timings: equal runs give equal lines.
  std::string toJson() const;
};

/// Where the time of a run went.
struct SimTimes {
  double rigid = 0, fracture = 0, shapes = 0;  // s
  size_t steps = 0, asked = 0;
};

class Simulation {
 public:
  /// At the first frame. Error(BadInput) names a body that cannot take part; bodies that overlap at the start
  /// are warned about.
  Simulation(Scene scene, Context& context);
  ~Simulation();

  const Scene& scene() const { return mScene; }
  int frame() const { return mFrame; }  // from 1
  bool done() const { return mFrame >= mScene.frames; }
  double time() const;  // s, of the frame

  /// Moves on by one frame.
  void advance(Context& context);

  /// By id; with the motions of this frame.
  const std::map<int32_t, SimBody>& bodies() const { return mBodies; }
  /// Of the last frame.
  const std::vector<SimEvent>& events() const { return mEvents; }
  const SimTimes& times() const { return mTimes; }
  /// The body that came nearest to breaking so far, of those that thresholds or nominal stress decide on.
  const std::optional<NearMiss>& nearestMiss() const { return mDecider.nearestMiss(); }

  /// True at frames where a run may be saved and resumed: every `restart`-th.
  bool atRestart() const;
  std::string save() const;
  /// Into a new simulation of the same scene. `pieces` gives the geometry of an event again, as SimEvent had
  /// it. Error(BadInput) if the bytes are damaged or of another scene.
  void restore(std::string_view bytes, const std::function<Geometry(int event)>& pieces, Context& context);

 private:
  void addSceneBody(size_t index, Context& context);
  void addGround();
  void checkOverlaps(Context& context);
  BodySetup setupOf(const SimBody& body) const;
  void step(Context& context);
  void moveAnimated(double time);
  void startHeld(double time);
  void pushBodies(double time);
  RigidWorld::Swap onContacts(const std::vector<BodyContact>& contacts, Context& context);
  void breakBody(const FractureEvent& event, RigidWorld::Swap& swap, Context& context);
  std::vector<CollisionShapePtr> shapesOf(const std::vector<Fragment>& fragments,
                                          const FractureResult& result, Context& context);
  void replaceBy(SimBody& parent, const FractureResult& result, SimEvent& event, RigidWorld::Swap& swap,
                 Context& context);
  void readMotions();

  Scene mScene;
  std::unique_ptr<RigidWorld> mWorld;
  FractureDecider mDecider;
  std::map<int32_t, SimBody> mBodies;
  std::vector<SimEvent> mEvents;
  SimTimes mTimes;
  int mFrame = 1;
  int64_t mStep = 0;
  int32_t mNextId = 0;
  int mNextEvent = 1;
};

}  // namespace hackle
