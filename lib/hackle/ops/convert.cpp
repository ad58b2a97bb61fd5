#include <hackle/ops/catalogue.h>

namespace hackle {

namespace {

enum class Precision { Auto, Single, Double };

struct ConvertOptions {
  bool unpack = false;
  Precision precision = Precision::Auto;
};

Outputs convert(const Inputs& inputs, const ConvertOptions& options, Context&) {
  Geometry geometry = options.unpack ? unpacked(inputs.geometry(0)) : inputs.geometry(0);
  if (options.precision != Precision::Auto)
    geometry.positionFileStorage =
        options.precision == Precision::Single ? Storage::Float32 : Storage::Float64;
  return Outputs({geometry});
}

}  // namespace

Operator convertOperator() {
  Operator op;
  op.id = "convert";
  op.label = "Convert";
  op.summary = "Read geometry in one format and write it in another";
  op.help =
      "The formats follow from the names of the files. Attributes and groups that the target format cannot "
      "carry are named in a warning.";
  op.category = "Geometry";
  op.examples = {"convert bunny.obj -o bunny.bgeo", "convert cache.bgeo.sc --unpack -o cache.ply"};
  op.inputs = {{"geometry", "Geometry", "The geometry to convert."}};
  op.outputs = {{"geometry", "Geometry", "The same geometry."}};
  op.keepsPacked = true;
  op.takesNonFinite = true;
  ParameterTable<ConvertOptions> table;
  table.add(&ConvertOptions::unpack, "unpack", "Unpack")
      .help("Replace packed primitives and fragments by the geometry in them.");
  table.add(&ConvertOptions::precision, "precision", "Precision")
      .menu({{"auto", "As the Input"}, {"single", "Single"}, {"double", "Double"}})
      .help("Precision of positions in formats that have both: as the input had it, 32 or 64 bits.");
  op.bind(table, convert);
  return op;
}

}  // namespace hackle
