#include <hackle/bem/conditions.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <sstream>

namespace hackle {

namespace {

// Boxes are this much of the body's size larger, so that faces on their sides are in.
constexpr double kBoxMargin = 1e-6;
// A pressure has a component along an axis if the normal has more than this of it.
constexpr double kNoComponent = 1e-9;

constexpr const char* kKindNames[] = {"displacement", "traction", "force", "pressure"};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

template <class Named>
std::string namesOf(const std::vector<Named>& first, const std::vector<Named>& second,
                    const std::function<std::string(const Named&)>& name) {
  std::vector<std::string> names;
  for (const Named& n : first) names.push_back(name(n));
  for (const Named& n : second) names.push_back(name(n));
  return names.empty() ? "there are none" : fmt::format("there are {}", fmt::join(names, ", "));
}

/// Tells which triangles of the source mesh have a property of primitives, or of all three corners.
class Membership {
 public:
  Membership(const TriangleMesh& mesh) : mMesh(mesh), mIn(mesh.triangles.size(), 0) {}

  template <class Test>
  void addPrimitives(const Test& test) {
    for (size_t t = 0; t < mIn.size(); ++t)
      if (test(static_cast<size_t>(mMesh.primitives[t]))) mIn[t] = 1;
  }
  template <class Test>
  void addPoints(const Test& test) {
    for (size_t t = 0; t < mIn.size(); ++t) {
      const Triangle& c = mMesh.triangles[t];
      if (test(static_cast<size_t>(c[0])) && test(static_cast<size_t>(c[1])) &&
          test(static_cast<size_t>(c[2])))
        mIn[t] = 1;
    }
  }
  bool contains(size_t triangle) const { return mIn[triangle] != 0; }

 private:
  const TriangleMesh& mMesh;
  std::vector<uint8_t> mIn;
};

Membership inGroups(const std::string& pattern, const std::string& name, const Geometry& surface,
                    const TriangleMesh& mesh) {
  Membership members(mesh);
  for (const std::string& word : words(pattern)) {
    const Group* primitives = surface.findGroup(Owner::Primitive, word);
    const Group* points = surface.findGroup(Owner::Point, word);
    if (primitives) {
      members.addPrimitives([&](size_t p) { return primitives->bits[p] != 0; });
    } else if (points) {
      members.addPoints([&](size_t p) { return points->bits[p] != 0; });
    } else {
      const std::function<std::string(const Group&)> groupName = [](const Group& g) { return g.name; };
      throw Error(ErrorCode::BadInput, fmt::format("{}: there is no group '{}'", name, word),
                  namesOf(surface.groups(Owner::Primitive), surface.groups(Owner::Point), groupName));
    }
  }
  return members;
}

Membership withValue(const SurfaceRegion& region, const std::string& name, const Geometry& surface,
                     const TriangleMesh& mesh) {
  const Attribute* onPrimitives = surface.findAttribute(Owner::Primitive, region.attribute);
  const Attribute* values =
      onPrimitives ? onPrimitives : surface.findAttribute(Owner::Point, region.attribute);
  if (!values) {
    const std::function<std::string(const Attribute&)> attributeName = [](const Attribute& a) {
      return a.name();
    };
    throw Error(
        ErrorCode::BadInput, fmt::format("{}: there is no attribute '{}'", name, region.attribute),
        namesOf(surface.attributes(Owner::Primitive), surface.attributes(Owner::Point), attributeName));
  }
  std::function<bool(size_t)> test;
  if (values->isString()) {
    test = [&](size_t i) { return values->string(i) == region.value; };
  } else {
    char* end = nullptr;
    const double wanted = std::strtod(region.value.c_str(), &end);
    if (region.value.empty() || *end != 0)
      throw Error(ErrorCode::BadInput,
                  fmt::format("{}: attribute '{}' holds numbers and '{}' is none", name, region.attribute,
                              region.value),
                  "give the number of the region as the value");
    test = [values, wanted](size_t i) { return values->number(i) == wanted; };
  }
  Membership members(mesh);
  if (onPrimitives) {
    members.addPrimitives(test);
  } else {
    members.addPoints(test);
  }
  return members;
}

/// Keeps the triangles of a list for which the test holds.
template <class Test>
void keepIf(std::vector<int32_t>& list, const Test& test) {
  list.erase(
      std::remove_if(list.begin(), list.end(), [&](int32_t t) { return !test(static_cast<size_t>(t)); }),
      list.end());
}

void keepInBox(const SurfaceRegion& region, const TriangleMesh& target, std::vector<int32_t>& list) {
  Box3 bounds;
  for (const Vec3& p : target.points) bounds.add(p);
  const double margin = kBoxMargin * bounds.diagonal();
  keepIf(list, [&](size_t t) {
    for (size_t c = 0; c < 3; ++c) {
      const Vec3& p = target.points[target.triangles[t][c]];
      if (((p - region.low).array() < -margin).any() || ((region.high - p).array() < -margin).any())
        return false;
    }
    return true;
  });
}

void keepInBall(const SurfaceRegion& region, const TriangleMesh& target, std::vector<int32_t>& list) {
  const auto distance = [&](int32_t t) {
    const Triangle& c = target.triangles[t];
    return ((target.points[c[0]] + target.points[c[1]] + target.points[c[2]]) / 3 - region.at).norm();
  };
  const auto nearest = std::min_element(list.begin(), list.end(),
                                        [&](int32_t a, int32_t b) { return distance(a) < distance(b); });
  if (nearest == list.end()) return;
  const int32_t fallback = *nearest;
  keepIf(list, [&](size_t t) { return distance(static_cast<int32_t>(t)) <= region.radius; });
  if (list.empty()) list = {fallback};
}

/// Up to four numbers of a list, for messages.
std::string some(std::vector<size_t> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  const size_t count = list.size();
  if (count > 4) list.resize(4);
  return fmt::format("{}{}", fmt::join(list, ", "), count > 4 ? fmt::format(" and {} more", count - 4) : "");
}

/// Gathers conditions triangle by triangle and remembers who said what.
class Gatherer {
 public:
  explicit Gatherer(const BemSurface& body, Span<const BoundaryCondition> conditions)
      : mBody(body),
        mConditions(conditions),
        mData(body.nodeCount(), body.triangleCount()),
        mFixedBy(body.triangleCount(), {-1, -1, -1}),
        mLoadedBy(body.triangleCount(), {-1, -1, -1}),
        mNodeBy(body.nodeCount(), {-1, -1, -1}) {}

