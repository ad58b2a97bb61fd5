#include <dop/packed_pieces.h>
#include <hackle/core/error.h>
#include <hackle/geometry/transform.h>
#include <sop/attribute_words.h>
#include <sop/detail_bridge.h>

#include <GA/GA_AttributeDict.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GU/GU_Detail.h>
#include <GU/GU_MergeUtils.h>
#include <GU/GU_PackedGeometry.h>
#include <SIM/SIM_Impacts.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <set>

namespace hackle::houdini {

namespace {

/// Values of point attributes, whatever their storage; a default where there is no such attribute.
class PointValues {
 public:
  explicit PointValues(const GU_Detail& detail) : mDetail(detail) {}

  std::optional<double> number(const char* name, GA_Offset point, int component = 0) const {
    const GA_Attribute* a = mDetail.findAttribute(GA_ATTRIB_POINT, name);
    if (!GA_ATINumeric::isType(a) || a->getTupleSize() <= component) return std::nullopt;
    fpreal64 value = 0;
    GA_ROHandleT<fpreal64>(a).getBlock(point, 1, &value, 1, component);
    return value;
  }
  Vec3 vector(const char* name, GA_Offset point) const {
    Vec3 v = Vec3::Zero();
    for (int c = 0; c < 3; ++c) v[c] = number(name, point, c).value_or(0.0);
    return v;
  }
  std::optional<std::string> text(const char* name, GA_Offset point) const {
    const GA_Attribute* a = mDetail.findAttribute(GA_ATTRIB_POINT, name);
    if (!GA_ATIString::isType(a)) return std::nullopt;
    return GA_ROHandleS(a).get(point).toStdString();
  }

 private:
  const GU_Detail& mDetail;
};

/// Writes point attributes, adding those that are missing.
class PointWriter {
 public:
  explicit PointWriter(GU_Detail& detail) : mDetail(detail) {}

  void set(const char* name, GA_Offset point, std::initializer_list<double> values,
           GA_Storage storage = GA_STORE_REAL32, GA_TypeInfo type = GA_TYPE_VOID) {
    GA_Attribute* a = mDetail.findAttribute(GA_ATTRIB_POINT, name);
    if (!GA_ATINumeric::isType(a)) {
      a = mDetail.addTuple(storage, GA_ATTRIB_POINT, name, static_cast<int>(values.size()));
      a->setTypeInfo(type);
    }
    int component = 0;
    for (const fpreal64 value : values) GA_RWHandleT<fpreal64>(a).setBlock(point, 1, &value, 1, component++);
  }
  void set(const char* name, GA_Offset point, const Vec3& v, GA_TypeInfo type = GA_TYPE_VECTOR) {
    set(name, point, {v.x(), v.y(), v.z()}, GA_STORE_REAL32, type);
  }
  void setWhole(const char* name, GA_Offset point, int value) {
    set(name, point, {double(value)}, GA_STORE_INT32);
  }
  void set(const char* name, GA_Offset point, const std::string& text) {
    GA_Attribute* a = mDetail.findAttribute(GA_ATTRIB_POINT, name);
    if (!GA_ATIString::isType(a)) a = mDetail.addStringTuple(GA_ATTRIB_POINT, name, 1);
    GA_RWHandleS(a).set(point, UT_StringHolder(text));
  }

