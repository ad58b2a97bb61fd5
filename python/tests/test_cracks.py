"""Crack propagation from Python: conditions as dictionaries, attributes as arrays."""

import unittest

import numpy as np

import hackle


class Cracks(unittest.TestCase):
    PULL = [{"kind": "traction", "traction": [0, 4e6, 0], "group": "top"}, {"group": "bottom"}]
    DISC = [{"at": [0, 0.5, 0], "normal": [0, 1, 0], "radius": 0.2}]
    QUICK = {"cracks": 0, "ratio": 5, "triangles": 200, "initial": DISC}

    @classmethod
    def setUpClass(cls):
        cls.block = hackle.model(shape="box", resolution=4)

    def test_a_disc_splits_a_block_and_time_goes_outwards(self):
        report = {}
        result = hackle.crack(self.block, condition=self.PULL, report=report, **self.QUICK)
        self.assertEqual(report["result"]["pieces"], 2)
        self.assertEqual(len(set(result.geometry.attribute("name", "primitive"))), 2)
        points = np.asarray(result.cracks.points)
        radius = np.hypot(points[:, 0], points[:, 2])
        time = np.asarray(result.cracks.attribute("crack_time", "point"))
        self.assertEqual(time.min(), 0)
        self.assertLess(time[radius < 0.25].max(), time[radius > 0.45].min())
        self.assertIsNone(result.elements)

    def test_a_load_that_is_too_small_is_warned_about(self):
        weak = [{**self.PULL[0], "traction": [0, 1e5, 0]}, self.PULL[1]]
        with self.assertWarnsRegex(hackle.Warning, r"13\.[0-9]+ times as large"):
            hackle.crack(self.block, condition=weak, **self.QUICK)

    def test_refusals(self):
        with self.assertRaisesRegex(hackle.UsageError, "nothing acts on the solid"):
            hackle.crack(self.block)
        with self.assertRaisesRegex(hackle.UsageError, "larger than coarse"):
            hackle.crack(self.block, condition=self.PULL, fine=2.0)


if __name__ == "__main__":
    unittest.main()
