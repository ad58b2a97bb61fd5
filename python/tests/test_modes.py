"""Fracture modes from Python: precompute once, strike as often as one likes."""

import tempfile
import unittest
from pathlib import Path

import hackle
from shapes import cube


class Modes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.solid = hackle.model(shape="dumbbell")
        cls.modes = hackle.modes(cls.solid, modes=4, elements=1500)

    def test_outputs(self):
        self.assertEqual(self.modes.modes.kind, "modes")
        self.modes.parts.attribute("mode3", "primitive")
        self.modes.lattice.attribute("mode3", "primitive")

    def test_impacts_as_dictionaries_through_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.modes"
            self.modes.modes.save(path)
            blob = hackle.Blob.load(path)
        blow = {"at": [0.15, 0.075, 0], "dir": [0, -1, 0], "impulse": 1e6}
        struck = hackle.modes_impact(blob, impact=[blow], threshold=0.01).geometry
        self.assertGreater(len(set(struck.attribute("name", "primitive"))), 1)
        again = hackle.modes_impact(blob, None, struck, impact=[{**blow, "at": [-0.15, 0.075, 0]}], threshold=0.01).geometry
        self.assertGreaterEqual(len(set(again.attribute("name", "primitive"))), len(set(struck.attribute("name", "primitive"))))
        self.assertGreater(len(set(hackle.prefracture(cache=blob, modes=3).geometry.attribute("name", "primitive"))), 1)

    def test_refusals(self):
        with self.assertRaisesRegex(hackle.InputError, "no modes file"):
            hackle.modes_impact(hackle.Blob("modes", b"abc"), at=[0, 0.04, 0])
        with self.assertRaisesRegex(hackle.InputError, "another mesh"):
            hackle.modes_impact(self.modes.modes, geometry=cube(), at=[0, 0.04, 0])
        # A symmetric solid gets the mirror images of its modes, too.
        found = sum(name.startswith("mode") and name[4:].isdigit() for name in self.modes.parts.attributes("primitive"))
        self.assertGreaterEqual(found, 4)
        with self.assertRaisesRegex(hackle.UsageError, f"the file has {found}"):
            hackle.modes_impact(self.modes.modes, at=[0, 0.04, 0], modes=found + 1)


if __name__ == "__main__":
    unittest.main()
