#include <hackle/coupling/hosted_points.h>

#include <hackle/geometry/vec.h>

#include <Eigen/Geometry>

#include <set>
#include <unordered_map>

namespace hackle {

namespace {

/// Values of point attributes; not set where there is no such attribute.
class PointValues {
 public:
  explicit PointValues(const Geometry& points) : mPoints(points) {}

  std::optional<double> number(const char* name, size_t point, int component = 0) const {
    const Attribute* a = mPoints.findAttribute(Owner::Point, name);
    if (!a || a->isString() || a->tupleSize() <= component) return std::nullopt;
    return a->number(point, component);
  }
  Vec3 vector(const char* name, size_t point) const {
    Vec3 v;
    for (int c = 0; c < 3; ++c) v[c] = number(name, point, c).value_or(0.0);
    return v;
  }
  std::optional<std::string> text(const char* name, size_t point) const {
    const Attribute* a = mPoints.findAttribute(Owner::Point, name);
    if (!a || !a->isString() || a->tupleSize() < 1) return std::nullopt;
    return a->string(point);
  }

 private:
  const Geometry& mPoints;
};

/// Writes point attributes, adding those that are missing or of another kind.
class PointWriter {
 public:
  explicit PointWriter(Geometry& points) : mPoints(points) {}

  void set(const char* name, size_t point, std::initializer_list<double> values,
           Storage storage = Storage::Float32, const char* qualifier = "") {
    const int tuple = static_cast<int>(values.size());
    Attribute* a = mPoints.findAttribute(Owner::Point, name);
    if (!a || a->isString() || a->tupleSize() < tuple)
      a = &mPoints.addAttribute(Owner::Point, Attribute(name, storage, tuple, 0, qualifier));
    int component = 0;
    for (const double value : values) a->setNumber(point, component++, value);
  }
  void set(const char* name, size_t point, const Vec3& v) {
    set(name, point, {v.x(), v.y(), v.z()}, Storage::Float32, "vector");
  }
  void setWhole(const char* name, size_t point, int value) {
    set(name, point, {static_cast<double>(value)}, Storage::Int32);
  }
  void set(const char* name, size_t point, const std::string& text) {
    Attribute* a = mPoints.findAttribute(Owner::Point, name);
    if (!a || !a->isString() || a->tupleSize() < 1)
      a = &mPoints.addAttribute(Owner::Point, Attribute(name, Storage::String, 1));
    a->setString(point, text);
  }

 private:
  Geometry& mPoints;
};

/// Of the records' field `flags`: SIM_IMPACTS_FRICTION.
constexpr int64_t kFrictionFlag = 1;

/// The solver's own attributes, which nobody else may write, and those that a new piece must not have.
bool isReserved(const std::string& name) {
  static const std::set<std::string> kNames{"id",
                                            "nextid",
                                            "creationtime",
                                            "restxform",
                                            "age",
                                            "found_overlap",
                                            "bullet_autofit_valid",
                                            "bullet_sleeping",
                                            "deactivation_time"};
  return kNames.count(name) != 0;
}

/// Pieces by the numbers that records have of them.
class PieceNumbers {
 public:
  explicit PieceNumbers(Span<const HostedPiece> pieces) : mPieces(pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      mByPrimitive.try_emplace(pieces[i].primitiveNumber, i);
      mByPoint.try_emplace(pieces[i].pointNumber, i);
    }
  }
  std::optional<size_t> find(int64_t primitive, int64_t point) const {
    if (const auto found = mByPrimitive.find(primitive); primitive >= 0 && found != mByPrimitive.end())
      return found->second;
    if (const auto found = mByPoint.find(point); point >= 0 && found != mByPoint.end()) return found->second;
    return std::nullopt;
  }
  /// By the place of its point.
  size_t nearest(const Vec3& place) const {
    size_t best = 0;
    for (size_t i = 1; i < mPieces.size(); ++i)
      if ((mPieces[i].body.at - place).squaredNorm() < (mPieces[best].body.at - place).squaredNorm())
        best = i;
    return best;
  }

