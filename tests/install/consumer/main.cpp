#include <hackle/ops/registry.h>

#include <iostream>

int main() {
  hackle::Geometry geometry;
  geometry.addPoints(3);
  geometry.addPolygon({0, 1, 2});
  hackle::Context context;
  const hackle::Run run = runOperator(hackle::findOperator("convert"), {{geometry}}, {}, context);
  std::cout << run.outputs.geometry().pointCount() << " points\n";
}
