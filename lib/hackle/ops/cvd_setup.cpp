#include <hackle/ops/cvd_setup.h>

#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

namespace {

/// Numbers on the solid's points, seen from anywhere: those of the nearest place of the surface.
class SurfaceField {
 public:
  SurfaceField(const Geometry& solid, const TriangleMesh& mesh, const TriangleBvh& bvh,
               const std::string& name, const char* remedy)
      : mMesh(mesh), mBvh(bvh), mValues(solid.findAttribute(Owner::Point, name)) {
    if (!mValues || mValues->isString())
      throw Error(ErrorCode::BadInput, fmt::format("the solid has no numbers '{}' on its points", name),
                  remedy);
  }

  int size() const { return mValues->tupleSize(); }
  double at(const Vec3& x, int component = 0) const {
    const ClosestPoint place = mBvh.closestPoint(x);
    const Triangle& t = mMesh.triangles[place.triangle];
    double sum = 0;
    for (size_t k = 0; k < 3; ++k)
      sum += place.barycentric[k] * mValues->number(static_cast<size_t>(t[k]), component);
    return sum;
  }

 private:
  const TriangleMesh& mMesh;
  const TriangleBvh& mBvh;
  const Attribute* mValues;
};

}  // namespace

VolumePtr firstGrid(const Inputs& inputs, size_t input, const char* what) {
  if (!inputs.has(input)) return nullptr;
  const Geometry& volumes = inputs.geometry(input);
  for (size_t p = 0; p < volumes.primitiveCount(); ++p)
    if (volumes.primitiveType(p) == PrimitiveType::Volume) return volumes.volume(p);
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB on the input of {}", what),
              "give a VDB file");
}

Vec3 unitDirection(const Vec3& v, const std::string& name) {
  if (!(v.norm() > 0))
    throw Error(ErrorCode::Usage, fmt::format("{} has no length", name), "give a direction such as 0,1,0");
  return v.normalized();
}

CvdSetup::Solid::Solid(const Geometry& input, Context& context)
    : solid(checkedSolid(input, context)),
      mesh(triangleMesh(solid, context)),
      bvh(mesh, context),
      mass(massProperties(mesh, context)) {}

size_t CvdSetup::Solid::bytes() const {
  // The tree: nodes twice, and corners in their order.
  return bytesOf(solid) + bytesOf(mesh) + mesh.triangles.size() * 200;
}

CvdSetup::CvdSetup(const Inputs& inputs, const CvdPorts& ports, const CvdSetupOptions& options,
                   Context& context)
    : mInputs(inputs), mPorts(ports), mOptions(options) {
  MemoKey key("cvd.solid");
  addToKey(key, inputs.geometry(0));
  mSolid = remembered<Solid>(context, key,
                             [&] { return std::make_shared<const Solid>(inputs.geometry(0), context); });
}

size_t CvdSetup::Body::bytes() const {
  // A point of a lattice has about 14 neighbours and is in 24 tetrahedra.
  return bytesOf(body.points) + bytesOf(body.tetrahedra) +
         body.points.size() * (14 + 24 + 2) * sizeof(int32_t) + bytesOf(body.embedding.coordinates) +
         bytesOf(body.shares);
}

/// The surface's shape, and all that shapes the lattice and distances in it.
MemoKey CvdSetup::bodyKey() const {
  MemoKey key("cvd.body");
  addToKey(key, mesh());
  key.add(mOptions.cells).add(mOptions.metric).add(mOptions.waveAmount).add(mOptions.waveLength);
  for (const Vec3& v : {mOptions.stretch, mOptions.waveAlong, mOptions.waveDirection}) addToKey(key, v);
  key.add(firstGrid(mInputs, mPorts.warp, "warps")).add(mOptions.warp);
  const Attribute* warp =
      mOptions.warp.empty() ? nullptr : solid().findAttribute(Owner::Point, mOptions.warp);
  if (warp) addToKey(key, *warp);
  return key;
}

CvdSetup::Body CvdSetup::makeBody(Context& context) const {
  EnclosingOptions cage;
  cage.cells = mOptions.cells;
  cage.fillCavities = false;
  const EnclosingLattice lattice = enclosingLattice(mesh(), cage, context);
  CvdBodyOptions options;
  options.metric = mOptions.metric;
  options.reference = reference();
  return {prepareCvd(lattice.lattice, mesh(), options, context), lattice.cellSize};
}

void CvdSetup::prepareBody(Context& context) {
  const Context::Stage stage(context, "metric", 0.2);
  mBody =
      remembered<Body>(context, bodyKey(), [&] { return std::make_shared<const Body>(makeBody(context)); });
}

std::function<Vec3(const Vec3&)> CvdSetup::reference() const {
  std::vector<std::function<Vec3(const Vec3&)>> moves;
  const Vec3 direction = unitDirection(mOptions.waveDirection, "wave_direction");
  if (mOptions.waveAmount != 0) {
    const Vec3 along = unitDirection(mOptions.waveAlong, "wave_along");
    const double amount = mOptions.waveAmount, turn = 2 * 3.14159265358979323846 / mOptions.waveLength;
    moves.push_back([=](const Vec3& p) { return Vec3(amount * std::sin(turn * along.dot(p)) * direction); });
  }
  if (const VolumePtr grid = firstGrid(mInputs, mPorts.warp, "warps")) {
    moves.push_back([=](const Vec3& p) { return Vec3(sampleGrid(*grid, p) * direction); });
  } else if (!mOptions.warp.empty()) {
    const SurfaceField field(solid(), mesh(), bvh(), mOptions.warp,
                             "name a point attribute of one or three numbers, or give a VDB");
    if (field.size() >= 3)
      moves.push_back([=](const Vec3& p) { return Vec3(field.at(p, 0), field.at(p, 1), field.at(p, 2)); });
    else
      moves.push_back([=](const Vec3& p) { return Vec3(field.at(p) * direction); });
  }
  if (moves.empty() && mOptions.stretch == Vec3::Ones()) return {};
  return [moves, shrink = Vec3(mOptions.stretch.cwiseInverse())](const Vec3& p) {
    Vec3 moved = p;
    for (const auto& move : moves) moved += move(p);
    return Vec3(moved.cwiseProduct(shrink));
  };
}

