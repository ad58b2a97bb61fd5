#include <cli/arguments.h>
#include <cli/command.h>
#include <cli/help.h>
#include <cli/interrupt.h>
#include <cli/paths.h>
#include <cli/progress_display.h>
#include <cli/result_text.h>
#include <cli/terminal.h>
#include <hackle/core/wanted_outputs.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/io/png.h>
#include <hackle/ops/describe.h>
#include <hackle/ops/registry.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>

namespace hackle::cli {

namespace {

namespace fs = std::filesystem;

bool wantsFiles(const Arguments& arguments) {
  for (const std::string& file : arguments.outputs)
    if (!file.empty()) return true;
  return false;
}

/// Refuses before any work is done what could not be written at its end.
void checkOutputs(const Operator& op, const Arguments& arguments) {
  if (!arguments.outputs.empty() && !wantsFiles(arguments))
    throw Error(ErrorCode::Usage, "Hackle does not write to standard output",
                "give -o the name of a file; - only leaves one of several outputs away");
  bool needed = false;
  for (const Port& port : op.outputs) needed = needed || !port.optional;
  if (needed && !arguments.json && !wantsFiles(arguments))
    throw Error(ErrorCode::Usage,
                fmt::format("{} makes {}, but there is no -o", op.id, portTypeName(op.outputs[0].type)),
                "add -o and the name of a file, or --json - for the report alone");
  std::vector<std::string> files;
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    const std::string& file = arguments.outputs[i];
    if (file.empty()) continue;
    if (op.outputs[i].type == PortType::Geometry) checkGeometryName(file);
    if (op.outputs[i].type == PortType::Image) checkImageName(file);
    files.push_back(file);
  }
  if (arguments.json && *arguments.json != "-") files.push_back(*arguments.json);
  for (const std::string& file : files) {
    std::error_code failure;
    const bool special = fs::exists(file, failure) && fs::is_other(file, failure);
    if (!special) AtomicFile probe(file);  // removed again
  }
}

Item readInput(const Port& port, const std::string& file, Context& context) {
  if (file.empty()) return {};
  switch (port.type) {
    case PortType::Geometry:
      return readGeometry(file, context);
    case PortType::Blob: {
      const Context::Stage stage(context, "read");
      const FileBytes bytes(file, &context);
      std::string kind = fs::path(file).extension().string();
      if (!kind.empty()) kind.erase(0, 1);
      return Blob{kind, std::vector<uint8_t>(bytes.bytes().begin(), bytes.bytes().end())};
    }
    case PortType::Image:
      break;
  }
  throw Error(ErrorCode::Usage, fmt::format("cannot read {}: Hackle reads no pictures", file));
}

void writeOutput(const std::string& file, const Item& item, Context& context) {
  if (const Geometry* geometry = std::get_if<Geometry>(&item)) writeGeometry(file, *geometry, context);
  if (const Image* image = std::get_if<Image>(&item)) writeImage(file, *image, context);
  if (const Blob* blob = std::get_if<Blob>(&item)) {
    const Context::Stage stage(context, "write");
    writeBytes(file, {reinterpret_cast<const char*>(blob->bytes.data()), blob->bytes.size()}, context);
  }
}

/// "12,345 points, 23,456 polygons"
std::string contentText(const Geometry& geometry) {
  struct Noun {
    PrimitiveType type;
    const char* one;
    const char* many;
  };
  static const Noun kNouns[] = {{PrimitiveType::Polygon, "polygon", "polygons"},
                                {PrimitiveType::Polyline, "polyline", "polylines"},
                                {PrimitiveType::Tetrahedron, "tetrahedron", "tetrahedra"},
                                {PrimitiveType::Volume, "volume", "volumes"},
                                {PrimitiveType::Packed, "packed primitive", "packed primitives"}};
  const auto counted = [](size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", groupedDigits(static_cast<long long>(count)), count == 1 ? one : many);
  };
  std::string text = counted(geometry.pointCount(), "point", "points");
  for (const Noun& noun : kNouns)
    if (const size_t count = geometry.countOf(noun.type)) text += ", " + counted(count, noun.one, noun.many);
  return text;
}

std::string outputLine(const std::string& file, const Item& item) {
  std::string text;
  if (const Geometry* geometry = std::get_if<Geometry>(&item)) text = contentText(*geometry) + ", ";
  if (const Image* image = std::get_if<Image>(&item))
    text = fmt::format("{} x {}, ", image->width, image->height);
  std::error_code failure;
  const auto bytes = fs::file_size(file, failure);
  return fmt::format("{}: {}{}", file, text, failure ? "written" : sizeText(static_cast<double>(bytes)));
}

/// "27 pieces", for runs that count them; "" for others.
std::string piecesLine(const Value& result) {
  const Value* pieces = result.isMap() ? result.find("pieces") : nullptr;
  if (!pieces || !pieces->isInt()) return "";
  return fmt::format("{} {}", groupedDigits(pieces->asInt()), pieces->asInt() == 1 ? "piece" : "pieces");
}

/// The number of pieces and one line per file that was written, or the result of an operator that wrote none.
std::string summary(const Operator& op, const Arguments& arguments, const Run& run, const Context& context) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < arguments.outputs.size(); ++i)
    if (!arguments.outputs[i].empty() && run.outputs.items[i].index() != 0)
      lines.push_back(outputLine(arguments.outputs[i], run.outputs.items[i]));
  if (lines.empty()) return op.outputs.empty() || !arguments.json ? resultText(run.outputs.result) : "";
  if (const std::string pieces = piecesLine(run.outputs.result); !pieces.empty())
    lines.insert(lines.begin(), pieces);
  return fmt::format("{} in {}\n", fmt::join(lines, "\n"), durationText(context.seconds()));
}

