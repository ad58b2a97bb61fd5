#include <hackle/ops/scene_file.h>

#include <hackle/fracture/glue/glue_engine.h>
#include <hackle/geometry/transform.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/ops/engines.h>
#include <hackle/ops/registry.h>
#include <hackle/ops/scene_tables.h>
#include <hackle/ops/sequence_name.h>

#include <fmt/format.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include <Eigen/Geometry>

#include <set>

namespace hackle {

namespace {

/// A place in the file, for messages.
struct Where {
  std::string file;
  size_t line = 0;
  std::string text(const std::string& message) const {
    return line > 0 ? fmt::format("{}:{}: {}", file, line, message) : fmt::format("{}: {}", file, message);
  }
};

[[noreturn]] void refuse(const Where& where, const std::string& message, const std::string& remedy = {},
                         ErrorCode code = ErrorCode::BadInput) {
  throw Error(code, where.text(message), remedy);
}

Value valueOf(const toml::node& node) {
  if (const auto v = node.value_exact<bool>()) return *v;
  if (const auto v = node.value_exact<int64_t>()) return *v;
  if (const auto v = node.value_exact<double>()) return *v;
  if (const auto v = node.value_exact<std::string>()) return *v;
  if (const toml::array* array = node.as_array()) {
    Value::List list;
    for (const toml::node& item : *array) list.push_back(valueOf(item));
    return list;
  }
  Value::Map map;
  if (const toml::table* table = node.as_table())
    for (const auto& [key, item] : *table) map.emplace_back(std::string(key.str()), valueOf(item));
  return map;
}

const Value* valueIn(const Value::Map& map, const std::string& name) {
  for (const auto& [key, value] : map)
    if (key == name) return &value;
  return nullptr;
}

/// Reads tables of one file into options.
class Reader {
 public:
  Reader(std::string file) : mFile(std::move(file)) {}

  Where at(const toml::node& node) const { return {mFile, node.source().begin.line}; }
  Where at(const toml::key& key) const { return {mFile, key.source().begin.line}; }

  /// Fills the options from the table's keys, presets and defaults. `others` are keys that somebody else
  /// reads.
  template <class Options>
  Options read(const toml::table& table, const ParameterTable<Options>& rows, const std::string& what,
               const std::set<std::string>& others = {}) const {
    Options options;
    for (const auto& [name, value] : values(table, rows.rows(), what, others))
      findParameter(rows.rows(), name)->store(&options, value);
    return options;
  }

  /// The table under a key; null if there is none. Error if it is no table.
  const toml::table* table(const toml::table& parent, const char* key) const {
    const toml::node* node = parent.get(key);
    if (node && !node->is_table()) refuse(at(*node), fmt::format("{} has to be a table", key));
    return node ? node->as_table() : nullptr;
  }
  /// Tables of an array, written [[key]]; none if there is none.
  std::vector<const toml::table*> tables(const toml::table& parent, const char* key) const {
    std::vector<const toml::table*> list;
    const toml::node* node = parent.get(key);
    if (!node) return list;
    if (!node->is_array())
      refuse(at(*node), fmt::format("{} has to be a list of tables", key), fmt::format("write [[{}]]", key));
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_table())
        refuse(at(item), fmt::format("{} has to be a list of tables", key), fmt::format("write [[{}]]", key));
      list.push_back(item.as_table());
    }
    return list;
  }

 private:
  Value::Map values(const toml::table& table, const std::vector<Parameter>& rows, const std::string& what,
                    const std::set<std::string>& others) const {
    Value::Map given;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (others.count(name)) continue;
      const Parameter* row = findParameter(rows, name);
      if (!row) refuseKey(key, rows, what, others);
      try {
        given.emplace_back(row->name, checkedValue(*row, valueOf(node)));
      } catch (const Error& e) {
        refuse(at(node), e.what(), e.remedy(), e.code());
      }
    }
    // Presets fill what is not given.
    for (const Parameter& menu : rows) {
      if (!menu.fills) continue;
      const Value* token = valueIn(given, menu.name);
      const std::string chosen = (token ? *token : menu.defaultValue).asString();
      for (auto& [name, value] : menu.fills(chosen))
        if (findParameter(rows, name) && !valueIn(given, name)) given.emplace_back(name, value);
    }
    return checkedValues(rows, given, what);
  }

  [[noreturn]] void refuseKey(const toml::key& key, const std::vector<Parameter>& rows,
                              const std::string& what, const std::set<std::string>& others) const {
    std::vector<std::string> names(others.begin(), others.end());
    for (const Parameter& row : rows) names.push_back(row.name);
    const std::string nearest = nearestName(std::string(key.str()), names);
    refuse(at(key), fmt::format("{} has no key {}", what, key.str()),
           nearest.empty() ? "docs/reference/scene.md lists all keys"
                           : fmt::format("did you mean {}?", nearest));
  }

  std::string mFile;
};

