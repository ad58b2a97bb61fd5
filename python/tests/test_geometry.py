"""hackle.Geometry: building, attributes, groups, whole-geometry edits."""

import copy
import unittest

import numpy as np

import hackle
from shapes import CUBE_POINTS, CUBE_QUADS, cube


class Building(unittest.TestCase):
    def test_polygons_of_different_sizes(self):
        flat = [0, 1, 2, 0, 2, 3, 1]
        lists = hackle.Geometry.from_arrays(CUBE_POINTS, [[0, 1, 2], (0, 2, 3, 1)])
        counted = hackle.Geometry.from_arrays(CUBE_POINTS, flat, counts=[3, 4])
        for geo in (lists, counted):
            np.testing.assert_array_equal(geo.vertex_points, flat)
            np.testing.assert_array_equal(geo.vertex_starts, [0, 3, 7])

    def test_index_types(self):
        for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
            geo = hackle.Geometry.from_arrays(CUBE_POINTS, CUBE_QUADS.astype(dtype)[:, ::-1])
            np.testing.assert_array_equal(geo.vertex_points.reshape(6, 4), CUBE_QUADS[:, ::-1])

    def test_polylines_and_points_alone(self):
        line = hackle.Geometry.from_arrays(CUBE_POINTS, [[0, 1], [1, 2, 3]], closed=False)
        np.testing.assert_array_equal(line.primitive_types, [hackle.PrimitiveType.POLYLINE] * 2)
        self.assertEqual(hackle.Geometry.from_arrays(CUBE_POINTS).primitive_count, 0)

    def test_tetrahedra_are_turned_right_side_out(self):
        corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        geo = hackle.Geometry.from_tets(corners, [[0, 1, 2, 3], [1, 0, 2, 3]])
        for a, b, c, d in geo.points[geo.tetrahedra()]:
            self.assertAlmostEqual(np.dot(b - a, np.cross(c - a, d - a)), 1.0)

    def test_triangles_of_polygons(self):
        geo = cube()
        triangles, primitives = geo.triangles(return_primitives=True)
        np.testing.assert_array_equal(primitives, np.repeat(np.arange(6), 2))
        a, b, c = geo.points[triangles].transpose(1, 0, 2)
        self.assertAlmostEqual(np.einsum("ij,ij->", a, np.cross(b, c)) / 6, 1.0)  # volume, so also winding

    def test_bad_indices_are_refused(self):
        make = hackle.Geometry.from_arrays
        with self.assertRaisesRegex(hackle.InputError, "polygon 1 uses point 8, but there are 8 points"):
            make(CUBE_POINTS, [[0, 1, 2], [0, 1, 8]])
        for bad in ([[0, 1, -1]], [[0, 1]], np.array([[0, 1, 2**40]]), np.array([[0, 1, 2**64 - 1]], np.uint64)):
            with self.assertRaises(hackle.Error):
                make(CUBE_POINTS, bad)
        for bad in ([[0.5, 1, 2]], [["a", "b", "c"]], np.arange(3), 7, "abc", np.zeros((2, 2, 2), int)):
            with self.assertRaises(hackle.UsageError):
                make(CUBE_POINTS, bad)
        with self.assertRaises(hackle.UsageError):
            make(CUBE_POINTS, [0, 1, 2], counts=[4])
        with self.assertRaises(hackle.UsageError):
            make(CUBE_POINTS, [0, 1, 2, 3], counts=[3])
        with self.assertRaises(hackle.InputError):
            hackle.Geometry.from_tets(CUBE_POINTS, [[0, 1, 2]])


