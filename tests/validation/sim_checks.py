"""Long checks of simulations, by the program: kills at random, rest for minutes, speeds, sizes, full disks.

    sim_checks.py [--record]     writes docs/figures/validate_sim.tsv with --record
"""

import hashlib
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HACKLE = "build/bin/hackle"
ROWS = []


def run(*words, **options):
    return subprocess.run([HACKLE, *map(str, words)], capture_output=True, text=True, **options)


def row(check, result, good):
    ROWS.append((check, result, "ok" if good else "FAILED"))
    print(f"{check:58s} {result:40s} {'ok' if good else 'FAILED'}", flush=True)


def files(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def scene(folder, frames=60, size=1.0, speed=3.0, rate=24, extra=""):
    """A glued box of cells falls: no engine is needed, many pieces come off."""
    solid, pieces = folder / "solid.bgeo", folder / "pieces.bgeo"
    if not pieces.exists():
        run("model", "box", "--size", 0.4 * size, "--resolution", 8, "-o", solid)
        run("voronoi", solid, "--pieces", 40, "--seed", 2, "-o", pieces)
    text = f"""
frames = {frames}
rate = {rate}
restart = 10
[ground]
[[body]]
name = "box"
file = "{pieces}"
position = [0, {0.5 * size}, 0]
rotation = [20, 0, 30]
velocity = [{0.3 * speed}, {-speed}, 0]
glued = true
glue_strength = {30 * size * max(1, speed / 3)}
{extra}
"""
    path = folder / "scene.toml"
    path.write_text(text)
    return path


def kills(folder, count=20):
    """Runs that are killed at random go on to the same bytes, however often; a run that came through is run anew."""
    path = scene(folder)
    whole, parts = folder / "whole", folder / "parts"
    start = time.time()
    run("sim", path, "-o", whole)
    seconds = time.time() - start
    wanted = files(whole)
    rng = random.Random(1)
    killed = finished = 0
    same, leftovers = True, 0

    def compare():
        found = files(parts)
        extra = [n for n in found if n not in wanted]
        return {n: h for n, h in found.items() if n in wanted} == wanted, len(extra)

    while killed < count:
        process = subprocess.Popen([HACKLE, "sim", str(path), "-o", str(parts), "--resume"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.1, 0.8) * seconds)
            equal, extra = compare()
            finished, same, leftovers = finished + 1, same and equal and process.returncode == 0, leftovers + extra
            shutil.rmtree(parts)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
    run("sim", path, "-o", parts, "--resume")
    equal, extra = compare()
    row(f"same bytes after {killed} kills at random",
        f"{len(wanted)} files, {finished + 1} runs, {leftovers + extra} temporary left", same and equal)


def threads(folder):
    path = scene(folder)
    for n in (1, 7):
        run("sim", path, "-o", folder / f"t{n}", "--threads", n)
    row("same bytes on 1 and 7 threads", f"{len(files(folder / 't1'))} files", files(folder / "t1") == files(folder / "t7"))


def rest(folder):
    """Ten minutes of a body at rest, below the threshold of its glue."""
    path = scene(folder, frames=2, speed=0.0)
    text = path.read_text().replace("frames = 2\nrate = 24", "frames = 3000\nrate = 5\nsubsteps = 50").replace("rotation = [20, 0, 30]", "")
    text = text.replace("position = [0, 0.5, 0]", "position = [0, 0.0, 0]") + "\n[output]\nglb = false\nusda = false\npoints = false\n"
    path.write_text(text)
    done = run("sim", path, "-o", folder / "rest", "--json", "-")
    result = json.loads(done.stdout)["result"]
    row("at rest for ten minutes of simulated time", f"{result['frames']} frames, {result['events']} events",
        result["events"] == 0 and result["frames"] == 3000)


def finite(folder):
    """No number of any frame is infinite or none, as text has them. Frames last as long as falls of that size do."""
    for size in (1e-3, 1.0, 1e3):
        for speed in (10.0, 1000.0):
            sub = folder / f"f{size}_{speed}"
            sub.mkdir()
            path = scene(sub, frames=24, size=size, speed=speed, rate=24 / size**0.5)
            done = run("sim", path, "-o", sub / "out", "--json", "-")
            bad = 0
            frames = sorted((sub / "out" / "frames").glob("*"))
            for frame in frames:
                run("convert", frame, "-o", sub / "frame.geo")
                bad += len(re.findall(r"\b(nan|inf|null)\b", (sub / "frame.geo").read_text().lower()))
            bodies = json.loads(done.stdout)["result"]["bodies"] - 1  # without the ground
            row(f"finite at size {size:g} m and {speed:g} m/s", f"{bodies} bodies, {len(frames)} frames, {bad} bad values",
                bad == 0 and done.returncode == 0 and bodies > 1 and len(frames) == 24)


def symmetric(folder):
    """A bar that lands flat breaks by its modes into mirror images. 2e-5 is reached."""
    path = folder / "scene.toml"
    path.write_text("""
frames = 24
[ground]
preset = "concrete"
[[body]]
name = "bar"
model = { shape = "box", size = 0.4, proportions = [1, 0.15, 0.2], resolution = 12, centre = true }
position = [0, 0.2, 0]
velocity = [0, -12, 0]
preset = "glass"
engine = "modes"
[output]
glb = false
usda = false
""")
    run("sim", path, "-o", folder / "out")
    events = [json.loads(line) for line in (folder / "out" / "events.jsonl").read_text().splitlines()]
    broken = [e for e in events if e["event"] == 1]
    if not broken:
        return row("a symmetric drop breaks symmetrically (modes)", "it did not break", False)
    done = run("measure", folder / "out" / "geo" / "event.0001.bgeo.sc", "--list", 100, "--json", "-",
               "-o", folder / "measured.geo")
    pieces = json.loads(done.stdout)["result"]["largest"]
    volumes = [p["volume"] for p in pieces]
    whole, axis = sum(volumes), max(range(3), key=lambda c: max(abs(p["centre"][c]) for p in pieces))
    # Each piece has a partner of its volume on the other side, or lies in the middle.
    worst = max(min(abs(p["volume"] - q["volume"]) / whole + abs(p["centre"][axis] + q["centre"][axis]) / 0.4 for q in pieces)
                for p in pieces)
    row("a symmetric drop breaks symmetrically (modes)", f"{len(pieces)} pieces, partners within {worst:.2g}", worst < 1e-3)


def momentum(folder):
    """Through every swap of the examples: linear and angular momentum, and energy, which never rises."""
    for name in ("vase", "bowl", "pi", "shooting", "window", "ram"):
        run("sim", f"examples/sim/{name}.toml", "-o", folder / name, "--frames", 48)
        events = [json.loads(line) for line in (folder / name / "events.jsonl").read_text().splitlines()]
        broken = [e for e in events if e["event"] > 0]

        def off(key):
            def one(e):
                before, after = e[f"{key}_before"], e[f"{key}_after"]
                size = max(sum(x * x for x in before) ** 0.5, 1e-300)
                return sum((x - y) ** 2 for x, y in zip(before, after)) ** 0.5 / size
            return max(map(one, broken), default=1)

        linear, angular = off("momentum"), off("angular_momentum")
        energy = max((e["kinetic_energy_after"] / e["kinetic_energy_before"] - 1 for e in broken), default=1)
        row(f"momentum through swaps, {name}.toml", f"linear {linear:.1e}, angular {angular:.1e}, energy {energy:+.1e} "
            f"({len(broken)} events)", max(linear, angular, energy) < 1e-9)


class Usda:
    """A parser of the part of the .usda grammar that scenes are made of; raises ValueError where a file leaves it."""

    TOKEN = re.compile(r'\s+|(?P<string>"[^"\n]*")|(?P<path>@[^@\n]*@(?:<[^>\n]*>)?|<[^>\n]*>)|(?P<word>[A-Za-z_][\w:.]*(?:\[\])?)'
                       r'|(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<mark>[()\[\]{}=,:])')

    def __init__(self, text):
        if not text.startswith("#usda 1.0\n"):
            raise ValueError("header")
        self.tokens, at, self.samples = [], len("#usda 1.0"), 0
        while at < len(text):
            match = self.TOKEN.match(text, at)
            if not match:
                raise ValueError(f"character {at}: {text[at:at + 30]!r}")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match.group()))
            at = match.end()
        self.at, self.prims = 0, 0
        if self.peek() == "(":
            self.metadata()
        while self.at < len(self.tokens):
            self.statement()

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, kind=None, text=None):
        if self.at >= len(self.tokens):
            raise ValueError("ends too soon")
        found = self.tokens[self.at]
        if (kind and found[0] != kind) or (text and found[1] != text):
            raise ValueError(f"token {self.at}: {found[1]!r} instead of {text or kind}")
        self.at += 1
        return found[1]

    def metadata(self):
        self.take(text="(")
        while self.peek() != ")":
            if self.peek() in ("prepend", "append"):
                self.take()
            self.take("word")
            self.take(text="=")
            self.value()
        self.take(text=")")

    def statement(self):
        if self.peek() in ("def", "over"):
            self.take()
            self.take("word")
            self.take("string")
            if self.peek() == "(":
                self.metadata()
            self.take(text="{")
            self.prims += 1
            while self.peek() != "}":
                self.statement()
            return self.take(text="}")
        if self.peek() == "uniform":
            self.take()
        self.take("word")
        name = self.take("word")
        self.take(text="=")
        if name.endswith(".timeSamples"):
            self.take(text="{")
            last = None
            while self.peek() != "}":
                time_code = float(self.take("number"))
                if last is not None and time_code <= last:
                    raise ValueError(f"time {time_code} after {last}")
                last = time_code
                self.take(text=":")
                self.value()
                self.samples += 1
                if self.peek() == ",":
                    self.take()
            self.take(text="}")
        else:
            self.value()
        if self.peek() == "(":
            self.metadata()

    def value(self):
        closing = {"(": ")", "[": "]"}.get(self.peek())
        if not closing:
            if self.tokens[self.at][0] == "mark":
                raise ValueError(f"token {self.at}: no value")
            return self.take()
        self.take()
        while self.peek() != closing:
            self.value()
            if self.peek() != closing:
                self.take(text=",")
        return self.take()