CvdSetup::Elastic::Elastic(std::shared_ptr<const Body> within, const MaterialOptions& material,
                           Context& context)
    : inside(std::move(within)),
      body({inside->body.points,
            inside->body.tetrahedra,
            {{material.young, material.poisson, material.density}}},
           context),
      embedding(inside->body.points, inside->body.tetrahedra, context) {}

size_t CvdSetup::Elastic::bytes() const {
  // The embedding: where each tetrahedron is found.
  return body.bytes() + inside->body.tetrahedra.size() * 32;
}

void CvdSetup::prepareStrain(Context& context) {
  const MaterialOptions& material = mOptions.material;
  MemoKey key("cvd.elastic");
  key.add(bodyKey()).add(material.young).add(material.poisson).add(material.density);
  mElastic = remembered<Elastic>(context, key,
                                 [&] { return std::make_shared<const Elastic>(mBody, material, context); });
}

std::vector<double> CvdSetup::strain(Span<const Impact> impacts, std::vector<Contact>* contacts,
                                     Context& context) const {
  HACKLE_ASSERT(mElastic);
  ContactOptions contact;
  contact.minPatchRadius = mBody->cellSize;
  const double weight = mOptions.material.density * mass().volume;
  ImpactResponse response =
      impactResponse(mElastic->body, mElastic->embedding, mesh(), bvh(), impacts, weight, contact, context);
  if (contacts) *contacts = std::move(response.contacts);
  return nodeEnergies(body().points, body().tetrahedra, response.energyDensities);
}

NodeEnergyOptions CvdSetup::energyOptions() const {
  NodeEnergyOptions options;
  options.granularity = mOptions.granularity;
  if (const VolumePtr grid = firstGrid(mInputs, mPorts.fragility, "fragilities")) {
    options.fragility = [grid](const Vec3& p) { return sampleGrid(*grid, p); };
  } else if (!mOptions.fragility.empty()) {
    const SurfaceField field(solid(), mesh(), bvh(), mOptions.fragility,
                             "name a point attribute, or give a VDB on the input of fragilities");
    options.fragility = [field](const Vec3& p) { return field.at(p); };
  }
  return options;
}

Port cvdFragilityPort() {
  return {"fragility", "Fragility", "A VDB that multiplies the strain energy.", PortType::Geometry, true};
}

Port cvdWarpPort() {
  return {"warp", "Warp", "A VDB (m) that moves the space of distances along the wave direction.",
          PortType::Geometry, true};
}

ParameterTable<CvdSetupOptions> cvdSetupTable() {
  ParameterTable<CvdSetupOptions> table;
  table.section("Shape");
  table.add(&CvdSetupOptions::granularity, "granularity", "Granularity")
      .unit("none")
      .hard(0, 8)
      .soft(0, 2)
      .help("Exponent of the strain energy: at 1 small pieces crowd where it hits, at 0 all are alike.");
  table.add(&CvdSetupOptions::fragility, "fragility", "Fragility Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid that multiplies the strain energy: above 1 fragile, below 1 tough. A "
          "VDB on the input of fragilities goes first.");
  table.add(&CvdSetupOptions::metric, "metric", "Metric")
      .menu({{"interior", "Interior"},
             {"diffusion", "Diffusion in the Volume"},
             {"surface", "Diffusion on the Surface"},
             {"euclidean", "Euclidean"}})
      .help(
          "How distances are measured. Interior: along shortest ways inside the solid. Diffusion: by "
          "eigenfunctions of the volume, or of the surface (slow with fine surfaces). Euclidean: straight, "
          "across gaps too, where a cell then gives several pieces.");
  table.add(&CvdSetupOptions::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .help("Lengthens pieces along each axis, for wood or layered rock.");
  table.add(&CvdSetupOptions::waveAmount, "wave_amount", "Wave Amount")
      .unit("m")
      .hard(-1e6, 1e6)
      .soft(0, 0.5)
      .help("Bends pieces in waves of this height; 0 for none.");
  table.add(&CvdSetupOptions::waveLength, "wave_length", "Wave Length")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.01, 10)
      .help("From one crest of the waves to the next.");
  table.add(&CvdSetupOptions::waveAlong, "wave_along", "Waves Along")
      .unit("none")
      .soft(-1, 1)
      .help("In which direction one crest follows the other.");
  table.add(&CvdSetupOptions::waveDirection, "wave_direction", "Wave Direction")
      .unit("none")
      .soft(-1, 1)
      .help("In which direction waves rise, and warps of one number.");
  table.add(&CvdSetupOptions::warp, "warp", "Warp Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid that moves the space in which distances are measured: three numbers, "
          "or one along the wave direction, in metres. A VDB on the input of warps goes first.");
  table.add(&CvdSetupOptions::cells, "cells", "Cells")
      .unit("none")
      .hard(2, 400)
      .soft(8, 64)
      .help("Of the lattice, along the longest side of the solid. It computes strain and shapes pieces.");
  ParameterTable<MaterialOptions> material = elasticTable();
  table.include(&CvdSetupOptions::material, material);
  return table;
}

}  // namespace hackle
