#include <dop/packed_pieces.h>
#include <hackle/core/error.h>
#include <hackle/geometry/transform.h>
#include <sop/detail_bridge.h>

#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GU/GU_Detail.h>
#include <GU/GU_MergeUtils.h>
#include <GU/GU_PackedGeometry.h>
#include <SIM/SIM_Impacts.h>

#include <Eigen/LU>

namespace hackle::houdini {

namespace {

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

/// Shape and pose. The scale of the transform goes into the shape, so that what is left is a rotation.
void placeBody(HostedBody& body, const GU_PrimPacked& packed, double length) {
  UT_Matrix4D m;
  packed.getFullTransform4(m);
  const Mat3 linear = linearPart(m);
  const Vec3 offset(m(3, 0), m(3, 1), m(3, 2));
  body.rotation = rotationOf(linear);
  body.offset = offset / length;
  const Mat3 stretch = body.rotation.transpose() * linear / length;
  const bool plain = (stretch - Mat3::Identity()).norm() < 1e-5;
  body.shape = [&packed, linear, offset, stretch, plain](Context& context) {
    Geometry content = contentOf(packed, linear, offset, context);
    if (!plain) transformGeometry(content, stretch, Vec3::Zero(), context);
    return content;
  };
}

/// A fragment as a packed primitive of its own detail on that point: its shape as it is, turned and placed by
/// the primitive.
void packFragment(const Fragment& fragment, GU_Detail& made, GA_Offset point, double length) {
  GU_DetailHandle content;
  content.allocateAndSet(new GU_Detail);
  Geometry shape = fragment.geometry;
  if (length != 1) {
    Context quiet;
    transformGeometry(shape, length * Mat3::Identity(), Vec3::Zero(), quiet);
  }
  shape.positionFileStorage = Storage::Float64;
  toDetail(shape, *content.gdpNC());
  GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(made, content, point);
  if (!packed) throw Error(ErrorCode::Failed, "Houdini did not pack a piece");
  const Eigen::Vector3f centre = (length * fragment.mass.centre).cast<float>();
  packed->pivot() = UT_Vector3(centre.x(), centre.y(), centre.z());
  UT_Matrix3D turn(1.0);
  for (unsigned r = 0; r < 3; ++r)
    for (unsigned c = 0; c < 3; ++c) turn(r, c) = fragment.motion.rotation(c, r);
  packed->setLocalTransform(turn);
  // Whether packing moves a point that is there already is not documented.
  const Vec3 place = length * fragment.motion.position;
  for (int c = 0; c < 3; ++c) GA_RWHandleT<fpreal64>(made.getP()).setBlock(point, 1, place.data() + c, 1, c);
}

Vec3 vec(const UT_Vector3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

PackedPieces packedPieces(const GU_Detail& detail, double length) {
  PackedPieces packed;
  std::vector<GA_Offset> points;
  GA_Iterator blocks{GA_Range(detail.getIndexMap(GA_ATTRIB_PRIMITIVE))};
  GA_Offset start, end;
  while (blocks.fullBlockAdvance(start, end))
    for (GA_Offset primitive = start; primitive < end; ++primitive) {
      const GEO_Primitive* geo = detail.getGEOPrimitive(primitive);
      if (!geo || !GU_PrimPacked::isPackedPrimitive(*geo)) continue;
      packed.primitives.push_back(primitive);
      points.push_back(detail.vertexPoint(detail.getPrimitiveList().getVertexList(primitive)(0)));
    }
  packed.points = pointsOf(detail, points);
  packed.pieces = hostedPieces(packed.points, length);
  for (size_t i = 0; i < points.size(); ++i) {
    HostedPiece& piece = packed.pieces[i];
    placeBody(piece.body, static_cast<const GU_PrimPacked&>(*detail.getGEOPrimitive(packed.primitives[i])),
              length);
    piece.primitiveNumber = detail.primitiveIndex(packed.primitives[i]);
    piece.pointNumber = detail.pointIndex(points[i]);
  }
  return packed;
}

std::vector<HostedRecord> impactRecords(const SIM_Impacts& impacts) {
  std::vector<HostedRecord> records;
  for (int i = 0; i < impacts.getNumImpacts(); ++i) {
    HostedRecord record;
    record.position = vec(impacts.getPosition(i));
    record.normal = vec(impacts.getNormal(i));
    record.impulse = impacts.getImpulse(i);
    record.friction = (impacts.getFlags(i) & SIM_IMPACTS_FRICTION) != 0;
    record.primitiveNumber = impacts.getPrimitiveNumber(i);
    record.pointNumber = impacts.getPointNumber(i);
    record.otherObject = impacts.getOtherObjId(i);
    record.otherPrimitiveNumber = impacts.getOtherObjPrimitiveNumber(i);
    record.otherPointNumber = impacts.getOtherObjPointNumber(i);
    records.push_back(record);
  }
  return records;
}

void replacePieces(GU_Detail& detail, const PackedPieces& packed, const std::vector<HostedBreak>& breaks,
                   double time, double length) {
  GU_Detail made;
  toDetail(fragmentPoints(packed.points, packed.pieces, breaks, time, length), made);
  GA_Index point = 0;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments)
      packFragment(fragment, made, made.pointOffset(point++), length);
  for (const HostedBreak& broken : breaks)
    detail.destroyPrimitiveOffset(packed.primitives[broken.body], /*and_points=*/true);
  GUmatchAttributesAndMerge(detail, made);
}

}  // namespace hackle::houdini
