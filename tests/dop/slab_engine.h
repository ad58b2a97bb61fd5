// An engine for tests: cuts the box of a body into slabs along its longest axis.
#pragma once

#include <hackle/core/error.h>
#include <hackle/fracture/engine.h>

#include <fmt/format.h>

namespace hackle::test {

/// Breaks where the impulse of all impacts reaches `strength` (N s).
class SlabEngine : public FractureEngine {
 public:
  explicit SlabEngine(int slabs, double strength = 0) : mSlabs(slabs), mStrength(strength) {}

  struct State : EngineState {
    size_t bytes() const override { return sizeof(*this); }
  };
  std::string id() const override { return "slabs"; }
  EngineStatePtr prepare(const SolidPtr&, Context&) const override { return std::make_shared<State>(); }
  bool mayBreak(const Solid&, const EngineState&, const LoadCase& load) const override {
    return !load.impacts.empty();
  }
  FractureResult fracture(const Solid& solid, const EngineState&, const LoadCase& load,
                          Context& context) const override {
    context.checkCancel();
    double impulse = 0;
    for (const Impact& impact : load.impacts) impulse += impact.impulse;
    FractureResult result;
    if (impulse < mStrength) {
      result.held = Held{HeldBy::Strength, mStrength / impulse, "the impulse is too small"};
      return result;
    }
    const Box3 box = solid.geometry.bounds();
    const Vec3 size = box.max - box.min;
    int axis = 0;
    size.maxCoeff(&axis);
    for (int i = 0; i < mSlabs; ++i) {
      Vec3 low = box.min, high = box.max;
      low[axis] = box.min[axis] + size[axis] * i / mSlabs;
      high[axis] = box.min[axis] + size[axis] * (i + 1) / mSlabs;
      const Geometry slab = shapes::box(low, high);
      for (size_t p = 0; p < slab.primitiveCount(); ++p) result.pieces.primitivePiece.push_back(i);
      result.pieces.geometry.append(slab);
      result.pieces.names.push_back(fmt::format("piece{}", i));
      PieceContact contact;
      contact.a = i - 1, contact.b = i;
      contact.area = size.prod() / size[axis];
      if (i > 0) result.pieces.contacts.push_back(contact);
    }
    return result;
  }
  std::string save(const EngineState&) const override { return "slabs"; }
  EngineStatePtr load(const SolidPtr&, std::string_view, Context&) const override {
    return std::make_shared<State>();
  }

 private:
  int mSlabs;
  double mStrength;
};

}  // namespace hackle::test
