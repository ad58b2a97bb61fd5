// Breaks a box twice: by an operator, as the command line does, and by an engine, as a simulation does.
#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/ops/registry.h>

#include <iostream>

int main() try {
  hackle::Context context;  // cancel, progress, warnings, threads

  // An operator: inputs, parameters by name, outputs and a report.
  const hackle::Run box = runOperator(hackle::findOperator("model"), {}, {{"shape", "box"}}, context);
  const hackle::Run broken =
      runOperator(hackle::findOperator("voronoi"), {{box.outputs.geometry()}}, {{"pieces", 20}}, context);
  std::cout << broken.outputs.result.find("pieces")->asInt() << " pieces by an operator\n";

  // An engine: prepare a solid once, then break it under any load.
  hackle::VoronoiOptions options;
  options.pieces = 5;
  const hackle::VoronoiEngine engine(options);
  const auto solid = std::make_shared<const hackle::Solid>(box.outputs.geometry(), context);
  const hackle::EngineStatePtr state = engine.prepare(solid, context);
  hackle::LoadCase load;
  load.seed = 3;
  if (!engine.mayBreak(*solid, *state, load)) return 1;
  const hackle::FractureResult result = engine.fracture(*solid, *state, load, context);
  std::cout << result.pieces.names.size() << " pieces by an engine, " << result.pieces.contacts.size()
            << " contacts\n";

  for (const std::string& warning : context.warnings()) std::cerr << warning << "\n";
} catch (const hackle::Error& error) {
  std::cerr << error.what() << "\n" << error.remedy() << "\n";
  return exitCode(error.code());
}
