"""Wedges of one network, cooked to caches that a farm can share: every seed with every number of pieces.

    hython examples/houdini/wedge.py FOLDER [INDEX]     all of them, or only wedge INDEX (one task of a farm)

A wedge whose file is there already is left alone, so a task that is run again goes on where it stopped.
"""

import itertools
import os
import sys

import hou

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import networks  # noqa: E402

SEEDS = (0, 1, 2)
PIECES = (10, 40)
STREAMS = ("geometry", "constraints", "proxies")


def wedges():
    return list(itertools.product(SEEDS, PIECES))


def cook_wedge(fracture, folder, index):
    """The three streams of one wedge: wedge.INDEX.STREAM.bgeo.sc, written under another name and renamed."""
    seed, pieces = wedges()[index]
    networks.set_parameters(fracture, {"seed": seed, "pieces": pieces})
    files = []
    for stream in STREAMS:
        path = os.path.join(folder, f"wedge.{index:04d}.{stream}.bgeo.sc")
        files.append(path)
        if os.path.exists(path):
            continue
        fracture.parm("hackle_stream").set(stream)
        passing = os.path.join(folder, f".wedge.{index:04d}.{stream}.{os.getpid()}.bgeo.sc")
        networks.cook(fracture).saveToFile(passing)
        os.replace(passing, path)
        print(f"OUTPUT_FILE:{path};", flush=True)
    return files


def main(folder, index=None):
    fracture, _ = networks.build(networks.Network("wedge", "voronoi", {"shape": "goblet", "size": 1}, {"pieces": 10}))
    indices = range(len(wedges())) if index is None else [index]
    files = []
    for i in indices:
        files += cook_wedge(fracture, folder, i)
    return files


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
