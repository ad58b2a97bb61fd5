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

void placePacked(HostedBody& body, const GU_PrimPacked& packed, double length) {
  UT_Matrix4D m;
  packed.getFullTransform4(m);
  const Mat3 linear = linearPart(m);
  const Vec3 offset(m(3, 0), m(3, 1), m(3, 2));
  placeBody(body, linear, offset, length, [&packed, linear, offset](Context& context) {
    return contentOf(packed, linear, offset, context);
  });
}

/// A fragment as a packed primitive of its own detail on that point.
void packFragment(const PackedPrimitive& fragment, GU_Detail& made, GA_Offset point) {
  GU_DetailHandle content;
  content.allocateAndSet(new GU_Detail);
  toDetail(*fragment.source, *content.gdpNC());
  // Whether packing moves a point that is there already is not documented: it is put back.
  Vec3 place;
  for (int c = 0; c < 3; ++c) GA_ROHandleT<fpreal64>(made.getP()).getBlock(point, 1, &place[c], 1, c);
  GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(made, content, point);
  if (!packed) throw Error(ErrorCode::Failed, "Houdini did not pack a piece");
  const Eigen::Vector3f pivot = fragment.pivot.cast<float>();
  packed->pivot() = UT_Vector3(pivot.x(), pivot.y(), pivot.z());
  UT_Matrix3D turn(1.0);
  for (unsigned r = 0; r < 3; ++r)
    for (unsigned c = 0; c < 3; ++c) turn(r, c) = fragment.transform(r, c);
  packed->setLocalTransform(turn);
  for (int c = 0; c < 3; ++c) GA_RWHandleT<fpreal64>(made.getP()).setBlock(point, 1, &place[c], 1, c);
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
    placePacked(piece.body, static_cast<const GU_PrimPacked&>(*detail.getGEOPrimitive(packed.primitives[i])),
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
                   const Geometry& points, double length) {
  GU_Detail made;
  toDetail(points, made);
  GA_Index point = 0;
  for (const HostedBreak& broken : breaks)
    for (const Fragment& fragment : broken.pieces.fragments)
      packFragment(packedFragment(fragment, length), made, made.pointOffset(point++));
  // Nothing is deleted before the fragments are there.
  if (!GUmatchAttributesAndMerge(detail, made))
    throw Error(ErrorCode::Failed, "Houdini did not merge the fragments with the pieces");
  for (const HostedBreak& broken : breaks)
    detail.destroyPrimitiveOffset(packed.primitives[broken.body], /*and_points=*/true);
}

}  // namespace hackle::houdini
