// Completion for shells: small scripts that ask the program itself, so that new operators need no new script.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle::cli {

/// The script for "bash" or "zsh"; Error(Usage) for another shell.
std::string completionScript(const std::string& shell);

struct Completions {
  struct Candidate {
    std::string text;
    std::string description;
  };
  std::vector<Candidate> candidates;  // all begin with the word as far as it is typed
  bool files = false;                 // names of files fit too
};

/// What words[index] could become; words[0] is the program.
Completions completions(const std::vector<Operator>& operators, const std::vector<std::string>& words,
                        size_t index);

/// The answer to a script: one candidate a line, then ":files" if names of files fit. bash splits words at
/// equals signs, which is undone here, and wants only what follows the last one. zsh gets
/// "candidate:description".
std::string answerToShell(const std::vector<Operator>& operators, const std::string& shell,
                          std::vector<std::string> words, size_t index);

}  // namespace hackle::cli
