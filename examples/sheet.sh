#!/usr/bin/env bash
# Thin sheets: paper torn by two hands, and a pane hit by a ball; the pictures go to
# examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/sheet
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"
square() { # half the width
  printf 'v -%s -%s 0\nv %s -%s 0\nv %s %s 0\nv -%s %s 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n' "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1"
}
picture() { "$hackle" render "$1" -o "$2" --width 640 --height 480 --colour piece --quiet; }

# Two hands pull the upper corners of a sheet of paper apart and past each other; a small cut starts the tear.
square 0.1 > "$out/paper.obj"
"$hackle" sheet "$out/paper.obj" -o "$out/paper.bgeo" --preset paper --fine 0.004 --coarse 0.02 --no-births \
  --pin at=-.08,.08,0 --pin at=.08,.08,0 --key pin=0 time=1 move=-.05,0,.04 --key pin=1 time=1 move=.05,0,-.04 \
  --initial from=0.01,.1,0 to=0.01,.09,0 --frames 24 --sequence "$out/paper.####.bgeo"
picture "$out/paper.bgeo" "$pictures/sheet_paper.png"

# A steel ball of half a kilogram hits a window pane that is held at its border. 0.5 ms.
square 0.3 > "$out/pane.obj"
"$hackle" sheet "$out/pane.obj" -o "$out/pane.bgeo" --preset window --fine 0.01 --coarse 0.05 --gravity 0,0,0 \
  --pin at=-.3,0,0 size=.002,.7,.1 --pin at=.3,0,0 size=.002,.7,.1 --pin at=0,-.3,0 size=.7,.002,.1 --pin at=0,.3,0 size=.7,.002,.1 \
  --obstacle at=.03,.02,.03 radius=.025 velocity=0,0,-15 mass=0.5 --frames 25 --frame-time 2e-5 --step 1e-5 \
  --sequence "$out/pane.####.bgeo"
picture "$out/pane.bgeo" "$pictures/sheet_pane.png"
