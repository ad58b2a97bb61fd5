#include <hackle/ops/catalogue.h>
#include <hackle/ops/modes_tables.h>

namespace hackle {

namespace {

struct Options {
  std::optional<size_t> modes;
  double sigma = 0.0;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kCache, kMesh };

Outputs breakByModes(const Inputs& inputs, const Options& options, Context& context) {
  const auto loaded =
      loadedModes(inputs.blob(kCache), inputs.has(kMesh) ? &inputs.geometry(kMesh) : nullptr, context);
  const ModesCache& cache = loaded->state->cache;
  const std::vector<uint8_t> glued = loaded->state->projector.gluedByModes(options.modes, options.sigma);
  FracturePieces pieces;
  {
    const Context::Stage stage(context, "glue", 0.3);
    pieces = gluePieces(cache.parts, cache.twins,
                        glueContacts(cache.parts, glued, options.output.cut.pieces.prefix), context);
  }
  return fractureOutputs(cache.volume, std::move(pieces), options.output, cache.insideGroup, context);
}

}  // namespace

Operator prefractureOperator() {
  Operator op;
  op.id = "prefracture";
  op.label = "Prefracture";
  op.summary = "Break a solid into all pieces of its first fracture modes";
  op.help =
      "All pieces that the first fracture modes cut a solid into, to be used where Voronoi pieces would be: "
      "no impact decides what breaks. It takes what the operator modes made and needs nothing else.\n\n"
      "The first k modes of a file with more give the same pieces as k modes found alone, but for the "
      "smoothing of faults that meet others. Raising sigma never adds pieces.";
  op.category = "Fracture";
  op.examples = {"prefracture figure.modes --modes 5 -o pieces.bgeo"};
  op.inputs = {{"cache", "Modes", "What the operator modes made.", PortType::Blob},
               {"geometry", "Surface", "The surface that the modes should be of; another one is refused.",
                PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  ParameterTable<Options> table;
  table.section("Modes");
  table.add(&Options::modes, "modes", "Modes")
      .unit("none")
      .hard(0, 1000)
      .soft(1, 50)
      .help("Use the first modes only, this many of each axis. Not given: all in the file.");
  table.add(&Options::sigma, "sigma", "Sigma")
      .unit("none")
      .range(0, 1)
      .help(
          "Pieces between which no mode jumps by more than this fraction of its largest jump stay together. "
          "Raising it never adds pieces.");
  table.include(&Options::output, gluedOutputTable());
  op.bind(table, breakByModes);
  return op;
}

}  // namespace hackle
