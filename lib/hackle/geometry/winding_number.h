// Inside or outside of any triangles, also open, overlapping or broken ones.
#pragma once

#include <hackle/geometry/bvh.h>

#include <vector>

namespace hackle {

/// Generalised winding number [Jacobson13]: the solid angle of the triangles seen from the query,
/// by 4 pi. Inside a closed, outward-oriented surface it is 1, outside 0; where holes are, in between; above
/// 1/2 is a robust "inside". Exact, one term a triangle.
double windingNumberExact(Span<const Vec3> points, Span<const Triangle> triangles, const Vec3& query);

/// The same in logarithmic time [Barill18]. With G(r) = r / |r|^3, a part of the tree with area
/// vectors a at x contributes the sum of a . G(x - query). Far from the query it counts as the expansion of G
/// about the part's centre c, d = x - c:
///   a_i G_i + a_i d_j dG_i/dx_j + a_i d_j d_k / 2 d2G_i/dx_j dx_k.
class WindingNumber {
 public:
  /// Keeps a reference to the tree.
  WindingNumber(const TriangleBvh& bvh, Context& context);

  /// A part is far when the query is more than `accuracy` times the part's radius away from its centre. 2
  /// errs by less than 0.01, typically 0.001; the error falls with the third power. Larger is slower.
  double operator()(const Vec3& query, double accuracy = 2.0) const;

 private:
  /// Sums over the triangles of a part, in single precision to save memory.
  struct Expansion {
    float centre[3] = {};  // average by area
    float radius = 0;      // of a ball about the centre that holds the part
    float weight = 0;      // sum of areas
    float area[3] = {};    // a
    float second[6] = {};  // a d, made symmetric: xx xy xz yy yz zz
    float third[10] = {};  // a d d, made symmetric: xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
  };
  struct Sums;
  void expandLeaf(size_t node);
  void expandInner(size_t node);
  static double evaluate(const Expansion& e, const Vec3& r);

  const TriangleBvh& mBvh;
  std::vector<Expansion> mExpansions;  // one per node
};

}  // namespace hackle
