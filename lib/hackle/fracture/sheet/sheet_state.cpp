// A sheet's simulation as bytes, and back.
#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/sheet/sheet_simulation.h>

namespace hackle {

namespace {

constexpr const char* kKind = "sheet";
constexpr uint32_t kVersion = 3;

std::vector<double> numbers(const std::vector<Vec3>& values) {
  std::vector<double> list;
  for (const Vec3& v : values) list.insert(list.end(), {v.x(), v.y(), v.z()});
  return list;
}

std::vector<Vec3> vectors(const std::vector<double>& list) {
  std::vector<Vec3> values;
  for (size_t i = 0; i + 2 < list.size(); i += 3) values.emplace_back(list[i], list[i + 1], list[i + 2]);
  return values;
}

void append(std::vector<double>& list, const Mat3& a) {
  for (int i = 0; i < 9; ++i) list.push_back(a(i / 3, i % 3));
}

Mat3 tensorAt(const std::vector<double>& list, size_t at) {
  Mat3 a;
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = list[at + static_cast<size_t>(i)];
  return a;
}

constexpr size_t kHistory = 2 + 4 * 9;  // thickness, work and four tensors

void addMesh(ArchiveWriter& archive, SheetMesh mesh) {
  const char* names[] = {"rest", "x", "v", "xBefore", "vBefore", "inertial", "coast"};
  int i = 0;
  for (const std::vector<Vec3>* values : mesh.vertexArrays()) archive.add(names[i++], numbers(*values));
  std::vector<int32_t> faces, across, edges;
  std::vector<double> history;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    faces.insert(faces.end(), mesh.faces[f].begin(), mesh.faces[f].end());
    across.insert(across.end(), mesh.across[f].begin(), mesh.across[f].end());
    edges.insert(edges.end(), mesh.edges[f].begin(), mesh.edges[f].end());
    const SheetHistory& past = mesh.history[f];
    history.push_back(past.thickness);
    history.push_back(past.work);
    for (const Mat3* a : {&past.stretch, &past.curvature, &past.strainBefore, &past.curvatureBefore})
      append(history, *a);
  }
  archive.add("faces", faces);
  archive.add("across", across);
  archive.add("edges", edges);
  archive.add("history", history);
  archive.add("director", numbers(mesh.director));
  std::vector<int32_t> twins;
  for (const Edge& pair : mesh.twins) twins.insert(twins.end(), pair.begin(), pair.end());
  archive.add("twins", twins);
  archive.add("parted", mesh.parted);
  std::vector<uint8_t> kinds;
  for (const SheetEdgeKind kind : mesh.kind) kinds.push_back(static_cast<uint8_t>(kind));
  archive.add("kind", kinds);
  archive.add("crackTime", mesh.crackTime);
}

SheetMesh readMesh(const ArchiveReader& archive) {
  SheetMesh mesh;
  const char* names[] = {"rest", "x", "v", "xBefore", "vBefore", "inertial", "coast"};
  int i = 0;
  for (std::vector<Vec3>* values : mesh.vertexArrays()) *values = vectors(archive.float64s(names[i++]));
  const auto triples = [&](const char* name, std::vector<std::array<int32_t, 3>>& list) {
    const std::vector<int32_t> flat = archive.int32s(name);
    for (size_t k = 0; k + 2 < flat.size(); k += 3) list.push_back({flat[k], flat[k + 1], flat[k + 2]});
  };
  triples("faces", mesh.faces);
  triples("across", mesh.across);
  triples("edges", mesh.edges);
  const std::vector<double> history = archive.float64s("history");
  for (size_t at = 0; at + kHistory <= history.size(); at += kHistory) {
    SheetHistory past;
    past.thickness = history[at];
    past.work = history[at + 1];
    past.stretch = tensorAt(history, at + 2);
    past.curvature = tensorAt(history, at + 11);
    past.strainBefore = tensorAt(history, at + 20);
    past.curvatureBefore = tensorAt(history, at + 29);
    mesh.history.push_back(past);
  }
  mesh.director = vectors(archive.float64s("director"));
  const std::vector<int32_t> twins = archive.int32s("twins");
  for (size_t k = 0; k + 1 < twins.size(); k += 2) mesh.twins.push_back({twins[k], twins[k + 1]});
  mesh.parted = archive.bytes("parted");
  for (const uint8_t kind : archive.bytes("kind")) mesh.kind.push_back(static_cast<SheetEdgeKind>(kind));
  mesh.crackTime = archive.float64s("crackTime");
  const bool fits = mesh.parted.size() == mesh.vertexCount() && mesh.history.size() == mesh.faceCount() &&
                    mesh.kind.size() == mesh.edgeCount() && mesh.crackTime.size() == mesh.edgeCount();
  if (!fits) throw Error(ErrorCode::BadInput, "the state of the sheet is damaged", "start without it");
  mesh.checkInvariants();
  return mesh;
}

}  // namespace

