// Behaviour of the double's nodes: parameters by name, connections, cooks through verbs, messages,
// interrupts.
#include <OP/OP_OperatorTable.h>
#include <SOP/SOP_NodeParmsOptions.h>
#include <UT/UT_Interrupt.h>
#include <UT/UT_Ramp.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

UT_Interrupt* UTgetInterrupt() {
  static UT_Interrupt interrupt;
  return &interrupt;
}
UT_AutoInterrupt::UT_AutoInterrupt(const char* operation_name, UT_Interrupt* boss)
    : mBoss(boss), mName(operation_name), mThread(std::this_thread::get_id()) {
  ++mBoss->opened;
}
UT_AutoInterrupt::~UT_AutoInterrupt() {
  mBoss->lastName = mName;
  ++mBoss->closed;
}
bool UT_AutoInterrupt::wasInterrupted(int percent) {
  ++mBoss->polls;
  if (std::this_thread::get_id() != mThread) ++mBoss->foreignPolls;
  if (percent >= 0) mBoss->lastPercent = percent;
  return mBoss->stop;
}

bool UT_Ramp::load(UT_IStream& is) {
  std::istringstream words(is.text());
  UT_ColorNode node;
  while (words >> node.t >> node.rgba.r) mNodes.push_back(node);
  return true;
}

// Operators
// ---------------------------------------------------------------------------------------------------

OP_Operator::OP_Operator(const char* name, const char* englishName, OP_Constructor constructor,
                         PRM_Template* parms, unsigned min_sources, unsigned max_sources, CH_LocalVariable*,
                         unsigned bits, const char** inputlabels, int maxoutputs,
                         const char* tab_submenu_path)
    : english(englishName),
      menuPath(tab_submenu_path ? tab_submenu_path : ""),
      construct(constructor),
      templates(parms),
      minSources(min_sources),
      maxSources(max_sources),
      flags(bits),
      maxOutputs(maxoutputs),
      mName(name) {
  for (; inputlabels && *inputlabels; ++inputlabels) inputLabels.emplace_back(*inputlabels);
}

OP_Operator* OP_OperatorTable::find(const std::string& name) const {
  for (const auto& op : items)
    if (op->getName().toStdString() == name) return op.get();
  return nullptr;
}

// Nodes
// -------------------------------------------------------------------------------------------------------

PRM_ChoiceList SOP_Node::primGroupMenu;
PRM_ChoiceList SOP_Node::pointAttribReplaceMenu;
PRM_ChoiceList SOP_Node::namedPrimsMenu;

SOP_Node::SOP_Node(OP_Network*, const char*, OP_Operator* type) : entry(type) {
  handle.allocateAndSet(new GU_Detail);
}
SOP_Node::~SOP_Node() = default;

bool SOP_Node::needsCook() const {
  return dirty || std::any_of(inputs.begin(), inputs.end(), [](SOP_Node* n) { return n && n->needsCook(); });
}

OP_ERROR SOP_Node::cookAt(fpreal time) {
  for (SOP_Node* input : inputs) {
    if (!input || !input->needsCook()) continue;
    input->cookAt(time);
    dirty = true;
  }
  if (!dirty && time == cookTime) return errors.empty() ? UT_ERROR_NONE : UT_ERROR_ABORT;
  errors.clear(), warnings.clear(), messages.clear();
  ++cooks;
  const size_t connected =
      inputs.size() - static_cast<size_t>(std::count(inputs.begin(), inputs.end(), nullptr));
  OP_ERROR result = UT_ERROR_ABORT;
  if (connected < entry->minSources) {
    errors.push_back("Not enough sources specified.");
  } else {
    OP_Context context(time);
    result = cookMySop(context);
  }
  handle.gdpNC()->incrementMetaCacheCount();
  dirty = false;
  cookTime = time;
  return result;
}

OP_ERROR SOP_Node::cookMyselfAsVerb(OP_Context& context) {
  const SOP_NodeVerb* verb = cookVerb();
  const std::unique_ptr<SOP_NodeParms> values(verb->allocParms());
  static_cast<SOP_NodeParmsOptions&>(*values).load(*this);
  if (!cache) cache.reset(verb->allocCache());
  SOP_NodeVerb::CookParms cook;
  cook.output = handle;  // with what the last cook left
  cook.nodeCache = cache.get();
  cook.nodeParms = values.get();
  cook.time = context.getTime();
  cook.node = this;
  for (SOP_Node* input : inputs)
    cook.inputs.push_back(input ? GU_ConstDetailHandle(input->handle) : GU_ConstDetailHandle());
  verb->cook(cook);
  return errors.empty() ? UT_ERROR_NONE : UT_ERROR_ABORT;
}

namespace {
std::map<std::string, SOP_NodeVerb*>& verbs() {
  static std::map<std::string, SOP_NodeVerb*> all;
  return all;
}
}  // namespace

void SOP_NodeVerb::registerVerb(SOP_NodeVerb* verb) { verbs()[verb->name().toStdString()] = verb; }
const SOP_NodeVerb* SOP_NodeVerb::lookupVerb(const UT_StringRef& name) {
  const auto found = verbs().find(name.toStdString());
  return found == verbs().end() ? nullptr : found->second;
}

