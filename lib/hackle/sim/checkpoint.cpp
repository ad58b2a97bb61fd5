// Saving a simulation and going on from there.
#include <hackle/sim/simulation.h>

#include <hackle/geometry/fragment_index.h>

namespace hackle {

namespace {

constexpr uint32_t kVersion = 3;
constexpr const char* kKind = "simulation";
// Of a body: mass, centre, inertia, born, volume of first pieces.
constexpr size_t kNumbers = 1 + 3 + 9 + 1 + 1;
// Of a body: id, event, piece, body of the scene, held, may break, fragment class, events.
constexpr size_t kWholes = 8;

void append(std::vector<double>& numbers, const SimBody& body) {
  const RigidMass& mass = body.coupling.mass;
  numbers.push_back(mass.mass);
  for (int c = 0; c < 3; ++c) numbers.push_back(mass.centre[c]);
  for (int c = 0; c < 9; ++c) numbers.push_back(mass.inertia(c / 3, c % 3));
  numbers.push_back(body.coupling.born);
  numbers.push_back(body.coupling.pieceVolume);
}

void take(const double* numbers, SimBody& body) {
  RigidMass& mass = body.coupling.mass;
  mass.mass = numbers[0];
  for (int c = 0; c < 3; ++c) mass.centre[c] = numbers[1 + c];
  for (int c = 0; c < 9; ++c) mass.inertia(c / 3, c % 3) = numbers[4 + c];
  body.coupling.born = numbers[13];
  body.coupling.pieceVolume = numbers[14];
}

/// Collision shapes of pieces: what an event made them from is gone.
class ShapeWriter {
 public:
  void add(const CollisionShape& shape) {
    mCounts.push_back(static_cast<int32_t>(shape.hulls.size()));
    mNumbers.push_back(shape.margin);
    for (const std::vector<Vec3>& hull : shape.hulls) {
      mCounts.push_back(static_cast<int32_t>(hull.size()));
      for (const Vec3& p : hull) mNumbers.insert(mNumbers.end(), p.data(), p.data() + 3);
    }
  }
  void finish(ArchiveWriter& archive) const {
    archive.add("shape.counts", Span<const int32_t>(mCounts));
    archive.add("shape.numbers", Span<const double>(mNumbers));
  }

 private:
  std::vector<int32_t> mCounts;  // of hulls, then of the corners of each
  std::vector<double> mNumbers;  // margin, then corners
};

class ShapeReader {
 public:
  explicit ShapeReader(const ArchiveReader& archive)
      : mCounts(archive.int32s("shape.counts")), mNumbers(archive.float64s("shape.numbers")) {}

  CollisionShapePtr next() {
    auto shape = std::make_shared<CollisionShape>();
    const int32_t hulls = count();
    shape->margin = number();
    for (int32_t h = 0; h < hulls; ++h) {
      std::vector<Vec3> corners(static_cast<size_t>(count()));
      for (Vec3& p : corners)
        for (int c = 0; c < 3; ++c) p[c] = number();
      shape->hulls.push_back(std::move(corners));
    }
    return shape;
  }

 private:
  int32_t count() {
    if (mCount >= mCounts.size() || mCounts[mCount] < 0 ||
        static_cast<size_t>(mCounts[mCount]) > mNumbers.size())
      refuse();
    return mCounts[mCount++];
  }
  double number() {
    if (mNumber >= mNumbers.size()) refuse();
    return mNumbers[mNumber++];
  }
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::BadInput, "the shapes of the saved simulation do not fit together");
  }

  std::vector<int32_t> mCounts;
  std::vector<double> mNumbers;
  size_t mCount = 0, mNumber = 0;
};

}  // namespace

