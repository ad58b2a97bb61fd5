#pragma once

#include <GEO/GEO_Primitive.h>

//@ class_g_e_o___prim_poly_soup
class GEO_PrimPolySoup : public GEO_Primitive {
 public:
  GEO_PrimPolySoup(GA_Detail* detail, GA_Offset offset)
      : GEO_Primitive(GA_PRIMPOLYSOUP, offset), mDetail(detail) {}

  //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator
  class PolygonIterator {
   public:
    //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator
    PolygonIterator(const GEO_PrimPolySoup& prim) : mSoup(&prim) {}
    //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator
    GA_Offset getVertexOffset(GA_Size i) const {
      return mSoup->mDetail->getPrimitiveList().getVertexList(mSoup->offset)(
          mSoup->polygons[mPolygon][static_cast<size_t>(i)]);
    }
    //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator
    GA_Size getVertexCount() const { return static_cast<GA_Size>(mSoup->polygons[mPolygon].size()); }
    //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator; of GA_PolyCounts::iteratorT, as operator++
    bool atEnd() const { return mPolygon >= mSoup->polygons.size(); }
    //@ class_g_e_o___prim_poly_soup_1_1_polygon_iterator
    PolygonIterator& operator++() { return ++mPolygon, *this; }

   private:
    const GEO_PrimPolySoup* mSoup;
    size_t mPolygon = 0;
  };

  // Test double only: corners by their number among the vertices of the primitive, which polygons may share.
  std::vector<std::vector<GA_Size>> polygons;

 private:
  GA_Detail* mDetail;
};
