#pragma once

#include <UT/UT_Options.h>

#include <map>
#include <string>

//@ class_s_i_m___options; derives from UT_Options
class SIM_Options {
 public:
  //@ class_u_t___options
  const UT_OptionEntry* getOptionEntry(const UT_StringRef& name) const {
    const auto found = values.find(name.toStdString());
    return found == values.end() ? nullptr : &found->second;
  }
  std::map<std::string, UT_OptionEntry> values;  // test double only
};

//@ class_s_i_m___options_user
class SIM_OptionsUser {
 public:
  //@ class_s_i_m___options_user
  const SIM_Options& getOptions() const { return options; }
  SIM_Options options;  // test double only
};
