// Organic shapes: blended implicit solids.
#include <hackle/core/parallel.h>
#include <hackle/meshing/shapes/implicit.h>
#include <hackle/meshing/shapes/shape_builders.h>
#include <hackle/meshing/shapes/texture_charts.h>
#include <hackle/meshing/surface/isosurface.h>

namespace hackle::detail {

namespace {

/// A sphere around a solid, and how fast the solid's field grows at least outside of it, per metre.
struct Reach {
  Vec3 centre = Vec3::Zero();
  double radius = 0, slope = 1;

  /// True if the field at p is certainly more than `value`.
  bool beyond(const Vec3& p, double value) const {
    const double distance = radius + std::max(value, 0.0) / slope;
    return (p - centre).squaredNorm() > distance * distance;
  }
};

/// A sphere around spheres.
Reach around(const std::vector<Reach>& inner) {
  Box3 box;
  Reach out;
  for (const Reach& r : inner) {
    box.add(r.centre - Vec3::Constant(r.radius));
    box.add(r.centre + Vec3::Constant(r.radius));
    out.slope = std::min(out.slope, r.slope);
  }
  out.centre = box.centre();
  for (const Reach& r : inner) out.radius = std::max(out.radius, (r.centre - out.centre).norm() + r.radius);
  return out;
}

/// An ellipsoid, or a row of round cones.
struct Limb {
  std::vector<RoundCone> cones;
  std::vector<Reach> coneReach;
  Vec3 centre = Vec3::Zero(), halfAxes = Vec3::Zero();  // without cones

  double field(const Vec3& p) const {
    if (cones.empty()) return ellipsoidField(p, centre, halfAxes);
    // The cone with the nearest middle rules out most others.
    size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < cones.size(); ++i) {
      const double squared = (p - coneReach[i].centre).squaredNorm();
      if (squared < least) {
        least = squared;
        nearest = i;
      }
    }
    double value = cones[nearest].field(p);
    for (size_t i = 0; i < cones.size(); ++i)
      if (i != nearest && !coneReach[i].beyond(p, value)) value = std::min(value, cones[i].field(p));
    return value;
  }
  void add(const RoundCone& cone) {
    cones.push_back(cone);
    coneReach.push_back({cone.centre(), cone.radius(), 1.0});
  }
  Reach reach() const {
    if (cones.empty()) return {centre, halfAxes.maxCoeff(), halfAxes.minCoeff() / halfAxes.maxCoeff()};
    return around(coneReach);
  }
};

Limb bone(const Vec3& a, const Vec3& b, double radiusA, double radiusB) {
  Limb limb;
  limb.add(RoundCone(a, b, radiusA, radiusB));
  return limb;
}
Limb ball(const Vec3& centre, double radius) { return bone(centre, centre, radius, radius); }
Limb ellipsoid(const Vec3& centre, const Vec3& halfAxes) { return {{}, {}, centre, halfAxes}; }

struct Knot {
  Vec3 centre;
  double radius = 0;
};

/// Catmull-Rom curve through knots; t counts them.
Knot onCurve(const std::vector<Knot>& knots, double t) {
  const size_t i = std::min(static_cast<size_t>(t), knots.size() - 2);
  const double u = t - static_cast<double>(i), u2 = u * u, u3 = u2 * u;
  const Knot* k[4] = {&knots[i > 0 ? i - 1 : 0], &knots[i], &knots[i + 1],
                      &knots[std::min(i + 2, knots.size() - 1)]};
  const double w[4] = {0.5 * (-u3 + 2 * u2 - u), 0.5 * (3 * u3 - 5 * u2 + 2), 0.5 * (-3 * u3 + 4 * u2 + u),
                       0.5 * (u3 - u2)};
  Knot out{Vec3::Zero(), 0.0};
  for (int j = 0; j < 4; ++j) {
    out.centre += w[j] * k[j]->centre;
    out.radius += w[j] * k[j]->radius;
  }
  return out;
}

/// A limb through spheres, smoothly: short cones along a curve. `mirror` = -1 puts it on the other side of x
/// = 0.
Limb chain(const std::vector<Knot>& knots, double mirror = 1.0) {
  constexpr int kCones = 6;  // per knot
  Limb limb;
  const Vec3 side(mirror, 1, 1);
  for (int i = 0; i < kCones * static_cast<int>(knots.size() - 1); ++i) {
    const Knot a = onCurve(knots, static_cast<double>(i) / kCones);
    const Knot b = onCurve(knots, static_cast<double>(i + 1) / kCones);
    limb.add(RoundCone(a.centre.cwiseProduct(side), b.centre.cwiseProduct(side), a.radius, b.radius));
  }
  return limb;
}

struct BodyPart {
  std::string name;
  double innerBlend = 0;  // reach of the blend among its limbs
  double outerBlend = 0;  // and with the parts before it
  std::vector<Limb> limbs;
  std::function<double(const Vec3&)> further;  // a solid of another kind, or empty
  std::vector<Reach> limbReach{};              // set by Body::prepare
  std::optional<Reach> wholeReach{};  // of the limbs with their blends; not set if there is a further solid

