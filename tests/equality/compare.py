"""Shows that two builds of the program give the same bytes: every operator, the examples, bad input.

    compare.py OLD_PROGRAM NEW_PROGRAM [--threads 1,2,7] [--only NAME...] [--accept FILE] [--table FILE.tsv]
               [--keep DIR] [--jobs N] [--examples DIR]

Each case of cases.py runs with the old program on one thread, which is the reference, and with the new program on every
number of threads, each time in a folder of its own. Compared are all files that a run leaves, exit codes, what is
printed, and reports (--json) without what differs from run to run: seconds, stages, peak_mb, threads, version. The exit
code is 1 if something differs that the accept file does not name, or if a case failed: a program crashed or took too
long, or the old program refused what it should take, or took what it should refuse.

An accept file has one line for each intended change; names may have wildcards, # begins a comment:

    CASE WHAT REASON...    a difference, as the table names it: pieces.bgeo, 02_cvd:stderr, *.json:params.seed
    rename CASE OLD NEW    a flag (--old-flag), field, menu token or operator that the new program calls otherwise

Cases and examples may use either name: each program is called with its own.
"""
import argparse
import concurrent.futures
import fnmatch
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import cases  # noqa: E402  no cache of it beside the sources

TIMEOUT = 1200  # s, of one command or one example
VERBS = {"list", "help", "formats", "completion", "docs", "--help"}  # take no flags; what they print is compared
LEFT_OUT = {"stages", "peak_mb", "threads", "version"}  # of reports; so is what is called seconds, at any depth
DURATION = re.compile(r" in [0-9.]+ (s|min [0-9]+ s|h [0-9]+ min)$", re.M)  # at the end of what a command prints


STOPPED = threading.Event()  # no further command starts
RUNNING = set()  # processes, each with a group of its own


class Number(str):
    """As a report has it, digit by digit; never equal to a text."""


class Failure(Exception):
    """A case that cannot be compared."""


# The accept file ---------------------------------------------------------------------------------------------------


class Accepted:
    """Which differences are intended, and what is called otherwise."""

    def __init__(self, path=None):
        self.lines = []  # [case, what, reason, number of the line, used]
        self.renames = []  # (case, old, new)
        text = pathlib.Path(path).read_text(encoding="utf-8") if path else ""
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "rename" and len(words) >= 4:
                self.renames.append(tuple(words[1:4]))
            elif words[0] != "rename" and len(words) >= 3:
                self.lines.append([words[0], words[1], " ".join(words[2:]), number, False])
            else:
                sys.exit(f"{path}:{number}: write CASE WHAT REASON, or rename CASE OLD NEW; a reason is needed")

    def reason(self, case, what):
        """Why this difference is intended; None if it is not."""
        for line in self.lines:
            if fnmatch.fnmatchcase(case, line[0]) and fnmatch.fnmatchcase(what, line[1]):
                line[4] = True
                return line[2]
        return None

    def unused(self):
        return [f"line {line[3]} ({line[0]} {line[1]})" for line in self.lines if not line[4]]

    def names(self, case, to_new):
        """Pairs (from, to) of names in this case, for either program."""
        pairs = [(old, new) for pattern, old, new in self.renames if fnmatch.fnmatchcase(case, pattern)]
        return pairs if to_new else [(new, old) for old, new in pairs]


def renamed(text, pairs):
    """A command line or a script with its words in another spelling; - and _ in flags are alike."""
    for old, new in pairs:
        if old.startswith("--"):
            word = re.sub("[-_]", "[-_]", old[2:])
            text = re.sub(rf"(?<![\w-])--(no-)?{word}(?![\w-])", lambda m, new=new: f"--{m[1] or ''}{new[2:]}", text)
        else:
            text = re.sub(rf"(?<![\w./=-]){re.escape(old)}(?![\w./-])", new, text)
            text = re.sub(rf"(--[\w-]+=|\b\w+=){re.escape(old)}(?![\w./-])", lambda m, new=new: m[1] + new, text)
    return text


class Spelling:
    """How the new program calls what reports and messages of the old one name."""

    def __init__(self, pairs):
        names = [[re.sub("-", "_", name.lstrip("-")) for name in pair] for pair in pairs]
        self.names = dict(names)
        self.words = [(re.compile(rf"(?<![\w-]){old.replace('_', '[-_]')}(?![\w-])"), new) for old, new in names]

    def key(self, key):
        return self.names.get(key, key)

    def same(self, old, new):
        """Whether two texts are equal, or are when names in the old one are replaced."""
        if old == new or not self.words:
            return old == new
        for word, name in self.words:
            old = word.sub(lambda m, name=name: name.replace("_", "-") if "-" in m[0] else name, old)
        return old == new


