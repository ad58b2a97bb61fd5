#!/usr/bin/env python3
"""Writes a surface of revolution about the axis z as OBJ: revolve.py RADIUS HEIGHT RADIUS HEIGHT ...

A radius of 0 at either end closes the surface with one point.
"""
import math
import sys

SEGMENTS = 48

profile = list(zip(map(float, sys.argv[1::2]), map(float, sys.argv[2::2])))
rings, count = [], 0
for radius, height in profile:
    ring = []
    for i in range(SEGMENTS if radius > 0 else 1):
        angle = 2 * math.pi * i / SEGMENTS
        print(f"v {radius * math.cos(angle):.9g} {radius * math.sin(angle):.9g} {height:.9g}")
        count += 1
        ring.append(count)
    rings.append(ring)
for low, high in zip(rings, rings[1:]):
    for i in range(SEGMENTS):
        j = (i + 1) % SEGMENTS
        corners = [low[i % len(low)], low[j % len(low)], high[j % len(high)], high[i % len(high)]]
        face = list(dict.fromkeys(corners))
        print("f", *face)