  void add(size_t index, Span<const int32_t> triangles) {
    const BoundaryCondition& condition = mConditions[index];
    double area = 0;
    for (const int32_t t : triangles) area += mBody.area(static_cast<size_t>(t));
    for (const int32_t triangle : triangles) {
      const size_t t = static_cast<size_t>(triangle);
      switch (condition.kind) {
        case ConditionKind::Displacement:
          fix(index, t, condition);
          break;
        case ConditionKind::Traction:
          load(index, t, condition.value);
          break;
        case ConditionKind::Force:
          load(index, t, condition.value / area);
          break;
        case ConditionKind::Pressure:
          load(index, t, -condition.value.x() * mBody.normal(t));
          break;
      }
    }
  }

  BoundaryData finish() {
    checkTriangles();
    checkNodes();
    return std::move(mData);
  }

 private:
  void fix(size_t index, size_t t, const BoundaryCondition& condition) {
    for (size_t c = 0; c < 3; ++c) {
      if (!condition.axes[c]) continue;
      mData.fixed[t][c] = 1;
      mFixedBy[t][c] = static_cast<int32_t>(index);
      for (const int32_t corner : mBody.triangle(t)) {
        const size_t n = static_cast<size_t>(corner);
        double& value = mData.displacement[n][c];
        const double given = condition.value[c];
        if (mNodeBy[n][c] >= 0 && value != given)
          mClashes.push_back({n, static_cast<size_t>(mNodeBy[n][c]), index});
        mNodeBy[n][c] = static_cast<int32_t>(index);
        value = given;
      }
    }
  }

  void load(size_t index, size_t t, const Vec3& traction) {
    mData.traction[t] += traction;
    const double scale = traction.cwiseAbs().maxCoeff();
    for (size_t c = 0; c < 3; ++c)
      if (std::abs(traction[c]) > kNoComponent * scale) mLoadedBy[t][c] = static_cast<int32_t>(index);
  }

