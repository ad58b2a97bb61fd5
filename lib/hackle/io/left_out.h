// What a file format has no place for, told to the user in one line.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <functional>
#include <string>
#include <vector>

namespace hackle {

/// What a format carries; a null function carries nothing.
struct Carried {
  std::function<bool(PrimitiveType)> primitives;
  std::function<bool(Owner, const Attribute&)> attributes;
  std::function<bool(Owner, const Group&)> groups;
  bool edgeGroups = false;
};

/// Collects what a reader or a writer leaves out and warns once:
/// "OBJ: left out 12 tetrahedra; point attributes v, w; primitive group inside".
class LeftOut {
 public:
  explicit LeftOut(std::string format) : mFormat(std::move(format)) {}

  /// Everything of the geometry that is not carried.
  void compare(const Geometry& geometry, const Carried& carried);
  /// One named thing of a kind (singular): "point attribute", "v". Names are listed once each.
  void add(const std::string& kind, const std::string& name);
  /// A number of nameless things: 12, "polygon without corners", "polygons without corners". 0 adds nothing.
  void addCount(size_t count, const std::string& one, const std::string& many);

  bool empty() const { return mKinds.empty() && mCounts.empty(); }
  /// One warning, none if nothing was left out. Long lists of names are cut.
  void warn(Context& context) const;

 private:
  struct Kind {
    std::string name;
    std::vector<std::string> members;
    bool more = false;  // there are members that are not listed
  };
  std::string mFormat;
  std::vector<std::string> mCounts;
  std::vector<Kind> mKinds;
};

}  // namespace hackle
