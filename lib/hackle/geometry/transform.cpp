#include <hackle/geometry/transform.h>

#include <hackle/core/parallel.h>

#include <Eigen/SVD>

#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 1 << 14;

enum class Kind { None, Point, Vector, Normal, Quaternion };

Kind kindOf(const Attribute& attribute) {
  if (!attribute.isFloat()) return Kind::None;
  const std::string& q = attribute.qualifier;
  if (attribute.tupleSize() == 4)
    return q == "quaternion" || (q.empty() && attribute.name() == "orient") ? Kind::Quaternion : Kind::None;
  if (attribute.tupleSize() != 3) return Kind::None;
  if (q == "point") return Kind::Point;
  if (q == "vector" || (q.empty() && attribute.name() == "v")) return Kind::Vector;
  if (q == "normal" || (q.empty() && attribute.name() == "N")) return Kind::Normal;
  return Kind::None;
}

/// What the map does to each kind of tuple.
struct Map {
  Mat3 linear;
  Vec3 offset;
  Mat3 normals;
  Eigen::Quaterniond rotation;

  Map(const Mat3& m, const Vec3& o) : linear(m), offset(o), rotation(rotationOf(m)) {
    // The cofactors carry area vectors, also where the map flattens; mirrored faces are turned over.
    normals.col(0) = m.col(1).cross(m.col(2));
    normals.col(1) = m.col(2).cross(m.col(0));
    normals.col(2) = m.col(0).cross(m.col(1));
    if (m.determinant() < 0) normals = -normals;
  }
  Vec3 normal(const Vec3& n) const {
    const Vec3 turned = normals * n;
    const double length = turned.norm();
    return length > 0 ? Vec3(turned * (n.norm() / length)) : turned;
  }
};

template <class T>
void transformTuples(std::vector<T>& values, Kind kind, const Map& map, Context& context) {
  const size_t width = kind == Kind::Quaternion ? 4 : 3;
  parallelFor(context, values.size() / width, kGrain, [&](size_t e) {
    T* t = values.data() + e * width;
    const Vec3 old(t[0], t[1], t[2]);
    Vec3 now = old;
    switch (kind) {
      case Kind::Point:
        now = map.linear * old + map.offset;
        break;
      case Kind::Vector:
        now = map.linear * old;
        break;
      case Kind::Normal:
        now = map.normal(old);
        break;
      default: {
        const Eigen::Quaterniond turned = map.rotation * Eigen::Quaterniond(t[3], t[0], t[1], t[2]);
        now = turned.vec();
        t[3] = static_cast<T>(turned.w());
      }
    }
    for (int c = 0; c < 3; ++c) t[c] = static_cast<T>(now[c]);
  });
}

}  // namespace

Mat3 rotationOf(const Mat3& linear) {
  const Mat3 m = linear.determinant() < 0 ? Mat3(-linear) : linear;
  if (!m.allFinite()) return Mat3::Identity();
  const Eigen::JacobiSVD<Mat3> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 u = svd.matrixU();
  if ((u * svd.matrixV().transpose()).determinant() < 0) u.col(2) = -u.col(2);  // a flattening map
  return u * svd.matrixV().transpose();
}

Mat3 rotationFromDegrees(const Vec3& angles) {
  // Quarter turns come out exact, so that they can be undone without a trace.
  const auto about = [&](int axis) {
    const double quarters = angles[axis] / 90.0;
    double cosine, sine;
    if (quarters == std::floor(quarters)) {
      const int turn = static_cast<int>(quarters - 4 * std::floor(quarters / 4));
      cosine = turn == 0 ? 1 : turn == 2 ? -1 : 0;
      sine = turn == 1 ? 1 : turn == 3 ? -1 : 0;
    } else {
      const double radians = angles[axis] * (3.14159265358979323846 / 180);
      cosine = std::cos(radians);
      sine = std::sin(radians);
    }
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    Mat3 m = Mat3::Identity();
    m(j, j) = m(k, k) = cosine;
    m(j, k) = -sine;
    m(k, j) = sine;
    return m;
  };
  return about(2) * about(1) * about(0);
}

void transformGeometry(Geometry& geometry, const Mat3& linear, const Vec3& offset, Context& context) {
  const Map map(linear, offset);
  std::vector<Vec3>& positions = geometry.editPositions();
  parallelFor(context, positions.size(), kGrain,
              [&](size_t p) { positions[p] = (linear * positions[p] + offset).eval(); });
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail}) {
    for (size_t a = 0; a < geometry.attributes(owner).size(); ++a) {
      const Kind kind = kindOf(geometry.attributes(owner)[a]);
      if (kind == Kind::None) continue;
      Attribute& attribute = *geometry.findAttribute(owner, geometry.attributes(owner)[a].name());
      if (attribute.storage() == Storage::Float32)
        transformTuples(attribute.edit<float>(), kind, map, context);
      else
        transformTuples(attribute.edit<double>(), kind, map, context);
    }
  }
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) == PrimitiveType::Volume) {
      geometry.setVolume(p, geometry.volume(p)->transformed(linear, offset));
    } else if (geometry.primitiveType(p) == PrimitiveType::Packed) {
      PackedPrimitive packed = geometry.packed(p);
      packed.transform = packed.transform * linear.transpose();  // row vectors
      geometry.setPacked(p, std::move(packed));
    }
  }
  if (linear.determinant() < 0) geometry.flipWinding();
}

}  // namespace hackle
