#!/usr/bin/env bash
# Cracks that grow: the scenes of Hahn's thesis on shapes of our own, with its materials (tables 1 and 2), as pictures in
# examples/pictures. Run it after ./run build.
#   examples/crack.sh [SCENE...]     all scenes, or some: edge controlled penny compressed bar layered granular column link concrete tear split smash objects published
# PICTURES=folder puts the pictures elsewhere; SCALE=2 makes cracks twice as coarse, to try things.
set -euo pipefail
cd "$(dirname "$0")/.."
hackle=build/bin/hackle
out=out/crack
pictures=${PICTURES:-examples/pictures}
scale=${SCALE:-1}
mkdir -p "$out" "$pictures"
wanted=" $* "

pmma="--young 3.1e9 --poisson 0.327 --density 1200 --strength 76e6 --toughness 1e6 --compression-ratio 2"
concrete="--young 2.5e10 --poisson 0.2 --density 2300 --strength 3e6 --toughness 5.5e5"

# crack NAME FLAGS...: breaks out/crack/NAME_in.bgeo, the whole load at once as in the thesis. The fine resolution is that of table 1; min-volume removes crumbs.
crack() {
  local name=$1
  shift
  "$hackle" crack "$out/${name}_in.bgeo" --loading sudden --steps 20 "$@" --min-volume 1e-4 -o "$out/$name.bgeo" --json "$out/$name.json"
}

# view NAME AMOUNT FLAGS...: pieces moved apart by AMOUNT, light that grazes their new faces
view() {
  local name=$1 amount=$2
  shift 2
  "$hackle" explode "$out/$name.bgeo" --middle area --centre average --amount "$amount" -o "$out/${name}_apart.bgeo" --quiet
  "$hackle" render "$out/${name}_apart.bgeo" --colour inside --base 0.75,0.76,0.78 --inside 0.86,0.6,0.45 --light-softness 3 \
    --width 640 --height 420 "$@" -o "$pictures/crack_$name.png" --quiet
}

scene() { [ "$wanted" = "  " ] || [[ "$wanted" == *" $1 "* ]]; }
times() { awk "BEGIN { print $1 * $scale }"; }

box() { "$hackle" model box --size 1 --resolution 4 --centre -o "$out/$1_in.bgeo" --quiet; }

# A cube cracked from its back to a third of its depth, opened, sheared across the front and along it (fig. 32).
if scene edge; then
  sheet="--initial shape=rectangle at=0,0,-0.355 normal=0,1,0 along=1,0,0 radius=0.51 across=0.155"
  for mode in 1 2 3; do
    case $mode in
      1) load="--condition group=bottom displacement=0,-5e-4,0 --condition group=top displacement=0,5e-4,0" ;;
      2) load="--condition group=bottom --condition group=top kind=traction traction=0,0,5e6" ;;
      3) load="--condition group=back low=-9,-0.001,-9 kind=traction traction=8e6,0,0 --condition group=back high=9,0.001,9 kind=traction traction=-8e6,0,0" ;;
    esac
    box "edge$mode"
    crack "edge$mode" $pmma --triangles 300 --coarse "$(times $([ $mode = 3 ] && echo 0.14 || echo 0.08))" --fine "$(times 0.003)" --steps 12 --cracks 0 $sheet $load
    view "edge$mode" "$([ $mode = 3 ] && echo 1.2 || echo 0.5)" --azimuth 150
  done
fi

# A cube pulled by its ends. Weak in the middle, where the crack starts, least tough lower down, where it goes (fig. 18):
# layers begin at y = 0, so strength is least at 1.25 and toughness at 1, a quarter below the middle.
if scene controlled; then
  "$hackle" model box --size 1 --resolution 4 -o "$out/controlled_box.bgeo" --quiet
  "$hackle" transform "$out/controlled_box.bgeo" --translate 0,0.75,0 -o "$out/controlled_in.bgeo" --quiet
  crack controlled $pmma --strength 7.6e6 --toughness 5e5 --coarse "$(times 0.1)" --ratio 20 --steps 30 --cracks 1 \
    --toughness-pattern layers --toughness-amount 3 --toughness-size 1 --toughness-direction 0,1,0 \
    --strength-pattern layers --strength-amount 9 --strength-size 1.25 --strength-direction 0,1,0 \
    --condition group=bottom displacement=0,-5e-3,0 --condition group=top displacement=0,5e-3,0
  view controlled 0.5
