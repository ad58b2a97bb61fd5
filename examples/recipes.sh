#!/usr/bin/env bash
# A wall, a pane, a plank and a column by every recipe of voronoi, hit in one place; a goblet that only chips; the inside of a bunny in
# checker; constraints of three levels. The pictures are in examples/pictures. Run it after ./run build.
#   examples/recipes.sh [RECIPE...]     all, or some: glass tempered concrete stone wood brick ceramic ice goblet bunny levels
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/recipes
pictures=examples/pictures
mkdir -p "$out" "$pictures"

"$hackle" model box --size 1 --proportions 1,0.8,0.14 --resolution 8 -o "$out/wall.bgeo" --quiet
"$hackle" model pane --size 1 --pane_width 0.8 --pane_thickness 0.02 --resolution 8 -o "$out/pane.bgeo" --quiet
"$hackle" model box --size 1 --proportions 0.14,1,0.05 --resolution 8 -o "$out/plank.bgeo" --quiet
"$hackle" model column --size 1 -o "$out/column.bgeo" --quiet

# One object: solid NAME RECIPE HIT X, pieces moved apart a little and put beside the others.
solid() {
  "$hackle" voronoi "$out/$1.bgeo" --recipe "$2" --seed 3 --cluster "at=$3" radius=0.12 -o "$out/$1_$2.bgeo" --quiet
  "$hackle" explode "$out/$1_$2.bgeo" --amount 0.12 -o "$out/$1_$2.bgeo" --quiet
  "$hackle" transform "$out/$1_$2.bgeo" --translate "$4,0,0" -o "$out/$1_$2.bgeo" --quiet
}

recipe() {
  solid wall "$1" 0.15,0.5,0.07 -1.2
  solid pane "$1" 0.1,0.6,0.01 0
  solid plank "$1" 0,0.55,0.025 0.75
  solid column "$1" 0.1,0.5,0 1.25
  "$hackle" merge "$out/wall_$1.bgeo" "$out/pane_$1.bgeo" "$out/plank_$1.bgeo" "$out/column_$1.bgeo" -o "$out/all_$1.bgeo" --quiet
  "$hackle" render "$out/all_$1.bgeo" --colour inside --width 1200 --height 520 -o "$pictures/recipe_$1.png" --quiet
}

# Small pieces come off the rim near the hit, all else stays one piece.
goblet() {
  "$hackle" model goblet --size 1 -o "$out/goblet.bgeo" --quiet
  "$hackle" voronoi "$out/goblet.bgeo" --pieces 1 --chip_amount 0.8 --chip_size 0.03 --edge_amount 0.1 --cluster at=0.2,1,0.2 --reach 0.35 \
    -o "$out/goblet_chips.bgeo"
  "$hackle" explode "$out/goblet_chips.bgeo" --amount 0.15 -o "$out/goblet_apart.bgeo" --quiet
  "$hackle" render "$out/goblet_apart.bgeo" --colour inside --width 700 --height 700 -o "$pictures/chipped_goblet.png" --quiet
}

# The texture of inside faces.
bunny() {
  "$hackle" model bunny --size 1 -o "$out/bunny.bgeo" --quiet
  "$hackle" cvd "$out/bunny.bgeo" --granularity 0 --pieces 14 --cells 28 --uv_scale 4 -o "$out/bunny_pieces.bgeo"
  "$hackle" explode "$out/bunny_pieces.bgeo" --amount 0.6 -o "$out/bunny_apart.bgeo" --quiet
  "$hackle" render "$out/bunny_apart.bgeo" --colour uv --width 800 --height 700 -o "$pictures/texture_bunny.png" --quiet
}

# Three levels; their constraints in a colour each.
levels() {
  "$hackle" model figure --size 1 -o "$out/figure.bgeo" --quiet
  "$hackle" voronoi "$out/figure.bgeo" --pieces 6 --levels 3 --level_pieces 4 --level_strength 0.5 --level_names -o "$out/levels.bgeo" -o "$out/levels_glue.bgeo"
  "$hackle" render "$out/levels_glue.bgeo" --colour attribute --attribute level --width 700 --height 700 -o "$pictures/constraint_levels.png" --quiet
}

for name in ${@:-glass tempered concrete stone wood brick ceramic ice goblet bunny levels}; do
  case $name in goblet | bunny | levels) "$name" ;; *) recipe "$name" ;; esac
done
