#!/usr/bin/env bash
# Impact fracture after the figures of [Glondu12]; the pictures are in examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/impact
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

# draw NAME FILE [OPTION...]: moves the pieces apart and draws them
draw() {
  local name=$1 file=$2
  shift 2
  "$hackle" explode "$file" --amount 0.2 -o "$out/.apart.bgeo" --quiet
  "$hackle" render "$out/.apart.bgeo" --colour inside --width 560 --height 480 "$@" -o "$pictures/$name.png" --quiet
  rm -f "$out/.apart.bgeo"
}

# Figure 1: a glass. Real glass, hit at its rim by a spoon.
"$hackle" model goblet --size 0.2 -o "$out/goblet.bgeo" --quiet
"$hackle" impact_prepare "$out/goblet.bgeo" --preset glass --elements 20000 -o "$out/goblet.impact"
"$hackle" impact "$out/goblet.bgeo" - "$out/goblet.impact" --preset glass \
  --impact at=0.06,0.19,0 dir=-1,0,0 impulse=0.15 mass=0.08 radius=0.008 -o "$out/glass.bgeo"
draw impact_glass "$out/glass.bgeo"

# Figure 7: slabs of the paper's numbers, E 100 GPa, G_c of 150, 90 and 60 J/m^2 (K = sqrt(G_c E / (1 - nu^2))).
"$hackle" model box --size 0.4 --proportions 1,0.06,1 --centre -o "$out/slab.bgeo" --quiet
for gc in 150 90 60; do
  toughness=$(awk "BEGIN { print sqrt($gc * 100e9 / (1 - 0.2 ^ 2)) }")
  "$hackle" impact "$out/slab.bgeo" --young 100e9 --poisson 0.2 --density 2500 --strength 60e6 --toughness "$toughness" \
    --alpha 1e-10 --beta 5 --elements 20000 --impact at=0.03,0.012,0.02 dir=0,-1,0 impulse=12 mass=1 radius=0.02 \
    -o "$out/slab_$gc.bgeo"
  draw "impact_slab_$gc" "$out/slab_$gc.bgeo" --elevation 50
done

# Figure 12: damping of 0 and 1e-6.
for alpha in 0 1e-6; do
  "$hackle" impact "$out/slab.bgeo" --preset ceramic --alpha "$alpha" --beta 0 --elements 20000 \
    --impact at=0.03,0.012,0.02 dir=0,-1,0 impulse=8 mass=0.5 radius=0.02 -o "$out/damping_$alpha.bgeo"
  draw "impact_damping_$alpha" "$out/damping_$alpha.bgeo" --elevation 50
done

# Figure 13: a solid figure thrown against a wall.
"$hackle" model figure --size 0.3 -o "$out/figure.bgeo" --quiet
"$hackle" impact "$out/figure.bgeo" --preset plaster --elements 20000 \
  --impact at=0.05,0.22,0 dir=-1,0,0 impulse=6 -o "$out/figure_broken.bgeo"
draw impact_figure "$out/figure_broken.bgeo"
