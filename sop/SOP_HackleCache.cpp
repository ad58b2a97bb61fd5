#include <hackle/core/poll_thread.h>
#include <hackle/io/png.h>
#include <sop/SOP_HackleCache.h>
#include <sop/carried_attributes.h>
#include <sop/detail_bridge.h>
#include <sop/package/cook_report.h>
#include <sop/package/node_layout.h>
#include <sop/parameter_values.h>

#include <GA/GA_Handle.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PackedGeometry.h>
#include <UT/UT_Interrupt.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>

using namespace hackle;

OP_ERROR SOP_HackleCache::cook(OP_Context& opContext) {
  GU_Detail& output = *cookparms()->gdh().gdpNC();
  // Houdini may keep the pointer to the name. Only this thread asks it; the others leave word of how far they
  // are.
  const std::string operation = fmt::format("Hackle: {}", mOp.label);
  UT_AutoInterrupt interrupt(operation.c_str());
  std::atomic<int> percent{0};
  Context context;
  context.setCancelPoll([&] { return interrupt.wasInterrupted(percent); });
  pollOnThisThread(context);
  context.setProgressCallback(
      [&](const Progress& progress) { percent = static_cast<int>(100 * progress.fraction); });
  houdini::CookFailure failure;
  try {
    cookInto(output, opContext.getTime(), context);
  } catch (...) {
    failure = houdini::cookFailure(std::current_exception(), mOp.label);
  }
  for (const std::string& warning : context.warnings()) addWarning(SOP_MESSAGE, warning.c_str());
  if (!failure.text.empty()) {
    mKept.reset();
    output.clearAndDestroy();
    output.bumpAllDataIds();
    // Whoever pressed Esc knows why there is nothing.
    if (failure.interrupted)
      addWarning(SOP_MESSAGE, failure.text.c_str());
    else
      addError(SOP_MESSAGE, failure.text.c_str());
  }
  return error();
}

int64 SOP_HackleCache::getMemoryUsage(bool inclusive) const {
  size_t bytes = (inclusive ? sizeof(*this) : 0) + mMemo.bytes();
  for (const KeptInput& input : mInputs) bytes += houdini::itemBytes(input.item);
  if (mKept)
    for (const Item& item : mKept->run.outputs.items) bytes += houdini::itemBytes(item);
  return static_cast<int64>(bytes);
}

void SOP_HackleCache::cookInto(GU_Detail& output, double time, Context& context) {
  if (!wantsRun(time)) {
    addMessage(SOP_MESSAGE, "nothing is drawn until a file is set");
    output.replaceWith(*inputGeo(0));
    return;
  }
  Run run = runOnce(time, context);
  writePictures(run, time, context);
  context.checkCancel();
  writeStreams(run, output, time);
  // What one output alone needs is not worth its memory.
  const Value result = run.outputs.result;
  if (houdini::streamPorts(mOp).size() > 1) mKept->run = std::move(run);
  for (const std::string& text :
       {houdini::figuresText(result), houdini::stagesText(context),
        houdini::memoryText(static_cast<size_t>(getMemoryUsage(/*inclusive=*/true)))})
    if (!text.empty()) addMessage(SOP_MESSAGE, text.c_str());
}

/// False for an operator that only makes pictures while no file is set.
bool SOP_HackleCache::wantsRun(double time) const {
  const std::vector<size_t> pictures = houdini::picturePorts(mOp);
  if (pictures.empty() || !houdini::streamPorts(mOp).empty() || !hasInput(0)) return true;
  return std::any_of(pictures.begin(), pictures.end(), [&](size_t port) {
    return !houdini::nodeText(*this, houdini::pictureParameter(mOp.outputs[port]), time).empty();
  });
}

/// Compiled blocks have no nodes, and may change a detail in place from one iteration to the next without
/// another key: what an earlier cook made of it does not count there.
bool SOP_HackleCache::isLive() const { return cookparms()->getNode() != nullptr; }

const Item& SOP_HackleCache::readInput(size_t index, Context& context) {
  const GU_Detail& detail = *inputGeo(static_cast<exint>(index));
  const DetailKey key{detail.getUniqueId(), detail.getMetaCacheCount()};
  KeptInput& kept = mInputs[index];
  if (!isLive() || !(kept.key == key)) {
    kept = {};
    Context own;
    own.setCancelPoll([&] { return context.cancelled(); });
    const Port& port = mOp.inputs[std::min(index, mOp.inputs.size() - 1)];
    if (port.type == PortType::Blob)
      kept.item = houdini::blobFromDetail(detail);
    else
      kept.item = houdini::fromDetail(detail, own, static_cast<int>(index));
    kept.warnings = own.warnings();
    kept.key = key;
    ++mConversions;
  }
  for (const std::string& warning : kept.warnings) context.warn(warning);
  return kept.item;
}

