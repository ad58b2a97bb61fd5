#!/usr/bin/env python3
"""Breaks one operator, sign, constant or comparison of the library at a time, builds, and runs the tests that cover it: which
changes do the tests not notice? Called by ./run mutate [N] [--seed S] [FOLDER ...].

    N        mutations, 20 if not given; they are spread over the folders of lib/hackle
    FOLDER   only these, such as linalg or fracture/voronoi

The seed says which mutations; the same seed breaks the same places of the same sources. Survivors are printed with their line at
the end and the exit code is 1 if there are more than a tenth: look at each, it is a gap in the tests or cannot matter. The source
is put back after every mutation, also after Ctrl-C. Works in a copy of the sources in build-mutate/, so that nothing here changes.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build-mutate"
TEST_SECONDS = 300  # a mutation that makes a test run for ever is noticed, too

# What is broken: pattern, replacements. Each changes the meaning of compiling code; words, messages and types are left alone.
RULES = [
    (re.compile(r"(?<=[\w)\]] )\+(?= [\w(-])"), ["-"]),
    (re.compile(r"(?<=[\w)\]] )-(?= [\w(])"), ["+"]),
    (re.compile(r"(?<=[\w)\]] )\*(?= [\w(-])"), ["/"]),
    (re.compile(r"(?<=[\w)\]] )/(?= [\w(])"), ["*"]),
    (re.compile(r"(?<=[\w)\]] )<=(?= [\w(-])"), ["<", ">"]),
    (re.compile(r"(?<=[\w)\]] )>=(?= [\w(-])"), [">", "<"]),
    (re.compile(r"(?<=[\w)\]] )<(?= [\w(-])"), ["<=", ">"]),
    (re.compile(r"(?<=[\w)\]] )>(?= [\w(-])"), [">=", "<"]),
    (re.compile(r"(?<=[\w)\]] )==(?= [\w(-])"), ["!="]),
    (re.compile(r"(?<=[\w)\]] )!=(?= [\w(-])"), ["=="]),
    (re.compile(r"(?<=[\w)\]] )&&(?= [\w(!-])"), ["||"]),
    (re.compile(r"(?<=[\w)\]] )\|\|(?= [\w(!-])"), ["&&"]),
    (re.compile(r"(?<=[-+]= )(?=\w)"), ["-"]),
    (re.compile(r"(?<![\w.\"'<])(\d+\.\d+)(?![\w.\"'>])"), ["half", "twice"]),
    (re.compile(r"(?<=return )true(?=;)"), ["false"]),
    (re.compile(r"(?<=return )false(?=;)"), ["true"]),
]
# Lines in which no change can matter, or only to words, memory and speed.
SKIPPED = re.compile(r"^\s*(//|#|///|using |template|static_assert|throw |fmt::)|fmt::format|Error\(|reserve\(|warn\(|"
                     r"std::function|HACKLE_ASSERT|checkCancel|advance\(|Stage |operator[<>=!+*/-]|\bbytes\(|kMost|kGrain|\.help\(")


def mutations(path):
    """(line number, column, end, text) of every place of a source that can be broken."""
    found = []
    in_text = False
    for number, line in enumerate(path.read_text().splitlines()):
        in_text ^= line.count('R"(') % 2 == 1
        if in_text or SKIPPED.search(line):
            continue
        code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: " " * len(m.group()), line.split("//")[0])
        for pattern, replacements in RULES:
            for match in pattern.finditer(code):
                for replacement in replacements:
                    if replacement in ("half", "twice"):
                        value = float(match.group()) * (0.5 if replacement == "half" else 2.0)
                        if value == 0:
                            continue
                        replacement = repr(value)
                    found.append((number, match.start(), match.end(), replacement))
    return found


def tests_of(folder):
    """Names of ctest that cover a folder of lib/hackle: its own test program and those of what is built on it."""
    top = folder.split("/")[0]
    above = {"core": ["core", "io"], "geometry": ["geometry", "io"], "linalg": ["linalg", "fem"], "mechanics": ["mechanics", "fracture"],
             "fem": ["fem", "fracture"], "bem": ["bem", "fracture"], "volume": ["volume", "ops"], "meshing": ["meshing", "fracture"],
             "render": ["render", "ops"], "rigid": ["rigid", "sim"], "coupling": ["coupling", "dop", "sim"], "ops": ["ops", "cli"]}
    return above.get(top, [top, "ops"])


def run(command, seconds=None, **options):
    """Exit code of a command; -1 if it took too long."""
    process = subprocess.Popen(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, ""


def prepare(programs):
    COPY.mkdir(exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, files):
        source, target = ROOT / name, COPY / name
        if source.exists() and (not target.exists() or target.read_bytes() != source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    if not (COPY / "build/build.ninja").exists():
        # Without warnings as errors, and without what no test of the library needs.
        code, output = run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DHACKLE_WERROR=OFF",
                            "-DHACKLE_PYTHON=OFF", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"])
        if code:
            sys.exit(output)
    code, output = run(["cmake", "--build", "build", "--target", *programs])
    if code:
        sys.exit(output[-4000:])


def judge(path, mutation, programs):
    """What the tests say of a mutation: (verdict, seconds)."""
    number, start, end, text = mutation
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    lines[number] = lines[number][:start] + text + lines[number][end:]
    began = time.monotonic()
    try:
        path.write_text("".join(lines))
        code, _ = run(["cmake", "--build", "build", "--target", *programs])
        if code:
            return "does not compile", 0
        for program in programs:
            code, _ = run([f"build/bin/{program}", "--gtest_brief=1", "--gtest_fail_fast"], TEST_SECONDS)
            if code:
                return "caught", time.monotonic() - began
        return "SURVIVED", time.monotonic() - began
    finally:
        path.write_text(before)


def main():
    parser = argparse.ArgumentParser(prog="./run mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutations and run nothing")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    base = ROOT / "lib/hackle"
    sources = [path for path in sorted(base.rglob("*.cpp"))
               if not options.folders or any(str(path.relative_to(base)).startswith(f"{f}/") for f in options.folders)]
    chooser = random.Random(options.seed)
    by_folder = {}
    for path in sources:
        by_folder.setdefault(str(path.parent.relative_to(base)), []).append(path)
    if not by_folder:
        sys.exit("run: there are no sources in " + " ".join(options.folders))

    survivors, caught, tried, seen = [], 0, 0, set()
    folders = sorted(by_folder)
    chooser.shuffle(folders)
    while tried < options.count:
        folder = folders[tried % len(folders)]
        path = chooser.choice(by_folder[folder])
        places = mutations(path)
        if not places:
            tried += 1
            continue
        number, start, end, text = mutation = chooser.choice(places)
        line = path.read_text().splitlines()[number]
        shown = f"{path.relative_to(ROOT)}:{number + 1}: {line[:start].lstrip()}[{line[start:end]} -> {text}]{line[end:]}"
        tried += 1
        if shown in seen:
            continue
        seen.add(shown)
        if options.list:
            print(shown)
            continue
        programs = [f"test_{name}" for name in tests_of(folder)]
        prepare(programs)
        verdict, seconds = judge(COPY / path.relative_to(ROOT), mutation, programs)
        print(f"{verdict:<17} {seconds:5.0f} s  {shown}", flush=True)
        caught += verdict == "caught"
        if verdict == "SURVIVED":
            survivors.append(shown)
    if options.list:
        return 0
    judged = caught + len(survivors)
    print(f"{judged} judged, {caught} caught, {len(survivors)} survived")
    for shown in survivors:
        print("  " + shown)
    return 1 if 10 * len(survivors) > judged else 0


if __name__ == "__main__":
    sys.exit(main())