 private:
  GU_Detail& mDetail;
};

/// From row vectors to column vectors.
Mat3 linearPart(const UT_Matrix4D& m) {
  Mat3 linear;
  for (unsigned r = 0; r < 3; ++r)
    for (unsigned c = 0; c < 3; ++c) linear(c, r) = m(r, c);
  return linear;
}

/// What is inside, where it was packed. What is not packed geometry (fragments of one detail) is unpacked to
/// where it is and moved back.
Geometry contentOf(const GU_PrimPacked& packed, const Mat3& linear, const Vec3& offset, Context& context) {
  if (packed.getTypeId() == GU_PackedGeometry::typeId()) {
    const GU_DetailHandleAutoReadLock lock(packed.getPackedDetail());
    if (lock.getGdp()) return fromDetail(*lock.getGdp(), context);
  }
  GU_Detail world;
  if (!packed.unpack(world))
    throw Error(ErrorCode::BadInput, "a packed piece cannot be unpacked", "pack pieces as packed geometry");
  Geometry geometry = fromDetail(world, context);
  const Mat3 back = linear.inverse();
  transformGeometry(geometry, back, -(back * offset), context);
  return geometry;
}

/// The scale of a transform goes into the shape, so that what is left is a rotation.
HostedBody bodyOf(const GU_PrimPacked& packed, double length) {
  UT_Matrix4D m;
  packed.getFullTransform4(m);
  const Mat3 linear = linearPart(m);
  const Vec3 offset(m(3, 0), m(3, 1), m(3, 2));
  const Mat3 rotation = rotationOf(linear);
  const Mat3 stretch = rotation.transpose() * linear / length;
  const bool plain = (stretch - Mat3::Identity()).norm() < 1e-5;
  HostedBody body;
  body.rotation = rotation;
  body.offset = offset / length;
  body.shape = [&packed, linear, offset, stretch, plain](Context& context) {
    Geometry content = contentOf(packed, linear, offset, context);
    if (!plain) transformGeometry(content, stretch, Vec3::Zero(), context);
    return content;
  };
  return body;
}

/// The solver's own attributes, which nobody else may write, and those that a new piece must not have.
bool isReserved(const std::string& name) {
  static const std::set<std::string> kNames{"P",
                                            "id",
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

/// Gives a new point what the old one has.
void copyAttributes(const GU_Detail& from, GA_Offset source, GU_Detail& to, GA_Offset target) {
  const GA_AttributeDict& dict = from.getAttributeDict(GA_ATTRIB_POINT);
  for (GA_AttributeDict::iterator it = dict.begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) {
    const GA_Attribute* a = it.attrib();
    if (isReserved(a->getName().toStdString())) continue;
    GA_Attribute* own = to.findAttribute(GA_ATTRIB_POINT, a->getName());
    if (GA_ATIString::isType(a)) {
      if (!own) own = to.addStringTuple(GA_ATTRIB_POINT, a->getName(), a->getTupleSize());
      for (int c = 0; c < a->getTupleSize(); ++c)
        GA_RWHandleS(own).set(target, c, GA_ROHandleS(a).get(source, c));
    } else if (GA_ATINumeric::isType(a)) {
      const GA_AIFTuple* tuple = a->getAIFTuple();
      if (!own) {
        own = to.addTuple(tuple->getStorage(a), GA_ATTRIB_POINT, a->getName(), a->getTupleSize(),
                          tuple->getDefaults(a));
        own->setTypeInfo(a->getTypeInfo());
      }
      for (int c = 0; c < a->getTupleSize(); ++c) {
        fpreal64 value = 0;
        GA_ROHandleT<fpreal64>(a).getBlock(source, 1, &value, 1, c);
        GA_RWHandleT<fpreal64>(own).setBlock(target, 1, &value, 1, c);
      }
    }
  }
}

GA_Offset pointOf(const GU_Detail& detail, GA_Offset primitive) {
  return detail.vertexPoint(detail.getPrimitiveList().getVertexList(primitive)(0));
}

/// A fragment as a packed primitive of its own detail: its shape as it is, turned and placed by the
/// primitive.
void packFragment(const Fragment& fragment, const PackedPiece& parent, const GU_Detail& source,
                  GU_Detail& made, double time, double length) {
  GU_DetailHandle content;
  content.allocateAndSet(new GU_Detail);
  Geometry shape = fragment.geometry;
  if (length != 1) {
    Context quiet;
    transformGeometry(shape, length * Mat3::Identity(), Vec3::Zero(), quiet);
  }
  shape.positionFileStorage = Storage::Float64;
  toDetail(shape, *content.gdpNC());
  GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(made, content);
  if (!packed) throw Error(ErrorCode::Failed, "Houdini did not pack a piece");
  const Vec3 centre = length * fragment.mass.centre;
  packed->pivot() = UT_Vector3(static_cast<fpreal32>(centre.x()), static_cast<fpreal32>(centre.y()),
                               static_cast<fpreal32>(centre.z()));
  UT_Matrix3D turn(1.0);
  for (unsigned r = 0; r < 3; ++r)
    for (unsigned c = 0; c < 3; ++c) turn(r, c) = fragment.motion.rotation(c, r);
  packed->setLocalTransform(turn);

  const GA_Offset point = pointOf(made, packed->getMapOffset());
  copyAttributes(source, parent.point, made, point);
  PointWriter out(made);
  const Vec3 place = length * fragment.motion.position;
  const GA_RWHandleT<fpreal64> p(made.getP());
  for (int c = 0; c < 3; ++c) p.setBlock(point, 1, place.data() + c, 1, c);
  const Eigen::Quaterniond orient(fragment.motion.rotation);
  out.set("name", point, fragment.name);
  out.set("pivot", point, centre);
  out.set("orient", point, {orient.x(), orient.y(), orient.z(), orient.w()}, GA_STORE_REAL32,
          GA_TYPE_QUATERNION);
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

/// The nearest piece to a place, by the centre of its point.
size_t nearestPiece(const std::vector<PackedPiece>& pieces, const Vec3& place) {
  size_t best = 0;
  for (size_t i = 1; i < pieces.size(); ++i)
    if ((pieces[i].body.at - place).squaredNorm() < (pieces[best].body.at - place).squaredNorm()) best = i;
  return best;
}

/// The piece whose primitive or point has that number; -1 or a number of something else gives none.
std::optional<size_t> pieceAt(const std::vector<PackedPiece>& pieces, const std::vector<GA_Index>& primitives,
                              const std::vector<GA_Index>& points, GA_Index primitive, GA_Index point) {
  for (size_t i = 0; i < pieces.size(); ++i)
    if (primitive >= 0 && primitives[i] == primitive) return i;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (point >= 0 && points[i] == point) return i;
  return std::nullopt;
}

Vec3 vec(const UT_Vector3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

std::vector<PackedPiece> packedPieces(const GU_Detail& detail, const PieceScale& scale) {
  std::vector<PackedPiece> pieces;
  const PointValues values(detail);
  GA_Iterator blocks{GA_Range(detail.getIndexMap(GA_ATTRIB_PRIMITIVE))};
  GA_Offset start, end;
  while (blocks.fullBlockAdvance(start, end))
    for (GA_Offset primitive = start; primitive < end; ++primitive) {
      const GEO_Primitive* geo = detail.getGEOPrimitive(primitive);
      if (!geo || !GU_PrimPacked::isPackedPrimitive(*geo)) continue;
      PackedPiece piece;
      piece.primitive = primitive;
      piece.point = pointOf(detail, primitive);
      const GA_Offset at = piece.point;
      piece.body = bodyOf(static_cast<const GU_PrimPacked&>(*geo), scale.length);
      piece.body.name = values.text("name", at).value_or("");
      if (piece.body.name.empty()) piece.body.name = "piece" + std::to_string(pieces.size());
      piece.body.dynamic = values.number("active", at).value_or(1) != 0;
      piece.body.velocity = values.vector("v", at) / scale.length;
      piece.body.spin = values.vector("w", at);
      piece.body.at = values.vector("P", at) / scale.length;
      if (values.number("computemass", at).value_or(1) == 0) piece.body.mass = values.number("mass", at);
      piece.density = values.number("density", at);
      piece.engine = values.text("hackle_engine", at);
      piece.engineParameters = values.text("hackle_engine_parameters", at).value_or("");
      piece.minImpulse = values.number("hackle_min_impulse", at);
      piece.minForce = values.number("hackle_min_force", at);
      piece.minVolume = values.number("hackle_min_volume", at);
      piece.generation = static_cast<int>(values.number("hackle_generation", at).value_or(0));
      if (const std::optional<double> bounce = values.number("bounce", at)) piece.body.restitution = *bounce;
      pieces.push_back(std::move(piece));
    }
  return pieces;
}

std::vector<HostedContact> impactContacts(const SIM_Impacts& impacts, const GU_Detail& detail,
                                          const std::vector<PackedPiece>& pieces, int own,
                                          const PieceScale& scale) {
  std::vector<HostedContact> contacts;
  if (pieces.empty()) return contacts;
  std::vector<GA_Index> primitives, points;
  for (const PackedPiece& piece : pieces) {
    primitives.push_back(detail.primitiveIndex(piece.primitive));
    points.push_back(detail.pointIndex(piece.point));
  }
  for (int i = 0; i < impacts.getNumImpacts(); ++i) {
    HostedContact c;
    c.position = vec(impacts.getPosition(i)) / scale.length;
    c.normal = vec(impacts.getNormal(i));
    c.impulse = impacts.getImpulse(i) / scale.length;
    c.friction = (impacts.getFlags(i) & SIM_IMPACTS_FRICTION) != 0;
    c.body = pieceAt(pieces, primitives, points, impacts.getPrimitiveNumber(i), impacts.getPointNumber(i))
                 .value_or(nearestPiece(pieces, c.position));
    c.otherObject = impacts.getOtherObjId(i);
    if (c.otherObject == own)
      c.other = pieceAt(pieces, primitives, points, impacts.getOtherObjPrimitiveNumber(i),
                        impacts.getOtherObjPointNumber(i));
    contacts.push_back(c);
  }
  return contacts;
}

std::vector<HostedContact> analysisContacts(const GU_Detail& analysis, const std::vector<PackedPiece>& pieces,
                                            int own, const PieceScale& scale) {
  std::vector<HostedContact> contacts;
  if (pieces.empty()) return contacts;
  const PointValues values(analysis);
  GA_Iterator blocks{GA_Range(analysis.getIndexMap(GA_ATTRIB_POINT))};
  GA_Offset start, end;
  while (blocks.fullBlockAdvance(start, end))
    for (GA_Offset point = start; point < end; ++point) {
      HostedContact c;
      c.position = values.vector("P", point) / scale.length;
      c.normal = values.vector("N", point);
      c.impulse = values.number("impulse", point).value_or(0) / scale.length;
      const auto numbered = [&](const char* name) -> std::optional<size_t> {
        const double number = values.number(name, point).value_or(-1);
        if (number < 0 || number >= static_cast<double>(pieces.size())) return std::nullopt;
        return static_cast<size_t>(number);
      };
      c.body = numbered("parentprimnum").value_or(nearestPiece(pieces, c.position));
      c.otherObject = static_cast<int32_t>(values.number("impactobject", point).value_or(-1));
      if (c.otherObject == own) c.other = numbered("impactprimnum");
      contacts.push_back(c);
    }
  return contacts;
}

void replacePieces(GU_Detail& detail, const std::vector<PackedPiece>& pieces,
                   const std::vector<HostedBreak>& breaks, double time, const PieceScale& scale) {
  GU_Detail made;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments)
      packFragment(fragment, pieces[broken.body], detail, made, time, scale.length);
  for (const HostedBreak& broken : breaks)
    detail.destroyPrimitiveOffset(pieces[broken.body].primitive, /*and_points=*/true);
  GUmatchAttributesAndMerge(detail, made);
}

void rewireConstraints(GU_Detail& constraints, const std::vector<PackedPiece>& pieces,
                       const std::vector<HostedBreak>& breaks, const PieceScale& scale) {
  GA_Attribute* names = constraints.findAttribute(GA_ATTRIB_POINT, "name");
  if (!GA_ATIString::isType(names)) return;
  const PointValues values(constraints);
  const GA_RWHandleS handle(names);
  GA_Iterator blocks{GA_Range(constraints.getIndexMap(GA_ATTRIB_POINT))};
  GA_Offset start, end;
  while (blocks.fullBlockAdvance(start, end))
    for (GA_Offset point = start; point < end; ++point)
      for (const HostedBreak& broken : breaks) {
        if (handle.get(point).toStdString() != pieces[broken.body].body.name) continue;
        const Vec3 place = values.vector("P", point) / scale.length;
        handle.set(point, UT_StringHolder(nearestFragment(broken.pieces, place).name));
        break;
      }
}

}  // namespace hackle::houdini
