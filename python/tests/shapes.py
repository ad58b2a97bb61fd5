"""Small geometries for tests."""

import numpy as np

import hackle

CUBE_POINTS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
# Counter-clockwise seen from outside.
CUBE_QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def cube():
    """A unit cube of six quads."""
    return hackle.Geometry.from_arrays(CUBE_POINTS, CUBE_QUADS)


def grid(n):
    """n x n points in the plane y = 0."""
    u = np.linspace(0.0, 1.0, n)
    x, z = np.meshgrid(u, u)
    return hackle.Geometry.from_arrays(np.stack([x.ravel(), np.zeros(n * n), z.ravel()], axis=1))
