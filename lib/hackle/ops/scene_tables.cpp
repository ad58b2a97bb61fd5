#include <hackle/ops/scene_tables.h>

namespace hackle {

ParameterTable<SceneOptions> sceneTable() {
  using Options = SceneOptions;
  ParameterTable<Options> table;
  table.add(&Options::frames, "frames", "Frames")
      .unit("none")
      .hard(1, 100000)
      .soft(24, 480)
      .help("Number of frames; the first is the start.");
  table.add(&Options::rate, "rate", "Frame Rate")
      .unit("1/s")
      .hard(1e-3, 1e6)
      .soft(24, 60)
      .help("Frames per second.");
  table.add(&Options::substeps, "substeps", "Substeps")
      .unit("none")
      .hard(1, 10000)
      .soft(4, 40)
      .help("Steps of the rigid-body world per frame. 10 at 24 frames per second are 240 steps per second.");
  table.add(&Options::iterations, "iterations", "Iterations")
      .unit("none")
      .hard(1, 1000)
      .soft(10, 50)
      .help("Of the contact solver in each step. Tall stacks want more.");
  table.add(&Options::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Seed of all that is random. Every event has a stream of its own, from the body's name.");
  table.add(&Options::gravity, "gravity", "Gravity")
      .unit("m/s^2")
      .soft(-10, 10)
      .help("Acceleration of free fall.");
  table.add(&Options::restart, "restart", "Restart")
      .unit("none")
      .hard(10, 100000)
      .soft(10, 100)
      .help(
          "Frames between checkpoints. There the contact solver forgets what it remembers, in every run, so "
          "that a resumed run gives the same bytes.");
  table.add(&Options::maxBodies, "max_bodies", "Most Bodies")
      .unit("none")
      .hard(1, 10000000)
      .soft(100, 10000)
      .help("Bodies stay whole where their pieces would be too many.");
  table.add(&Options::separate, "separate", "Separate")
      .help("Push bodies apart that overlap at the start. Off, they are warned about and may stay so.");
  return table;
}

namespace {

ParameterTable<SurfaceOptions> surfaceTable() {
  ParameterTable<SurfaceOptions> table;
  table.section("Contact");
  table.add(&SurfaceOptions::friction, "friction", "Friction")
      .unit("none")
      .hard(0, 10)
      .soft(0, 1)
      .help("Coefficient of friction; that of two bodies is the geometric mean.");
  table.add(&SurfaceOptions::restitution, "restitution", "Restitution")
      .unit("none")
      .range(0, 1)
      .help("Share of the speed that an impact leaves; that of two bodies is the geometric mean.");
  return table;
}

void addPlaceRows(ParameterTable<BodyOptions>& table) {
  using Options = BodyOptions;
  table.section("Place");
  table.add(&Options::position, "position", "Position")
      .unit("m")
      .soft(-10, 10)
      .help("Of the origin of its file.");
  table.add(&Options::rotation, "rotation", "Rotation")
      .unit("deg")
      .soft(-180, 180)
      .help("About x first, then y, then z, around the origin of its file.");
  table.add(&Options::scale, "scale", "Scale")
      .unit("none")
      .hard(1e-6, 1e6)
      .soft(0.1, 10)
      .help("Of the file.");
  table.add(&Options::velocity, "velocity", "Velocity")
      .unit("m/s")
      .hard(-1e5, 1e5)
      .soft(-10, 10)
      .help("Of the centre of mass at the start.");
  table.add(&Options::spin, "spin", "Spin")
      .unit("rad/s")
      .hard(-1e5, 1e5)
      .soft(-10, 10)
      .help("Angular velocity at the start.");
  table.add(&Options::start, "start", "Start")
      .unit("s")
      .hard(0, 1e6)
      .soft(0, 10)
      .help("A dynamic body stands still until then.");
}

void addBreakRows(ParameterTable<BodyOptions>& table) {
  using Options = BodyOptions;
  table.section("Fracture");
  table.add(&Options::engine, "engine", "Engine")
      .help(
          "Operator that breaks the body: voronoi, cvd, modes_impact, crack, ... Without one it never "
          "breaks. Its parameters go into the table engine_options; those of the material come from the "
          "body.");
  table.add(&Options::breakImpulse, "break_impulse", "Breaking Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .help(
          "The engine is asked only for impacts of at least this impulse, or of break_force. If neither is "
          "given, engines that know the strength of the material (crack, modes, impact) decide by "
          "themselves; for others a body breaks where the force of the contact would bend a beam of its size "
          "and volume beyond the strength.");
  table.add(&Options::breakForce, "break_force", "Breaking Force")
      .unit("N")
      .hard(0, 1e15)
      .soft(0, 1e5)
      .help("The engine is asked only for loads of at least this force, or of break_impulse.");
  table.add(&Options::delay, "delay", "Delay")
      .unit("s")
      .hard(0, 1e6)
      .soft(0, 0.5)
      .help("A new piece does not break again for this time.");
  table.add(&Options::minVolume, "min_volume", "Smallest Volume")
      .unit("m^3")
      .hard(0, 1e12)
      .soft(0, 1)
      .help("Bodies smaller than this do not break.");
  table.add(&Options::contactTime, "contact_time", "Contact Time")
      .help("Cracks grow only while the contact lasts, at most one step; they go on at the next impact.");
  table.add(&Options::resting, "resting", "Resting Loads")
      .help(
          "Loads that rest on the body, its own weight and its spin may break it, too: by the engine's stress where "
          "it has one (crack, impact), else by the nominal stress that also decides on impacts.");
  table.add(&Options::glued, "glued", "Glued")
      .help(
          "The file holds pieces (primitive attribute name) that are glued together where they touch; "
          "impacts break the glue. Takes the place of an engine.");
  table.add(&Options::glueStrength, "glue_strength", "Glue Strength")
      .unit("N s/m^2")
      .hard(0, 1e15)
      .soft(0, 1e5)
      .enabledWhen("glued", {"on"})
      .help("Impulse per area of common face that breaks the glue there.");
  table.add(&Options::gluePropagation, "glue_propagation", "Glue Propagation")
      .unit("none")
      .range(0, 1)
      .enabledWhen("glued", {"on"})
      .help("Share of the impulse that goes on from a piece to its neighbours.");
}

}  // namespace

ParameterTable<GroundOptions> groundTable() {
  ParameterTable<GroundOptions> table;
  table.add(&GroundOptions::height, "height", "Height").unit("m").soft(-10, 10).help("All below is solid.");
  table.include(&GroundOptions::material, elasticTable());
  table.include(&GroundOptions::surface, surfaceTable());
  return table;
}

ParameterTable<BodyOptions> bodyTable() {
  using Options = BodyOptions;
  ParameterTable<Options> table;
  table.section("Body");
  table.add(&Options::name, "name", "Name")
      .help("Pieces get it with a number: vase-3. Not given: body0, body1, ...");
  table.add(&Options::file, "file", "File")
      .as(ParameterType::File)
      .help("Geometry, relative to the scene. Or give a table model with parameters of the operator model.");
  table.add(&Options::motion, "motion", "Motion")
      .menu({{"dynamic", "Dynamic"}, {"static", "Static"}, {"animated", "Animated"}})
      .help(
          "Dynamic: moved by forces. Static: never moves. Animated: moves by its keys, or as its motion_file says, "
          "and pushes others.");
  table.add(&Options::motionFile, "motion_file", "Motion File")
      .as(ParameterType::File)
      .help(
          "Where an animated body is in each frame, instead of keys: numbered files of points with P and "
          "orient, such as ram.####.bgeo or the frames of another simulation, relative to the scene. The "
          "point of the body's name counts, or the only one; P is where its pivot (or else its origin) is. "
          "File 1 is the start.");
  table.add(&Options::shape, "shape", "Collision Shape")
      .menu({{"auto", "Automatic"}, {"hull", "One Hull"}, {"hulls", "Hulls"}, {"surface", "Surface"}})
      .help("Automatic: hulls of convex parts for dynamic bodies, the surface itself for others.");
  addPlaceRows(table);
  table.include(&Options::material, materialTable());
  table.include(&Options::surface, surfaceTable());
  addBreakRows(table);
  return table;
}

ParameterTable<KeyOptions> keyTable() {
  ParameterTable<KeyOptions> table;
  table.add(&KeyOptions::time, "time", "Time").unit("s").hard(-1e6, 1e6).soft(0, 10).help("Of the key.");
  table.add(&KeyOptions::position, "position", "Position")
      .unit("m")
      .soft(-10, 10)
      .help("Of the file's origin.");
  table.add(&KeyOptions::rotation, "rotation", "Rotation")
      .unit("deg")
      .soft(-180, 180)
      .help("About x first, then y, then z.");
  return table;
}

ParameterTable<SceneField> fieldTable() {
  ParameterTable<SceneField> table;
  table.add(&SceneField::kind, "kind", "Kind")
      .menu({{"uniform", "Uniform"}, {"point", "Point"}, {"drag", "Drag"}})
      .help(
          "Uniform: the same acceleration everywhere. Point: away from a centre. Drag: against the motion.");
  table.add(&SceneField::direction, "acceleration", "Acceleration")
      .unit("m/s^2")
      .soft(-10, 10)
      .enabledWhen("kind", {"uniform"})
      .help("Of all dynamic bodies, beside gravity.");
  table.add(&SceneField::centre, "centre", "Centre")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("kind", {"point"})
      .help("Where it pushes away from.");
  table.add(&SceneField::strength, "strength", "Strength")
      .unit("none")
      .hard(-1e9, 1e9)
      .soft(-100, 100)
      .enabledWhen("kind", {"point", "drag"})
      .help("Point: m/s^2 at the centre, less than 0 pulls. Drag: 1/s, speed lost per second.");
  table.add(&SceneField::radius, "radius", "Radius")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.1, 10)
      .enabledWhen("kind", {"point"})
      .help("Distance at which it has gone down to nothing.");
  table.add(&SceneField::from, "from", "From").unit("s").hard(0, 1e30).soft(0, 10).help("When it begins.");
  table.add(&SceneField::until, "until", "Until").unit("s").hard(0, 1e30).soft(0, 10).help("When it ends.");
  return table;
}

ParameterTable<CacheOptions> outputTable() {
  ParameterTable<CacheOptions> table;
  table.add(&CacheOptions::points, "points", "Points")
      .help("Write frames of points, one per body, and the geometry of each event once.");
  table.add(&CacheOptions::baked, "baked", "Baked").help("Write frames of polygons in place.");
  table.add(&CacheOptions::constraints, "constraints", "Constraints")
      .help("Write the network between the pieces of each event.");
  table.add(&CacheOptions::vdb, "vdb", "VDB")
      .help("Write a level set of all bodies for each frame, vdb/frame.0001.vdb and so on.");
  table.add(&CacheOptions::voxelSize, "voxel_size", "Voxel Size")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .enabledWhen("vdb", {"on"})
      .help("Of the level sets. 0 takes a fiftieth of the diagonal of a typical body.");
  table.add(&CacheOptions::usda, "usda", "USD").help("Write the whole animation as sim.usda.");
  table.add(&CacheOptions::glb, "glb", "glTF").help("Write the whole animation as sim.glb.");
  return table;
}

std::vector<SceneTable> sceneTables() {
  return {{"", "Keys at the top of the file, before any table.", sceneTable().rows()},
          {"[ground]", "The half space below a height. Without this table there is no ground.",
           groundTable().rows()},
          {"[[body]]", "A body; as many as are wanted.", bodyTable().rows()},
          {"[[body.keys]]", "Where an animated body is at a time.", keyTable().rows()},
          {"[[field]]", "A force on all dynamic bodies.", fieldTable().rows()},
          {"[output]", "What is written.", outputTable().rows()}};
}

}  // namespace hackle