  void checkTriangles() const {
    for (size_t t = 0; t < mFixedBy.size(); ++t)
      for (size_t c = 0; c < 3; ++c) {
        const int32_t fixedBy = mFixedBy[t][c], loadedBy = mLoadedBy[t][c];
        if (fixedBy < 0 || loadedBy < 0) continue;
        std::vector<size_t> triangles;
        for (size_t s = t; s < mFixedBy.size(); ++s)
          if (mFixedBy[s][c] == fixedBy && mLoadedBy[s][c] == loadedBy) triangles.push_back(s);
        throw Error(ErrorCode::BadInput,
                    fmt::format("{} and {} act on the same component ({}) of triangles {}", name(fixedBy),
                                name(loadedBy), "xyz"[c], some(triangles)),
                    "where a displacement is given there can be no load: make the regions disjoint");
      }
  }

  void checkNodes() const {
    if (mClashes.empty()) return;
    const Clash& first = mClashes.front();
    std::vector<size_t> nodes;
    for (const Clash& c : mClashes)
      if (c.first == first.first && c.second == first.second) nodes.push_back(c.node);
    throw Error(ErrorCode::BadInput,
                fmt::format("{} and {} give different displacements to points {}",
                            name(static_cast<int32_t>(first.first)), name(static_cast<int32_t>(first.second)),
                            some(nodes)),
                "leave a strip of free faces between the regions");
  }

  std::string name(int32_t index) const {
    return conditionName(mConditions[index], static_cast<size_t>(index));
  }

  struct Clash {
    size_t node, first, second;
  };
  const BemSurface& mBody;
  Span<const BoundaryCondition> mConditions;
  BoundaryData mData;
  std::vector<std::array<int32_t, 3>> mFixedBy, mLoadedBy, mNodeBy;  // condition, or -1
  std::vector<Clash> mClashes;
};

}  // namespace

std::string conditionName(const BoundaryCondition& condition, size_t index) {
  const SurfaceRegion& region = condition.region;
  std::vector<std::string> parts;
  if (!region.group.empty()) parts.push_back("group " + region.group);
  if (!region.attribute.empty()) parts.push_back(region.attribute + " = " + region.value);
  if (region.low.maxCoeff() > -1e30 || region.high.minCoeff() < 1e30) parts.push_back("a box");
  if (region.radius >= 0)
    parts.push_back(fmt::format("a ball at {:g}, {:g}, {:g}", region.at.x(), region.at.y(), region.at.z()));
  return fmt::format("condition {} ({} on {})", index + 1, kKindNames[static_cast<size_t>(condition.kind)],
                     parts.empty() ? "everything" : fmt::format("{}", fmt::join(parts, " in ")));
}

std::vector<int32_t> trianglesIn(const SurfaceRegion& region, const std::string& name,
                                 const Geometry& surface, const TriangleMesh& mesh,
                                 const TriangleMesh& target, Span<const int32_t> source) {
  HACKLE_ASSERT(source.size() == target.triangles.size());
  std::vector<int32_t> list(target.triangles.size());
  for (size_t t = 0; t < list.size(); ++t) list[t] = static_cast<int32_t>(t);
  if (!region.group.empty()) {
    const Membership members = inGroups(region.group, name, surface, mesh);
    keepIf(list, [&](size_t t) { return members.contains(static_cast<size_t>(source[t])); });
  }
  if (!region.attribute.empty()) {
    const Membership members = withValue(region, name, surface, mesh);
    keepIf(list, [&](size_t t) { return members.contains(static_cast<size_t>(source[t])); });
  }
  keepInBox(region, target, list);
  if (region.radius >= 0) keepInBall(region, target, list);
  if (list.empty())
    throw Error(ErrorCode::BadInput, fmt::format("{} meets no face", name),
                "make its region larger, or the mesh finer");
  return list;
}

BoundaryData boundaryData(const BemSurface& body, Span<const BoundaryCondition> conditions,
                          Span<const std::vector<int32_t>> triangles) {
  HACKLE_ASSERT(conditions.size() == triangles.size());
  Gatherer gatherer(body, conditions);
  for (size_t i = 0; i < conditions.size(); ++i) gatherer.add(i, triangles[i]);
  return gatherer.finish();
}

}  // namespace hackle