# Runs --------------------------------------------------------------------------------------------------------------


class Run:
    """One case with one program and one number of threads, in a folder of its own."""

    def __init__(self, case, program, threads, folder, pairs, examples, is_reference):
        self.case = case
        self.program = program
        self.threads = threads
        self.folder = folder
        self.pairs = pairs
        self.examples = examples
        self.is_reference = is_reference
        self.texts = {}  # by name: exit code, output and messages of each command
        self.given = set()  # files that were there before the run
        self.failure = None
        self.seconds = 0.0

    def run(self):
        start = time.perf_counter()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name, text in self.case.files.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        try:
            if self.case.script:
                self.run_script()
            else:
                self.given = self.all_files()
                for number, command in enumerate(self.case.commands, 1):
                    if command.startswith("$ "):
                        subprocess.run(command[2:], shell=True, cwd=self.folder, check=True)
                    else:
                        self.run_command(number, command)
        except (Failure, subprocess.CalledProcessError) as failure:
            self.failure = str(failure)
        self.seconds = time.perf_counter() - start
        return self

    def all_files(self):
        paths = (p for p in self.folder.rglob("*") if p.is_file())
        return {p.relative_to(self.folder).as_posix() for p in paths}

    def files(self):
        return self.all_files() - self.given

    def run_command(self, number, command):
        """A command of the table; one that begins with ! must be refused."""
        refused = command.startswith("! ")
        command = command[2:] if refused else command
        words = shlex.split(renamed(command, self.pairs))
        label = f"{number:02}_{command.split()[0].lstrip('-')}"
        flags = [] if words[0] in VERBS else ["--threads", str(self.threads), "--json", label + ".json"]
        code = self.call([self.program, *words, *flags], label)
        self.check(label, code, refused)

    def run_script(self):
        """A script of examples/, in a folder where build/bin/hackle calls the program with smaller sizes."""
        name, *words = shlex.split(self.case.script)
        (self.folder / "examples").mkdir()
        for path in self.examples.iterdir():
            if path.suffix == ".sh":
                text = renamed(path.read_text(encoding="utf-8"), self.pairs)
                (self.folder / "examples" / path.name).write_text(text, encoding="utf-8")
            elif path.suffix == ".py":
                shutil.copy(path, self.folder / "examples")
        (self.folder / "build/bin").mkdir(parents=True)
        (self.folder / "reports").mkdir()
        program = self.folder / "build/bin/hackle"
        program.write_text(self.stand_in(), encoding="utf-8")
        program.chmod(0o755)
        self.given = self.all_files() | {"reports/count"}
        self.check(name, self.call(["bash", f"examples/{name}", *words], name, cases.EXAMPLE_VARIABLES))

    def check(self, label, code, refused=False):
        """The reference must do what the table says; other runs are compared with it."""
        if self.is_reference and (code != 0) != refused:
            message = " ".join(self.texts[label + ":stderr"].strip().splitlines()[-2:])
            raise Failure(f"{label} was not refused" if refused else f"{label} ended with exit code {code}: {message}")

    def stand_in(self):
        """What the scripts call: the program with its number of threads, a report for every call, and smaller sizes."""
        smaller = [f'  {op}) shift; set -- {op} {flags} "$@" ;;' for op, flags in cases.EXAMPLE_DEFAULTS.items()]
        smaller += [f'  {op}) set -- "$@" {flags} ;;' for op, flags in cases.EXAMPLE_SIZES.items()]
        smaller = renamed("\n".join(smaller), self.pairs)
        return f"""#!/bin/sh
op=$1
count=$(cat reports/count 2>/dev/null || echo 0)
count=$((count + 1))
echo $count >reports/count
case $op in
{smaller}
esac
case " $* " in
  *" --json "*) ;;
  *) set -- "$@" --json "$(printf 'reports/%03d.json' $count)" ;;
esac
exec {shlex.quote(self.program)} "$@" --threads {self.threads}
"""

    def call(self, words, label, variables=None):
        """Runs words in the folder and keeps what they say under this label; the exit code."""
        if STOPPED.is_set():
            raise Failure("stopped")
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100", **(variables or {})}
        with subprocess.Popen(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            RUNNING.add(process)
            try:
                out, error = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Failure(f"{label} took more than {TIMEOUT} s") from None
            finally:
                RUNNING.discard(process)
        self.texts[label + ":exit"] = str(process.returncode)
        self.texts[label + ":stdout"] = DURATION.sub("", self.without_place(out))
        self.texts[label + ":stderr"] = self.without_place(error)
        if process.returncode < 0:
            raise Failure(f"{label} was ended by signal {-process.returncode}")
        return process.returncode

    def without_place(self, text):
        return text.decode(errors="backslashreplace").replace(str(self.folder), ".")

    def report(self, name):
        """A report without what differs from run to run; numbers stay as they are written."""
        text = self.without_place((self.folder / name).read_bytes())
        try:
            report = json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number)
        except ValueError:
            return {"text": text}  # no report
        return without_seconds({key: value for key, value in report.items() if key not in LEFT_OUT})