ElasticMaterial elastic(const MaterialOptions& m) { return {m.young, m.poisson, m.density}; }

/// Runs what makes something of the scene; its errors get the line.
template <class Make>
auto located(const Where& where, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled || e.code() == ErrorCode::Internal) throw;
    throw Error(e.code(), where.text(e.what()), e.remedy());
  }
}

class SceneMaker {
 public:
  SceneMaker(const Reader& reader, std::filesystem::path folder, double rate, Context& context)
      : mReader(reader), mFolder(std::move(folder)), mRate(rate), mContext(context) {}

  SceneBody body(const toml::table& table, size_t index) {
    const BodyOptions o = mReader.read(table, bodyTable(), "a body", {"model", "keys", "engine_options"});
    SceneBody body;
    body.name = o.name.empty() ? fmt::format("body{}", index) : o.name;
    if (!mNames.insert(body.name).second)
      refuse(mReader.at(table), fmt::format("there are two bodies {}", body.name),
             "give each a name of its own");
    body.kind = o.motion == BodyMotion::Static     ? BodyKind::Static
                : o.motion == BodyMotion::Animated ? BodyKind::Animated
                                                   : BodyKind::Dynamic;
    body.geometry = geometry(table, o, body.name);
    body.position = o.position;
    body.rotation = rotationFromDegrees(o.rotation);
    body.velocity = o.velocity;
    body.spin = o.spin;
    body.start = o.start;
    body.material = elastic(o.material);
    body.friction = o.surface.friction;
    body.restitution = o.surface.restitution;
    body.shape = o.shape;
    body.limits = {o.breakImpulse, o.breakForce, {}, o.delay, o.minVolume, o.contactTime, o.resting};
    for (const toml::table* key : mReader.tables(table, "keys")) {
      const KeyOptions k = mReader.read(*key, keyTable(), "a key");
      if (!body.keys.empty() && k.time <= body.keys.back().time)
        refuse(mReader.at(*key), "keys have to be in order of time");
      body.keys.push_back({k.time, k.position, rotationFromDegrees(k.rotation)});
    }
    if (!o.motionFile.empty()) {
      const Where where = mReader.at(*table.get("motion_file"));
      if (!body.keys.empty())
        refuse(where, fmt::format("body {} has keys and a motion_file", body.name), "choose one of both");
      body.keys = located(where, [&] { return keysFromFiles(mFolder / o.motionFile, body.name); });
    }
    if (!body.keys.empty() && body.kind != BodyKind::Animated)
      refuse(mReader.at(table), fmt::format("body {} has keys but is not animated", body.name),
             "write motion = \"animated\"");
    addEngine(table, o, body);
    return body;
  }

 private:
  Geometry geometry(const toml::table& table, const BodyOptions& o, const std::string& name) {
    const toml::table* model = mReader.table(table, "model");
    const toml::node* file = table.get("file");
    if ((model != nullptr) == (file != nullptr))
      refuse(mReader.at(table), fmt::format("body {} needs either a file or a model", name),
             "write file = \"vase.obj\" or model = { shape = \"vase\", size = 0.4 }");
    Geometry geometry = model ? located(mReader.at(*model), [&] { return modelOf(valueOf(*model).asMap()); })
                              : located(mReader.at(*file), [&] { return fileOf(o.file); });
    for (Vec3& p : geometry.editPositions()) p *= o.scale;
    return geometry;
  }
  Geometry modelOf(const Value::Map& values) {
    return runOperator(findOperator("model"), Inputs(), values, mContext).outputs.geometry();
  }
  /// Read once, however many bodies it makes.
  Geometry fileOf(const std::string& name) {
    const std::filesystem::path path = mFolder / name;  // the name alone if it is absolute
    const auto found = mRead.find(path.string());
    if (found != mRead.end()) return found->second;
    const Geometry geometry = unpacked(readGeometry(path, mContext));
    if (geometry.primitiveCount() == 0)
      throw Error(ErrorCode::BadInput, fmt::format("{} has no polygons", name), "give a closed surface");
    return mRead.emplace(path.string(), geometry).first->second;
  }