 private:
  Span<const HostedPiece> mPieces;
  std::unordered_map<int64_t, size_t> mByPrimitive, mByPoint;
};

void writeFragment(PointWriter& out, size_t point, const Fragment& fragment, const HostedPiece& parent,
                   double time, double length) {
  const Eigen::Quaterniond orient(fragment.motion.rotation);
  out.set("name", point, fragment.name);
  out.set("pivot", point, Vec3(length * fragment.mass.centre));
  out.set("orient", point, {orient.x(), orient.y(), orient.z(), orient.w()}, Storage::Float32, "quaternion");
  out.set("v", point, Vec3(length * fragment.motion.velocity));
  out.set("w", point, fragment.motion.spin);
  out.set("mass", point, {fragment.mass.mass});
  out.setWhole("computemass", point, 0);
  out.setWhole("computecom", point, 0);
  out.setWhole("active", point, 1);
  out.setWhole("bullet_add_impact", point, 1);
  out.set("hackle_parent", point, parent.body.name);
  out.setWhole("hackle_generation", point, parent.generation + 1);
  out.set("hackle_time", point, {time});
}

/// Text or a whole number that tells a point from others; empty: none.
std::string identifierOf(const Attribute& a, size_t point) {
  if (a.tupleSize() < 1) return "";
  return a.isString() ? a.string(point) : std::to_string(static_cast<int64_t>(a.number(point)));
}

void setIdentifier(Attribute& a, size_t point, const Attribute& from, size_t source) {
  if (a.isString())
    a.setString(point, identifierOf(from, source));
  else if (!from.isString())
    a.setNumber(point, 0, from.number(source));
}

/// Values of their own for fragments: the piece's text with the number of the fragment, or the next numbers.
void identifyFragments(const Attribute& pieces, Span<const HostedBreak> breaks, Attribute& fragments) {
  double next = 0;
  for (size_t i = 0; !pieces.isString() && i < pieces.elementCount(); ++i)
    next = std::max(next, pieces.number(i) + 1);
  size_t point = 0;
  for (const HostedBreak& broken : breaks)
    for (size_t i = 0; i < broken.pieces.fragments.size(); ++i, ++point)
      if (pieces.isString())
        fragments.setString(point, pieces.string(broken.body) + "-" + std::to_string(i));
      else
        fragments.setNumber(point, 0, next++);
}

/// The network between the fragments of one piece, where they are now.
Geometry fragmentNetwork(const HostedBreak& broken, const ConstraintOptions& options, double length) {
  FracturePieces pieces;
  std::unordered_map<size_t, int32_t> number;  // of fragments, by piece
  for (const Fragment& fragment : broken.pieces.fragments) {
    number[fragment.piece] = static_cast<int32_t>(pieces.names.size());
    pieces.names.push_back(fragment.name);
    pieces.centre.push_back(length * fragment.motion.position);
  }
  for (PieceContact contact : broken.contacts) {
    const auto a = number.find(static_cast<size_t>(contact.a)),
               b = number.find(static_cast<size_t>(contact.b));
    if (a == number.end() || b == number.end()) continue;  // one of them was too small to keep
    contact.a = a->second, contact.b = b->second;
    pieces.contacts.push_back(contact);
  }
  return constraintNetwork(pieces, options);
}

/// Constraints between the fragments of each piece; `ids` of all fragments go with them, where there are any.
void appendGlue(Geometry& network, const BrokenPieces& broken, const ConstraintOptions& options,
                const Attribute* ids) {
  int32_t point = 0;
  for (const HostedBreak& b : broken.breaks) {
    Geometry own = fragmentNetwork(b, options, broken.length);
    std::vector<int32_t> sources(b.pieces.fragments.size());
    for (int32_t& source : sources) source = point++;
    if (ids) own.addAttribute(Owner::Point, ids->gathered(sources));
    network.append(own);
  }
}

}  // namespace

std::vector<HostedPiece> hostedPieces(const Geometry& points, double length) {
  std::vector<HostedPiece> pieces(points.pointCount());
  const PointValues values(points);
  for (size_t i = 0; i < pieces.size(); ++i) {
    HostedPiece& piece = pieces[i];
    piece.body.name = values.text("name", i).value_or("");
    if (piece.body.name.empty()) piece.body.name = "piece" + std::to_string(i);
    piece.body.dynamic = values.number("active", i).value_or(1) != 0;
    piece.body.velocity = values.vector("v", i) / length;
    piece.body.spin = values.vector("w", i);
    piece.body.at = points.position(i) / length;
    if (values.number("computemass", i).value_or(1) == 0) piece.body.mass = values.number("mass", i);
    piece.density = values.number("density", i);
    piece.engine = values.text("hackle_engine", i);
    piece.engineParameters = values.text("hackle_engine_parameters", i).value_or("");
    piece.restitution = values.number("bounce", i);
    piece.minImpulse = values.number("hackle_min_impulse", i);
    piece.minForce = values.number("hackle_min_force", i);
    piece.minVolume = values.number("hackle_min_volume", i);
    piece.generation = static_cast<int>(values.number("hackle_generation", i).value_or(0));
  }
  return pieces;
}

