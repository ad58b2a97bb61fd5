#!/usr/bin/env bash
# What the parameters of cvd do; the pictures are in examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/cvd
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

"$hackle" model figure --size 1 -o "$out/figure.bgeo" --quiet

# row NAME SPACING SIZE COLOUR FILE...: moves the pieces of each file apart and draws them side by side
row() {
  local name=$1 spacing=$2 size=$3 colour=$4 x=0 placed=()
  shift 4
  for file in "$@"; do
    local moved="$out/.$(basename "$file")"
    "$hackle" explode "$file" --amount 0.25 -o "$moved" --quiet
    "$hackle" transform "$moved" --translate "$x,0,0" -o "$moved" --quiet
    placed+=("$moved")
    x=$(awk "BEGIN { print $x + $spacing }")
  done
  "$hackle" merge "${placed[@]}" -o "$out/$name.bgeo" --quiet
  rm -f "${placed[@]}"
  "$hackle" render "$out/$name.bgeo" --colour "$colour" --width "${size%x*}" --height "${size#*x}" --azimuth 12 --elevation 14 \
    --fov 16 -o "$pictures/$name.png" --quiet
}

# The same blow on the head, three thresholds: the tougher, the fewer pieces.
blow=(--impact at=0,1,0 dir=0,-1,0 impulse=40 --preset ceramic)
for gamma in 3 1 0.3; do
  "$hackle" cvd "$out/figure.bgeo" "${blow[@]}" --cells 32 --degree threshold --gamma "$gamma" -o "$out/gamma_$gamma.bgeo"
done
row cvd_gamma 1.1 720x340 piece "$out"/gamma_3.bgeo "$out"/gamma_1.bgeo "$out"/gamma_0.3.bgeo

# A ball through a wall, three granularities: from even pieces to splinters around the hole.
"$hackle" model box --size 1,1,0.12 -o "$out/wall.bgeo" --quiet
for alpha in 0 0.5 1; do
  "$hackle" cvd "$out/wall.bgeo" --impact at=0.1,0.1,0.06 dir=0,0,-1 impulse=60 mass=5 radius=0.1 --preset concrete --cells 40 \
    --pieces 60 --granularity "$alpha" -o "$out/alpha_$alpha.bgeo"
done
row cvd_alpha 1.3 720x300 inside "$out"/alpha_0.bgeo "$out"/alpha_0.5.bgeo "$out"/alpha_1.bgeo
