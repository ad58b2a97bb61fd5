#include <hackle/io/animation.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/glb.h>

#include <hackle/core/error.h>

#include <nlohmann/json.hpp>

#include <array>
#include <limits>
#include <map>

namespace hackle {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kFloat = 5126;

template <class T>
void push(std::string& bytes, T value) {
  char raw[sizeof(T)];
  storeNumber(raw, value);
  bytes.append(raw, sizeof(T));
}

/// A .glb file taken apart: its JSON and its one buffer.
struct GlbParts {
  Json root;
  std::string binary;

  explicit GlbParts(const std::string& file) {
    const auto length = loadNumber<uint32_t>(file.data() + 12);
    root = Json::parse(file.begin() + 20, file.begin() + 20 + static_cast<std::ptrdiff_t>(length));
    const size_t next = 20 + length;
    if (next + 8 <= file.size()) binary = file.substr(next + 8);
  }

  std::string join() {
    root["buffers"] = Json::array({Json{{"byteLength", binary.size()}}});
    std::string json = root.dump();
    json.append((4 - json.size() % 4) % 4, ' ');
    const size_t total = 12 + 8 + json.size() + 8 + binary.size();
    if (total > std::numeric_limits<uint32_t>::max())
      throw Error(ErrorCode::Failed, "the file would be larger than the 4 GB that .glb allows",
                  "write .usda instead, or fewer frames");
    std::string file = "glTF";
    push<uint32_t>(file, 2);
    push(file, static_cast<uint32_t>(total));
    push(file, static_cast<uint32_t>(json.size()));
    file += "JSON" + json;
    push(file, static_cast<uint32_t>(binary.size()));
    file.append("BIN\0", 4);
    return file + binary;
  }

