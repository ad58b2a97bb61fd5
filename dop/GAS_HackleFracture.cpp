#include <dop/GAS_HackleFracture.h>
#include <dop/packed_pieces.h>
#include <hackle/core/memo.h>
#include <hackle/core/poll_thread.h>
#include <hackle/ops/engines.h>
#include <sop/detail_bridge.h>
#include <sop/package/cook_report.h>
#include <sop/package/dialog_script.h>

#include <GAS/GAS_Utils.h>
#include <GU/GU_Detail.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_ConstraintNetworkRelationship.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_Impacts.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_Relationship.h>
#include <UT/UT_Interrupt.h>

#include <optional>

using namespace hackle;

namespace {

const char* const kState = "HackleState";
const char* const kStateKind = "hosted";
const char* const kAnalysis = "ImpactAnalysis";

/// What engines computed for solids, found again by content. Only a cache: results do not depend on it.
Memo& engineMemo() {
  static auto* memo = new Memo;
  return *memo;
}

std::string stateBytes(const SIM_GeometryCopy& state) {
  const GU_DetailHandleAutoReadLock lock(state.getGeometry());
  if (!lock.getGdp() || !lock.getGdp()->findAttribute(GA_ATTRIB_GLOBAL, houdini::kDataAttribute)) return "";
  const Blob blob = houdini::blobFromDetail(*lock.getGdp());
  return std::string(blob.bytes.begin(), blob.bytes.end());
}

}  // namespace

EngineMaker& GAS_HackleFracture::engineMaker() {
  static EngineMaker maker = engineOf;
  return maker;
}

GAS_HackleFracture::GAS_HackleFracture(const SIM_DataFactory* factory) : BaseClass(factory) {}
GAS_HackleFracture::~GAS_HackleFracture() = default;

const SIM_DopDescription* GAS_HackleFracture::getDopDescription() {
  // Houdini keeps pointers to all of these.
  static const auto* script = new std::string(houdini::dialogScript(houdini::fractureNode(), "parameters"));
  static const auto* builder =
      new PRM_TemplateBuilder(UT_StringHolder(houdini::kFractureNodeName), script->c_str());
  static SIM_DopDescription* description = [] {
    auto* made = new SIM_DopDescription(true, houdini::kFractureNodeName, "Hackle Fracture", "HackleFracture",
                                        classname().c_str(), builder->templates());
    made->setDefaultUniqueDataName(1);
    setGasDescription(*made);
    return made;
  }();
  return description;
}

/// The node's parameters are options of the data, by their names.
Value::Map GAS_HackleFracture::parameterValues() const {
  Value::Map given;
  for (const Parameter& row : houdini::fractureNode().parameters) {
    const UT_OptionEntry* entry = getOptions().getOptionEntry(UT_StringHolder(row.name));
    if (!entry) continue;
    fpreal64 number = 0;
    int64 whole = 0;
    bool on = false;
    UT_StringHolder text;
    if (row.type == ParameterType::Float && entry->importOption(number))
      given.emplace_back(row.name, number);
    else if (row.type == ParameterType::Int && entry->importOption(whole))
      given.emplace_back(row.name, static_cast<int64_t>(whole));
    else if (row.type == ParameterType::Toggle && entry->importOption(on))
      given.emplace_back(row.name, on);
    else if (row.type == ParameterType::String && entry->importOption(text))
      given.emplace_back(row.name, text.toStdString());
  }
  return given;
}

/// Impacts of this step, wherever the options say that they are.
std::vector<HostedRecord> GAS_HackleFracture::readRecords(SIM_Object& object,
                                                          const houdini::FractureNodeOptions& options) {
  std::vector<HostedRecord> records;
  if (options.analysis) {
    const SIM_GeometryCopy* analysis = getGeometryCopyByDataName(&object, kAnalysis, true);
    if (!analysis) return records;
    const GU_DetailHandleAutoReadLock lock(analysis->getGeometry());
    Context quiet;
    if (lock.getGdp()) records = recordsOf(houdini::fromDetail(*lock.getGdp(), quiet));
    return records;
  }
  if (const SIM_Impacts* impacts = SIM_DATA_GETCONST(object, SIM_IMPACTS_DATANAME, SIM_Impacts))
    records = houdini::impactRecords(*impacts);
  const SIM_Impacts* feedback =
      options.feedback ? SIM_DATA_GETCONST(object, SIM_FEEDBACK_DATANAME, SIM_Impacts) : nullptr;
  if (feedback)
    for (const HostedRecord& record : houdini::impactRecords(*feedback)) records.push_back(record);
  return records;
}