fi

# A round crack inclined by 45 degrees in a cube under tension turns across it (fig. 34).
if scene penny; then
  box penny
  crack penny $pmma --coarse "$(times 0.05)" --ratio 16.7 --steps 20 --cracks 0 --initial at=0,0,0 normal=1,1,0 radius=0.2 \
    --condition group=bottom --condition group=top kind=traction traction=0,5e6,0
  view penny 0.6 --elevation 8
fi

# A cube of concrete between two plates (fig. 13).
if scene compressed; then
  box compressed
  crack compressed $concrete --compression-ratio 3 --coarse "$(times 0.1)" --ratio 33.3 --steps 22 --cracks 16 \
    --condition group=bottom displacement=0,5.2e-4,0 --condition group=top displacement=0,-5.2e-4,0
  view compressed 0.5
fi

# A notched bar held at the left and at the middle of its top, pushed up at the right (figs. 19 and 35).
bar() {
  local name=$1
  shift
  "$hackle" model notched_bar --size 0.2 --bar-height 0.2 --bar-depth 0.25 --notch-depth 0.25 --notch-width 0.75 --span 0.9 --resolution 30 \
    -o "$out/${name}_in.bgeo" --quiet
  crack "$name" $pmma --triangles 420 --coarse "$(times 6e-3)" --ratio 30 --steps 20 "$@" \
    --condition group=support_left --condition group=load --condition group=support_right kind=force "force=0,${force:-1.2e4},0"
  view "$name" 0.5 --azimuth 40 --elevation 25 --light-azimuth 100 --light-elevation 20
}
# The left face, far from the right one, lit from the side: lines run from where cracks began, and ridges stand where they met.
face() {
  local name=$1 position=$2 target=$3
  "$hackle" explode "$out/$name.bgeo" --middle area --centre average --amount 4 -o "$out/${name}_apart.bgeo" --quiet
  "$hackle" render "$out/${name}_apart.bgeo" --colour inside --base 0.75,0.76,0.78 --inside 0.86,0.6,0.45 --light-softness 2 \
    --light-elevation 12 --light-azimuth 60 --width 480 --height 320 --camera explicit --position "$position" --target "$target" \
    --no-floor -o "$pictures/crack_${name}_face.png" --quiet
}
if scene bar; then bar bar --cracks 5; fi
if scene layered; then
  bar layered --cracks 3 --toughness 1e3 --toughness-pattern layers --toughness-amount 14 --toughness-size 0.02 \
    --toughness-direction 1,0,1
fi
if scene granular; then
  force=1.5e4 bar granular --cracks 3 --compression-ratio 3 --toughness-pattern grains --toughness-amount 0.1 --toughness-size 0.0024
  face granular -0.1,0.03,0.012 -0.205,0.018,0.002
fi

# A column of concrete is pulled until a small crack inside runs through its grains; the README opens with its face (docs/pictures/cracked.png).
if scene column; then
  "$hackle" model column --size 1 --slenderness 4 --resolution 60 -o "$out/column_in.bgeo" --quiet
  crack column --preset concrete --condition group=base --condition group=capital kind=traction traction=0,2.5e6,0 \
    --initial at=0,0.5,0 normal=0.2,1,0 radius=0.03 --cracks 0 --triangles 400 --coarse "$(times 0.04)" --ratio 30 \
    --toughness-pattern grains --toughness-amount 0.12 --toughness-size 0.015
  view column 0.4 --width 560 --height 640 --elevation 24 --light-elevation 14 --light-azimuth -85
  "$hackle" render "$out/column_apart.bgeo" --colour inside --base 0.75,0.76,0.78 --inside 0.86,0.6,0.45 --light-softness 2 \
    --light-elevation 12 --light-azimuth -85 --width 560 --height 420 --camera explicit --position 0.25,0.75,0.35 --target 0,0.37,0 \
    --no-floor -o "$out/cracked.png" --quiet
