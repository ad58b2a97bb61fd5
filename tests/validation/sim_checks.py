"""Long checks of simulations, by the program: kills at random, rest for minutes, speeds, sizes, full disks.

    sim_checks.py [--record]     writes docs/figures/validate_sim.tsv with --record
"""

import hashlib
import json
import pathlib
import random
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


def scene(folder, frames=60, size=1.0, speed=3.0, extra=""):
    """A glued box of cells falls: no engine is needed, many pieces come off."""
    solid, pieces = folder / "solid.bgeo", folder / "pieces.bgeo"
    if not pieces.exists():
        run("model", "box", "--size", 0.4 * size, "--resolution", 8, "-o", solid)
        run("voronoi", solid, "--pieces", 40, "--seed", 2, "-o", pieces)
    text = f"""
frames = {frames}
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
    path = scene(folder)
    whole, parts = folder / "whole", folder / "parts"
    start = time.time()
    run("sim", path, "-o", whole)
    seconds = time.time() - start
    rng = random.Random(1)
    killed = 0
    while killed < count:
        process = subprocess.Popen([HACKLE, "sim", str(path), "-o", str(parts), "--resume"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.1, 0.7) * seconds)
            if process.returncode == 0:
                break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
    run("sim", path, "-o", parts, "--resume")
    leftovers = [n for n in files(parts) if n not in files(whole)]
    same = {n: h for n, h in files(parts).items() if n not in leftovers} == files(whole)
    row(f"same bytes after {killed} kills at random", f"{len(files(whole))} files, {len(leftovers)} temporary left", same)


def threads(folder):
    path = scene(folder)
    for n in (1, 7):
        run("sim", path, "-o", folder / f"t{n}", "--threads", n)
    row("same bytes on 1 and 7 threads", f"{len(files(folder / 't1'))} files", files(folder / "t1") == files(folder / "t7"))


def rest(folder):
    """Ten minutes of a body at rest, below the threshold of its glue."""
    path = scene(folder, frames=2, speed=0.0)
    text = path.read_text().replace("frames = 2", "frames = 3000\nrate = 5\nsubsteps = 50").replace("rotation = [20, 0, 30]", "")
    text = text.replace("position = [0, 0.5, 0]", "position = [0, 0.0, 0]") + "\n[output]\nglb = false\nusda = false\npoints = false\n"
    path.write_text(text)
    done = run("sim", path, "-o", folder / "rest", "--json", "-")
    result = json.loads(done.stdout)["result"]
    row("at rest for ten minutes of simulated time", f"{result['frames']} frames, {result['events']} events",
        result["events"] == 0 and result["frames"] == 3000)


def finite(folder):
    import hackle

    for size in (1e-3, 1.0, 1e3):
        for speed in (10.0, 1000.0):
            sub = folder / f"f{size}_{speed}"
            sub.mkdir()
            path = scene(sub, frames=24, size=size, speed=speed)
            bad = pieces = 0
            done = run("sim", path, "-o", sub / "out")
            for frame in sorted((sub / "out" / "frames").glob("*")):
                points = hackle.read(str(frame))
                pieces = points.point_count
                values = [points.points, points.attribute("v"), points.attribute("w"), points.attribute("orient")]
                bad += sum(int((v != v).any()) for v in values)
            row(f"finite at size {size:g} m and {speed:g} m/s", f"{pieces} bodies, {bad} bad values",
                bad == 0 and done.returncode == 0 and pieces > 0)


def full_disk(folder):
    mount = folder / "small"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(mount)], capture_output=True).returncode:
        return row("disk full", "no right to mount a small disk: skipped", True)
    try:
        path = scene(folder)
        done = run("sim", path, "-o", mount / "out")
        manifest = json.loads((mount / "out" / "manifest.json").read_text())
        # The log of events may already have lines of the frame that did not become complete.
        sizes = [(mount / "out" / f["path"]).stat().st_size == f["bytes"] for f in manifest["files"]
                 if f["path"] != "events.jsonl"]
        complete = all(sizes)
        row("disk full", f"exit {done.returncode}, {manifest['done']} frames complete", done.returncode == 3 and complete)
    finally:
        subprocess.run(["umount", str(mount)])


def main():
    for check in (threads, kills, rest, finite, full_disk):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    if "--record" in sys.argv:
        lines = ["# python3 tests/validation/sim_checks.py --record", "check\tresult\tverdict"]
        lines += ["\t".join(r) for r in ROWS]
        pathlib.Path("docs/figures/validate_sim.tsv").write_text("\n".join(lines) + "\n")
    return any(r[2] == "FAILED" for r in ROWS)


if __name__ == "__main__":
    sys.exit(main())
