"""Simulations from Python: frame by frame, with bodies and events."""

import os
import tempfile
import unittest

import hackle

BOX = """
frames = 12
[ground]
[[body]]
name = "box"
model = { shape = "box", size = 0.2, resolution = 4 }
position = [0, 0.3, 0]
"""

SCENE = BOX + """
velocity = [0, -3, 0]
[output]
glb = false
usda = false
"""

BREAKING = BOX + """
velocity = [0, -6, 0]
preset = "glass"
engine = "voronoi"
engine_options = { pieces = 6 }
break_impulse = 1
"""


class Simulations(unittest.TestCase):
    def test_frames_come_one_by_one(self):
        heights = []
        for frame in hackle.Simulation(SCENE):
            box = [b for b in frame.bodies if b["name"] == "box"][0]
            heights.append(box["position"][1])
            self.assertEqual(frame.frame, len(heights))
        self.assertEqual(len(heights), 12)
        self.assertAlmostEqual(heights[0], 0.4)
        self.assertLess(heights[1], heights[0])
        self.assertGreater(heights[-1], 0.09)

    def test_events_and_pieces_come_with_their_frame(self):
        whole, broken = None, {}
        for frame in hackle.Simulation(BREAKING):
            moving = [b for b in frame.bodies if b["active"]]
            whole = whole or sum(b["mass"] for b in moving)
            self.assertAlmostEqual(sum(b["mass"] for b in moving) / whole, 1, places=9)
            for event in frame.events:
                self.assertEqual(event["frame"], frame.frame)
                if event["event"] > 0:
                    broken[event["event"]] = event
            # A body is what the scene began with or a piece of an event, and is gone once it broke.
            for body in moving:
                self.assertNotIn(body["name"], [e["body"] for e in broken.values()])
                if body["event"] > 0:
                    self.assertIn(body["name"], broken[body["event"]]["pieces"])
                    self.assertGreater(frame.body(body["name"]).primitive_count, 3)
        self.assertGreater(len(broken[1]["pieces"]), 3)

    def test_geometry_is_in_place(self):
        simulation = hackle.Simulation(SCENE)
        frame = next(simulation)
        self.assertAlmostEqual(frame.geometry().bounds[0][1], 0.3)
        self.assertEqual(frame.points().attribute("name")[0], "box")
        self.assertAlmostEqual(frame.body("box").bounds[0][1], 0)
        with self.assertRaises(hackle.UsageError):
            frame.body("nobody")

    def test_a_folder_gets_the_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in hackle.Simulation(SCENE, folder):
                pass
            self.assertEqual(len(os.listdir(os.path.join(folder, "frames"))), 12)
            self.assertTrue(os.path.exists(os.path.join(folder, "manifest.json")))

    def test_mistakes_raise(self):
        with self.assertRaises(hackle.Error) as caught:
            hackle.Simulation("frames = 3\nfrms = 4\n")
        self.assertIn(":2:", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
