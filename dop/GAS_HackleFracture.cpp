#include <dop/GAS_HackleFracture.h>
#include <dop/package/fracture_node.h>
#include <dop/packed_pieces.h>
#include <hackle/core/error.h>
#include <hackle/core/memo.h>
#include <hackle/core/poll_thread.h>
#include <hackle/ops/engines.h>
#include <sop/detail_bridge.h>
#include <sop/package/dialog_script.h>

#include <GAS/GAS_Utils.h>
#include <GU/GU_Detail.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_Impacts.h>
#include <SIM/SIM_Object.h>
#include <UT/UT_Interrupt.h>

#include <fmt/format.h>

#include <new>

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
  if (!lock.getGdp() || !lock.getGdp()->findAttribute(GA_ATTRIB_GLOBAL, "hackle_data")) return "";
  const Blob blob = houdini::blobFromDetail(*lock.getGdp());
  return std::string(blob.bytes.begin(), blob.bytes.end());
}

FractureLimits limitsOf(const houdini::FractureNodeOptions& options, const houdini::PackedPiece& piece) {
  FractureLimits limits;
  const double impulse = piece.minImpulse.value_or(options.minImpulse),
               force = piece.minForce.value_or(options.minForce);
  if (impulse > 0) limits.impulse = impulse;
  if (force > 0) limits.force = force;
  limits.minVolume = piece.minVolume.value_or(options.minVolume);
  limits.delay = options.delay;
  limits.resting = options.resting;
  return limits;
}

/// Engines by name and parameters, so that pieces share them.
class Engines {
 public:
  Engines(const houdini::FractureNodeOptions& options, Context& context)
      : mOptions(options), mContext(context) {}

  std::shared_ptr<const FractureEngine> of(const houdini::PackedPiece& piece,
                                           const MaterialOptions& material) {
    const std::string id = piece.engine.value_or(mOptions.engine);
    if (id.empty()) return nullptr;
    const std::string text = mOptions.engineParameters + " " + piece.engineParameters;
    auto& engine = mMade[fmt::format("{}\n{}\n{}", id, text, material.density)];
    if (!engine) engine = GAS_HackleFracture::engineMaker()(id, parametersFromText(text), material, mContext);
    return engine;
  }

 private:
  const houdini::FractureNodeOptions& mOptions;
  Context& mContext;
  std::map<std::string, std::shared_ptr<const FractureEngine>> mMade;
};

/// Fills in what the node's parameters say of pieces whose points do not.
std::vector<HostedBody> bodiesOf(std::vector<houdini::PackedPiece>& pieces,
                                 const houdini::FractureNodeOptions& options, Context& context) {
  Engines engines(options, context);
  std::vector<HostedBody> bodies;
  for (houdini::PackedPiece& piece : pieces) {
    const MaterialOptions material{"custom",         piece.density.value_or(options.density),
                                   options.young,    options.poisson,
                                   options.strength, options.toughness};
    piece.body.material = {material.young, material.poisson, material.density};
    piece.body.limits = limitsOf(options, piece);
    if (piece.body.dynamic) piece.body.engine = engines.of(piece, material);
    bodies.push_back(piece.body);
  }
  return bodies;
}

DecideOptions decideOptions(const houdini::FractureNodeOptions& options) {
  DecideOptions decide;
  decide.seed = static_cast<uint64_t>(options.seed);
  decide.gravity = options.gravity;
  if (options.maxPieces > 0) decide.maxBodies = static_cast<size_t>(options.maxPieces);
  return decide;
}

}  // namespace

GAS_HackleFracture::EngineMaker& GAS_HackleFracture::engineMaker() {
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

void GAS_HackleFracture::breakPieces(SIM_Object& object, double time, double timestep, Context& context) {
  const houdini::FractureNodeOptions options = houdini::fractureNodeOptions(parameterValues());
  SIM_GeometryCopy* geometry = getGeometryCopy(&object, GAS_NAME_GEOMETRY, true);
  if (!geometry) return;
  const houdini::PieceScale scale{options.worldScale};
  HostedStep step(decideOptions(options));
  SIM_GeometryCopy* state = SIM_DATA_CREATE(object, kState, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING);
  if (state) step.restore(stateBytes(*state));

  // Read everything, and compute before anything is changed.
  HostedResult result;
  std::vector<houdini::PackedPiece> pieces;
  {
    const GU_DetailHandleAutoReadLock lock(geometry->getGeometry());
    if (!lock.getGdp()) return;
    pieces = houdini::packedPieces(*lock.getGdp(), scale);
    if (pieces.empty()) return;
    std::vector<HostedContact> contacts;
    if (options.analysis) {
      const SIM_GeometryCopy* analysis = getGeometryCopyByDataName(&object, kAnalysis, true);
      if (analysis) {
        const GU_DetailHandleAutoReadLock records(analysis->getGeometry());
        contacts = houdini::analysisContacts(*records.getGdp(), pieces, object.getObjectId(), scale);
      }
    } else if (const SIM_Impacts* impacts = SIM_DATA_GETCONST(object, SIM_IMPACTS_DATANAME, SIM_Impacts)) {
      contacts = houdini::impactContacts(*impacts, *lock.getGdp(), pieces, object.getObjectId(), scale);
    }
    const std::vector<HostedBody> bodies = bodiesOf(pieces, options, context);
    result = step.step(bodies, contacts, time, timestep * options.timeScale, context);
  }
  if (!result.breaks.empty()) {
    const SIM_GeometryAutoWriteLock lock(geometry);
    houdini::replacePieces(lock.getGdp(), pieces, result.breaks, time + timestep, scale);
    if (SIM_GeometryCopy* constraints =
            options.constraints.empty()
                ? nullptr
                : getGeometryCopyByDataName(&object, options.constraints.c_str(), true)) {
      const SIM_GeometryAutoWriteLock wires(constraints);
      houdini::rewireConstraints(wires.getGdp(), pieces, result.breaks, scale);
    }
  }
  if (state) {
    const std::string bytes = step.save();
    const SIM_GeometryAutoWriteLock lock(state);
    houdini::blobToDetail({kStateKind, std::vector<uint8_t>(bytes.begin(), bytes.end())}, lock.getGdp());
  }
}

bool GAS_HackleFracture::solveGasSubclass(SIM_Engine&, SIM_Object* object, SIM_Time time, SIM_Time timestep) {
  if (!object) return true;
  UT_AutoInterrupt interrupt("Hackle: Fracture");
  Context context;
  context.setCancelPoll([&] { return interrupt.wasInterrupted(-1); });
  pollOnThisThread(context);
  setMemo(context, &engineMemo());
  std::string failure;
  try {
    breakPieces(*object, static_cast<double>(time), static_cast<double>(timestep), context);
  } catch (const Error& e) {
    failure = e.code() == ErrorCode::Cancelled ? "the fracture was interrupted"
              : e.remedy().empty()             ? e.what()
                                               : fmt::format("{}. Remedy: {}", e.what(), e.remedy());
  } catch (const std::bad_alloc&) {
    failure = "the fracture ran out of memory. Remedy: use an engine of a lower resolution";
  } catch (const std::exception& e) {
    failure = fmt::format("the fracture failed: {}", e.what());
  }
  for (const std::string& warning : context.warnings())
    addError(object, SIM_MESSAGE, warning.c_str(), UT_ERROR_WARNING);
  if (!failure.empty()) addError(object, SIM_MESSAGE, failure.c_str(), UT_ERROR_ABORT);
  return failure.empty();
}
