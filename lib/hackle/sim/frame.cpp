#include <hackle/sim/frame.h>

#include <hackle/geometry/fragment_index.h>
#include <hackle/geometry/transform.h>

#include <fmt/format.h>

#include <unordered_map>

namespace hackle {

namespace {

Attribute vectors(const char* name, size_t count, const char* qualifier) {
  return Attribute(name, Storage::Float32, 3, count, qualifier);
}

bool isGround(const SimBody& body) { return body.sceneBody < 0; }

void nameAll(Geometry& geometry, const std::string& name) {
  Attribute names("name", Storage::String, 1);
  names.assignStrings({{{name}}, std::vector<int32_t>(geometry.primitiveCount(), 0)});
  geometry.addAttribute(Owner::Primitive, std::move(names));
}

/// Reads bodies from points again.
struct PointBodies {
  explicit PointBodies(const Geometry& points) {
    const auto find = [&](const char* name) {
      const Attribute* found = points.findAttribute(Owner::Point, name);
      if (!found)
        throw Error(ErrorCode::BadInput, fmt::format("the points have no attribute {}", name),
                    "give points that a simulation wrote");
      return found;
    };
    name = find("name");
    orient = find("orient");
    pivot = find("pivot");
    event = find("event");
  }
  Eigen::Quaterniond turn(size_t i) const {
    return Eigen::Quaterniond(orient->number(i, 3), orient->number(i, 0), orient->number(i, 1),
                              orient->number(i, 2))
        .normalized();
  }
  Vec3 centre(size_t i) const { return {pivot->number(i, 0), pivot->number(i, 1), pivot->number(i, 2)}; }

  const Attribute *name, *orient, *pivot, *event;
};

/// Bodies of geometries by event and name.
class BodyGeometry {
 public:
  explicit BodyGeometry(const std::map<int, Geometry>& geometries) : mGeometries(geometries) {}

  Geometry find(int event, const std::string& name) {
    const auto found = mGeometries.find(event);
    if (found == mGeometries.end()) refuse(name);
    auto [index, isNew] = mIndices.try_emplace(event, found->second, "name");
    const Span<const int32_t> members = index->second.members(name);
    if (members.empty()) refuse(name);
    return found->second.extract(members);
  }

 private:
  [[noreturn]] static void refuse(const std::string& name) {
    throw Error(ErrorCode::BadInput, fmt::format("there is no geometry of body {}", name),
                "keep the folder geo beside the frames");
  }
  const std::map<int, Geometry>& mGeometries;
  std::map<int, FragmentIndex> mIndices;
};

}  // namespace

Geometry framePoints(const Simulation& simulation) {
  std::vector<const SimBody*> bodies;
  for (const auto& [id, body] : simulation.bodies())
    if (!isGround(body)) bodies.push_back(&body);
  const size_t count = bodies.size();
  Geometry points;
  points.addPoints(count);
  Attribute name("name", Storage::String, 1, count),
      orient("orient", Storage::Float32, 4, count, "quaternion");
  Attribute pivot("pivot", Storage::Float64, 3, count), v = vectors("v", count, "vector"),
                                                        w = vectors("w", count, "vector");
  Attribute mass("mass", Storage::Float32, 1, count), active("active", Storage::Int32, 1, count),
      event("event", Storage::Int32, 1, count), id("hackle_id", Storage::Int32, 1, count);
  for (size_t i = 0; i < count; ++i) {
    const CouplingBody& body = bodies[i]->coupling;
    points.editPositions()[i] = body.motion.position;
    name.setString(i, body.name);
    const Eigen::Quaterniond q(body.motion.rotation);
    const double turn[] = {q.x(), q.y(), q.z(), q.w()};
    for (int c = 0; c < 4; ++c) orient.setNumber(i, c, turn[c]);
    for (int c = 0; c < 3; ++c) {
      pivot.setNumber(i, c, body.mass.centre[c]);
      v.setNumber(i, c, body.motion.velocity[c]);
      w.setNumber(i, c, body.motion.spin[c]);
    }
    mass.setNumber(i, 0, body.dynamic ? body.mass.mass : 0);
    active.setNumber(i, 0, body.dynamic && !bodies[i]->held ? 1 : 0);
    event.setNumber(i, 0, bodies[i]->event);
    id.setNumber(i, 0, body.id);
  }
  for (Attribute* attribute : {&name, &orient, &pivot, &v, &w, &mass, &active, &event, &id})
    points.addAttribute(Owner::Point, std::move(*attribute));
  return points;
}

Geometry bakedFrame(const Simulation& simulation, Context& context) {
  std::vector<Geometry> parts;
  for (const auto& [id, body] : simulation.bodies()) {
    if (isGround(body)) continue;
    Geometry part = body.coupling.geometry;
    nameAll(part, body.coupling.name);
    const RigidMotion& motion = body.coupling.motion;
    transformGeometry(part, motion.rotation, motion.position - motion.rotation * body.coupling.mass.centre,
                      context);
    Attribute v("v", Storage::Float32, 3, part.pointCount(), "vector");
    for (size_t p = 0; p < part.pointCount(); ++p) {
      const Vec3 speed = motion.velocityAt(part.position(p));
      for (int c = 0; c < 3; ++c) v.setNumber(p, c, speed[c]);
    }
    part.addAttribute(Owner::Point, std::move(v));
    parts.push_back(std::move(part));
  }
  return merged(parts);
}

Geometry startGeometry(const Simulation& simulation) {
  std::vector<Geometry> parts;
  for (const auto& [id, body] : simulation.bodies()) {
    if (isGround(body) || body.event > 0) continue;
    parts.push_back(body.coupling.geometry);
    nameAll(parts.back(), body.coupling.name);
  }
  return merged(parts);
}

Geometry placedFrame(const Geometry& points, const std::map<int, Geometry>& geometries, Context& context) {
  const PointBodies bodies(points);
  BodyGeometry find(geometries);
  std::vector<Geometry> parts;
  for (size_t i = 0; i < points.pointCount(); ++i) {
    Geometry part = find.find(static_cast<int>(bodies.event->number(i)), bodies.name->string(i));
    const Mat3 turn = bodies.turn(i).toRotationMatrix();
    transformGeometry(part, turn, points.position(i) - turn * bodies.centre(i), context);
    parts.push_back(std::move(part));
  }
  return merged(parts);
}

void addFrame(Animation& animation, int frame, const Geometry& points,
              const std::map<int, Geometry>& geometries) {
  const PointBodies bodies(points);
  BodyGeometry find(geometries);
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < animation.bodies.size(); ++i) known.emplace(animation.bodies[i].name, i);
  if (animation.bodies.empty()) animation.first = frame;
  animation.last = frame;
  for (size_t i = 0; i < points.pointCount(); ++i) {
    const std::string& name = bodies.name->string(i);
    const auto [at, isNew] = known.emplace(name, animation.bodies.size());
    if (isNew) {
      AnimatedBody body;
      body.name = name;
      body.geometry = find.find(static_cast<int>(bodies.event->number(i)), name);
      body.pivot = bodies.centre(i);
      body.first = frame;
      animation.bodies.push_back(std::move(body));
    }
    AnimatedBody& body = animation.bodies[at->second];
    body.positions.push_back(points.position(i));
    body.orientations.push_back(bodies.turn(i));
  }
}

}  // namespace hackle
