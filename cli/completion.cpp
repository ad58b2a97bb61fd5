#include <cli/arguments.h>
#include <cli/completion.h>
#include <cli/help.h>
#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::cli {

namespace {

const char* const kBashScript = R"SH(# bash completion for hackle: eval "$(hackle completion bash)"
_hackle() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~/$HOME} line file
  [ "$word" = "=" ] && word=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word")
    else
      COMPREPLY+=("$line")
    fi
  done < <("$program" __complete bash "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
  if [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _hackle hackle
)SH";

const char* const kZshScript = R"SH(#compdef hackle
# zsh completion for hackle: eval "$(hackle completion zsh)", or save it as _hackle in a folder of $fpath
_hackle() {
  local line files=0 program=${words[1]/#\~/$HOME}
  local -a candidates open
  while IFS= read -r line; do
    case $line in
      :files) files=1 ;;
      *=:*) open+=("$line") ;;
      *) candidates+=("$line") ;;
    esac
  done < <("$program" __complete zsh $((CURRENT - 1)) "${words[@]}" 2>/dev/null)
  (( ${#candidates} )) && _describe -t values value candidates
  (( ${#open} )) && _describe -t fields field open -S ''
  if (( files )); then
    compset -P '*='
    _files
  fi
}
if [ "$funcstack[1]" = "_hackle" ]; then _hackle "$@"; else compdef _hackle hackle; fi
)SH";

bool startsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

class Completer {
 public:
  Completer(const std::vector<Operator>& operators, const std::vector<std::string>& words, size_t index)
      : mOperators(operators), mWords(words), mIndex(index), mWord(words.at(index)) {}

  Completions complete() {
    if (mIndex == 1) {
      for (const Verb& verb : verbs()) offer(verb.name, verb.summary);
      offerOperators();
      return mResult;
    }
    const std::string& verb = mWords[1];
    if (verb == "help" && mIndex == 2) offerOperators();
    if (verb == "completion" && mIndex == 2) offer("bash", ""), offer("zsh", "");
    if (verb == "docs") mResult.files = true;
    for (const Operator& op : mOperators)
      if (op.id == verb) completeOperator(op);
    return mResult;
  }

 private:
  void offer(const std::string& text, const std::string& description) {
    if (startsWith(text, mWord)) mResult.candidates.push_back({text, description});
  }

  void offerOperators() {
    for (const Operator& op : mOperators) offer(op.id, op.summary);
  }

  void offerFlags(const Operator& op) {
    for (const Parameter& p : op.parameters) {
      offer(flagText(p), p.help);
      if (p.type == ParameterType::Toggle) offer("--no-" + flagText(p).substr(2), p.help);
    }
    for (const GeneralFlag& flag : generalFlags()) {
      offer(flag.flag, flag.help);
      if (!flag.shortFlag.empty()) offer(flag.shortFlag, flag.help);
    }
  }

  /// Values of a row, each after `before` ("", or "--name=").
  void offerValues(const Parameter& p, const std::string& before) {
    for (const MenuItem& item : p.menu) offer(before + item.token, item.label);
    if (p.type == ParameterType::Toggle) offer(before + "on", ""), offer(before + "off", "");
    if (p.type == ParameterType::File) mResult.files = true;
  }

  void offerFields(const Parameter& list) {
    const size_t equals = mWord.find('=');
    for (const Parameter& field : list.fields) {
      if (equals == std::string::npos)
        offer(field.name + "=", field.help);
      else if (findFlag(list.fields, mWord.substr(0, equals)) == &field)
        offerValues(field, mWord.substr(0, equals + 1));
    }
  }

  /// The list whose record is being written, or nullptr.
  const Parameter* openRecord(const Operator& op) const {
    size_t i = mIndex - 1;
    while (i > 1 && mWords[i].find('=') != std::string::npos && !startsWith(mWords[i], "--")) --i;
    const Parameter* row =
        startsWith(mWords[i], "--") ? findFlag(op.parameters, mWords[i].substr(2)) : nullptr;
    return row && row->type == ParameterType::List ? row : nullptr;
  }

  void completeOperator(const Operator& op) {
    // A value right after its flag: "--name=va".
    const size_t equals = mWord.find('=');
    if (startsWith(mWord, "--") && equals != std::string::npos) {
      const std::string name = mWord.substr(2, equals - 2);
      if (const Parameter* p = findFlag(op.parameters, name)) offerValues(*p, mWord.substr(0, equals + 1));
      if (name == "json" || name == "output") mResult.files = true;
      return;
    }
    if (startsWith(mWord, "-")) return offerFlags(op);

    // A value in the word after its flag.
    const std::string& previous = mWords[mIndex - 1];
    const Parameter* p = startsWith(previous, "--") ? findFlag(op.parameters, previous.substr(2)) : nullptr;
    if (previous == "--threads") return;
    if (previous == "--progress") {
      for (const std::string& style : progressStyleNames()) offer(style, "");
      return;
    }
    if (p && p->type != ParameterType::Toggle && p->type != ParameterType::List) return offerValues(*p, "");
    if (const Parameter* list = openRecord(op)) offerFields(*list);

    // Anything else is an input or an output.
    const Parameter* positional = positionalParameter(op);
    if (positional && mIndex == 2) return offerValues(*positional, "");
    mResult.files = true;
  }

  const std::vector<Operator>& mOperators;
  const std::vector<std::string>& mWords;
  size_t mIndex;
  const std::string& mWord;
  Completions mResult;
};

/// Joins "--name", "=", "value" again; returns how many bytes of the word at `index` bash does not replace.
size_t joinAtEquals(std::vector<std::string>& words, size_t& index) {
  const std::string typed = words[index] == "=" ? "" : words[index];
  std::vector<std::string> joined;
  size_t newIndex = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool continues = i > 1 && (words[i] == "=" || words[i - 1] == "=");
    if (continues)
      joined.back() += words[i];
    else
      joined.push_back(words[i]);
    if (i == index) {
      newIndex = joined.size() - 1;
      break;
    }
  }
  words = std::move(joined);
  index = newIndex;
  return words[index].size() - typed.size();
}

}  // namespace

std::string completionScript(const std::string& shell) {
  if (shell == "bash") return kBashScript;
  if (shell == "zsh") return kZshScript;
  throw Error(ErrorCode::Usage, fmt::format("there is no completion for {}", shell), "choose bash or zsh");
}

Completions completions(const std::vector<Operator>& operators, const std::vector<std::string>& words,
                        size_t index) {
  if (index == 0 || index >= words.size()) return {};
  return Completer(operators, words, index).complete();
}

std::string answerToShell(const std::vector<Operator>& operators, const std::string& shell,
                          std::vector<std::string> words, size_t index) {
  if (index == 0) return "";
  if (index >= words.size()) words.resize(index + 1);
  const size_t kept = shell == "bash" ? joinAtEquals(words, index) : 0;
  const Completions found = completions(operators, words, index);
  std::string out;
  for (const Completions::Candidate& candidate : found.candidates) {
    out += candidate.text.substr(std::min(kept, candidate.text.size()));
    if (shell == "zsh") out += ":" + candidate.description;
    out += "\n";
  }
  return out + (found.files ? ":files\n" : "");
}

}  // namespace hackle::cli