  double field(const Vec3& p) const {
    double value = further ? further(p) : limbs[0].field(p);
    for (size_t i = further ? 0 : 1; i < limbs.size(); ++i)
      // A blend changes nothing where the fields differ by its reach.
      if (!limbReach[i].beyond(p, value + innerBlend)) value = blend(value, limbs[i].field(p), innerBlend);
    return value;
  }
};

/// A body in its own units.
struct Body {
  std::vector<BodyPart> parts;
  Box3 bounds;               // holds the body with room
  double area = 0;           // about, in its units
  double coarsest = 1;       // spacing that still resolves its thin limbs
  double metres = 1;         // per unit
  bool cutAtGround = false;  // only what is above y = 0, with a rounded edge

  void add(std::string name, double innerBlend, double outerBlend, std::vector<Limb> limbs) {
    parts.push_back({std::move(name), innerBlend, outerBlend, std::move(limbs), {}});
  }

  /// Finds spheres around limbs and parts, so that far ones can be left out.
  void prepare() {
    for (BodyPart& part : parts) {
      for (const Limb& limb : part.limbs) part.limbReach.push_back(limb.reach());
      if (part.further) continue;
      Reach whole = around(part.limbReach);
      // Each blend lowers the field by at most a quarter of its reach.
      whole.radius += 0.25 * part.innerBlend * static_cast<double>(part.limbs.size()) / whole.slope;
      part.wholeReach = whole;
    }
  }

  double field(const Vec3& p) const {
    double value = parts[0].field(p);
    for (size_t i = 1; i < parts.size(); ++i)
      if (!parts[i].wholeReach || !parts[i].wholeReach->beyond(p, value + parts[i].outerBlend))
        value = blend(value, parts[i].field(p), parts[i].outerBlend);
    return cutAtGround ? -blend(-value, p.y(), 0.02) : value;
  }
  int32_t nearestPart(const Vec3& p) const {
    size_t best = 0;
    double least = parts[0].field(p);
    for (size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].wholeReach && parts[i].wholeReach->beyond(p, least)) continue;
      const double value = parts[i].field(p);
      if (value < least) {
        least = value;
        best = i;
      }
    }
    return static_cast<int32_t>(best);
  }
};

Geometry meshBody(Body body, const ShapeOptions& options, Context& context) {
  body.prepare();
  // A dual mesh has one face per crossed grid edge: on average 3/2 per spacing squared.
  IsosurfaceOptions iso;
  iso.bounds = body.bounds;
  iso.spacing = std::min(body.coarsest, std::sqrt(1.5) * spacingFor(body.area, options));
  iso.lipschitz = 1.0;
  Geometry geometry = isosurface([&](const Vec3& p) { return body.field(p); }, iso, context);

  Context::Stage stage(context, "parts");
  std::vector<int32_t> labels(geometry.primitiveCount());
  parallelFor(context, labels.size(), 1024, [&](size_t f) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t point : geometry.corners(f)) middle += geometry.position(static_cast<size_t>(point));
    labels[f] = body.nearestPart(middle / static_cast<double>(geometry.vertexCount(f)));
  });
  for (size_t k = 0; k < body.parts.size(); ++k) {
    std::vector<uint8_t>& bits = geometry.addGroup(Owner::Primitive, body.parts[k].name).bits.edit();
    for (size_t f = 0; f < labels.size(); ++f) bits[f] = labels[f] == static_cast<int32_t>(k);
  }
  addPackedUv(geometry, boxCharts(geometry, labels, context));
  for (Vec3& p : geometry.editPositions()) p *= body.metres;
  return geometry;
}

}  // namespace

