"""Builds a brick wall, saves and reloads it as a cache would be, pulls the bricks apart and draws them.

    PYTHONPATH=build/python python3 examples/python/exploded_wall.py out
"""

import sys
from pathlib import Path

import numpy as np

import hackle

ROWS, COLUMNS = 4, 5
BRICK = np.array([0.24, 0.07, 0.115])  # m
JOINT = 0.01  # m


def build_wall(seed=1):
    """Bricks in running bond, named piece0, piece1, ..., each a little off its place."""
    random = np.random.default_rng(seed)
    wall = hackle.Geometry()
    for row in range(ROWS):
        for column in range(COLUMNS):
            brick = hackle.model("box", proportions=BRICK, size=BRICK.max(), resolution=4)
            place = (BRICK + JOINT) * [column + 0.5 * (row % 2), row, 0]
            brick.points = brick.points + place + random.normal(0, 0.002, 3)
            name = f"piece{row * COLUMNS + column}"
            brick.set_attribute("name", [name] * brick.primitive_count, "primitive")
            wall.append(brick)
    return wall


def main(out_dir):
    out = Path(out_dir)
    build_wall().save(out / "wall.bgeo")
    wall = hackle.read(out / "wall.bgeo")
    apart = hackle.explode(wall, amount=0.5, directions=(1, 1, 0))
    picture = hackle.render(apart, width=960, height=540)
    picture.save(out / "wall.png")
    print(f"{len(set(wall.attribute('name', 'primitive')))} bricks: {out / 'wall.bgeo'}, {out / 'wall.png'}")
    return apart, picture


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
