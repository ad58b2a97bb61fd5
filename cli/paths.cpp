#include <cli/paths.h>
#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace hackle::cli {

namespace {

namespace fs = std::filesystem;

/// Whether two names mean one plain file, through links as well.
bool sameFile(const std::string& a, const std::string& b) {
  std::error_code failure;
  if (fs::is_other(a, failure) || fs::is_other(b, failure)) return false;  // devices hold nothing
  if (fs::exists(a, failure) && fs::exists(b, failure)) return fs::equivalent(a, b, failure);
  const auto plain = [&](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(name), failure);
  };
  return plain(a) == plain(b);
}

struct NamedFile {
  std::string path;
  std::string role;  // "the input geometry", "the report"
  enum { Input, Output, Report, Parameter } use;
  size_t port = 0;  // of inputs and outputs
};

std::vector<NamedFile> filesOf(const Operator& op, const Arguments& arguments) {
  std::vector<NamedFile> files;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const size_t port = std::min(i, op.inputs.size() - 1);
    if (!arguments.inputs[i].empty())
      files.push_back({arguments.inputs[i], "the input " + op.inputs[port].name, NamedFile::Input, port});
  }
  for (size_t i = 0; i < arguments.outputs.size(); ++i)
    if (!arguments.outputs[i].empty())
      files.push_back({arguments.outputs[i], "the output " + op.outputs[i].name, NamedFile::Output, i});
  for (const auto& [name, value] : arguments.values) {
    const Parameter* row = findFlag(op.parameters, name);
    if (row && row->type == ParameterType::File && value.isString() && !value.asString().empty())
      files.push_back({value.asString(), "the parameter " + row->name, NamedFile::Parameter});
  }
  if (arguments.json && *arguments.json != "-")
    files.push_back({*arguments.json, "the report", NamedFile::Report});
  return files;
}

/// Whether the command may use one file for both.
bool mayShare(const Operator& op, const NamedFile& a, const NamedFile& b) {
  if (a.use == NamedFile::Input && b.use == NamedFile::Input) return true;
  if (a.use != NamedFile::Input || b.use != NamedFile::Output) return false;
  return b.port == 0 && op.inputs[a.port].type == PortType::Geometry &&
         op.outputs[0].type == PortType::Geometry;
}

}  // namespace

void checkPaths(const Operator& op, const Arguments& arguments) {
  const std::vector<NamedFile> files = filesOf(op, arguments);
  for (size_t j = 0; j < files.size(); ++j)
    for (size_t i = 0; i < j; ++i)
      if (!mayShare(op, files[i], files[j]) && sameFile(files[i].path, files[j].path))
        throw Error(ErrorCode::Usage,
                    fmt::format("{} is named for {} and for {}", files[j].path, files[i].role, files[j].role),
                    "give each a file of its own");
}

bool mayTakeReport(const std::string& target, const std::vector<std::string>& words) {
  size_t named = 0;  // the report itself is one
  for (const std::string& word : words) {
    const size_t equals = word.compare(0, 2, "--") == 0 ? word.find('=') : std::string::npos;
    const std::string name = equals == std::string::npos ? word : word.substr(equals + 1);
    if (!name.empty() && sameFile(name, target)) ++named;
  }
  return named <= 1;
}

}  // namespace hackle::cli