  /// Numbers as an accessor of their own.
  int add(const std::vector<float>& values, const char* type, int components, bool bounds = false) {
    Json view{{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", 4 * values.size()}};
    for (const float value : values) push(binary, value);
    root["bufferViews"].push_back(std::move(view));
    Json accessor{{"bufferView", root["bufferViews"].size() - 1},
                  {"componentType", kFloat},
                  {"count", values.size() / static_cast<size_t>(components)},
                  {"type", type}};
    if (bounds) {
      accessor["min"] = Json::array({values.front()});
      accessor["max"] = Json::array({values.back()});
    }
    root["accessors"].push_back(std::move(accessor));
    return static_cast<int>(root["accessors"].size()) - 1;
  }
};

/// One animation of all nodes.
class GlbAnimator {
 public:
  GlbAnimator(const Animation& animation, GlbParts& parts) : mAnimation(animation), mParts(parts) {
    mChannels = Json::array();
    mSamplers = Json::array();
  }

  void addBody(const AnimatedBody& body, int node) {
    const int times = timesOf(body.first, body.last());
    std::vector<float> places, turns;
    Eigen::Quaterniond last = body.orientations.front();
    for (size_t k = 0; k < body.positions.size(); ++k) {
      // Neighbouring samples on the same side of the sphere, so that readers turn the short way.
      Eigen::Quaterniond q = body.orientations[k].normalized();
      if (q.dot(last) < 0) q.coeffs() *= -1;
      last = q;
      for (int c = 0; c < 3; ++c) places.push_back(static_cast<float>(body.positions[k][c]));
      for (const double c : {q.x(), q.y(), q.z(), q.w()}) turns.push_back(static_cast<float>(c));
    }
    Json& json = mParts.root["nodes"][static_cast<size_t>(node)];
    json["translation"] = std::array<float, 3>{places[0], places[1], places[2]};
    json["rotation"] = std::array<float, 4>{turns[0], turns[1], turns[2], turns[3]};
    channel(node, "translation", times, mParts.add(places, "VEC3", 3), "LINEAR");
    channel(node, "rotation", times, mParts.add(turns, "VEC4", 4), "LINEAR");
    addScale(body, node);
  }

  void finish() {
    if (mChannels.empty()) return;
    Json animation{{"name", "sim"}, {"channels", std::move(mChannels)}, {"samplers", std::move(mSamplers)}};
    mParts.root["animations"] = Json::array({std::move(animation)});
  }

 private:
  float seconds(int frame) const { return static_cast<float>((frame - mAnimation.first) / mAnimation.rate); }

  int timesOf(int first, int last) {
    const auto [at, isNew] = mTimes.emplace(std::pair(first, last), 0);
    if (isNew) {
      std::vector<float> times;
      for (int f = first; f <= last; ++f) times.push_back(seconds(f));
      at->second = mParts.add(times, "SCALAR", 1, true);
    }
    return at->second;
  }

  /// 0 while the body is not there.
  void addScale(const AnimatedBody& body, int node) {
    std::vector<float> times, scales;
    const auto key = [&](int frame, float scale) {
      times.push_back(seconds(frame));
      scales.insert(scales.end(), 3, scale);
    };
    if (body.first > mAnimation.first) key(mAnimation.first, 0);
    key(body.first, 1);
    if (body.last() < mAnimation.last) key(body.last() + 1, 0);
    if (times.size() < 2) return;
    if (body.first > mAnimation.first)
      mParts.root["nodes"][static_cast<size_t>(node)]["scale"] = std::array<float, 3>{0, 0, 0};
    const int input = mParts.add(times, "SCALAR", 1, true);
    channel(node, "scale", input, mParts.add(scales, "VEC3", 3), "STEP");
  }

  void channel(int node, const char* path, int input, int output, const char* interpolation) {
    mSamplers.push_back(Json{{"input", input}, {"output", output}, {"interpolation", interpolation}});
    mChannels.push_back(
        Json{{"sampler", mSamplers.size() - 1}, {"target", Json{{"node", node}, {"path", path}}}});
  }

  const Animation& mAnimation;
  GlbParts& mParts;
  Json mChannels, mSamplers;
  std::map<std::pair<int, int>, int> mTimes;
};

}  // namespace

std::string glbAnimation(const Animation& animation, Context& context) {
  // All bodies at rest around their pivots, one node each.
  std::vector<Geometry> geometries;
  for (const AnimatedBody& body : animation.bodies) {
    Geometry g = body.geometry;
    for (Vec3& p : g.editPositions()) p -= body.pivot;
    Attribute names("name", Storage::String, 1, g.primitiveCount());
    names.assignStrings({{{body.name}}, std::vector<int32_t>(g.primitiveCount(), 0)});
    g.addAttribute(Owner::Primitive, std::move(names));
    // What a viewer shows; the rest would be warned about.
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail}) {
      std::vector<std::string> unused;
      for (const Attribute& a : g.attributes(owner))
        if (a.name() != "name" && a.name() != "N" && a.name() != "uv" && a.name() != "Cd")
          unused.push_back(a.name());
      for (const std::string& name : unused) g.removeAttribute(owner, name);
      unused.clear();
      for (const Group& group : g.groups(owner))
        if (owner != Owner::Primitive || (group.name != "inside" && group.name != "outside"))
          unused.push_back(group.name);
      for (const std::string& name : unused) g.removeGroup(owner, name);
    }
    geometries.push_back(std::move(g));
  }
  GlbParts parts(writeGlb(merged(geometries), "glb", context));
  std::map<std::string, int> nodes;
  for (size_t n = 0; n < parts.root["nodes"].size(); ++n)
    nodes[parts.root["nodes"][n].value("name", "")] = static_cast<int>(n);
  GlbAnimator animator(animation, parts);
  for (const AnimatedBody& body : animation.bodies) {
    context.checkCancel();
    const auto node = nodes.find(body.name);
    if (node != nodes.end() && !body.positions.empty()) animator.addBody(body, node->second);
  }
  animator.finish();
  return parts.join();
}

}  // namespace hackle
