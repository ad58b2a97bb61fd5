// Geometry as hosts of simulations hand it over.
#pragma once

#include <hackle/geometry/geometry.h>

#include <string>
#include <vector>

namespace hackle {

/// A number attribute of points, value after value.
inline Attribute& numbers(Geometry& g, const char* name, Storage storage, int tuple,
                          const std::vector<double>& values) {
  Attribute& a = g.addAttribute(Owner::Point, Attribute(name, storage, tuple));
  for (size_t i = 0; i < values.size(); ++i)
    a.setNumber(i / static_cast<size_t>(tuple), static_cast<int>(i) % tuple, values[i]);
  return a;
}

/// A constraint between two bodies, near an end of the first.
inline Geometry constraintLine(const std::string& first, const std::string& second) {
  Geometry line;
  line.addPoint(Vec3(0.9, 0.75, 0));
  line.addPoint(Vec3(0, 0.5, 0));
  const std::vector<int32_t> ends{0, 1};
  line.addPrimitive(PrimitiveType::Polyline, ends);
  Attribute& names = line.addAttribute(Owner::Point, Attribute("name", Storage::String, 1));
  names.setString(0, first);
  names.setString(1, second);
  return line;
}

}  // namespace hackle
