#!/usr/bin/env bash
# Impact fracture after the figures of [Glondu12], with its numbers where it prints them, and real glass beside it; the pictures are in
# examples/pictures, docs/impact.md says what they show. All scenes, or those named: impact.sh glass slab. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/impact
pictures=${PICTURES:-examples/pictures}
mkdir -p "$out" "$pictures"
scenes=${*:-glass vase slab damping bunny drop}

# draw NAME [OPTION...]: moves the pieces of out/impact/NAME.bgeo apart and draws them
draw() {
  local name=$1
  shift
  "$hackle" explode "$out/$name.bgeo" --amount 0.2 -o "$out/.apart.bgeo" --quiet
  "$hackle" render "$out/.apart.bgeo" --colour inside --width 420 --height 360 "$@" -o "$pictures/impact_$name.png" --quiet
  rm -f "$out/.apart.bgeo"
}

# toughness G_C E: K = sqrt(G_c E / (1 - nu^2)) for a Poisson ratio of 0.2
toughness() { awk "BEGIN { print sqrt($1 * $2 / (1 - 0.2 ^ 2)) }"; }

# Figure 1, the glass: E 200 GPa, G_c 150 J/m^2, R_c 4 GPa; its impulse is not printed: loads are scaled until 25 pieces come off. Beside it
# real glass, hit by 100 g.
glass() {
  "$hackle" model goblet --size 0.2 -o "$out/goblet.bgeo" --quiet
  "$hackle" impact "$out/goblet.bgeo" --young 200e9 --poisson 0.2 --density 2500 --strength 4e9 --toughness "$(toughness 150 200e9)" \
    --alpha 1e-9 --beta 5 --elements 24410 --shape flat --flaws 0 --force half_sine --pieces 25 \
    --impact at=0.05,0.15,0 dir=-1,0,0 impulse=20 mass=0.1 radius=0.01 -o "$out/glass_published.bgeo"
  draw glass_published
  "$hackle" impact "$out/goblet.bgeo" --preset glass --impact at=0.05,0.15,0 dir=-1,0,0 impulse=0.8 mass=0.1 radius=0.01 -o "$out/glass.bgeo"
  draw glass
}

# Figures 1 and 4, a hollow body: E 200 GPa, G_c 500 J/m^2, R_c 500 MPa; struck twice as hard the second time.
vase() {
  "$hackle" model vase --size 0.3 -o "$out/vase.bgeo" --quiet
  "$hackle" impact_prepare "$out/vase.bgeo" --young 200e9 --poisson 0.2 --density 2500 --elements 20777 -o "$out/vase.impact"
  local impulse
  for impulse in 25 50; do
    "$hackle" impact "$out/vase.bgeo" - "$out/vase.impact" --young 200e9 --poisson 0.2 --density 2500 --strength 500e6 \
      --toughness "$(toughness 500 200e9)" --alpha 1e-8 --beta 3 --impact at=0.08,0.15,0 dir=-1,0,0 impulse="$impulse" mass=1 radius=0.03 \
      -o "$out/vase_$impulse.bgeo"
    draw "vase_$impulse"
  done
}

# Figure 7, slabs: E 100 GPa, G_c of 150, 90 and 60 J/m^2. With its R_c of 1 GPa stress is so far above the toughness once a flaw fails that
# G_c decides little; 60 MPa here.
slab() {
  "$hackle" model box --size 0.4 --proportions 1,0.06,1 --centre -o "$out/slab.bgeo" --quiet
  "$hackle" impact_prepare "$out/slab.bgeo" --young 100e9 --poisson 0.2 --density 2500 --elements 20000 -o "$out/slab.impact"
  local gc
  for gc in 150 90 60; do
    "$hackle" impact "$out/slab.bgeo" - "$out/slab.impact" --young 100e9 --poisson 0.2 --density 2500 --strength 60e6 \
      --toughness "$(toughness "$gc" 100e9)" --alpha 1e-10 --beta 5 --impact at=0.03,0.012,0.02 dir=0,-1,0 impulse=12 mass=0.5 radius=0.02 \
      -o "$out/slab_$gc.bgeo"
    draw "slab_$gc" --elevation 50
  done
}

# Figure 12, damping from 0 to 1e-6 s.
damping() {
  [ -f "$out/slab.impact" ] || slab
  local alpha
  for alpha in 0 1e-8 1e-7 1e-6; do
    "$hackle" impact "$out/slab.bgeo" - "$out/slab.impact" --young 100e9 --poisson 0.2 --density 2500 --strength 60e6 \
      --toughness "$(toughness 100 100e9)" --alpha "$alpha" --beta 0 --impact at=0.03,0.012,0.02 dir=0,-1,0 impulse=12 mass=0.5 radius=0.02 \
      -o "$out/damping_$alpha.bgeo"
    [ "$alpha" = 1e-8 ] || draw "damping_$alpha" --elevation 50
  done
}

# Figure 13, a soft bunny: E 1 GPa, G_c 100 J/m^2. Its R_c of 500 MPa is half of E, where nothing is linear: 20 MPa here.
bunny() {
  "$hackle" model bunny --size 0.3 -o "$out/bunny.bgeo" --quiet
  "$hackle" impact "$out/bunny.bgeo" --young 1e9 --poisson 0.2 --density 1100 --strength 20e6 --toughness "$(toughness 100 1e9)" \
    --alpha 2e-9 --beta 5 --elements 18767 --impact at=0,0,0 dir=0,1,0 impulse=350 -o "$out/bunny_broken.bgeo"
  draw bunny_broken
}

# A bowl of glass falls on its rim from 1 m onto stone, and is set down with 0.1 m/s.
drop() {
  "$hackle" model bowl --size 0.15 -o "$out/bowl.bgeo" --quiet
  "$hackle" impact_prepare "$out/bowl.bgeo" --preset glass -o "$out/bowl.impact"
  local name
  for name in "dropped 1 4.43" "set_down 0.02 0.1"; do
    set -- $name
    "$hackle" impact "$out/bowl.bgeo" - "$out/bowl.impact" --preset glass \
      --impact at=0.075,0.06,0 dir=-1,0,0 impulse="$2" speed="$3" -o "$out/bowl_$1.bgeo"
  done
  draw bowl_dropped
}

for scene in $scenes; do "$scene"; done
