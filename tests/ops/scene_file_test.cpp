// Scene files: what is read, and how mistakes are answered.
#include <hackle/ops/scene_file.h>
#include <hackle/ops/scene_tables.h>

#include <gtest/gtest.h>
#include <hackle/io/file.h>

namespace hackle {
namespace {

const std::string kBox = "[[body]]\nmodel = { shape = \"box\", size = 0.2, resolution = 4 }\n";

SceneFile read(const std::string& text) {
  Context context;
  return readScene(text, "scene.toml", ".", context);
}

/// The message and remedy of a scene that is refused.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& e) {
    return std::string(e.what()) + " | " + e.remedy();
  }
  return "accepted";
}

void expectRefusal(const std::string& text, const std::vector<std::string>& words) {
  const std::string answer = refusal(text);
  for (const std::string& word : words)
    EXPECT_NE(answer.find(word), std::string::npos) << word << " in: " << answer;
}

TEST(SceneFile, IsRead) {
  const SceneFile file =
      read("frames = 12\nsubsteps = 7\nseed = 5\n[ground]\nheight = 0.5\npreset = \"steel\"\n" + kBox +
           "name = \"crate\"\nposition = [1, 2, 3]\nvelocity = [0, -1, 0]\npreset = \"glass\"\n"
           "restitution = 0.3\nbreak_impulse = 4\n[output]\nglb = false\nbaked = true\n");
  const Scene& scene = file.scene;
  EXPECT_EQ(scene.frames, 12);
  EXPECT_EQ(scene.substeps, 7);
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].name, "crate");
  EXPECT_EQ(scene.bodies[0].position, Vec3(1, 2, 3));
  EXPECT_EQ(scene.bodies[0].material.young, 70e9);  // the preset's
  EXPECT_EQ(scene.bodies[0].restitution, 0.3);
  EXPECT_EQ(*scene.bodies[0].limits.impulse, 4);
  EXPECT_EQ(scene.ground->height, 0.5);
  EXPECT_EQ(scene.ground->material.density, 7850);
  EXPECT_FALSE(file.output.glb);
  EXPECT_TRUE(file.output.baked && file.output.points);
}

TEST(SceneFile, TakesMotionsFromFiles) {
  Context context;
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "motion_files";
  std::filesystem::create_directories(folder);
  for (int frame = 1; frame <= 3; ++frame) {
    Geometry points;
    points.addPoints(2);
    points.editPositions()[1] = Vec3(frame, 0, 0);
    Attribute name("name", Storage::String, 1, 2), orient("orient", Storage::Float32, 4, 2),
        pivot("pivot", Storage::Float64, 3, 2);
    name.setString(1, "ram");
    for (size_t p = 0; p < 2; ++p) orient.setNumber(p, 1, 1);  // half a turn about y
    pivot.setNumber(1, 0, 0.25);
    for (Attribute* attribute : {&name, &orient, &pivot})
      points.addAttribute(Owner::Point, std::move(*attribute));
    writeGeometry(folder / ("m.000" + std::to_string(frame) + ".bgeo"), points, context);
  }
  const std::string text = "rate = 10\n" + kBox + "name = \"ram\"\nmotion = \"animated\"\n";
  const SceneFile file = readScene(text + "motion_file = \"m.####.bgeo\"\n", "scene.toml", folder, context);
  const std::vector<SceneKey>& keys = file.scene.bodies[0].keys;
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_NEAR(keys[2].time, 0.2, 1e-12);
  // The pivot is at P; half a turn takes the origin to its other side.
  EXPECT_LT((keys[2].position - Vec3(3.25, 0, 0)).norm(), 1e-6);
  expectRefusal(text + "motion_file = \"no.####.bgeo\"\n", {"scene.toml:6", "no.0001.bgeo", "from 1"});
  expectRefusal(kBox + "motion_file = \"m.bgeo\"\n", {"scene.toml:3", "no place for numbers"});
  std::filesystem::remove_all(folder);
}

TEST(SceneFile, MistakesAreAnsweredWithLineAndRemedy) {
  expectRefusal("frames = 12\nsubstep = 4\n" + kBox, {"scene.toml:2", "substep", "did you mean substeps"});
  expectRefusal(kBox + "velocty = [0, 0, 0]\n", {"scene.toml:3", "velocty", "did you mean velocity"});
  expectRefusal(kBox + "restitution = 2\n", {"scene.toml:3", "restitution"});
  expectRefusal("frames = \n", {"scene.toml:1"});
  expectRefusal("frames = 12\n", {"no bodies", "[[body]]"});
  expectRefusal("[[body]]\nname = \"a\"\n", {"scene.toml:1", "a needs either a file or a model"});
  expectRefusal("[[body]]\nfile = \"nowhere.obj\"\n", {"scene.toml:2", "nowhere.obj"});
  expectRefusal("[[body]]\nmodel = { shape = \"bocks\" }\n", {"scene.toml:2", "bocks", "box"});
  expectRefusal(kBox + "name = \"a\"\n" + kBox + "name = \"a\"\n", {"two bodies a"});
  expectRefusal(kBox + "engine = \"explode\"\n", {"scene.toml:3", "explode is no engine"});
  expectRefusal(kBox + "engine = \"voronoy\"\n", {"scene.toml:3", "voronoi"});
  expectRefusal(kBox + "[[body.keys]]\ntime = 0\n", {"not animated"});
  expectRefusal(kBox + "preset = \"stel\"\n", {"scene.toml:3", "steel"});
  expectRefusal(kBox + "density = 0\n", {"density"});
  expectRefusal(kBox + "velocity = [1e12, 0, 0]\n", {"scene.toml:3", "velocity", "out of range"});
  expectRefusal(kBox + "velocity = [inf, 0, 0]\n", {"scene.toml:3", "finite"});
}

TEST(SceneFile, EveryKeyHasHelpAndUnit) {
  for (const SceneTable& table : sceneTables())
    for (const Parameter& row : table.parameters) {
      EXPECT_FALSE(row.help.empty()) << table.name << row.name;
      const bool isNumber = row.type == ParameterType::Float || row.type == ParameterType::Int ||
                            row.type == ParameterType::Vector;
      EXPECT_TRUE(!isNumber || !row.unit.empty()) << table.name << row.name;
    }
}

}  // namespace
}  // namespace hackle