std::string SheetSimulation::save() {
  mSystem.forget();
  ArchiveWriter archive(kKind, kVersion);
  addMesh(archive, mMesh);
  std::vector<double> tips, obstacles;
  for (const SheetTip& tip : mTips)
    tips.insert(tips.end(), {static_cast<double>(tip.vertex), tip.direction.x(), tip.direction.y(),
                             tip.direction.z(), tip.budget, tip.release, static_cast<double>(tip.crack),
                             tip.active ? 1.0 : 0.0, tip.sinceBranch});
  for (const SheetObstacle& o : mOptions.obstacles)
    for (const Vec3& v : {o.position, o.velocity}) obstacles.insert(obstacles.end(), {v.x(), v.y(), v.z()});
  archive.add("tips", tips);
  archive.add("obstacles", obstacles);
  const SheetEnergy& e = mEnergy;
  archive.add("scalars", std::vector<double>{mTime,
                                             mDt,
                                             mDtBefore,
                                             mA0,
                                             mNextStep,
                                             mCrackLength,
                                             mStressRatio,
                                             static_cast<double>(mBirths),
                                             static_cast<double>(mSteps),
                                             static_cast<double>(mRejections),
                                             static_cast<double>(mQuiet),
                                             static_cast<double>(mCracks),
                                             e.kinetic,
                                             e.elastic,
                                             e.weight,
                                             e.fracture,
                                             e.plastic,
                                             e.damped,
                                             e.pins,
                                             e.strikers});
  archive.add("pinForces", numbers(mPinForces));
  return archive.finish();
}

void SheetSimulation::load(const std::string& bytes, Context& context) {
  const ArchiveReader archive(bytes, kKind, kVersion);
  mMesh = readMesh(archive);
  const std::vector<double> tips = archive.float64s("tips"), obstacles = archive.float64s("obstacles"),
                            s = archive.float64s("scalars");
  if (s.size() != 20 || tips.size() % 9 != 0 || obstacles.size() != 6 * mOptions.obstacles.size())
    throw Error(ErrorCode::BadInput, "the state is of another scene",
                "start without it, or with the same parameters");
  mTips.clear();
  for (size_t i = 0; i < tips.size(); i += 9) {
    SheetTip tip;
    tip.vertex = static_cast<int32_t>(tips[i]);
    tip.direction = Vec3(tips[i + 1], tips[i + 2], tips[i + 3]);
    tip.budget = tips[i + 4];
    tip.release = tips[i + 5];
    tip.crack = static_cast<int32_t>(tips[i + 6]);
    tip.active = tips[i + 7] != 0;
    tip.sinceBranch = tips[i + 8];
    mTips.push_back(tip);
  }
  for (size_t o = 0; o < mOptions.obstacles.size(); ++o) {
    const double* at = obstacles.data() + 6 * o;
    mOptions.obstacles[o].position = Vec3(at[0], at[1], at[2]);
    mOptions.obstacles[o].velocity = Vec3(at[3], at[4], at[5]);
  }
  mTime = s[0];
  mDt = s[1];
  mDtBefore = s[2];
  mA0 = s[3];
  mNextStep = s[4];
  mCrackLength = s[5];
  mStressRatio = s[6];
  mBirths = static_cast<size_t>(s[7]);
  mSteps = static_cast<size_t>(s[8]);
  mRejections = static_cast<size_t>(s[9]);
  mQuiet = static_cast<size_t>(s[10]);
  mCracks = static_cast<int32_t>(s[11]);
  mEnergy = {s[12], s[13], s[14], s[15], s[16], s[17], s[18], s[19]};
  mPinForces = vectors(archive.float64s("pinForces"));
  mPinForces.resize(mOptions.pins.size(), Vec3::Zero());
  mSystem.forget();
  (void)context;
}

}  // namespace hackle