def usda(folder):
    """All .usda files of a run keep to the grammar, and every reference leads to a prim that is there."""
    run("sim", scene(folder, frames=24), "-o", folder / "out")
    paths = sorted((folder / "out").rglob("*.usda"))
    prims = samples = 0
    wrong = []
    for path in paths:
        try:
            parsed = Usda(path.read_text())
            prims, samples = prims + parsed.prims, samples + parsed.samples
            for kind, text in parsed.tokens:
                target = re.fullmatch(r"@([^@]+)@</([^>]+)>", text) if kind == "path" else None
                if target and f'"{target[2]}"' not in (path.parent / target[1]).read_text():
                    wrong.append(f"{path.name}: {text}")
        except (ValueError, OSError) as e:
            wrong.append(f"{path.name}: {e}")
    row("grammar of .usda", wrong[0] if wrong else f"{len(paths)} files, {prims} prims, {samples} samples",
        not wrong and len(paths) > 1 and samples > 0)


def full_disk(folder):
    """The disk is full in frame 30: a clear error, and what the manifest names is complete."""
    mount = folder / "small"
    mount.mkdir()
    path = scene(folder)
    run("sim", path, "-o", folder / "whole")
    listed = json.loads((folder / "whole" / "manifest.json").read_text())["files"]
    kilobytes = sum((f["bytes"] + 4095) // 4096 * 4 for f in listed if 0 < f["frame"] < 30 and f["path"].endswith(".sc"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes + 80}k", "tmpfs", str(mount)], capture_output=True).returncode:
        return row("disk full", "no right to mount a small disk: skipped", True)
    try:
        done = run("sim", path, "-o", mount / "out")
        manifest = json.loads((mount / "out" / "manifest.json").read_text())
        # The log of events may already have lines of the frame that did not become complete.
        complete = all((mount / "out" / f["path"]).stat().st_size == f["bytes"] for f in manifest["files"]
                       if f["path"] != "events.jsonl")
        said = [line for line in done.stderr.splitlines() if "space" in line]
        row("disk full", f"exit {done.returncode}, {manifest['done']} frames complete", done.returncode == 3 and complete and bool(said))
    finally:
        subprocess.run(["umount", str(mount)])


def main():
    for check in (threads, kills, rest, symmetric, finite, momentum, usda, full_disk):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    if "--record" in sys.argv:
        lines = ["# python3 tests/validation/sim_checks.py --record", "check\tresult\tverdict"]
        lines += ["\t".join(r) for r in ROWS]
        pathlib.Path("docs/figures/validate_sim.tsv").write_text("\n".join(lines) + "\n")
    return any(r[2] == "FAILED" for r in ROWS)


if __name__ == "__main__":
    sys.exit(main())