/// Stages with their seconds, and the peak of memory.
std::string stagesText(const Context& context) {
  std::string text;
  for (const StageTime& stage : context.stageTimes())
    text += fmt::format("{:<20} {}\n", stage.name, durationText(stage.seconds));
  return text + fmt::format("{:<20} {}\n", "peak memory", sizeText(1e6 * peakMemoryMb()));
}

void printReport(const std::string& target, const Value& report) {
  const std::string text = report.toJson() + "\n";
  if (target == "-") return writeOut(text);
  Context unhurried;  // a cancelled run still says that it was
  writeBytes(target, text, unhurried);
}

Run execute(const Operator& op, const Arguments& arguments, Context& context) {
  std::vector<bool> connected;
  for (const std::string& file : arguments.inputs) connected.push_back(!file.empty());
  checkConnections(op, connected);
  checkPaths(op, arguments);
  checkOutputs(op, arguments);

  Inputs inputs;
  for (size_t i = 0; i < arguments.inputs.size(); ++i)
    inputs.items().push_back(
        readInput(op.inputs[std::min(i, op.inputs.size() - 1)], arguments.inputs[i], context));
  std::vector<bool> wanted;
  for (const std::string& file : arguments.outputs) wanted.push_back(!file.empty());
  setWantedOutputs(context, std::move(wanted));
  Run run = runOperator(op, std::move(inputs), arguments.values, context);
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    if (arguments.outputs[i].empty()) continue;
    if (run.outputs.items[i].index() == 0)
      context.warn(fmt::format(
          "{} made no {} here{}; {} is not written", op.id, op.outputs[i].name,
          op.outputs[i].toggle.empty()
              ? ""
              : fmt::format(" (see {})", flagText(*findParameter(op.parameters, op.outputs[i].toggle))),
          arguments.outputs[i]));
    writeOutput(arguments.outputs[i], run.outputs.items[i], context);
  }
  return run;
}

/// What is thrown becomes an Error.
template <class Call>
Run guarded(const Operator& op, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::Failed, fmt::format("{} ran out of memory", op.id),
                "use a lower resolution or a machine with more memory");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    // TBB and the standard library have the system's words for a thread that cannot be started.
    if (std::string_view(e.what()).find(std::strerror(EAGAIN)) != std::string_view::npos)
      throw Error(ErrorCode::Failed, fmt::format("{} may start no more threads", op.id),
                  "use fewer threads, or raise the limit on processes (ulimit -u)");
    throw Error(ErrorCode::Failed, fmt::format("{} failed: {}", op.id, e.what()));
  }
}

/// The run itself, with everything that stops or shows it.
Run shownExecute(const Operator& op, const Arguments& arguments, Context& context) {
  return guarded(op, [&] {
    const InterruptGuard interrupts(context);
    const ProgressDisplay display(context, arguments.quiet ? ProgressStyle::Off : arguments.progress);
    return execute(op, arguments, context);
  });
}

/// The report of a failure, if one is wanted; trouble with it is told beside the failure itself.
void reportFailure(const Operator& op, const std::vector<std::string>& words, const Error& error,
                   const Context& context) {
  const std::optional<std::string> target = jsonTarget(words);
  if (!target || (*target != "-" && !mayTakeReport(*target, words))) return;
  try {
    printReport(*target, makeErrorReport(op.id, error, context));
  } catch (const Error& e) {
    if (std::string(e.what()) != error.what()) writeError(fmt::format("hackle: {}\n", e.what()));
  }
}

}  // namespace

Value runForReport(const Operator& op, const std::vector<std::string>& words, Context& context) {
  const Arguments arguments = parseArguments(op, words);
  context.setThreads(arguments.threads);
  const Run run = guarded(op, [&] { return execute(op, arguments, context); });
  return makeReport(op, run, context);
}

void runCommand(const Operator& op, const std::vector<std::string>& words) {
  Context context;
  Arguments arguments;
  Run run;
  try {
    arguments = parseArguments(op, words);
    if (arguments.help) return writeOut(operatorHelp(op, textColumns()));
    context.setThreads(arguments.threads);
    run = shownExecute(op, arguments, context);
  } catch (const Error& e) {
    if (arguments.progress == ProgressStyle::OpenJd) writeError(fmt::format("openjd_fail: {}\n", e.what()));
    reportFailure(op, words, e, context);
    throw;
  }
  if (!arguments.quiet && arguments.json != "-") writeOut(summary(op, arguments, run, context));
  if (arguments.verbose) writeError(stagesText(context));
  if (arguments.json) printReport(*arguments.json, makeReport(op, run, context));
}

}  // namespace hackle::cli
