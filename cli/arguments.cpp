#include <cli/arguments.h>
#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hackle::cli {

namespace {

/// "-" stands for nothing; "-3" and "-.5,0,0" are values, never flags.
bool isFlag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return !std::isdigit(static_cast<unsigned char>(word[1])) && word[1] != '.';
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool isToggleWord(const std::string& word) {
  for (const char* known : {"on", "off", "true", "false", "yes", "no"})
    if (word == known) return true;
  return false;
}

/// Of the flag --threads.
const Parameter& threadsRow() {
  static const Parameter kRow = [] {
    Parameter row;
    row.name = "threads";
    row.unit = "none";
    row.type = ParameterType::Int;
    row.hardMin = 0;
    row.hardMax = 4096;
    return row;
  }();
  return kRow;
}

class Parser {
 public:
  Parser(const Operator& op, const std::vector<std::string>& words) : mOp(op), mWords(words) {}

  Arguments parse() {
    while (mNext < mWords.size()) {
      const std::string& word = mWords[mNext++];
      if (word == "--")
        while (mNext < mWords.size()) addPositional(mWords[mNext++]);
      else if (isFlag(word))
        parseFlag(word);
      else
        addPositional(word);
    }
    askForOutputs();
    if (!mResult.help) checkedValues(mOp.parameters, mResult.values, mOp.id);
    return std::move(mResult);
  }

 private:
  void parseFlag(const std::string& word) {
    const size_t equals = word.find('=');
    mFlag = word.substr(0, equals);
    mInline =
        equals == std::string::npos ? std::nullopt : std::optional<std::string>(word.substr(equals + 1));
    if (mFlag == "-h" || mFlag == "--help") {
      mResult.help = true;
    } else if (mFlag == "-o" || mFlag == "--output") {
      addOutputs();
    } else if (mFlag == "-q" || mFlag == "--quiet") {
      mResult.quiet = true;
    } else if (mFlag == "-v" || mFlag == "--verbose") {
      mResult.verbose = true;
    } else if (mFlag == "--progress") {
      mResult.progress = progressStyleOf(takeValue(fmt::format("{}", fmt::join(progressStyleNames(), ", "))));
    } else if (mFlag == "--no-progress") {
      mResult.progress = ProgressStyle::Off;
    } else if (mFlag == "--json") {
      mResult.json = takeValue("FILE, or - for standard output");
    } else if (mFlag == "--threads") {
      const Value threads = checkedValue(threadsRow(), takeValue("INTEGER (0: all cores)"));
      mResult.threads = static_cast<int>(threads.asInt());
    } else {
      parseParameter();
    }
    if (mInline) throw Error(ErrorCode::Usage, fmt::format("{} takes no value", mFlag));
  }

  void parseParameter() {
    const std::string name = mFlag.compare(0, 2, "--") == 0 ? underscored(mFlag.substr(2)) : "";
    const Parameter* row = findParameter(mOp.parameters, name);
    const bool negated = !row && name.compare(0, 3, "no_") == 0;
    if (negated) row = findParameter(mOp.parameters, name.substr(3));
    if (!row || (negated && row->type != ParameterType::Toggle)) refuseFlag();
    if (negated)
      setValue(*row, name.substr(3), "off");
    else if (row->type == ParameterType::Toggle)
      setValue(*row, name, takeToggle());
    else if (row->type == ParameterType::List)
      addRecord(*row, name);
    else
      setValue(*row, name, takeValue(valueHint(*row)));
  }

  static std::string valueHint(const Parameter& row) {
    const std::string allowed = row.menu.empty() ? rangeText(row) : menuText(row);
    return placeholderText(row) + (allowed.empty() ? "" : fmt::format(" ({})", allowed));
  }

  std::string takeInline() {
    const std::string value = *mInline;
    mInline.reset();
    return value;
  }

  std::string takeValue(const std::string& hint) {
    if (mInline) return takeInline();
    if (mNext >= mWords.size() || isFlag(mWords[mNext]))
      throw Error(ErrorCode::Usage, fmt::format("{} needs a value", mFlag),
                  fmt::format("write {} {}", mFlag, hint));
    return mWords[mNext++];
  }

  std::string takeToggle() {
    if (mInline) return takeInline();
    return mNext < mWords.size() && isToggleWord(mWords[mNext]) ? mWords[mNext++] : "on";
  }

  /// The entry of a row, wherever and under whichever of its names it was set before.
  Value& valueOf(const Parameter& row, const std::string& name) {
    for (auto& [known, value] : mResult.values) {
      if (findParameter(mOp.parameters, known) != &row) continue;
      known = name;
      return value;
    }
    return mResult.values.emplace_back(name, Value()).second;
  }

  void setValue(const Parameter& row, const std::string& name, std::string value) {
    valueOf(row, name) = std::move(value);
  }