Geometry buildFigure(const ShapeOptions& options, Context& context) {
  // A dancer, her weight on the right leg, who holds up an orb; she looks along +z, so her left is +x.
  Body body;
  body.add("torso", 0.05, 0,
           {bone({-0.004, 0.560, -0.004}, {0.008, 0.475, -0.010}, 0.036, 0.041),    // waist
            ellipsoid({0.014, 0.428, -0.012}, {0.072, 0.050, 0.052}),               // hips
            bone({-0.024, 0.612, 0.000}, {0.020, 0.608, 0.000}, 0.044, 0.044),      // chest
            bone({-0.062, 0.676, -0.006}, {0.062, 0.662, -0.006}, 0.024, 0.024)});  // shoulders
  body.add("head", 0.012, 0.028,
           {bone({0.000, 0.680, -0.008}, {0.006, 0.775, 0.002}, 0.019, 0.0165),  // neck
            ellipsoid({0.010, 0.816, 0.006}, {0.033, 0.044, 0.039}),
            bone({0.010, 0.802, 0.016}, {0.010, 0.788, 0.026}, 0.022, 0.011),      // jaw
            bone({0.011, 0.818, 0.041}, {0.011, 0.808, 0.0465}, 0.003, 0.005),     // nose
            bone({0.009, 0.842, -0.026}, {0.008, 0.848, -0.046}, 0.017, 0.019)});  // bun
  body.add("arm_right", 0.01, 0.03,
           {chain({{{-0.070, 0.674, -0.006}, 0.0250},
                   {{-0.108, 0.710, -0.002}, 0.0215},
                   {{-0.150, 0.748, 0.004}, 0.0175},
                   {{-0.146, 0.792, 0.010}, 0.0185},
                   {{-0.124, 0.862, 0.020}, 0.0115},
                   {{-0.115, 0.902, 0.026}, 0.0150}})});
  body.add("orb", 0.002, 0.010, {ball({-0.106, 0.950, 0.030}, 0.041)});
  body.add("arm_left", 0.01, 0.03,
           {chain({{{0.070, 0.661, -0.006}, 0.0250},
                   {{0.110, 0.616, -0.020}, 0.0215},
                   {{0.146, 0.574, -0.030}, 0.0175},
                   {{0.176, 0.556, -0.008}, 0.0182},
                   {{0.228, 0.536, 0.040}, 0.0112},
                   {{0.246, 0.535, 0.054}, 0.0130},
                   {{0.270, 0.540, 0.074}, 0.0070}})});
  body.add("leg_right", 0.012, 0.03,
           {chain({{{-0.026, 0.420, -0.008}, 0.0470},
                   {{-0.032, 0.340, 0.004}, 0.0385},
                   {{-0.036, 0.272, 0.006}, 0.0265},
                   {{-0.038, 0.205, -0.008}, 0.0275},
                   {{-0.040, 0.130, -0.014}, 0.0170},
                   {{-0.041, 0.086, -0.016}, 0.0150}}),
            bone({-0.041, 0.078, -0.022}, {-0.054, 0.071, 0.050}, 0.0165, 0.0115)});
  body.add("leg_left", 0.012, 0.03,
           {chain({{{0.054, 0.416, -0.008}, 0.0460},
                   {{0.078, 0.340, 0.026}, 0.0385},
                   {{0.098, 0.276, 0.048}, 0.0265},
                   {{0.101, 0.210, 0.014}, 0.0275},
                   {{0.103, 0.134, -0.014}, 0.0170},
                   {{0.104, 0.090, -0.025}, 0.0150}}),
            bone({0.104, 0.078, -0.031}, {0.130, 0.071, 0.034}, 0.0165, 0.0115)});
  body.add("base", 0.0, 0.012, {});
  body.parts.back().further = [](const Vec3& p) {
    const double lower = roundedCylinderField(p, {0.03, 0.019, 0.005}, 0.190, 0.019, 0.012);
    const double upper = roundedCylinderField(p, {0.03, 0.031, 0.005}, 0.155, 0.031, 0.012);
    return blend(lower, upper, 0.02);
  };
  body.bounds.add(Vec3(-0.24, -0.05, -0.25));
  body.bounds.add(Vec3(0.34, 1.05, 0.26));
  body.area = 0.60;
  body.coarsest = 0.013;
  body.metres = 0.3;
  return meshBody(body, options, context);
}