class Attributes(unittest.TestCase):
    def test_packed(self):
        cube = hackle.model(shape="box", size=1)
        geo = hackle.Geometry.from_packed([cube, cube], [[0, 0, 0], [5, 0, 0]])
        self.assertEqual((geo.point_count, geo.primitive_count), (2, 2))
        apart = geo.unpacked()
        self.assertEqual(apart.point_count, 2 * cube.point_count)
        np.testing.assert_allclose(apart.points[cube.point_count:], cube.points + [5, 0, 0])
        with self.assertRaisesRegex(hackle.Error, "positions: there are 1 of them for 2 geometries"):
            hackle.Geometry.from_packed([cube, cube], [[0, 0, 0]])

    def test_numbers_keep_their_type_and_share_memory(self):
        geo = cube()
        for dtype, stored in (("float32", "float32"), ("float64", "float64"), ("float16", "float32"),
                              ("int32", "int32"), ("int64", "int64"), ("int8", "int32"), ("uint16", "int32"),
                              ("uint32", "int64"), ("uint64", "int64"), ("bool", "int32"), (">f4", "float32")):
            for shape in ((8,), (8, 3), (8, 16)):
                values = (np.arange(np.prod(shape)) % 2).reshape(shape).astype(dtype)
                geo.set_attribute("a", values)
                back = geo.attribute("a")
                self.assertEqual((back.dtype, back.shape), (np.dtype(stored), shape))
                np.testing.assert_array_equal(back, values)
                self.assertTrue(np.shares_memory(back, geo.attribute("a")))
                self.assertEqual(geo.attribute_info("a")["storage"], stored)

    def test_owners(self):
        geo = cube()
        for owner, count in (("point", 8), ("vertex", 24), ("primitive", 6), ("detail", 1)):
            geo.set_attribute("x", np.arange(2.0 * count).reshape(count, 2), owner)
            self.assertEqual(geo.attribute("x", owner).shape, (count, 2))
            self.assertIn("x", geo.attributes(owner))
            geo.remove_attribute("x", owner)
            self.assertNotIn("x", geo.attributes(owner))
        geo.set_attribute("gravity", [0, -9.81, 0], owner="detail")
        self.assertEqual(geo.attribute("gravity", "detail").shape, (1, 3))
        with self.assertRaises(hackle.UsageError):
            geo.attribute("x", "edge")

    def test_text(self):
        geo = cube()
        names = ["piece0", "piece1", "", "piece0", "größe", "piece1"]
        for given in (names, np.array(names), np.array(names, object)):
            geo.set_attribute("name", given, owner="primitive")
            self.assertEqual(geo.attribute("name", "primitive").tolist(), names)
        table, indices = geo.string_table("name", "primitive")
        self.assertEqual([table[i] if i >= 0 else "" for i in indices], names)
        pairs = np.array([names, names[::-1]], object).T
        geo.set_attribute("pair", pairs, owner="primitive")
        np.testing.assert_array_equal(geo.attribute("pair", "primitive"), pairs)
        with self.assertRaises(hackle.UsageError):
            geo.set_attribute("name", ["a", 1, "b", None, "c", "d"], owner="primitive")
        with self.assertRaises(hackle.UsageError):
            geo.edit_attribute("name", "primitive")
        self.assertEqual(geo.attribute("name", "primitive").tolist(), names)

    def test_shapes_that_do_not_fit_are_refused(self):
        geo = cube()
        for bad in (np.zeros(7), np.zeros((3, 8)), np.zeros((8, 0)), np.zeros((8, 2, 2)), 1.0,
                    np.zeros(8, complex), np.full(8, 2**63, np.uint64)):
            with self.assertRaises(hackle.UsageError):
                geo.set_attribute("a", bad)
        self.assertEqual(geo.attributes(), ["P"])

    def test_position_is_an_attribute_too(self):
        geo = cube()
        self.assertTrue(np.shares_memory(geo.attribute("P"), geo.points))
        geo.set_attribute("P", CUBE_POINTS * 2)
        np.testing.assert_array_equal(geo.points, CUBE_POINTS * 2)
        with self.assertRaises(hackle.UsageError):
            geo.remove_attribute("P")

    def test_qualifiers(self):
        geo = cube()
        geo.set_attribute("N", CUBE_POINTS)
        self.assertEqual(geo.attribute_info("N")["qualifier"], "normal")
        geo.set_attribute("dir", CUBE_POINTS, qualifier="vector")
        geo.set_attribute("dir", CUBE_POINTS + 1)
        self.assertEqual(geo.attribute_info("dir")["qualifier"], "vector")

    def test_missing_attribute_names_the_nearest(self):
        geo = cube()
        geo.set_attribute("density", np.zeros(8))
        with self.assertRaisesRegex(hackle.UsageError, "did you mean density"):
            geo.attribute("densty")

    def test_editing_one_attribute_in_place(self):
        geo = cube()
        geo.set_attribute("Cd", np.zeros((8, 3), np.float32))
        before = geo.attribute("Cd")
        geo.edit_attribute("Cd")[:, 0] = 1
        np.testing.assert_array_equal(geo.attribute("Cd"), np.tile(np.float32([1, 0, 0]), (8, 1)))
        np.testing.assert_array_equal(before, np.zeros((8, 3)))