def without_seconds(value):
    if isinstance(value, dict):
        return {key: without_seconds(item) for key, item in value.items() if key != "seconds"}
    return [without_seconds(item) for item in value] if isinstance(value, list) else value


# Differences -------------------------------------------------------------------------------------------------------


def short(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def value_differences(name, old, new, spelling):
    """Pairs (name, detail) of all places where two values of reports differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        old = {spelling.key(key): value for key, value in old.items()}
        keys = list(old) + [key for key in new if key not in old]
        dot = "" if name.endswith(":") else "."
        for key in keys:
            if key not in new or key not in old:
                yield f"{name}{dot}{key}", "only old" if key in old else "only new"
            else:
                yield from value_differences(f"{name}{dot}{key}", old[key], new[key], spelling)
    elif isinstance(old, list) and isinstance(new, list):
        for index, pair in enumerate(zip(old, new)):
            yield from value_differences(f"{name}.{index}", *pair, spelling)
        for index in range(min(len(old), len(new)), max(len(old), len(new))):
            item = old[index] if len(old) > len(new) else new[index]
            yield f"{name}.{index}", f"only {'old' if len(old) > len(new) else 'new'}: {short(item)}"
    elif type(old) is not type(new) or not (spelling.same(old, new) if isinstance(old, str) else old == new):
        yield name, f"{short(old)} -> {short(new)}"


def byte_difference(old, new):
    place = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    sizes = f"{len(old)} bytes" if len(old) == len(new) else f"{len(old)} -> {len(new)} bytes"
    return f"byte {place} of {sizes}"


def line_difference(old, new):
    for a, b in itertools.zip_longest(old.splitlines(), new.splitlines(), fillvalue=""):
        if a != b:
            return f"{short(a)} -> {short(b)}"
    return "line ends"


def differences(old, new, spelling):
    """Pairs (name, detail) of all that differs between two runs of a case."""
    for name in list(old.texts) + [name for name in new.texts if name not in old.texts]:
        a, b = old.texts.get(name, ""), new.texts.get(name, "")
        if not spelling.same(a, b):
            yield name, line_difference(a, b)
    old_files, new_files = old.files(), new.files()
    for name in sorted(old_files | new_files):
        if name not in new_files or name not in old_files:
            yield name, "only old" if name in old_files else "only new"
        elif name.endswith(".json"):
            yield from value_differences(name + ":", old.report(name), new.report(name), spelling)
        else:
            a, b = (old.folder / name).read_bytes(), (new.folder / name).read_bytes()
            if a != b:
                yield name, byte_difference(a, b)


class Verdict:
    """Of one case: equal, accepted, different or failed, and rows (threads, what, detail, reason)."""

    def __init__(self, case, old, runs, accepted):
        self.case = case
        self.rows = []
        self.seconds = old.seconds
        spelling = Spelling(accepted.names(case.name, to_new=True))
        self.status = "equal"
        for run in [old, *runs]:
            if run.failure:
                self.status = "failed"
                self.rows.append((run.threads, "old" if run is old else "new", run.failure, None))
        if self.status == "failed":
            return
        for run in runs:
            for what, detail in differences(old, run, spelling):
                self.rows.append((run.threads, what, detail, accepted.reason(case.name, what)))
        if self.rows:
            self.status = "different" if any(row[3] is None for row in self.rows) else "accepted"

    @property
    def passed(self):
        return self.status in ("equal", "accepted")

    def text(self):
        lines = [f"{self.case.name:<28}  {self.status:<9}  {self.seconds:6.2f} s"]
        # A difference that all numbers of threads have is told once.
        told = {}
        for threads, what, detail, reason in self.rows:
            told.setdefault((what, detail, reason), []).append(str(threads))
        shown = sorted(told, key=lambda row: row[2] is not None)
        for what, detail, reason in shown[:12]:
            accepted = f" (accepted: {reason})" if reason else ""
            lines.append(f"    {what}: {detail}; threads {','.join(told[what, detail, reason])}{accepted}")
        if len(shown) > 12:
            lines.append(f"    and {len(shown) - 12} more")
        return "\n".join(lines)

    def table_rows(self):
        for threads, what, detail, reason in self.rows or [("", "", "", None)]:
            yield self.case.name, self.status, threads, what, detail, reason or "", f"{self.seconds:.2f}"


# The whole ---------------------------------------------------------------------------------------------------------


def operators(program):
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+)", listed, re.M)


def coverage(options, accepted):
    """What no case reaches: operators of the old program; and, as notes, what only the new one or the examples have."""
    called = {command.removeprefix("! ").split()[0] for case in cases.CASES for command in case.commands}
    called |= {new for _, old, new in accepted.renames if old in called}
    called |= {old for _, old, new in accepted.renames if new in called}
    scripts = {case.script.split()[0] for case in cases.CASES if case.script}
    missing = [op for op in operators(options.old) if op not in called]
    notes = [f"operator {op} is new, not compared" for op in operators(options.new) if op not in called | set(missing)]
    notes += [f"no case runs examples/{path.name}" for path in sorted(options.examples.glob("*.sh"))
              if path.name not in scripts]
    return missing, notes


def compare(case, options, accepted, place):
    def run(program, threads, label):
        pairs = accepted.names(case.name, to_new=label != "old")
        folder = place / case.name / label
        return Run(case, program, threads, folder, pairs, options.examples, is_reference=label == "old").run()

    old = run(options.old, 1, "old")
    runs = [run(options.new, threads, f"new-{threads}") for threads in options.threads]
    verdict = Verdict(case, old, runs, accepted)
    if not options.keep:
        shutil.rmtree(place / case.name)
    return verdict


def compare_all(wanted, options, accepted):
    """Verdicts in the order of the table, told as they come."""
    verdicts = {}
    with tempfile.TemporaryDirectory(prefix="hackle_equality_") as temporary:
        place = pathlib.Path(options.keep or temporary).absolute()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            # The longest cases, the examples, come last in the table and first here.
            futures = [pool.submit(compare, case, options, accepted, place) for case in reversed(wanted)]
            try:
                for future in concurrent.futures.as_completed(futures):
                    verdict = future.result()
                    verdicts[verdict.case.name] = verdict
                    print(verdict.text(), flush=True)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                STOPPED.set()
                for process in list(RUNNING):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
    return [verdicts[case.name] for case in wanted]


def write_table(path, verdicts):
    rows = [("case", "status", "threads", "what", "detail", "reason", "seconds_old")]
    rows += [row for verdict in verdicts for row in verdict.table_rows()]
    with open(path, "w", encoding="utf-8") as table:
        for row in rows:
            table.write("\t".join(str(cell).replace("\t", " ").replace("\n", " ") for cell in row) + "\n")


def program_path(text):
    path = shutil.which(text)
    if not path:
        raise argparse.ArgumentTypeError(f"there is no program {text}")
    return os.path.abspath(path)


def thread_counts(text):
    try:
        counts = [int(word) for word in text.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        raise argparse.ArgumentTypeError("write numbers of threads as 1,2,7")
    return counts


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD_PROGRAM", type=program_path, help="the reference")
    parser.add_argument("new", metavar="NEW_PROGRAM", type=program_path, help="what should do the same")
    parser.add_argument("--threads", type=thread_counts, default=[1, 2, 7], help="of the new program (1,2,7)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these cases; wildcards are allowed")
    parser.add_argument("--accept", metavar="FILE", help="intended differences and renames")
    parser.add_argument("--table", metavar="FILE.tsv", help="write all rows there as well")
    parser.add_argument("--keep", metavar="DIR", help="leave the folders of all runs there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="cases at a time (all cores)")
    parser.add_argument("--examples", type=pathlib.Path, metavar="DIR", help="the examples to run (of this checkout)",
                        default=pathlib.Path(__file__).resolve().parents[2] / "examples")
    return parser.parse_args()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse_options()
    accepted = Accepted(options.accept)
    wanted = [case for case in cases.CASES
              if not options.only or any(fnmatch.fnmatchcase(case.name, name) for name in options.only)]
    if not wanted:
        sys.exit("no case has such a name; there are " + ", ".join(case.name for case in cases.CASES))

    start = time.perf_counter()
    verdicts = compare_all(wanted, options, accepted)
    failed = sum(not verdict.passed for verdict in verdicts)
    if not options.only:
        missing, notes = coverage(options, accepted)
        for op in missing:
            print(f"no case calls the operator {op}")
            failed += 1
        notes += [f"{options.accept}: {line} was not needed" for line in accepted.unused()]
        for note in notes:
            print(f"note: {note}")
    if options.table:
        write_table(options.table, verdicts)
    counts = ",".join(map(str, options.threads))
    print(f"{len(verdicts)} cases, new program on {counts} threads, {time.perf_counter() - start:.0f} s")
    print(f"{sum(verdict.passed for verdict in verdicts)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