  /// One key for each numbered file, from 1 on.
  std::vector<SceneKey> keysFromFiles(const std::filesystem::path& pattern, const std::string& name) {
    checkSequenceName(pattern.string());
    std::vector<SceneKey> keys;
    for (size_t frame = 1;; ++frame) {
      const std::filesystem::path file = sequenceName(pattern.string(), frame);
      if (!std::filesystem::exists(file)) break;
      keys.push_back(keyOf(readGeometry(file, mContext), name, file.string()));
      keys.back().time = static_cast<double>(frame - 1) / mRate;
    }
    if (keys.empty())
      throw Error(ErrorCode::Io, fmt::format("there is no {}", sequenceName(pattern.string(), 1)),
                  "files of a motion are numbered from 1");
    return keys;
  }
  static SceneKey keyOf(const Geometry& points, const std::string& name, const std::string& file) {
    const Attribute* names = points.findAttribute(Owner::Point, "name");
    size_t at = 0;
    while (names && at < points.pointCount() && names->string(at) != name) ++at;
    if (at == points.pointCount() && points.pointCount() == 1) at = 0;
    if (at >= points.pointCount() || (!names && points.pointCount() > 1))
      throw Error(ErrorCode::BadInput, fmt::format("{} has no point of the name {}", file, name),
                  "give points with the attribute name, or a single one");
    SceneKey key;
    if (const Attribute* orient = points.findAttribute(Owner::Point, "orient"))
      key.rotation = Eigen::Quaterniond(orient->number(at, 3), orient->number(at, 0), orient->number(at, 1),
                                        orient->number(at, 2))
                         .normalized()
                         .toRotationMatrix();
    Vec3 pivot = Vec3::Zero();
    if (const Attribute* given = points.findAttribute(Owner::Point, "pivot"))
      pivot = {given->number(at, 0), given->number(at, 1), given->number(at, 2)};
    key.position = points.position(at) - key.rotation * pivot;
    return key;
  }

  void addEngine(const toml::table& table, const BodyOptions& o, SceneBody& body) {
    const toml::table* given = mReader.table(table, "engine_options");
    if (given && o.engine.empty())
      refuse(mReader.at(*given), fmt::format("body {} has engine_options but no engine", body.name));
    if (o.glued && !o.engine.empty())
      refuse(mReader.at(table), fmt::format("body {} is glued and has an engine", body.name),
             "choose one of both");
    if (o.glued) {
      body.engine = std::make_shared<GlueEngine>(GlueOptions{o.glueStrength, o.gluePropagation});
    } else if (!o.engine.empty()) {
      const toml::node* key = given ? static_cast<const toml::node*>(given) : table.get("engine");
      body.engine = located(mReader.at(*key), [&] {
        return engineOf(o.engine, given ? valueOf(*given).asMap() : Value::Map(), o.material, mContext);
      });
      if (!engineKnowsStrength(o.engine)) body.limits.strength = o.material.strength;
    }
  }

  const Reader& mReader;
  std::filesystem::path mFolder;
  double mRate;  // frames per second
  Context& mContext;
  std::set<std::string> mNames;
  std::map<std::string, Geometry> mRead;
};

}  // namespace

SceneFile readScene(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                    Context& context) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    refuse({name, e.source().begin.line}, std::string(e.description()), "scenes are TOML files");
  }
  const Reader reader(name);
  SceneFile result;
  Scene& scene = result.scene;
  const SceneOptions o = reader.read(root, sceneTable(), "a scene", {"body", "ground", "field", "output"});
  scene.frames = o.frames;
  scene.rate = o.rate;
  scene.substeps = o.substeps;
  scene.iterations = o.iterations;
  scene.seed = static_cast<uint64_t>(o.seed);
  scene.gravity = o.gravity;
  scene.restart = o.restart;
  if (o.maxBodies) scene.maxBodies = static_cast<size_t>(*o.maxBodies);
  scene.separate = o.separate;
  scene.key = text;
  if (const toml::table* table = reader.table(root, "ground")) {
    const GroundOptions g = reader.read(*table, groundTable(), "the ground");
    scene.ground = {g.height, elastic(g.material), g.surface.friction, g.surface.restitution};
  }
  for (const toml::table* table : reader.tables(root, "field"))
    scene.fields.push_back(reader.read(*table, fieldTable(), "a field"));
  if (const toml::table* table = reader.table(root, "output"))
    result.output = reader.read(*table, outputTable(), "the output");
  SceneMaker maker(reader, folder, scene.rate, context);
  const std::vector<const toml::table*> bodies = reader.tables(root, "body");
  if (bodies.empty())
    refuse({name, 0}, "the scene has no bodies", "add a table [[body]] with a file or a model");
  for (const toml::table* table : bodies) scene.bodies.push_back(maker.body(*table, scene.bodies.size()));
  return result;
}

SceneFile readSceneFile(const std::filesystem::path& path, Context& context) {
  const FileBytes file(path);
  return readScene(std::string(file.bytes()), path.string(), path.parent_path(), context);
}

}  // namespace hackle