Geometry buildBunny(const ShapeOptions& options, Context& context) {
  Body body;
  body.add(
      "body", 0.1, 0,
      {ellipsoid({0, 0.27, -0.08}, {0.20, 0.23, 0.26}), bone({0, 0.26, 0.06}, {0, 0.42, 0.12}, 0.17, 0.12),
       ellipsoid({0.13, 0.19, -0.07}, {0.09, 0.16, 0.17}),
       ellipsoid({-0.13, 0.19, -0.07}, {0.09, 0.16, 0.17})});
  body.add(
      "head", 0.06, 0.06,
      {ellipsoid({0, 0.57, 0.17}, {0.115, 0.11, 0.13}), bone({0, 0.54, 0.24}, {0, 0.53, 0.28}, 0.065, 0.045),
       ball({0.055, 0.53, 0.22}, 0.06), ball({-0.055, 0.53, 0.22}, 0.06)});
  for (const double side : {1.0, -1.0}) {
    const std::string suffix = side > 0 ? "_left" : "_right";
    body.add("ear" + suffix, 0.01, 0.03,
             {chain({{{0.045, 0.63, 0.13}, 0.030},
                     {{0.060, 0.73, 0.10}, 0.041},
                     {{0.084, 0.84, 0.05}, 0.043},
                     {{0.112, 0.95, 0.00}, 0.018}},
                    side)});
    body.add(
        "paw" + suffix, 0.01, 0.08,
        {chain({{{0.080, 0.25, 0.14}, 0.075}, {{0.085, 0.06, 0.19}, 0.054}, {{0.088, 0.045, 0.26}, 0.045}},
               side)});
    body.add("foot" + suffix, 0.01, 0.08,
             {chain({{{0.17, 0.05, -0.08}, 0.06}, {{0.185, 0.045, 0.12}, 0.048}}, side)});
  }
  body.add("tail", 0.004, 0.03, {ball({0, 0.17, -0.35}, 0.075)});
  body.cutAtGround = true;
  body.bounds.add(Vec3(-0.35, -0.1, -0.53));
  body.bounds.add(Vec3(0.35, 1.08, 0.42));
  body.area = 1.4;
  body.coarsest = 0.03;
  body.metres = 0.15;
  return meshBody(body, options, context);
}

Geometry buildBone(const ShapeOptions& options, Context& context) {
  // A thigh bone that lies along x, its head at the right.
  Body body;
  body.add("shaft", 0.01, 0,
           {chain({{{-0.40, 0.068, 0}, 0.052},
                   {{-0.22, 0.079, 0.003}, 0.035},
                   {{0.0, 0.086, 0.004}, 0.031},
                   {{0.20, 0.082, 0.003}, 0.034},
                   {{0.40, 0.072, 0}, 0.047}})});
  body.add("condyles", 0.03, 0.05,
           {ellipsoid({-0.445, 0.064, 0.052}, {0.056, 0.066, 0.042}),
            ellipsoid({-0.445, 0.064, -0.052}, {0.056, 0.066, 0.042}),
            bone({-0.41, 0.08, 0.03}, {-0.41, 0.08, -0.03}, 0.045, 0.045)});
  body.add(
      "head", 0.02, 0.03,
      {bone({0.40, 0.072, 0.01}, {0.455, 0.077, 0.085}, 0.038, 0.030), ball({0.464, 0.080, 0.104}, 0.052)});
  body.add(
      "trochanter", 0.02, 0.04,
      {bone({0.41, 0.07, -0.022}, {0.478, 0.07, -0.034}, 0.042, 0.030), ball({0.35, 0.056, 0.026}, 0.024)});
  body.bounds.add(Vec3(-0.58, -0.08, -0.20));
  body.bounds.add(Vec3(0.60, 0.24, 0.24));
  body.area = 0.34;
  body.coarsest = 0.03;
  body.metres = 0.45;
  return meshBody(body, options, context);
}

}  // namespace hackle::detail
