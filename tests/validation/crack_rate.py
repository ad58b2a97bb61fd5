"""A long bar that is pulled at its ends within shorter and shorter times: crack_rate.py [--record]

Flaws with Weibull's modulus m, shielded by waves from what broke before: the number of breaks goes with rate^(m / (m + 1)) [Mott47].
The exponent fitted over a factor of 16 in rate has to be within 20 % of that.
"""
import argparse
import math
import sys

import breaking
import hackle

SECONDS = [16e-3, 8e-3, 4e-3, 2e-3, 1e-3]
SEEDS = range(4)
FORCE = 40000  # N, far above what breaks the bar
TOLERANCE = 0.2


def pieces_of(solid, modulus, seconds, seed):
    ends = [{"kind": "force", "force": (FORCE, 0, 0), "low": (1.4999, -9, -9)},
            {"kind": "force", "force": (-FORCE, 0, 0), "high": (-1.4999, 9, 9)}]
    report = {}
    hackle.crack(solid, preset="plaster", triangles=800, strength_modulus=modulus, strength_seed=seed, cracks=1000, load_time=seconds,
                 condition=ends, outputs=["geometry"], report=report)
    return report["result"]["pieces"]


def slope(points):
    x, y = (sum(column) / len(points) for column in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    solid = hackle.model(shape="box", size=3, proportions=(60, 1, 1), resolution=8, centre=True)
    rows, failed = [], 0
    for modulus in (4, 10):
        points = []
        for seconds in SECONDS:
            counts = [pieces_of(solid, modulus, seconds, seed) for seed in SEEDS]
            points.append((-math.log(seconds), math.log(sum(counts) / len(counts) - 1)))
            rows.append((modulus, seconds, " ".join(map(str, counts)), ""))
            print(*rows[-1], sep="\t", flush=True)
        theory, found = modulus / (modulus + 1), slope(points)
        wrong = abs(found / theory - 1) > TOLERANCE
        failed += wrong
        rows.append((modulus, "exponent", f"{found:.3f}", f"{theory:.3f} by theory" + (", too far off" if wrong else "")))
        print(*rows[-1], sep="\t", flush=True)
    if options.record:
        breaking.keep_table("validate_crack_rate.tsv", ["modulus", "load_time", "pieces", "note"], rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
