"""Sizes of the pieces of a simulation beside Mott's distribution: mott.py OUT.png [CACHE]

Fifteen glass slabs fall on each other and break by strain energy (cvd); CACHE is the folder of another simulation instead. The
share of pieces larger than V is drawn over the cube root of V over the mean; Mott's law is P = exp(-(6 V / mean)^(1/3)).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

HACKLE = "build/bin/hackle"
LEAST = 500


def scene():
    text = 'frames = 40\nseed = 3\n[ground]\npreset = "concrete"\n'
    for i in range(15):
        text += f"""
[[body]]
name = "slab{i}"
model = {{ shape = "box", size = 0.5, proportions = [1, 0.12, 0.6], resolution = 12, centre = true }}
position = [{0.7 * (i % 3)}, {0.25 + 0.15 * (i // 3)}, {0.5 * (i // 3)}]
rotation = [{7 * i}, {20 * i}, {11 * (i % 4)}]
velocity = [0, -6, 0]
preset = "glass"
engine = "cvd"
engine_options = {{ pieces = 90 }}
"""
    return text + "\n[output]\nglb = false\nusda = false\n"


def volumes(cache):
    """Of the bodies in the last frame that came from an event, in m^3, by the geometry of their events."""
    found = {}
    broken = set()
    for line in (cache / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["event"] == 0:
            continue
        broken.add(event["body"])
        path = cache / "geo" / f"event.{event['event']:04}.bgeo.sc"
        done = subprocess.run([HACKLE, "measure", path, "--list", "100000", "--json", "-", "-o", cache / "measured.geo"],
                              capture_output=True, text=True, check=True)
        for piece in json.loads(done.stdout)["result"]["largest"]:
            found[piece["name"]] = piece["volume"]
    return numpy.array(sorted(v for name, v in found.items() if name not in broken))


def main():
    out = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(folder) / "out"
        if len(sys.argv) == 2:
            path = pathlib.Path(folder) / "scene.toml"
            path.write_text(scene())
            subprocess.run([HACKLE, "sim", path, "-o", cache], check=True, stdout=subprocess.DEVNULL)
        v = volumes(cache)
    mean = v.mean()
    larger = 1 - (numpy.arange(len(v)) + 0.5) / len(v)
    law = numpy.exp(-numpy.cbrt(6 * v / mean))
    figure, axes = plt.subplots(figsize=(6, 4.5), dpi=120)
    axes.semilogy(numpy.cbrt(v / mean), larger, ".", markersize=3, label=f"{len(v)} pieces")
    axes.semilogy(numpy.cbrt(v / mean), law, "-", label=r"Mott, $\exp(-(6V/\bar V)^{1/3})$")
    axes.set_xlabel(r"$(V / \bar V)^{1/3}$")
    axes.set_ylabel("share of pieces larger than V")
    axes.legend()
    figure.tight_layout()
    figure.savefig(out)
    print(f"{len(v)} pieces, mean {mean:.3g} m^3, smallest {v[0] / mean:.2g}, largest {v[-1] / mean:.2g} means, "
          f"greatest distance from Mott's law {abs(larger - law).max():.2f}")
    return len(v) < LEAST


if __name__ == "__main__":
    sys.exit(main())
