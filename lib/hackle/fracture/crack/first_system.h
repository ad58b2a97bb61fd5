// The boundary element system of a body before any crack grows in it.
#pragma once

#include <hackle/bem/system.h>

#include <memory>

namespace hackle {

/// Its matrix and factor serve all loads.
struct FirstSystem {
  BemSystem system;
  size_t bytes() const { return system.bytes(); }
};

/// Assembled and factorised, or found in the run's memo: its values may then be others than those of `data`,
/// with the same `fixed`.
std::shared_ptr<const FirstSystem> firstSystem(const BemSurface& surface, const ElasticMaterial& elastic,
                                               const BoundaryData& data, Context& context);

/// A copy with these values, which shares the factor.
BemSystem loadedSystem(const FirstSystem& first, const BoundaryData& data, Context& context);

}  // namespace hackle