  void addRecord(const Parameter& row, const std::string& name) {
    std::vector<std::string> words;
    if (mInline) words.push_back(takeInline());
    const auto belongs = [](const std::string& word) {
      return word.find('=') != std::string::npos && word.compare(0, 2, "--") != 0;
    };
    while (mNext < mWords.size() && belongs(mWords[mNext])) words.push_back(mWords[mNext++]);
    Value::Map record;
    for (const std::string& word : words) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) break;
      record.emplace_back(underscored(word.substr(0, equals)), word.substr(equals + 1));
    }
    if (record.empty()) {
      std::vector<std::string> fields;
      for (const Parameter& field : row.fields) fields.push_back(field.name);
      throw Error(ErrorCode::Usage, fmt::format("{} needs field=value words", mFlag),
                  fmt::format("its fields are {}", joinWords(fields, " and ")));
    }
    valueOf(row, name).append(std::move(record));
  }

  void addOutputs() {
    if (const Parameter* folder = folderParameter(mOp))
      return setValue(*folder, folder->name, takeValue("FOLDER"));
    if (mOp.outputs.empty())
      throw Error(ErrorCode::Usage, fmt::format("{} writes no file", mOp.id), "leave -o away");
    const bool one = mInline.has_value();
    addOutput(takeValue("FILE"));
    while (!one && mNext < mWords.size() && mResult.outputs.size() < mOp.outputs.size() &&
           !isFlag(mWords[mNext]))
      addOutput(mWords[mNext++]);
  }

  void addOutput(const std::string& file) {
    if (mResult.outputs.size() == mOp.outputs.size())
      throw Error(ErrorCode::Usage,
                  fmt::format("{} has {} output{}; there is none for {}", mOp.id, mOp.outputs.size(),
                              mOp.outputs.size() == 1 ? "" : "s", file));
    mResult.outputs.push_back(file == "-" ? "" : file);
  }

  /// Who names a file for an output wants it, and nobody sees one without a file; unless its toggle is set.
  void askForOutputs() {
    for (size_t i = 0; i < mOp.outputs.size(); ++i) {
      const std::string& toggle = mOp.outputs[i].toggle;
      if (toggle.empty()) continue;
      const bool named = i < mResult.outputs.size() && !mResult.outputs[i].empty();
      Value& value = valueOf(*findParameter(mOp.parameters, toggle), toggle);
      if (value.isNull()) value = named ? "on" : "off";
    }
  }

  void addPositional(const std::string& word) {
    const Parameter* row = positionalParameter(mOp);
    if (!row) {
      mResult.inputs.push_back(word == "-" ? "" : word);
      return;
    }
    if (mPositionalSet)
      throw Error(ErrorCode::Usage, fmt::format("{} does not know what to do with {}", mOp.id, word),
                  fmt::format("hackle help {} shows what it takes", mOp.id));
    mPositionalSet = true;
    setValue(*row, row->name, word);
  }

  [[noreturn]] void refuseFlag() const {
    std::vector<std::string> flags;
    for (const Parameter& p : mOp.parameters) flags.push_back(flagText(p));
    for (const GeneralFlag& general : generalFlags()) flags.push_back(general.flag);
    std::string wanted = mFlag;
    std::replace(wanted.begin(), wanted.end(), '_', '-');
    const std::string nearest = nearestName(wanted, flags);
    throw Error(ErrorCode::Usage, fmt::format("{} has no flag {}", mOp.id, mFlag),
                nearest.empty() ? fmt::format("hackle help {} shows its flags", mOp.id)
                                : fmt::format("did you mean {}?", nearest));
  }

  const Operator& mOp;
  const std::vector<std::string>& mWords;
  size_t mNext = 0;
  std::string mFlag;                   // the flag that is being read
  std::optional<std::string> mInline;  // its value after an equals sign, until somebody takes it
  bool mPositionalSet = false;
  Arguments mResult;
};

}  // namespace

Arguments parseArguments(const Operator& op, const std::vector<std::string>& words) {
  return Parser(op, words).parse();
}

std::optional<std::string> jsonTarget(const std::vector<std::string>& words) {
  const std::string inlined = "--json=";
  std::optional<std::string> target;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--json" && i + 1 < words.size() && !isFlag(words[i + 1])) target = words[i + 1];
    if (words[i].compare(0, inlined.size(), inlined) == 0) target = words[i].substr(inlined.size());
  }
  return target;
}

const std::vector<GeneralFlag>& generalFlags() {
  static const std::vector<GeneralFlag> kFlags{
      {"--output", "-o", "FILE...", "Where the outputs go, in their order; - for one that is not wanted."},
      {"--json", "", "FILE",
       "Write a report of the run: parameters in force, warnings, seconds by stage, peak memory, results; "
       "- for standard output, where nothing else goes then."},
      {"--threads", "", "INTEGER", "Threads to use; 0 for all cores. The result does not depend on it."},
      {"--quiet", "-q", "", "Print nothing but warnings and errors."},
      {"--verbose", "-v", "",
       "After the run list its stages with their seconds, and the peak memory, on standard error."},
      {"--progress", "", "STYLE",
       "How progress is shown on standard error: bar, lines (for logs), openjd (lines that Open Job Description reads), "
       "off, or auto: a bar on a terminal, elsewhere lines in runs longer than half a minute."},
      {"--no-progress", "", "", "The same as --progress off."},
      {"--help", "-h", "", "Show this text."},
  };
  return kFlags;
}

const Parameter* findFlag(const std::vector<Parameter>& table, std::string name) {
  return findParameter(table, underscored(std::move(name)));
}

}  // namespace hackle::cli
