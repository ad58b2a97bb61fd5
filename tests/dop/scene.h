// An object with packed pieces in the double, and the DOP that breaks them.
#pragma once

#include "../shapes.h"
#include "slab_engine.h"

#include <dop/GAS_HackleFracture.h>
#include <sop/detail_bridge.h>

#include <GA/GA_Handle.h>
#include <GU/GU_PackedGeometry.h>
#include <SIM/SIM_Impacts.h>
#include <UT/UT_DSOVersion.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hackle::test {

constexpr double kStep = 1.0 / 24;

inline void setNumbers(GU_Detail& detail, const char* name, GA_Offset point, std::vector<double> values,
                       GA_Storage storage = GA_STORE_REAL32) {
  GA_Attribute* a = detail.findAttribute(GA_ATTRIB_POINT, name);
  if (!a) a = detail.addTuple(storage, GA_ATTRIB_POINT, name, static_cast<int>(values.size()));
  for (size_t c = 0; c < values.size(); ++c)
    GA_RWHandleT<double>(a).setBlock(point, 1, &values[c], 1, static_cast<int>(c));
}
inline double number(const GU_Detail& detail, const char* name, GA_Offset point, int component = 0) {
  const GA_Attribute* a = detail.findAttribute(GA_ATTRIB_POINT, name);
  if (!a) throw std::invalid_argument(name);
  double value;
  GA_ROHandleT<double>(a).getBlock(point, 1, &value, 1, component);
  return value;
}
inline std::string text(const GU_Detail& detail, const char* name, GA_Offset point) {
  return GA_ROHandleS(detail.findAttribute(GA_ATTRIB_POINT, name)).get(point).toStdString();
}

/// A bar of 2 x 0.5 x 0.5 m that falls onto a ball: two packed pieces of one object, 24 frames a second.
class Scene {
 public:
  Scene() {
    GAS_HackleFracture::engineMaker() = [this](const std::string& id, Value::Map, const MaterialOptions&,
                                               Context&) {
      if (id != "slabs")
        throw Error(ErrorCode::Usage, "there is no operator " + id, "hackle list shows all operators");
      return std::make_shared<SlabEngine>(4, strength);
    };
    hdk_double::factories().clear();
    initializeSIM(nullptr);
    solver = hdk_double::factories().at(0).make();
    for (const PRM_Template& t : *hdk_double::factories()[0].description->templates->list)
      if (!t.defaults.empty()) set(t.name, t.defaults[0]);
    set("engine", "slabs");
    set("min_volume", "0.2");  // the ball stays whole, and so do the pieces of the bar
    auto geometry = std::make_unique<SIM_GeometryCopy>();
    addPiece(*geometry->handle.gdpNC(), "bar", shapes::box({-1, -0.25, -0.25}, {1, 0.25, 0.25}), {0, 1, 0},
             {0, -3, 0});
    addPiece(*geometry->handle.gdpNC(), "ball", shapes::box({-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25}),
             {0, 0.5, 0}, {0, 0, 0});
    object.subdata["Geometry"] = std::move(geometry);
    object.subdata["Impacts"] = std::make_unique<SIM_Impacts>();
  }
  void set(const std::string& name, const std::string& value) {
    solver->options.values.insert_or_assign(name, UT_OptionEntry(value));
  }
  static void addPiece(GU_Detail& detail, const char* name, Geometry shape, const Vec3& at, const Vec3& v) {
    GU_DetailHandle inside;
    inside.allocateAndSet(new GU_Detail);
    shape.positionFileStorage = Storage::Float32;
    houdini::toDetail(shape, *inside.gdpNC());
    GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(detail, inside);
    const GA_Offset point = detail.vertexPoint(detail.getPrimitiveList().getVertexList(packed->offset)(0));
    for (int c = 0; c < 3; ++c) GA_RWHandleT<double>(detail.getP()).setBlock(point, 1, &at[c], 1, c);
    GA_Attribute* names = detail.findAttribute(GA_ATTRIB_POINT, "name");
    if (!names) names = detail.addStringTuple(GA_ATTRIB_POINT, "name", 1);
    GA_RWHandleS(names).set(point, UT_StringHolder(name));
    setNumbers(detail, "v", point, {v.x(), v.y(), v.z()});
    setNumbers(detail, "w", point, {0, 0.5, 0});
    setNumbers(detail, "density", point, {1000});
    setNumbers(detail, "id", point, {double(detail.getNumPoints())}, GA_STORE_INT32);
    setNumbers(detail, "creationtime", point, {0.5});
    setNumbers(detail, "Cd", point, {0.25, 0.5, 1});
  }
  GU_Detail& detail() { return *static_cast<SIM_GeometryCopy&>(*object.subdata["Geometry"]).handle.gdpNC(); }
  SIM_Impacts& impacts() { return static_cast<SIM_Impacts&>(*object.subdata["Impacts"]); }

  /// One frame of the "solver": what it says of impacts, then the node.
  bool frame(int number, double impulse = 0) {
    impacts().records.clear();
    if (impulse > 0) {
      SIM_Impacts::Record hit;
      hit.position = UT_Vector3(0, 0.75f, 0);
      hit.normal = UT_Vector3(0, 1, 0);
      hit.impulse = impulse;
      hit.primitive = 0;
      hit.otherObject = object.id;
      hit.otherPrimitive = 1;
      impacts().records.push_back(hit);
      // The other body's record of the same contact.
      std::swap(hit.primitive, hit.otherPrimitive);
      hit.normal = UT_Vector3(0, -1, 0);
      impacts().records.push_back(hit);
    }
    SIM_Engine engine;
    return solver->solve(engine, object, number * kStep, kStep);
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (GA_Size p = 0; p < detail().getNumPrimitives(); ++p)
      all.push_back(text(detail(), "name", pointAt(p)));
    return all;
  }
  GA_Offset pointAt(GA_Index primitive) {
    const GA_Offset offset = detail().primitiveOffset(primitive);
    return detail().vertexPoint(detail().getPrimitiveList().getVertexList(offset)(0));
  }

  double strength = 0;
  std::unique_ptr<GAS_SubSolver> solver;
  SIM_Object object;
};

}  // namespace hackle::test
