// Boundary operators of large surfaces as hierarchical matrices.
#pragma once

#include <hackle/bem/operators.h>

#include <memory>

namespace hackle {

struct CompressionOptions {
  double tolerance = 3e-6;  // relative error of a block of low rank
  double eta = 2.0;         // blocks are compressed from min(diameters) <= eta * distance
  size_t leafSize = 40;     // triangles of the smallest clusters
  bool doubleLayer = true;  // keep K too; D and V alone need about two thirds of the memory
  QuadratureOptions quadrature;
};

/// V, K and D for any material, by adaptive cross approximation of the pairs' integrals: memory and time grow
/// almost linearly with the surface. README section 5. Same bytes on any number of threads.
class CompressedOperators {
 public:
  /// The surface has to outlive this.
  CompressedOperators(const BemSurface& surface, const CompressionOptions& options, Context& context);
  ~CompressedOperators();

  /// Fills Vq, Ku, KTq and Du as assemble() does. Without K (`withK`, or the option) only Vq and Du are
  /// right.
  void multiply(const ElasticMaterial& material, OperatorProducts& products, Context& context,
                bool withK = true) const;

  const BemSurface& surface() const { return mSurface; }
  size_t memoryBytes() const;
  /// Mean rank of the compressed blocks of L.
  double meanRank() const;

 private:
  struct Data;
  const BemSurface& mSurface;
  std::unique_ptr<Data> mData;
};

}  // namespace hackle