std::string Simulation::save() const {
  ArchiveWriter archive(kKind, kVersion);
  archive.addText("scene", mScene.key);
  const int64_t counters[] = {mFrame, mStep, mNextId, mNextEvent};
  archive.add("counters", Span<const int64_t>(counters, 4));
  std::vector<std::string> names, states;
  std::vector<int32_t> wholes;
  std::vector<double> numbers;
  ShapeWriter shapes;
  for (const auto& [id, body] : mBodies) {
    const CouplingBody& c = body.coupling;
    names.push_back(c.name);
    // What an engine prepares it prepares again; only what fractures left in a state has to be kept.
    states.push_back(c.engine && c.state && c.stateGrew ? c.engine->save(*c.state) : "");
    wholes.insert(wholes.end(), {id, body.event, body.piece, body.sceneBody, body.held ? 1 : 0,
                                 c.engine ? 1 : 0, static_cast<int32_t>(body.fragment), c.events});
    append(numbers, body);
    if (body.event > 0) shapes.add(*body.shape);
  }
  shapes.finish(archive);
  archive.addTexts("names", names);
  archive.addTexts("states", states);
  archive.add("wholes", Span<const int32_t>(wholes));
  archive.add("numbers", Span<const double>(numbers));
  mDecider.save(archive, "decider.");
  mWorld->save(archive, "world.");
  return archive.finish();
}

void Simulation::restore(std::string_view bytes, const std::function<Geometry(int)>& pieces,
                         Context& context) {
  const ArchiveReader archive(bytes, kKind, kVersion);
  if (archive.text("scene") != mScene.key)
    throw Error(ErrorCode::BadInput, "the saved simulation is of another scene",
                "start anew, or put the scene back as it was");
  const std::vector<int64_t> counters = archive.int64s("counters");
  const std::vector<std::string> names = archive.texts("names"), states = archive.texts("states");
  const std::vector<int32_t> wholes = archive.int32s("wholes");
  const std::vector<double> numbers = archive.float64s("numbers");
  const size_t count = names.size();
  if (counters.size() != 4 || states.size() != count || wholes.size() != kWholes * count ||
      numbers.size() != kNumbers * count)
    throw Error(ErrorCode::BadInput, "the saved simulation does not fit together");

  // Bodies of the start that are still there keep what was made for them; the others come from their events.
  for (const int32_t id : mWorld->ids()) mWorld->remove(id);
  std::map<int32_t, SimBody> started = std::move(mBodies);
  mBodies.clear();
  std::map<int, Geometry> geometries;
  ShapeReader shapes(archive);
  for (size_t i = 0; i < count; ++i) {
    context.checkCancel();
    const int32_t* whole = &wholes[kWholes * i];
    const int32_t id = whole[0], event = whole[1];
    SimBody body;
    if (event == 0) {
      body = started.at(id);
    } else {
      if (!geometries.count(event)) geometries.emplace(event, pieces(event));
      for (const auto& [first, other] : started)
        if (other.sceneBody == whole[3]) body = other;
      const Geometry& all = geometries.at(event);
      body.coupling.geometry = all.extract(FragmentIndex(all, "name").members(names[i]));
      body.coupling.solid = nullptr;
      body.coupling.state = nullptr;
    }
    body.coupling.id = id;
    body.coupling.name = names[i];
    body.event = event;
    body.piece = whole[2];
    body.sceneBody = whole[3];
    body.held = whole[4] != 0;
    if (whole[5] == 0) body.coupling.engine = nullptr;
    body.fragment = static_cast<FragmentClass>(whole[6]);
    body.coupling.events = whole[7];
    take(&numbers[kNumbers * i], body);
    if (event > 0) body.shape = shapes.next();
    if (body.coupling.engine && !states[i].empty()) {
      body.coupling.state = body.coupling.engine->load(solidOf(body.coupling, context), states[i], context);
      body.coupling.stateGrew = true;
    }
    mWorld->add(setupOf(body));
    mBodies.emplace(id, std::move(body));
  }
  mDecider.restore(archive, "decider.");
  mWorld->restore(archive, "world.");
  mFrame = static_cast<int>(counters[0]);
  mStep = counters[1];
  mNextId = static_cast<int32_t>(counters[2]);
  mNextEvent = static_cast<int>(counters[3]);
  mEvents.clear();
  readMotions();
}

}  // namespace hackle
