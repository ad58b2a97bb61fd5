#include <hackle/core/error.h>
#include <hackle/coupling/hosted_packed.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/engines.h>
#include <hackle/ops/hosted_fracture.h>

namespace hackle {

namespace {

struct StepOptions {
  HostedOptions hosted;
  double time = 0;
  double timestep = 1.0 / 24;
};

/// Detail attribute with what the step has to remember, as text.
const char* const kState = "hackle_state";

std::string hexadecimal(const std::string& bytes) {
  static const char* const kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

std::string bytesOf(const std::string& text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0)
      throw Error(ErrorCode::BadInput, fmt::format("the detail attribute {} is damaged", kState),
                  "start the simulation again from its first frame");
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::string stateOf(const Geometry& pieces) {
  const Attribute* a = pieces.findAttribute(Owner::Detail, kState);
  return a && a->isString() && a->tupleSize() > 0 ? bytesOf(a->string(0)) : "";
}

void setState(Geometry& pieces, const std::string& bytes) {
  Attribute* a = pieces.findAttribute(Owner::Detail, kState);
  if (!a || !a->isString() || a->tupleSize() < 1)
    a = &pieces.addAttribute(Owner::Detail, Attribute(kState, Storage::String, 1));
  a->setString(0, hexadecimal(bytes));
}

Outputs fractureStep(const Inputs& inputs, const StepOptions& options, Context& context) {
  const Geometry& geometry = inputs.geometry(0);
  const double length = options.hosted.worldScale;
  HostedGeometry hosted = hostedGeometry(geometry, length);
  if (hosted.pieces.empty() && geometry.primitiveCount() > 0)
    throw Error(ErrorCode::BadInput, "the geometry has no packed pieces",
                "pack the pieces of the simulation (the Assemble node does)");
  completeBodies(hosted.pieces, options.hosted, engineOf, context);
  const Geometry none;
  const Geometry& impacts = inputs.has(1) ? inputs.geometry(1) : none;
  const std::vector<HostedContact> contacts =
      recordedContacts(recordsOf(impacts), hosted.pieces, recordingObject(impacts), length);
  std::vector<HostedBody> bodies;
  for (const HostedPiece& piece : hosted.pieces) bodies.push_back(piece.body);
  HostedStep step(decideOptions(options.hosted));
  step.restore(stateOf(geometry));
  const HostedResult result =
      step.step(bodies, contacts, options.time, options.timestep * options.hosted.timeScale, context);

  Geometry constraints = inputs.has(2) ? inputs.geometry(2) : none;
  const Geometry fragments =
      fragmentPoints(hosted.points, hosted.pieces, result.breaks, options.time + options.timestep, length,
                     {options.hosted.matchBy});
  Geometry pieces = geometry;
  if (!result.breaks.empty()) {
    constraints =
        brokenConstraints(constraints, {hosted.points, hosted.pieces, result.breaks, fragments, length},
                          fragmentConstraints(options.hosted), options.hosted.matchBy);
    pieces = replacedPieces(geometry, hosted, result.breaks, fragments, length);
  }
  if (!hosted.pieces.empty()) setState(pieces, step.save());
  Value figures;
  Value::List broken, held(result.held.begin(), result.held.end());
  for (const HostedBreak& b : result.breaks) broken.push_back(hosted.pieces[b.body].body.name);
  figures.set("pieces", pieces.countOf(PrimitiveType::Packed));
  figures.set("impacts", contacts.size());
  figures.set("asked", result.asked);
  figures.set("broken", std::move(broken));
  figures.set("held", std::move(held));
  return Outputs({std::move(pieces), std::move(constraints)}, std::move(figures));
}

}  // namespace

Operator fractureStepOperator() {
  Operator op;
  op.id = "fracture_step";
  op.label = "Fracture Step";
  op.summary = "Break packed pieces of a rigid-body simulation where impacts of the last step say so";
  op.help =
      "For simulations of another program, called once after each of its steps: Houdini's SOP Solver on the "
      "post-solve of a Rigid Body Solver is the usual place, where the compiled DOP cannot be installed. "
      "Pieces that an impact or a resting load breaks are replaced by packed pieces with the motion that the "
      "old one had before the step, with its mass and its attributes, and with names of their own: piece3 "
      "becomes piece3-0, piece3-1 and so on.\n\n"
      "What has to be remembered is in the detail attribute hackle_state of the pieces, so the simulation can be "
      "cached, rewound and repeated: the same inputs give the same bytes.";
  op.category = "Fracture";
  op.examples = {"fracture_step pieces.0010.bgeo impacts.0010.bgeo -o broken.0010.bgeo --time 0.375"};
  op.inputs = {{"pieces", "Pieces", "Packed pieces with the point attributes of Houdini's rigid bodies."},
               {"impacts", "Impacts",
                "Points with the fields of Houdini's Impacts (DOP Import Records), or those of an Impact "
                "Analysis: position, normal, impulse and the number of the piece.",
                PortType::Geometry, true},
               {"constraints", "Constraints", "Constraints of the pieces.", PortType::Geometry, true}};
  op.outputs = {{"geometry", "Geometry", "The pieces, with fragments in place of those that broke."},
                {"constraints", "Constraints", "The constraints, at the fragments nearest to their ends.",
                 PortType::Geometry, true}};
  op.keepsPacked = true;
  op.needsPacked = true;
  ParameterTable<StepOptions> table;
  table.section("Step");
  table.add(&StepOptions::time, "time", "Time")
      .unit("s")
      .soft(0, 10)
      .help("Of the simulation at the beginning of the step.");
  table.add(&StepOptions::timestep, "timestep", "Time Step")
      .unit("s")
      .hard(1e-9, {})
      .soft(0.001, 0.1)
      .help("Length of the step.");
  table.include(&StepOptions::hosted, hostedTable());
  op.bind(table, fractureStep);
  return op;
}

}  // namespace hackle
