#pragma once

#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_OptionsUser.h>

//@ _g_a_s___utils_8h
#define GAS_NAME_GEOMETRY "geometry"

//@ class_g_a_s___sub_solver
class GAS_SubSolver : public SIM_Data, public SIM_OptionsUser {
 public:
  ~GAS_SubSolver() override = default;
  // Test double only: what a network does in every step.
  bool solve(SIM_Engine& engine, SIM_Object& object, SIM_Time time, SIM_Time timestep) {
    return solveGasSubclass(engine, &object, time, timestep);
  }
  std::unique_ptr<SIM_Data> clone() const override { return nullptr; }

 protected:
  //@ class_g_a_s___sub_solver
  explicit GAS_SubSolver(const SIM_DataFactory* factory) { (void)factory; }
  //@ class_g_a_s___sub_solver
  virtual bool solveGasSubclass(SIM_Engine& engine, SIM_Object* obj, SIM_Time time, SIM_Time timestep) = 0;
  //@ class_g_a_s___sub_solver; the data that the parameter of that name names
  SIM_GeometryCopy* getGeometryCopy(SIM_Object* obj, const char* name, bool silent = false);
  //@ class_g_a_s___sub_solver
  SIM_GeometryCopy* getGeometryCopyByDataName(SIM_Object* obj, const char* dataname, bool silent = false);
  //@ class_g_a_s___sub_solver
  static void setGasDescription(SIM_DopDescription& descr) { (void)descr; }
  //@ class_s_i_m___data; of the base
  void addError(const SIM_RootData* root, int errorcode, const char* errorparm,
                UT_ErrorSeverity severity) const;
};

// Test double only: data types that the plug-in registered.
namespace hdk_double {
struct Factory {
  std::string name;
  const SIM_DopDescription* description;
  std::unique_ptr<GAS_SubSolver> (*make)();
};
std::vector<Factory>& factories();
}  // namespace hdk_double

//@ _s_i_m___data_utils_8h
#define DECLARE_STANDARD_GETCASTTOTYPE() using hdk_double_cast_declared = void
//@ _s_i_m___data_utils_8h; defines BaseClass and classname(), among others
#define DECLARE_DATAFACTORY(DataClass, SuperClass, Description, DopParms)                                 \
 public:                                                                                                  \
  using BaseClass = SuperClass;                                                                           \
  static const UT_StringHolder& classname() {                                                             \
    static const UT_StringHolder kName(#DataClass);                                                       \
    return kName;                                                                                         \
  }                                                                                                       \
  static hdk_double::Factory hdkDoubleFactory() {                                                         \
    return {#DataClass, DopParms, [] { return std::unique_ptr<GAS_SubSolver>(new DataClass(nullptr)); }}; \
  }                                                                                                       \
  using hdk_double_factory_declared = void
//@ _s_i_m___data_utils_8h
#define IMPLEMENT_DATAFACTORY(DataClass) hdk_double::factories().push_back(DataClass::hdkDoubleFactory())
