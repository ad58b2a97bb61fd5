#!/usr/bin/env bash
# Fracture modes in pictures: the first six modes of a figure, three impacts on three shapes, and modes beside Voronoi
# cells. The pictures are in examples/pictures. Run it after ./run build.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/modes
pictures=${1:-examples/pictures}
mkdir -p "$out" "$pictures"

# sheet NAME COLUMNS STEP_X STEP_Y VIEW... -- PART...: parts in rows on one picture, coloured as VIEW says
sheet() {
  local name=$1 columns=$2 dx=$3 dy=$4
  shift 4
  local view=()
  while [ "$1" != -- ]; do view+=("$1"); shift; done
  shift
  local placed=() i=0
  for part in "$@"; do
    "$hackle" transform "$part" --translate "$(awk "BEGIN { printf \"%g,%g,0\", $i % $columns * $dx, -int($i / $columns) * $dy }")" \
      -o "$out/.$i.bgeo" --quiet
    placed+=("$out/.$i.bgeo")
    i=$((i + 1))
  done
  "$hackle" merge "${placed[@]}" --prefix s -o "$out/$name.bgeo" --quiet
  rm -f "${placed[@]}"
  "$hackle" render "$out/$name.bgeo" "${view[@]}" --no-floor -o "$pictures/$name.png" --quiet
}

declare -A material=([figure]=plaster [goblet]=ceramic [column]=concrete)
for shape in figure goblet column; do
  [ ! -f "$out/$shape.modes" ] || [ "$hackle" -nt "$out/$shape.modes" ] || continue
  "$hackle" model "$shape" --size 1 -o "$out/$shape.bgeo" --quiet
  "$hackle" modes "$out/$shape.bgeo" --modes 20 --preset "${material[$shape]}" -o "$out/$shape.modes" "$out/${shape}_parts.bgeo"
done

# The first six modes: pieces of one colour move together.
parts=()
for mode in 0 1 2 3 4 5; do
  parts+=("$out/mode$mode.bgeo")
  "$hackle" prefracture "$out/figure.modes" --modes $((mode + 1)) -o "$out/first$mode.bgeo" --quiet
  "$hackle" explode "$out/first$mode.bgeo" --amount 0.25 -o "$out/mode$mode.bgeo" --quiet
done
sheet modes 6 0.95 1.3 --colour piece --width 1320 --height 360 --azimuth 10 --elevation 8 --fov 12 -- "${parts[@]}"

# impact SHAPE NUMBER FLAGS...
impact() {
  local shape=$1 number=$2
  shift 2
  "$hackle" modes_impact "$out/$shape.modes" "$@" -o "$out/${shape}_$number.bgeo"
  "$hackle" explode "$out/${shape}_$number.bgeo" --amount 0.25 -o "$out/${shape}_${number}_apart.bgeo" --quiet
}

# Plaster, porcelain, concrete; impulses of what a hammer or a fall gives to bodies of this size.
impact figure 0 --preset plaster --at 0.12,0.65,0 --dir -1,0,0 --impulse 25
impact figure 1 --preset plaster --at -0.1,0.95,0 --dir 0,-1,0 --impulse 40
impact figure 2 --preset plaster --at 0,0.03,0.19 --dir 0,0,-1 --impulse 80 --projection parts
impact goblet 0 --preset ceramic --at 0.2,0.95,0 --dir -1,0,0 --impulse 500
impact goblet 1 --preset ceramic --at 0,0,0 --dir 0,1,0 --impulse 700
impact goblet 2 --preset ceramic --at 0,0.6,0.2 --dir 0,0,-1 --impulse 1500 --projection parts
impact column 0 --preset concrete --at 0,1,0 --dir 0,-1,0 --impulse 25
impact column 1 --preset concrete --at 0.08,0.5,0 --dir -1,0,0 --impulse 25
impact column 2 --preset concrete --at 0.08,0.2,0 --dir -1,0,0 --impulse 60 --projection parts
parts=()
for shape in figure goblet column; do for number in 0 1 2; do parts+=("$out/${shape}_${number}_apart.bgeo"); done; done
sheet modes_impacts 9 0.62 1.3 --colour inside --width 1500 --height 400 --azimuth 10 --elevation 8 --fov 12 -- "${parts[@]}"

# As many Voronoi pieces.
"$hackle" prefracture "$out/figure.modes" --modes 20 -o "$out/by_modes.bgeo" --json "$out/by_modes.json" --quiet
count=$(awk -F'[:,]' '/"pieces"/ { print $2 + 0; exit }' "$out/by_modes.json")
"$hackle" voronoi "$out/figure.bgeo" --pieces "$count" -o "$out/by_voronoi.bgeo" --quiet
for kind in modes voronoi; do "$hackle" explode "$out/by_$kind.bgeo" --amount 0.35 -o "$out/by_${kind}_apart.bgeo" --quiet; done
sheet modes_and_voronoi 2 1.2 1 --colour piece --width 900 --height 620 --azimuth 10 --elevation 8 --fov 12 -- \
  "$out/by_modes_apart.bgeo" "$out/by_voronoi_apart.bgeo"
