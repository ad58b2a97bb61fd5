#pragma once

#include <UT/UT_Error.h>
#include <UT/UT_Options.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

//@ _s_i_m___time_8h; a class of its own in the HDK, which converts to fpreal
typedef fpreal SIM_Time;

//@ _s_i_m___error_8h
enum SIM_ErrorCodes {
  //@ _s_i_m___error_8h
  SIM_MESSAGE = 0
};

//@ class_s_i_m___data_factory
class SIM_DataFactory {};

//@ class_s_i_m___data
class SIM_Data {
 public:
  virtual ~SIM_Data() = default;
  // Test double only.
  virtual std::unique_ptr<SIM_Data> clone() const = 0;
  std::map<std::string, std::unique_ptr<SIM_Data>> subdata;
};

//@ class_s_i_m___root_data
class SIM_RootData : public SIM_Data {};

// Flags of SIM_DATA_CREATE.
enum {
  //@ _s_i_m___data_utils_8h
  SIM_DATA_RETURN_EXISTING = 1
};

//@ _s_i_m___data_utils_8h; null if there is none
#define SIM_DATA_GETCONST(data, name, type) dynamic_cast<const type*>(hdk_double::subdata(data, name))
//@ _s_i_m___data_utils_8h
#define SIM_DATA_GET(data, name, type) dynamic_cast<type*>(hdk_double::subdata(data, name))
//@ _s_i_m___data_utils_8h; null if it is of another type
#define SIM_DATA_CAST(data, type) dynamic_cast<type*>(data)
//@ _s_i_m___data_utils_8h
#define SIM_DATA_CREATE(data, name, type, flags) hdk_double::create<type>(data, name, flags)

// Test double only: a data type that adds a node, and what was registered.
namespace hdk_double {
inline SIM_Data* subdata(const SIM_Data& data, const std::string& name) {
  const auto found = data.subdata.find(name);
  return found == data.subdata.end() ? nullptr : found->second.get();
}
template <class T>
T* create(SIM_Data& data, const std::string& name, int flags) {
  (void)flags;
  std::unique_ptr<SIM_Data>& place = data.subdata[name];
  if (!place) place = std::make_unique<T>();
  return static_cast<T*>(place.get());
}
}  // namespace hdk_double
