#!/usr/bin/env bash
# What the parameters of cvd do; the pictures are in examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/cvd
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

# row NAME STEP SIZE COLOUR FILE...: moves the pieces of each file apart, and draws the files side by side
row() {
  local name=$1 step=$2 size=$3 colour=$4 x=0 placed=() file moved
  shift 4
  for file in "$@"; do
    moved=$out/.${file##*/}
    "$hackle" explode "$file" --amount 0.25 -o "$moved" --quiet
    "$hackle" transform "$moved" --translate "$x,0,0" -o "$moved" --quiet
    placed+=("$moved")
    x=$(awk "BEGIN { print $x + $step }")
  done
  "$hackle" merge "${placed[@]}" -o "$out/$name.bgeo" --quiet
  rm -f "${placed[@]}"
  "$hackle" render "$out/$name.bgeo" --colour "$colour" --width "${size%x*}" --height "${size#*x}" --azimuth 15 --elevation 14 \
    --fov 14 -o "$pictures/$name.png" --quiet
}

# The same blow on the raised hand, three thresholds: the weaker the material, the more pieces.
"$hackle" model figure --size 1 -o "$out/figure.bgeo" --quiet
for gamma in 0.06 0.01 0.002; do
  "$hackle" cvd "$out/figure.bgeo" --impact at=0,1,0 dir=0,-1,0 impulse=40 --preset ceramic --cells 32 --pieces-by threshold \
    --gamma "$gamma" --prefix "gamma${gamma}_" -o "$out/gamma_$gamma.bgeo"
done
row cvd_gamma 0.7 640x400 piece "$out"/gamma_{0.06,0.01,0.002}.bgeo

# A ball against a wall, three granularities: from even pieces to splinters where it hits.
"$hackle" model box --size 1 --proportions 1,1,0.12 --centre -o "$out/wall.bgeo" --quiet
for alpha in 0 0.5 1; do
  "$hackle" cvd "$out/wall.bgeo" --impact at=0.1,0.1,0.06 dir=0,0,-1 impulse=60 mass=5 radius=0.1 --preset concrete --cells 32 \
    --pieces 60 --granularity "$alpha" --prefix "alpha${alpha}_" -o "$out/alpha_$alpha.bgeo"
done
row cvd_granularity 1.35 720x280 inside "$out"/alpha_{0,0.5,1}.bgeo

# Wood: pieces along the grain, straight and wavy.
/usr/bin/python3 -B examples/blocks.py table "$out/table.obj"
wood=(--impact at=0.1,0.72,0 dir=0,-1,0 impulse=30 --preset wood --cells 40 --pieces 40 --granularity 0.6 --stretch 6,1,1)
"$hackle" cvd "$out/table.obj" "${wood[@]}" --prefix straight -o "$out/straight.bgeo"
"$hackle" cvd "$out/table.obj" "${wood[@]}" --wave-amount 0.04 --wave-length 0.3 --wave-direction 0,0,1 --prefix wavy \
  -o "$out/wavy.bgeo"
row cvd_wood 1.7 720x300 piece "$out"/{straight,wavy}.bgeo

# A gap: cells reach across it in the Euclidean metric (left) and break the other arm, too; not in that of the inside.
/usr/bin/python3 -B examples/blocks.py horseshoe "$out/horseshoe.obj"
for metric in euclidean interior; do
  "$hackle" cvd "$out/horseshoe.obj" --impact at=0.06,0.9,0 dir=1,0,0 impulse=30 --preset ceramic --cells 28 --pieces 12 \
    --metric "$metric" --prefix "$metric" -o "$out/$metric.bgeo"
done
row cvd_metric 1.6 640x340 piece "$out"/{euclidean,interior}.bgeo