class Groups(unittest.TestCase):
    def test_mask_and_indices(self):
        geo = cube()
        mask = np.array([True, False, True, False, False, True])
        geo.set_group("inside", mask)
        geo.set_group("same", np.flatnonzero(mask))
        for name in ("inside", "same"):
            self.assertEqual(geo.group(name).dtype, np.bool_)
            np.testing.assert_array_equal(geo.group(name), mask)
        self.assertEqual(geo.groups(), ["inside", "same"])
        self.assertIsNone(geo.group_order("inside"))
        geo.remove_group("inside")
        self.assertEqual(geo.groups(), ["same"])
        for bad in (mask[:5], [6], [-1], [0.5], "x"):
            with self.assertRaises(hackle.Error):
                geo.set_group("bad", bad)
        self.assertEqual(geo.groups(), ["same"])
        with self.assertRaisesRegex(hackle.UsageError, "no primitive group sane"):
            geo.group("sane")

    def test_replacing_a_group_leaves_views(self):
        geo = cube()
        geo.set_group("g", [0], owner="point")
        view = geo.group("g", "point")
        geo.set_group("g", [1], owner="point")
        self.assertEqual(view.tolist().index(True), 0)
        self.assertEqual(geo.group("g", "point").tolist().index(True), 1)


class WholeGeometry(unittest.TestCase):
    def test_append_and_extract_are_inverse(self):
        geo = cube()
        geo.set_attribute("name", ["a"] * 6, owner="primitive")
        other = cube()
        other.points = CUBE_POINTS + 3
        other.set_attribute("name", ["b"] * 6, owner="primitive")
        geo.append(other)
        geo.append(geo)
        self.assertEqual(geo.primitive_count, 24)
        back = geo.extract(geo.attribute("name", "primitive") == "b")
        self.assertEqual(back.primitive_count, 12)
        np.testing.assert_array_equal(back.bounds, [[3, 3, 3], [4, 4, 4]])
        self.assertEqual(geo.extract([5], keep_points=True).point_count, 32)
        with self.assertRaises(hackle.InputError):
            geo.extract([24])

    def test_flip_turns_polygons_over(self):
        geo = cube()
        geo.flip()
        np.testing.assert_array_equal(geo.vertex_points.reshape(6, 4), CUBE_QUADS[:, [0, 3, 2, 1]])

    def test_copies(self):
        geo = cube()
        for twin in (copy.copy(geo), copy.deepcopy(geo), copy.deepcopy([geo, geo])[0]):
            twin.edit_points()[:] = 0
            np.testing.assert_array_equal(geo.points, CUBE_POINTS)

    def test_repr_says_what_is_in_it(self):
        geo = cube()
        geo.set_attribute("Cd", CUBE_POINTS)
        geo.set_group("inside", [0])
        text = repr(geo)
        for part in ("8 points", "6 polygons", "Cd[3]", "primitive:inside"):
            self.assertIn(part, text)


class Pictures(unittest.TestCase):
    def test_image_from_pixels(self):
        pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
        image = hackle.Image(pixels)
        self.assertEqual((image.width, image.height), (3, 2))
        np.testing.assert_array_equal(image.pixels, pixels)
        self.assertTrue(np.shares_memory(image.pixels, image.pixels))
        with self.assertRaises(ValueError):
            image.pixels[0] = 0
        for bad in (pixels[0], pixels.astype(float), pixels[:, :, :2]):
            with self.assertRaises(hackle.UsageError):
                hackle.Image(bad)

    def test_blob(self):
        blob = hackle.Blob("modes", b"\0\1\2")
        self.assertEqual((blob.kind, blob.data, len(blob)), ("modes", b"\0\1\2", 3))


if __name__ == "__main__":
    unittest.main()
