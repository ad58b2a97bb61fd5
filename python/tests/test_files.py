"""Files and pickles: what goes out comes back."""

import os
import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import hackle
from shapes import CUBE_POINTS, CUBE_QUADS, cube


def rich_cube():
    """A cube with something of everything, in numbers that single precision cannot hold."""
    geo = cube()
    geo.points = CUBE_POINTS / 3
    for owner, count in (("point", 8), ("vertex", 24), ("primitive", 6), ("detail", 1)):
        for dtype in ("float32", "float64", "int32", "int64"):
            values = (np.arange(3.0 * count).reshape(count, 3) / (7 if "float" in dtype else 1)).astype(dtype)
            geo.set_attribute(f"{owner}_{dtype}", values, owner)
        geo.set_attribute(f"{owner}_text", [f"größe {i % 3}" for i in range(count)], owner)
    geo.set_group("inside", [1, 4])
    geo.set_group("corner", [7], "point")
    geo.set_attribute("N", CUBE_POINTS)
    return geo


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def assert_same(self, a, b):
        np.testing.assert_array_equal(a.points, b.points)
        np.testing.assert_array_equal(a.vertex_points, b.vertex_points)
        np.testing.assert_array_equal(a.vertex_starts, b.vertex_starts)
        np.testing.assert_array_equal(a.primitive_types, b.primitive_types)
        for owner in ("point", "vertex", "primitive", "detail"):
            self.assertEqual(sorted(a.attributes(owner)), sorted(b.attributes(owner)))
            for name in a.attributes(owner):
                np.testing.assert_array_equal(a.attribute(name, owner), b.attribute(name, owner))
                self.assertEqual(a.attribute_info(name, owner), b.attribute_info(name, owner))
            self.assertEqual(sorted(a.groups(owner)), sorted(b.groups(owner)))
            for name in a.groups(owner):
                np.testing.assert_array_equal(a.group(name, owner), b.group(name, owner))

    def test_houdini_files_lose_nothing(self):
        geo = rich_cube()
        for name in ("a.bgeo", "a.bgeo.sc", "a.geo"):
            hackle.write(geo, self.path / name)
            self.assert_same(hackle.read(str(self.path / name)), geo)

    def test_every_format_that_reads_and_writes_keeps_polygons_or_says_so(self):
        tried = 0
        for format in hackle.formats():
            if not (format["reads"] and format["writes"]):
                continue
            for extension in format["extensions"]:
                with self.subTest(extension=extension), warnings.catch_warnings():
                    warnings.simplefilter("ignore", hackle.Warning)
                    path = self.path / f"cube.{extension}"
                    try:
                        cube().save(path)
                        back = hackle.read(path)
                    except hackle.Error as error:
                        self.assertIn(error.code, ("usage", "bad_input"))
                        continue
                    if back.point_count == 0:  # a format of volumes alone
                        continue
                    np.testing.assert_allclose(back.bounds, [[0, 0, 0], [1, 1, 1]])
                    if back.primitive_count == 6:
                        np.testing.assert_array_equal(back.vertex_points.reshape(6, 4), CUBE_QUADS)
                    tried += 1
        self.assertGreater(tried, 5)

    def test_pickles_are_exact(self):
        geo = rich_cube()
        self.assert_same(pickle.loads(pickle.dumps(geo)), geo)
        image = hackle.Image(np.arange(30, dtype=np.uint8).reshape(2, 5, 3))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(image)).pixels, image.pixels)
        blob = pickle.loads(pickle.dumps(hackle.Blob("modes", b"\0x")))
        self.assertEqual((blob.kind, blob.data), ("modes", b"\0x"))

    def test_lost_attributes_are_warned_about_by_name(self):
        with self.assertWarnsRegex(hackle.Warning, "primitive_int64"):
            rich_cube().save(self.path / "a.stl")

    def test_failures_leave_no_file(self):
        with self.assertRaises(hackle.UsageError):
            cube().save(self.path / "a.unknown")
        with self.assertRaises(hackle.FileError):
            cube().save(self.path / "no such folder" / "a.bgeo")

        def stop(*_):
            raise StopIteration

        try:
            cube().save(self.path / "b.bgeo", progress=stop)
        except StopIteration:
            pass
        # Stopped or, for so small a file, done before that: nothing or all of it, and no temporary file.
        for name in os.listdir(self.path):
            self.assertEqual(name, "b.bgeo")
            self.assertEqual(hackle.read(self.path / name).primitive_count, cube().primitive_count)

    def test_malformed_files_are_input_errors(self):
        path = self.path / "bad.bgeo"
        path.write_bytes(b"\x7fNSJb" + bytes(20))
        with self.assertRaises(hackle.InputError) as caught:
            hackle.read(path)
        self.assertIn("bad.bgeo", str(caught.exception))

    def test_names_that_are_no_text_survive(self):
        odd = os.fsdecode(os.fsencode(self.path) + b"/\xff.obj")
        cube().save(odd)
        self.assertEqual(hackle.read(odd).point_count, 8)

    def test_pictures_and_blobs(self):
        pixels = np.full((4, 6, 3), 128, np.uint8)
        hackle.write(hackle.Image(pixels), self.path / "a.png")
        self.assertEqual((self.path / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        hackle.Blob("modes", b"abc").save(self.path / "a.modes")
        blob = hackle.Blob.load(self.path / "a.modes")
        self.assertEqual((blob.kind, blob.data), ("modes", b"abc"))


if __name__ == "__main__":
    unittest.main()
