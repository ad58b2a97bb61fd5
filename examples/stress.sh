#!/usr/bin/env bash
# Stress on a notched bar in three-point bending and on a figure that is hit on its head; the pictures are in
# examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/stress
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

# The bar rests on two supports, one of which lets it slide; a force of 2 kN presses on the middle of its top.
"$hackle" model notched_bar --resolution 15 -o "$out/bar.bgeo" --quiet
"$hackle" stress "$out/bar.bgeo" -o "$out/bar_stress.bgeo" -o "$out/bar_bent.bgeo" --preset glass --triangles 4000 \
  --condition kind=displacement group=support_left \
  --condition kind=displacement axes=yz group=support_right \
  --condition kind=force force=0,-2000,0 group=load
"$hackle" render "$out/bar_bent.bgeo" --colour attribute --attribute von_mises --width 640 --height 360 -o "$pictures/stress_bar.png" --quiet

# The figure flies: nothing holds it, the loads are balanced.
"$hackle" model figure --resolution 60 -o "$out/figure.bgeo" --quiet
"$hackle" stress "$out/figure.bgeo" -o "$out/figure_stress.bgeo" -o "$out/figure_bent.bgeo" --preset plaster \
  --triangles 3000 --condition kind=force force=0,-100,0 at=0.002,0.257,0.004 radius=0.01
"$hackle" render "$out/figure_stress.bgeo" --colour attribute --attribute von_mises --width 480 --height 640 -o "$pictures/stress_figure.png" --quiet