Inputs SOP_HackleCache::readInputs(Context& context) {
  const size_t count = static_cast<size_t>(nInputs());
  mInputs.resize(count);
  Inputs inputs;
  for (size_t i = 0; i < count; ++i) {
    const bool connected = hasInput(static_cast<exint>(i));
    if (!connected) mInputs[i] = {};
    // Gaps among inputs that repeat do not count.
    if (!connected && i >= mOp.inputs.size()) continue;
    inputs.items().push_back(connected ? readInput(i, context) : Item());
  }
  while (!inputs.items().empty() && !inputs.has(inputs.size() - 1)) inputs.items().pop_back();
  return inputs;
}

Run SOP_HackleCache::runOnce(double time, Context& context) {
  const auto& options = cookparms()->parms<SOP_NodeParmsOptions>();
  const Value::Map given = houdini::nodeValues(mOp, *this, options, time);
  Inputs inputs = readInputs(context);
  std::string values = Value(given).toJson(-1);
  std::vector<DetailKey> keys;
  for (const KeptInput& input : mInputs) keys.push_back(input.key);
  if (isLive() && mKept && mKept->values == values && mKept->inputs == keys &&
      !mKept->run.outputs.items.empty()) {
    for (const std::string& warning : mKept->warnings) context.warn(warning);
    return std::move(mKept->run);
  }
  mKept.reset();
  ++mRuns;
  setMemo(context, &mMemo);
  Run run = runOperator(mOp, std::move(inputs), given, context);
  // One run's worth is enough: geometry that moves would fill memory with what nobody asks for again.
  mMemo.dropUnused();
  mKept = KeptRun{std::move(values), std::move(keys), {}, context.warnings()};
  return run;
}

void SOP_HackleCache::writePictures(const Run& run, double time, Context& context) {
  for (const size_t port : houdini::picturePorts(mOp)) {
    const std::string file = houdini::nodeText(*this, houdini::pictureParameter(mOp.outputs[port]), time);
    const Image* image = std::get_if<Image>(&run.outputs.items[port]);
    if (image && !file.empty()) writeImage(file, *image, context);
  }
}

/// P is single, as everywhere in Houdini, unless it came in as double.
Storage SOP_HackleCache::positionStorage() const {
  for (const KeptInput& input : mInputs)
    if (const Geometry* geometry = std::get_if<Geometry>(&input.item))
      if (geometry->positionFileStorage == Storage::Float64) return Storage::Float64;
  return Storage::Float32;
}

void SOP_HackleCache::writeStream(const Item& item, GU_Detail& output) const {
  if (const Geometry* geometry = std::get_if<Geometry>(&item)) {
    Geometry stored = *geometry;
    stored.positionFileStorage = positionStorage();
    houdini::toDetail(stored, output);
    std::vector<const GU_Detail*> inputs;
    for (exint i = 0; i < nInputs(); ++i) inputs.push_back(hasInput(i) ? inputGeo(i) : nullptr);
    houdini::carryAttributes(inputs, output);
  } else if (const Blob* blob = std::get_if<Blob>(&item)) {
    houdini::blobToDetail(*blob, output);
  } else {
    output.clearAndDestroy();
  }
}

void SOP_HackleCache::writeStreams(Run& run, GU_Detail& output, double time) {
  const std::vector<size_t> ports = houdini::streamPorts(mOp);
  if (ports.empty()) {
    // An operator that only looks at things hands its first input on.
    if (hasInput(0))
      output.replaceWith(*inputGeo(0));
    else
      output.clearAndDestroy();
    return;
  }
  if (ports.size() == 1) return writeStream(run.outputs.items[ports[0]], output);
  const size_t choice = static_cast<size_t>(evalInt(houdini::kStreamParameter, 0, time));
  if (choice < ports.size()) return writeStream(run.outputs.items[ports[choice]], output);

  // All of them: one packed primitive each.
  output.clearAndDestroy();
  const GA_RWHandleS names(output.addStringTuple(GA_ATTRIB_PRIMITIVE, houdini::kStreamAttribute, 1));
  for (const size_t port : ports) {
    GU_DetailHandle stream;
    stream.allocateAndSet(new GU_Detail);
    writeStream(run.outputs.items[port], *stream.gdpNC());
    const GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(output, stream);
    if (!packed) throw Error(ErrorCode::Failed, "Houdini did not pack the results");
    names.set(packed->getMapOffset(), UT_StringHolder(mOp.outputs[port].name));
  }
  output.bumpAllDataIds();
}