// Values
// ------------------------------------------------------------------------------------------------------

namespace {

const PRM_Template* findTemplate(const std::vector<PRM_Template>& list, const std::string& name) {
  for (const PRM_Template& t : list) {
    if (t.name == name) return &t;
    if (const PRM_Template* inside = findTemplate(t.fields, name)) return inside;
  }
  return nullptr;
}

exint menuItem(const PRM_Template& t, const std::string& text) {
  for (size_t i = 0; i < t.menu.size(); ++i)
    if (t.menu[i].first == text) return static_cast<exint>(i);
  return std::stoll(text);
}

}  // namespace

void SOP_NodeParmsOptions::load(const SOP_Node& node) {
  for (const auto& [name, values] : node.parms) {
    // Records' fields end in the number of the record.
    std::string known = name;
    while (!known.empty() && std::isdigit(static_cast<unsigned char>(known.back()))) known.pop_back();
    if (!findTemplate(*mTemplates->list, name) && !findTemplate(*mTemplates->list, known + "#"))
      throw std::invalid_argument("there is no parameter " + name);
  }
  mValues = node.parms;
}

std::string SOP_NodeParmsOptions::value(const std::string& parm, int component, const int* instance) const {
  const PRM_Template* t = findTemplate(*mTemplates->list, parm);
  if (!t) throw std::invalid_argument("there is no parameter " + parm);
  std::string name = parm;
  if (instance) name.replace(name.find('#'), 1, std::to_string(*instance));
  const auto own = mValues.find(name);
  const std::vector<std::string>& values = own == mValues.end() ? t->defaults : own->second;
  return values.at(std::min(static_cast<size_t>(component), values.size() - 1));
}

const UT_OptionEntry* SOP_NodeParmsOptions::getOptionEntry(const UT_StringRef& name) const {
  const std::string key = name.toStdString();
  const PRM_Template* t = findTemplate(*mTemplates->list, key);
  if (!t) return nullptr;
  const auto own = mValues.find(key);
  std::string text;
  for (const std::string& word : own == mValues.end() ? t->rampDefaults : own->second) text += word + " ";
  return &mEntries.insert_or_assign(key, UT_OptionEntry(text)).first->second;
}

namespace {
const SOP_NodeParmsOptions& values(const SOP_NodeVerb::CookParms* cook) {
  return cook->parms<SOP_NodeParmsOptions>();
}
}  // namespace

void SOP_NodeCacheOptions::doCook(const SOP_NodeVerb*, const SOP_NodeVerb::CookParms& parms) {
  mCookParms = &parms;
  OP_Context context(parms.time);
  cook(context);
  mCookParms = nullptr;
}
fpreal SOP_NodeCacheOptions::evalFloat(const char* parm, int vi, fpreal time) const {
  return evalFloatInst(parm, nullptr, vi, time);
}
exint SOP_NodeCacheOptions::evalInt(const char* parm, int vi, fpreal time) const {
  return evalIntInst(parm, nullptr, vi, time);
}
void SOP_NodeCacheOptions::evalString(UT_StringHolder& value, const char* parm, int vi, fpreal time) const {
  evalStringInst(parm, nullptr, value, vi, time);
}
fpreal SOP_NodeCacheOptions::evalFloatInst(const char* parm, const int* instance, int vi, fpreal time,
                                           int) const {
  // "$T" stands for an animated value.
  const std::string text = values(mCookParms).value(parm, vi, instance);
  return text == "$T" ? time : std::stod(text);
}
exint SOP_NodeCacheOptions::evalIntInst(const char* parm, const int* instance, int vi, fpreal, int) const {
  const std::string text = values(mCookParms).value(parm, vi, instance);
  const PRM_Template* t = findTemplate(*mCookParms->node->entry->templates->list, parm);
  return t->menu.empty() ? std::stoll(text) : menuItem(*t, text);
}
void SOP_NodeCacheOptions::evalStringInst(const char* parm, const int* instance, UT_StringHolder& val, int vi,
                                          fpreal, int) const {
  val = UT_StringHolder(values(mCookParms).value(parm, vi, instance));
}
exint SOP_NodeCacheOptions::nInputs() const { return static_cast<exint>(mCookParms->inputs.size()); }
bool SOP_NodeCacheOptions::hasInput(exint idx) const {
  return idx < nInputs() && mCookParms->inputs[idx].isValid();
}
const GU_Detail* SOP_NodeCacheOptions::inputGeo(exint idx) const {
  return hasInput(idx) ? mCookParms->inputs[idx].gdp() : nullptr;
}
OP_ERROR SOP_NodeCacheOptions::error() {
  return mCookParms->node->errors.empty() ? UT_ERROR_NONE : UT_ERROR_ABORT;
}
void SOP_NodeCacheOptions::addError(int, const char* msg) { mCookParms->node->errors.emplace_back(msg); }
void SOP_NodeCacheOptions::addWarning(int, const char* msg) { mCookParms->node->warnings.emplace_back(msg); }
void SOP_NodeCacheOptions::addMessage(int, const char* msg) { mCookParms->node->messages.emplace_back(msg); }
