#include <hackle/core/memo.h>
#include <hackle/fracture/crack/first_system.h>

namespace hackle {

std::shared_ptr<const FirstSystem> firstSystem(const BemSurface& surface, const ElasticMaterial& elastic,
                                               const BoundaryData& data, Context& context) {
  const Context::Stage stage(context, "assemble", 0.1);
  MemoKey key("crack.system");
  for (size_t n = 0; n < surface.nodeCount(); ++n) key.add(Span<const Vec3>(&surface.point(n), 1));
  for (size_t t = 0; t < surface.triangleCount(); ++t) key.add(Span<const Triangle>(&surface.triangle(t), 1));
  key.add(Span<const std::array<uint8_t, 3>>(data.fixed));
  key.add(elastic.young).add(elastic.poisson).add(elastic.density);
  return remembered<FirstSystem>(context, key, [&] {
    return std::make_shared<const FirstSystem>(
        FirstSystem{BemSystem(surface, elastic, data, BemSystemOptions(), context)});
  });
}

BemSystem loadedSystem(const FirstSystem& first, const BoundaryData& data, Context& context) {
  BemSystem system = first.system;
  const BoundaryData& has = system.data();
  if (has.traction != data.traction || has.displacement != data.displacement || has.force != data.force)
    system.setValues(data, context);
  return system;
}

}  // namespace hackle