std::vector<HostedRecord> recordsOf(const Geometry& points) {
  std::vector<HostedRecord> records(points.pointCount());
  const PointValues values(points);
  // Impact Analysis and DOP Import Records have names of their own for the same thing.
  const auto number = [&](std::initializer_list<const char*> names, size_t point) {
    for (const char* name : names)
      if (const std::optional<double> value = values.number(name, point)) return static_cast<int64_t>(*value);
    return static_cast<int64_t>(-1);
  };
  for (size_t i = 0; i < records.size(); ++i) {
    HostedRecord& record = records[i];
    record.position = points.position(i);
    record.normal = values.vector(points.findAttribute(Owner::Point, "normal") ? "normal" : "N", i);
    record.impulse = values.number("impulse", i).value_or(0);
    record.friction = (std::max<int64_t>(0, number({"flags"}, i)) & kFrictionFlag) != 0;
    record.primitiveNumber = number({"parentprimnum", "primnum", "prim"}, i);
    record.pointNumber = number({"ptnum", "point"}, i);
    record.otherObject = static_cast<int32_t>(number({"impactobject", "otherobjid", "otherobj"}, i));
    record.otherPrimitiveNumber = number({"impactprimnum", "otherprimnum", "otherprim"}, i);
    record.otherPointNumber = number({"otherptnum", "otherpoint"}, i);
  }
  return records;
}

int32_t recordingObject(const Geometry& points) {
  const PointValues values(points);
  for (const char* name : {"parentobject", "objid"})
    if (points.pointCount() > 0)
      if (const std::optional<double> value = values.number(name, 0)) return static_cast<int32_t>(*value);
  return -1;
}

std::vector<HostedContact> recordedContacts(Span<const HostedRecord> records, Span<const HostedPiece> pieces,
                                            int32_t object, double length) {
  std::vector<HostedContact> contacts;
  if (pieces.empty()) return contacts;
  const PieceNumbers numbers(pieces);
  for (const HostedRecord& record : records) {
    HostedContact c;
    c.position = record.position / length;
    c.normal = record.normal;
    c.impulse = record.impulse / length;
    c.friction = record.friction;
    const std::optional<size_t> body = numbers.find(record.primitiveNumber, record.pointNumber);
    c.body = body ? *body : numbers.nearest(c.position);
    c.otherObject = record.otherObject;
    if (c.otherObject == object) c.other = numbers.find(record.otherPrimitiveNumber, record.otherPointNumber);
    contacts.push_back(c);
  }
  return contacts;
}

Geometry fragmentPoints(const Geometry& points, Span<const HostedPiece> pieces,
                        Span<const HostedBreak> breaks, double time, double length,
                        const std::set<std::string>& identifiers) {
  Geometry made;
  std::vector<int32_t> parents;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments) {
      parents.push_back(static_cast<int32_t>(broken.body));
      made.addPoint(length * fragment.motion.position);
    }
  made.positionFileStorage = points.positionFileStorage;
  for (const Attribute& attribute : points.attributes(Owner::Point)) {
    if (isReserved(attribute.name())) continue;
    Attribute& own = made.addAttribute(Owner::Point, attribute.gathered(parents));
    if (identifiers.count(attribute.name()) != 0) identifyFragments(attribute, breaks, own);
  }
  PointWriter out(made);
  size_t point = 0;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments)
      writeFragment(out, point++, fragment, pieces[broken.body], time, length);
  return made;
}

Geometry brokenConstraints(const Geometry& constraints, const BrokenPieces& broken,
                           const std::optional<ConstraintOptions>& glue, const std::string& matchBy) {
  Geometry network = constraints;
  // Pieces without a name have one all the same (`hostedPieces`).
  const Attribute* ids = matchBy == "name" ? nullptr : broken.points.findAttribute(Owner::Point, matchBy);
  const Attribute* made = broken.fragments.findAttribute(Owner::Point, matchBy);
  struct Place {
    const HostedBreak* broken;
    size_t first;  // of its points among those of the fragments
  };
  std::unordered_map<std::string, Place> byId;
  size_t first = 0;
  for (const HostedBreak& b : broken.breaks) {
    byId[ids ? identifierOf(*ids, b.body) : broken.pieces[b.body].body.name] = {&b, first};
    first += b.pieces.fragments.size();
  }
  Attribute* anchors = network.findAttribute(Owner::Point, matchBy);
  for (size_t point = 0; anchors && made && point < network.pointCount(); ++point) {
    const auto found = byId.find(identifierOf(*anchors, point));
    if (found == byId.end()) continue;
    const Replacement& pieces = found->second.broken->pieces;
    const Fragment& nearest = nearestFragment(pieces, network.position(point) / broken.length);
    setIdentifier(*anchors, point, *made,
                  found->second.first + static_cast<size_t>(&nearest - pieces.fragments.data()));
  }
  if (glue) appendGlue(network, broken, *glue, matchBy == "name" ? nullptr : made);
  return network;
}

}  // namespace hackle