fi

# A chain link pulled by its flat ends (fig. 36): acrylic glass breaks at two places, concrete cracks at more. It is a frame around an
# elliptic hole, 18 rows of 8 quads (two triangles each), so that its legs are thinnest at their middle; LENGTH in m.
link() {
  local name=$1 length=$2 pull=$3
  shift 3
  awk -v n=18 -v size="$length" 'BEGIN {
    split("0 .5 1 1 1 .5 0 0", out); split("1 1 1 0 -1 -1 -1 0", z)
    for (i = 0; i < n; ++i) {
      a = (i + .5) * 2 * atan2(0, -1) / n; c = cos(a); s = sin(a); r = (c ^ 6 + s ^ 6) ^ (-1 / 6)
      x = .325 * r * c; y = .53 * r * s; if (y > .5) y = .5; if (y < -.5) y = -.5
      for (j = 1; j <= 8; ++j)
        print "v", size * (.2 * c + (x - .2 * c) * out[j]), size * (.5 + .28 * s + (y - .28 * s) * out[j]), size * .058 * z[j]
    }
    for (i = 0; i < n; ++i) for (j = 0; j < 8; ++j) {
      k = (j + 1) % 8; m = (i + 1) % n; print "f", 8 * i + j + 1, 8 * i + k + 1, 8 * m + k + 1, 8 * m + j + 1
    }
  }' > "$out/${name}_in.obj"
  "$hackle" convert "$out/${name}_in.obj" -o "$out/${name}_in.bgeo" --quiet
  crack "$name" --steps 20 "$@" --triangles 288 --coarse "$(times "0.119 * $length")" --cracks 12 \
    --condition "displacement=0,-$pull,0" "high=9,$(awk "BEGIN { print 0.001 * $length }"),9" \
    --condition "displacement=0,$pull,0" "low=-9,$(awk "BEGIN { print 0.999 * $length }"),-9"
  view "$name" 0.5 --light-azimuth 80 --light-elevation 20 --elevation 25
}
if scene link; then link link 0.1 6e-4 $pmma --ratio 66.7; fi
if scene concrete; then
  link concrete 1 4.5e-5 $concrete --compression-ratio 10 --ratio 80 --toughness-pattern grains --toughness-amount 0.02 --toughness-size 0.02
fi

# A figure on its base whose hands are torn apart (fig. 38), or that is split from a crack in its chest (fig. 39).
figure() {
  local name=$1
  shift
  "$hackle" model figure --size 1.5 --resolution 60 -o "$out/${name}_in.bgeo" --quiet
  crack "$name" $pmma --coarse "$(times 0.1)" --ratio 50 "$@" --condition high=9,0.12,9 \
    --condition kind=traction traction=-8e6,0,0 low=-9,1.25,-9 \
    --condition kind=traction traction=8e6,0,0 low=0.34,-9,-9
  view "$name" 0.4 --width 420 --height 560 --light-azimuth 70 --light-elevation 25
}
grains="--toughness-pattern grains --toughness-amount 0.1"
if scene tear; then figure tear --triangles 1200 --steps 12 --cracks 6 $grains --toughness-size 0.025; fi
if scene split; then
  figure split --triangles 1000 --steps 12 --cracks 0 $grains --toughness-size 0.06 --toughness-stretch 1,3,1 \
    --initial at=0.02,0.9,0 normal=1,0,0 radius=0.05
fi

# A rabbit whose back is pushed in by 7.4 mm (fig. 40): the hybrid method, full up to 3000 elements.
if scene smash; then
  "$hackle" model bunny --size 0.155 --resolution 100 -o "$out/smash_in.bgeo" --quiet
  crack smash $pmma --method hybrid --strength 1.6e8 --toughness 5e5 --triangles 1000 --coarse "$(times 5.9e-3)" --ratio 20 --steps 38 --cracks 22 \
    --condition high=1,0.005,1 --condition displacement=0,-7.4e-3,1.6e-3 low=-1,0.06,-1 high=1,1,-0.02
  view smash 0.35 --azimuth 120
