// Behaviour of the double's simulation data: enough to run a microsolver over frames, rewind and repeat.
#include <GAS/GAS_SubSolver.h>

std::unique_ptr<SIM_Data> SIM_Object::clone() const {
  auto copy = std::make_unique<SIM_Object>();
  copy->id = id;
  for (const auto& [name, data] : subdata) copy->subdata[name] = data->clone();
  return copy;
}

std::unique_ptr<SIM_Data> SIM_GeometryCopy::clone() const {
  auto copy = std::make_unique<SIM_GeometryCopy>();
  copy->handle.gdpNC()->replaceWith(*handle.gdp());
  return copy;
}

SIM_GeometryCopy* GAS_SubSolver::getGeometryCopyByDataName(SIM_Object* obj, const char* dataname, bool) {
  return dynamic_cast<SIM_GeometryCopy*>(hdk_double::subdata(*obj, dataname));
}

SIM_GeometryCopy* GAS_SubSolver::getGeometryCopy(SIM_Object* obj, const char* parmname, bool silent) {
  UT_StringHolder name;
  const UT_OptionEntry* entry = getOptions().getOptionEntry(parmname);
  if (!entry || !entry->importOption(name)) return nullptr;
  return getGeometryCopyByDataName(obj, name.c_str(), silent);
}

void GAS_SubSolver::addError(const SIM_RootData* root, int, const char* message,
                             UT_ErrorSeverity severity) const {
  const_cast<SIM_Object*>(static_cast<const SIM_Object*>(root))->messages.emplace_back(severity, message);
}

std::vector<hdk_double::Factory>& hdk_double::factories() {
  static std::vector<Factory> all;
  return all;
}
