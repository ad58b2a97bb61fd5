// An operator, declared once; every front is made from this.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/engine.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/image.h>
#include <hackle/ops/blob.h>
#include <hackle/ops/parameter_table.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace hackle {

enum class PortType { Geometry, Image, Blob };
/// "geometry", "an image", "data"
const char* portTypeName(PortType type);

/// A named input or output.
struct Port {
  std::string name;
  std::string label;
  std::string help;
  PortType type = PortType::Geometry;
  bool optional = false;  // an input that may be left open, an output that need not be written
  bool repeats = false;   // the last input may: any number of further items
  std::string toggle{};   // the parameter that asks for an output; command lines ask for outputs with a file
};

/// What goes through a port; monostate where nothing is connected.
using Item = std::variant<std::monostate, Geometry, Image, Blob>;

class Inputs {
 public:
  Inputs() = default;
  Inputs(std::vector<Item> items) : mItems(std::move(items)) {}
  size_t size() const { return mItems.size(); }
  bool has(size_t i) const { return i < mItems.size() && mItems[i].index() != 0; }
  const Geometry& geometry(size_t i) const { return std::get<Geometry>(mItems.at(i)); }
  const Blob& blob(size_t i) const { return std::get<Blob>(mItems.at(i)); }
  std::vector<Item>& items() { return mItems; }
  const std::vector<Item>& items() const { return mItems; }

 private:
  std::vector<Item> mItems;
};

/// One item per output port, and the operator's own figures for the report.
struct Outputs {
  std::vector<Item> items;
  Value result = Value::Map();

  Outputs() = default;
  Outputs(std::vector<Item> list, Value figures = Value::Map())
      : items(std::move(list)), result(std::move(figures)) {}
  const Geometry& geometry(size_t i = 0) const { return std::get<Geometry>(items.at(i)); }
  const Image& image(size_t i = 0) const { return std::get<Image>(items.at(i)); }
};

struct Operator {
  std::string id;        // "voronoi"
  std::string label;     // "Voronoi Fracture"
  std::string summary;   // one line
  std::string help;      // paragraphs, plain text
  std::string category;  // "Geometry", "Fracture", "Output"
  /// Command lines without the leading "hackle "; help makes one from the ports if there is none.
  std::vector<std::string> examples;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Parameter> parameters;
  bool keepsPacked = false;  // false: packed inputs are unpacked before `run`
  bool needsPacked = false;  // true: a node only where geometry comes packed, not by the plug-in
  bool standsAlone = false;  // true: no node, for Houdini does the same by itself (simulates, plays frames)
  bool takesNonFinite = false;  // false: inputs with NaN or infinite points are refused

  std::function<std::shared_ptr<void>()> makeOptions;
  std::function<Outputs(const Inputs&, const void* options, Context&)> run;
  /// Operators that break solids: the engine that `run` works with, with the same options, for whoever brings
  /// solids and loads itself (the rigid-body coupling). Of the inputs it takes what goes with the options
  /// (paint, models), not the solid and not the impacts. Null for other operators.
  std::function<std::unique_ptr<FractureEngine>(const Inputs&, const void* options, Context&)> makeEngine;

  /// Binds the table and the function of an options struct.
  template <class Options>
  void bind(const ParameterTable<Options>& table,
            Outputs (*function)(const Inputs&, const Options&, Context&)) {
    parameters = table.rows();
    makeOptions = [] { return std::make_shared<Options>(); };
    run = [function](const Inputs& inputs, const void* options, Context& context) {
      return function(inputs, *static_cast<const Options*>(options), context);
    };
  }
  template <class Options>
  void bindEngine(std::unique_ptr<FractureEngine> (*function)(const Inputs&, const Options&, Context&)) {
    makeEngine = [function](const Inputs& inputs, const void* options, Context& context) {
      return function(inputs, *static_cast<const Options*>(options), context);
    };
  }
};

}  // namespace hackle