fi

# What artists break, with default parameters but for the load, which rises from zero; each from two sides.
object() {
  local name=$1 amount=$2
  shift 2
  "$hackle" crack "$out/${name}_in.bgeo" "$@" -o "$out/$name.bgeo" --json "$out/$name.json"
  "$hackle" explode "$out/$name.bgeo" --middle area --centre average --amount "$amount" -o "$out/${name}_apart.bgeo" --quiet
  "$hackle" render "$out/${name}_apart.bgeo" --colour inside --base 0.75,0.76,0.78 --inside 0.86,0.6,0.45 --light-softness 3 \
    --views 2 --width 720 --height 360 -o "$pictures/crack_object_$name.png" --quiet
}
if scene objects; then
  "$hackle" model figure --size 1 -o "$out/figure_in.bgeo" --quiet
  object figure 0.4 --preset plaster --condition high=9,0.05,9 --condition kind=force force=300,0,0 at=0,1,0 radius=0.15
  "$hackle" model goblet --size 3.3 -o "$out/goblet_in.bgeo" --quiet
  object goblet 0.4 --preset glass --condition high=9,0.06,9 --condition kind=force force=20000,0,0 low=-9,3.2,-9
  "$hackle" model box --size 24 --proportions 8,24,8 --centre -o "$out/box_in.bgeo" --quiet
  object box 0.3 --preset concrete --condition high=99,-11.99,99 --condition kind=traction traction=0,1e7,0 low=-99,11.99,-99
  "$hackle" model brick -o "$out/brick_in.bgeo" --quiet
  object brick 0.6 --preset ceramic --impact at=0,0.065,0 dir=0,-1,0 impulse=50
  "$hackle" model column -o "$out/shaft_in.bgeo" --quiet
  object shaft 0.2 --preset concrete --condition high=9,0.1,9 --condition kind=force force=100000,0,0 low=-9,2.7,-9
  "$hackle" model bunny --size 0.3 --resolution 100 -o "$out/rabbit_in.bgeo" --quiet
  object rabbit 0.4 --preset plaster --condition high=9,0.01,9 --condition kind=force force=500,0,0 low=-9,0.27,-9
  "$hackle" model pane -o "$out/pane_in.bgeo" --quiet
  object pane 0.3 --preset glass --condition high=9,0.02,9 --condition kind=force force=0,0,1500 low=-9,1.18,-9
  if [ -d ../shared/data/meshes ]; then
    "$hackle" transform ../shared/data/meshes/cgal_armadillo.off --scale 0.01,0.01,0.01 -o "$out/armadillo_in.bgeo" --quiet
    object armadillo 0.3 --preset plaster --condition high=9,-0.5,9 --condition kind=force force=12000,0,0 low=-9,0.75,-9
  fi
fi

# The thesis' scenes on the meshes of its published code and on Stanford's armadillo, as in ./run bench crack.
if scene published && [ -d ../shared/data/meshes/fracturebem ]; then
  cmake --build build --target bench_crack >/dev/null
  HACKLE_CRACK_LIMIT=120 HACKLE_CRACK_OUT="$out" build/bin/bench_crack \
    --benchmark_filter='crack/(cube_compressed|bar_published|bar_layered_h|bar_layered_v|bar_granular|figure_tear|figure_split|smash_finer)/'
  view cube_compressed 0.4 --elevation 20
  for name in bar_published bar_layered_h bar_layered_v bar_granular; do
    view "$name" 0.5 --azimuth 40 --elevation 25 --light-azimuth 100 --light-elevation 20
  done
  face bar_published -0.1,0.02,0.03 -0.205,0.004,0.026
  view smash_finer 0.4 --azimuth 180
  for name in figure_tear figure_split; do view "$name" 0.4 --width 480 --height 400 --azimuth 180; done
fi
