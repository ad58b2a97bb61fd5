#!/usr/bin/env bash
# Five ways to break things with Voronoi cells; the pictures are in examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/voronoi
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

# model SHAPE, break it, move the pieces apart, draw them: picture NAME SHAPE AMOUNT COLOUR -- voronoi parameters
picture() {
  local name=$1 shape=$2 amount=$3 colour=$4
  shift 5
  "$hackle" model "$shape" --size 1 -o "$out/$name.bgeo" --quiet
  "$hackle" voronoi "$out/$name.bgeo" "$@" -o "$out/${name}_pieces.bgeo"
  "$hackle" explode "$out/${name}_pieces.bgeo" --amount "$amount" -o "$out/${name}_apart.bgeo" --quiet
  "$hackle" render "$out/${name}_apart.bgeo" --colour "$colour" --width 560 --height 560 -o "$pictures/$name.png" --quiet
}

picture figure figure 0.3 piece -- --pieces 80 --relaxation 4
picture goblet goblet 0.3 inside -- --pieces 60 --cluster at=0.2,0.9,0 radius=0.12
picture column column 0.5 inside -- --pieces 9 --detail_size 0.004 --detail_amount 0.03 --detail_scale 0.06
picture knot knot 0.25 piece -- --pieces 12 --levels 2 --level_pieces 6 --min_volume 0.002
picture gear gear 0.35 inside -- --pieces 70 --stretch 1,1,3 --seed 4
