#pragma once

#include <UT/UT_StringHolder.h>

#include <map>
#include <optional>
#include <vector>

class PRM_ChoiceList {};

//@ class_p_r_m___template
class PRM_Template {
 public:
  // Test double only: what the dialog script says of a parameter.
  std::string name, label, type, help, disableWhen, folder;
  int size = 1;
  std::vector<std::string> defaults;
  std::vector<std::pair<std::string, std::string>> menu;
  std::optional<double> low, high;
  bool lowStrict = false, highStrict = false, joinNext = false, noLabel = false;
  const PRM_ChoiceList* choices = nullptr;
  std::vector<std::string> rampDefaults;
  std::vector<PRM_Template> fields;                 // of a multiparm
  std::map<std::string, std::string> tags;          // parmtag
  const std::vector<PRM_Template>* list = nullptr;  // on the first: the whole list
};
