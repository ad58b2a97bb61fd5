#include <cli/command.h>
#include <cli/completion.h>
#include <cli/help.h>
#include <cli/interrupt.h>
#include <cli/reference.h>
#include <cli/terminal.h>
#include <cli/worker.h>
#include <hackle/core/version.h>
#include <hackle/ops/registry.h>

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hackle::cli {

namespace {

using Words = std::vector<std::string>;

void expectWords(const Words& words, size_t count, const std::string& usage) {
  if (words.size() != count)
    throw Error(ErrorCode::Usage,
                fmt::format("{} takes {} word{} after it", words[0],
                            count == 1 ? "no" : std::to_string(count - 1), count == 2 ? "" : "s"),
                "write hackle " + usage);
}

void runVerb(const Verb& verb, const Words& words) {
  if (verb.name == "help" && words.size() == 1) return writeOut(programHelp(textColumns()));
  expectWords(words, verb.name == "list" || verb.name == "formats" ? 1 : 2, verb.usage);
  if (verb.name == "list") writeOut(operatorList(operators()));
  if (verb.name == "help") writeOut(operatorHelp(findOperator(words[1]), textColumns()));
  if (verb.name == "formats") writeOut(formatList());
  if (verb.name == "completion") writeOut(completionScript(words[1]));
  if (verb.name == "docs") writeReference(operators(), words[1]);
}

/// The first word names neither a verb nor an operator.
[[noreturn]] void refuseWord(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : verbs()) known.push_back(verb.name);
  for (const Operator& op : operators()) known.push_back(op.id);
  const std::string nearest = nearestName(word, known);
  throw Error(ErrorCode::Usage, fmt::format("there is no operator {}", word),
              nearest.empty() ? "hackle list shows all operators" : fmt::format("did you mean {}?", nearest));
}

void dispatch(const Words& words) {
  if (words.empty())
    throw Error(ErrorCode::Usage, "no operator given", "hackle list shows them, hackle help shows the rest");
  const std::string& first = words[0];
  if (first == "--version" || first == "-V") return writeOut(fmt::format("hackle {}\n", version()));
  if (first == "--help" || first == "-h") return writeOut(programHelp(textColumns()));
  // For programs that run many commands, such as the Houdini nodes without a plug-in.
  if (first == "__worker" && words.size() == 1) return runWorker(std::cin);
  // Asked by the scripts that `completion` prints.
  if (first == "__complete" && words.size() >= 4)
    return writeOut(answerToShell(operators(), words[1], Words(words.begin() + 3, words.end()),
                                  std::strtoul(words[2].c_str(), nullptr, 10)));
  for (const Verb& verb : verbs())
    if (verb.name == first) return runVerb(verb, words);
  for (const Operator& op : operators())
    if (op.id == first) return runCommand(op, Words(words.begin() + 1, words.end()));
  refuseWord(first);
}

/// Keeps memory that is given back for what comes next: a run takes and gives back large arrays all the time,
/// and each first touch of a page that the system gave anew costs about a microsecond.
void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that is allowed
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void printError(const Error& e) {
  writeError(fmt::format("hackle: {}\n", e.what()));
  if (!e.remedy().empty()) writeError(fmt::format("  {}\n", e.remedy()));
}

}  // namespace
}  // namespace hackle::cli

int main(int argc, char** argv) {
  using namespace hackle;
  cli::turnSignalsIntoErrors();
  cli::keepFreedMemory();
  try {
    cli::dispatch(cli::Words(argv + 1, argv + argc));
    return 0;
  } catch (const Error& e) {
    cli::printError(e);
    return exitCode(e.code());
  } catch (const std::exception& e) {
    cli::printError(Error(ErrorCode::Failed, fmt::format("failed: {}", e.what())));
    return exitCode(ErrorCode::Failed);
  }
}
