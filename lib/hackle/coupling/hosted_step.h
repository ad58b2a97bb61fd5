// Fracture in a simulation that belongs to somebody else (Houdini's): its bodies and contacts come in after
// every step, what breaks goes out, and everything that has to be remembered is a block of bytes that the
// host keeps with its own state. The same bytes, bodies and contacts give the same pieces, so the host may
// rewind and repeat.
#pragma once

#include <hackle/coupling/decide.h>
#include <hackle/coupling/replace.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// A rigid body of the host after a step. A place x of its shape is at rotation * x + offset.
struct HostedBody {
  std::string name;  // unique
  std::function<Geometry(Context&)>
      shape;            // closed polygons; asked for only where something touches the body
  bool dynamic = true;  // false: the host moves it, or nothing does
  Mat3 rotation = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();  // m/s, after the step, of the place `at`
  Vec3 spin = Vec3::Zero();      // rad/s, after the step
  Vec3 at = Vec3::Zero();        // m, in the world
  std::optional<double> mass;    // kg; not set: from the density of the material
  ElasticMaterial material;
  double restitution = 0.1;
  std::shared_ptr<const FractureEngine> engine;  // null: it never breaks
  FractureLimits limits;
};

/// One record of the host: an impulse on a body.
struct HostedContact {
  size_t body = 0;
  std::optional<size_t> other;   // the other body, if the host knows which of ours it is
  int32_t otherObject = -1;      // else: a number for whatever it is
  Vec3 position = Vec3::Zero();  // m, in the world
  Vec3 normal = Vec3::Zero();    // in which the body is pushed; for friction, along the surface
  double impulse = 0;            // N s
  bool friction = false;
};

/// A body that broke.
struct HostedBreak {
  size_t body = 0;
  FractureEvent cause;
  Replacement pieces;
  std::vector<PieceContact> contacts;  // of pieces, by the number `piece` of their fragments
  double originalVolume = 0;           // m^3
};

/// The fragment with the point that is nearest to a place (m) of the world.
const Fragment& nearestFragment(const Replacement& pieces, const Vec3& place);

/// What a step gave.
struct HostedResult {
  std::vector<HostedBreak> breaks;  // by number of the body
  size_t asked = 0;                 // bodies that were asked to break
  std::vector<std::string> held;    // what those that held say, one sentence each
};

/// Contacts as the coupling takes them: friction joins the nearest record of the same two bodies, and of two
/// records of one contact, one on either body, the second is left out. `bodyOf` gives the coupling's ids.
std::vector<BodyContact> bodyContacts(Span<const HostedContact> contacts,
                                      const std::function<int32_t(size_t body)>& bodyOf,
                                      const std::function<const RigidMotion&(int32_t id)>& motionOf);

class HostedStep {
 public:
  explicit HostedStep(const DecideOptions& options) : mDecider(options) {}

  /// Continues from bytes that `save` gave; empty bytes are a simulation that starts. Error(BadInput) if they
  /// are damaged.
  void restore(std::string_view bytes);
  std::string save() const;

  /// After the host's step of `dt` (s) that began at `time` (s). Pieces start with the motion that their body
  /// had before the step. After an error or a cancel this object is not to be used again; the host drops it
  /// and keeps the bytes that it had.
  HostedResult step(Span<const HostedBody> bodies, Span<const HostedContact> contacts, double time, double dt,
                    Context& context);

 private:
  /// What is remembered of a body between steps.
  struct Memory {
    int32_t id = -1;
    int events = 0;
    double born = -1e9, originalVolume = 0, pieceVolume = 0;
    bool breakable = true, moved = false;  // moved: velocity, spin and pose are known
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    Mat3 rotation = Mat3::Identity();  // pose after the last step, as that of HostedBody
    Vec3 offset = Vec3::Zero();
    std::string state;  // of the engine, where a fracture left one
  };

  void meet(Span<const HostedBody> bodies);
  CouplingBody coupled(const HostedBody& body, Context& context) const;
  void placeAtContacts(CouplingBody& body, const HostedBody& host, const std::vector<Vec3>& contacts) const;
  void breakBody(const HostedBody& host, size_t number, CouplingBody& body, const FractureEvent& event,
                 double time, HostedResult& result, Context& context);
  void remember(Span<const HostedBody> bodies);

  FractureDecider mDecider;
  std::map<std::string, Memory> mMemories;
  int32_t mNextId = 0;
};

}  // namespace hackle