/// The object's own network, and those of its relationships.
std::vector<GAS_HackleFracture::Network> GAS_HackleFracture::constraintNetworks(
    SIM_Object& object, const houdini::FractureNodeOptions& options) {
  std::vector<Network> networks;
  if (options.constraints.empty()) return networks;
  if (SIM_GeometryCopy* own = getGeometryCopyByDataName(&object, options.constraints.c_str(), true))
    networks.push_back({own, options.hosted.matchBy});
  const SIM_RelationshipArray& relationships = object.getRelationships(/*ingroup=*/true);
  for (exint i = 0; i < relationships.size(); ++i) {
    SIM_Data* type = relationships(i)->getRelationshipTypeData();
    auto* network = type ? SIM_DATA_CAST(type, SIM_ConstraintNetworkRelationship) : nullptr;
    if (!network || !network->getGeometry()) continue;
    // Options that this Houdini does not have are not set.
    const UT_OptionEntry* on = network->getOptions().getOptionEntry("enablematchbyattrib");
    const UT_OptionEntry* attribute = network->getOptions().getOptionEntry("matchbyattrib");
    bool enabled = false;
    UT_StringHolder name;
    const bool other =
        on && attribute && on->importOption(enabled) && enabled && attribute->importOption(name);
    networks.push_back({network->getGeometry(), other ? name.toStdString() : "name"});
  }
  return networks;
}

/// Puts fragments in place of the pieces that broke, and lets constraints follow.
void GAS_HackleFracture::replaceBroken(SIM_Object& object, SIM_GeometryCopy* geometry, const Broken& broken) {
  const houdini::FractureNodeOptions& options = broken.options;
  const double length = options.hosted.worldScale;
  const std::vector<Network> networks = constraintNetworks(object, options);
  std::set<std::string> identifiers;
  for (const Network& network : networks) identifiers.insert(network.matchBy);
  const houdini::PackedPieces& packed = broken.packed;
  const Geometry fragments =
      fragmentPoints(packed.points, packed.pieces, broken.breaks, broken.end, length, identifiers);
  const BrokenPieces pieces{packed.points, packed.pieces, broken.breaks, fragments, length};
  std::optional<ConstraintOptions> glue = fragmentConstraints(options.hosted);
  for (const Network& network : networks) {
    SIM_GeometryAutoWriteLock lock(network.geometry);
    Context quiet;
    const Geometry constraints = houdini::fromDetail(lock.getGdp(), quiet);
    houdini::toDetail(brokenConstraints(constraints, pieces, glue, network.matchBy), lock.getGdp());
    glue.reset();  // one network is enough
  }
  SIM_GeometryAutoWriteLock lock(geometry);
  houdini::replacePieces(lock.getGdp(), packed, broken.breaks, fragments, length);
}

void GAS_HackleFracture::breakPieces(SIM_Object& object, double time, double timestep, Context& context) {
  const houdini::FractureNodeOptions options = houdini::fractureNodeOptions(parameterValues());
  SIM_GeometryCopy* geometry = getGeometryCopy(&object, GAS_NAME_GEOMETRY, true);
  if (!geometry) return;
  HostedStep step(decideOptions(options.hosted));
  SIM_GeometryCopy* state = SIM_DATA_CREATE(object, kState, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING);
  if (state) step.restore(stateBytes(*state));

  // Read everything, and compute before anything is changed.
  HostedResult result;
  houdini::PackedPieces packed;
  {
    const GU_DetailHandleAutoReadLock lock(geometry->getGeometry());
    if (!lock.getGdp()) return;
    packed = houdini::packedPieces(*lock.getGdp(), options.hosted.worldScale);
    if (packed.pieces.empty()) return;
    completeBodies(packed.pieces, options.hosted, engineMaker(), context);
    std::vector<HostedBody> bodies;
    for (const HostedPiece& piece : packed.pieces) bodies.push_back(piece.body);
    const std::vector<HostedContact> contacts = recordedContacts(
        readRecords(object, options), packed.pieces, object.getObjectId(), options.hosted.worldScale);
    result = step.step(bodies, contacts, time, timestep * options.hosted.timeScale, context);
  }
  if (!result.breaks.empty())
    replaceBroken(object, geometry, {options, packed, result.breaks, time + timestep});
  if (!state) return;
  const std::string bytes = step.save();
  SIM_GeometryAutoWriteLock lock(state);
  houdini::blobToDetail({kStateKind, std::vector<uint8_t>(bytes.begin(), bytes.end())}, lock.getGdp());
}

bool GAS_HackleFracture::solveGasSubclass(SIM_Engine&, SIM_Object* object, SIM_Time time, SIM_Time timestep) {
  if (!object) return true;
  UT_AutoInterrupt interrupt("Hackle: Fracture");
  Context context;
  context.setCancelPoll([&] { return interrupt.wasInterrupted(-1); });
  pollOnThisThread(context);
  setMemo(context, &engineMemo());
  houdini::CookFailure failure;
  try {
    breakPieces(*object, static_cast<double>(time), static_cast<double>(timestep), context);
  } catch (...) {
    failure = houdini::cookFailure(std::current_exception(), houdini::fractureNode().label);
  }
  for (const std::string& warning : context.warnings())
    addError(object, SIM_MESSAGE, warning.c_str(), UT_ERROR_WARNING);
  if (!failure.text.empty()) addError(object, SIM_MESSAGE, failure.text.c_str(), UT_ERROR_ABORT);
  return failure.text.empty();
}
