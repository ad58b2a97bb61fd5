#!/usr/bin/env bash
# Breaks things and draws them: pictures and geometry files in out/. Called by ./run demo.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
mkdir -p out

# A step is done again only when the program is newer than its picture.
stale() { [ ! -f "$1" ] || [ "$hackle" -nt "$1" ] || [ build/lib/libhackle.so -nt "$1" ]; }

shapes="figure goblet column knot gear link"
if stale out/shapes.png; then
  for shape in $shapes; do
    "$hackle" model "$shape" --size 1 -o "out/$shape.bgeo" --quiet
  done
  # Side by side on one floor.
  placed=()
  x=0
  for shape in $shapes; do
    "$hackle" transform "out/$shape.bgeo" --translate "$x,0,0" -o "out/.$shape.bgeo" --quiet
    placed+=("out/.$shape.bgeo")
    x=$(awk "BEGIN { print $x + 1.2 }")
  done
  "$hackle" merge "${placed[@]}" -o out/shapes.bgeo --quiet
  rm -f "${placed[@]}"
  "$hackle" render out/shapes.bgeo --width 1200 --height 320 --azimuth 8 --elevation 12 --fov 12 -o out/shapes.png
fi

if stale out/broken.png; then
  "$hackle" voronoi out/figure.bgeo --pieces 60 -o out/broken.bgeo
  "$hackle" explode out/broken.bgeo --amount 0.35 -o out/exploded.bgeo --quiet
  "$hackle" convert out/broken.bgeo -o out/broken.obj --quiet
  "$hackle" render out/exploded.bgeo --colour piece --width 700 --height 800 -o out/broken.png
fi

if stale out/broken_goblet.png; then
  "$hackle" voronoi out/goblet.bgeo --pieces 80 --cluster at=0.2,0.9,0 radius=0.15 -o out/broken_goblet.bgeo
  "$hackle" explode out/broken_goblet.bgeo --amount 0.3 -o out/exploded_goblet.bgeo --quiet
  "$hackle" render out/exploded_goblet.bgeo --colour inside --width 700 --height 800 -o out/broken_goblet.png
fi

if stale out/struck.png; then
  "$hackle" cvd out/figure.bgeo --impact at=0,1,0 dir=0,-1,0 impulse=40 --preset ceramic --cells 32 --pieces 50 -o out/struck.bgeo
  "$hackle" explode out/struck.bgeo --amount 0.3 -o out/exploded_struck.bgeo --quiet
  "$hackle" render out/exploded_struck.bgeo --colour piece --width 700 --height 800 -o out/struck.png
fi

if stale out/modes.png; then
  "$hackle" modes out/figure.bgeo --modes 15 --elements 4000 --preset plaster -o out/figure.modes
  "$hackle" prefracture out/figure.modes --modes 15 --prefix mode_ -o out/by_modes.bgeo
  "$hackle" modes_impact out/figure.modes --preset plaster --at 0.12,0.65,0 --dir -1,0,0 --impulse 30 -o out/struck_by_modes.bgeo
  "$hackle" explode out/by_modes.bgeo --amount 0.3 -o out/.by_modes.bgeo --quiet
  "$hackle" explode out/struck_by_modes.bgeo --amount 0.3 -o out/.struck.bgeo --quiet
  "$hackle" transform out/.struck.bgeo --translate 0.9,0,0 -o out/.struck.bgeo --quiet
  "$hackle" merge out/.by_modes.bgeo out/.struck.bgeo -o out/modes.bgeo --quiet
  rm -f out/.by_modes.bgeo out/.struck.bgeo
  "$hackle" render out/modes.bgeo --colour piece --width 900 --height 700 --fov 15 --azimuth 10 -o out/modes.png
fi

if stale out/cracked.png; then
  # A column is pulled; a small crack inside runs through its grains.
  "$hackle" model column --size 1 --slenderness 4 --resolution 40 -o out/pillar.bgeo --quiet
  "$hackle" crack out/pillar.bgeo --preset concrete --condition group=base --condition group=capital kind=traction traction=0,2.5e6,0 \
    --initial at=0,0.5,0 normal=0.2,1,0 radius=0.03 --cracks 0 --triangles 400 --coarse 0.04 --ratio 20 \
    --toughness-pattern grains --toughness-amount 0.12 --toughness-size 0.015 --min-volume 1e-4 -o out/cracked.bgeo
  "$hackle" explode out/cracked.bgeo --middle area --centre average --amount 0.4 -o out/exploded_cracked.bgeo --quiet
  "$hackle" render out/exploded_cracked.bgeo --colour inside --inside 0.86,0.6,0.45 --light-softness 3 --light-elevation 14 --light-azimuth -85 \
    --elevation 24 --width 560 --height 640 -o out/cracked.png
fi

if stale out/rung.png; then
  # Waves from a hit break a wine glass.
  "$hackle" model goblet --size 0.2 -o out/wine_glass.bgeo --quiet
  "$hackle" impact out/wine_glass.bgeo --preset glass --elements 10000 --impact at=0.05,0.15,0 dir=-1,0,0 impulse=0.8 mass=0.1 radius=0.01 -o out/rung.bgeo
  "$hackle" explode out/rung.bgeo --amount 0.2 -o out/exploded_rung.bgeo --quiet
  "$hackle" render out/exploded_rung.bgeo --colour inside --width 560 --height 640 -o out/rung.png
fi

if stale out/film.webp; then
  # A vase falls and breaks.
  "$hackle" sim examples/sim/vase.toml -o out/vase
  "$hackle" flipbook out/vase --width 480 --height 480 -o out/film_sheet.png out/film.webp
fi

echo
echo "Film:      out/film.webp  (scene: examples/sim/vase.toml; animation for other programs: out/vase/sim.glb, sim.usda)"
echo "Pictures:  out/cracked.png  out/shapes.png  out/broken.png  out/broken_goblet.png  out/struck.png  out/modes.png  out/rung.png"
echo "Geometry:  out/broken.bgeo (Houdini)  out/broken.obj  and the shapes, out/*.bgeo"
