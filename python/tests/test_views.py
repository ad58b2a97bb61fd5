"""Numpy views: they share memory, outlive the geometry, and never break copy-on-write."""

import gc
import time
import unittest

import numpy as np

import hackle
from shapes import CUBE_POINTS, CUBE_QUADS, cube, grid


class Reading(unittest.TestCase):
    def test_points_are_a_view_without_a_copy(self):
        geo = cube()
        view = geo.points
        np.testing.assert_array_equal(view, CUBE_POINTS)
        self.assertEqual((view.dtype, view.shape), (np.float64, (8, 3)))
        self.assertFalse(view.flags.owndata)
        self.assertTrue(np.shares_memory(view, geo.points))

    def test_topology(self):
        geo = cube()
        np.testing.assert_array_equal(geo.vertex_points.reshape(6, 4), CUBE_QUADS)
        np.testing.assert_array_equal(geo.vertex_starts, np.arange(0, 25, 4))
        np.testing.assert_array_equal(geo.primitive_types, [hackle.PrimitiveType.POLYGON] * 6)
        self.assertEqual((geo.point_count, geo.vertex_count, geo.primitive_count), (8, 24, 6))

    def test_views_outlive_the_geometry(self):
        geo = grid(100)
        geo.set_attribute("heat", np.arange(10000.0))
        views = geo.points, geo.attribute("heat"), geo.points[::2, 1:]
        expected = [v.copy() for v in views]
        del geo
        gc.collect()
        churn = [np.full((10000, 3), i, float) for i in range(20)]  # would land in freed memory
        for view, values in zip(views, expected):
            np.testing.assert_array_equal(view, values)
        self.assertEqual(len(churn), 20)

    def test_views_are_read_only_for_good(self):
        geo = cube()
        geo.set_attribute("a", np.zeros(8))
        geo.set_group("g", [0])
        for view in (geo.points, geo.vertex_points, geo.vertex_starts, geo.primitive_types, geo.attribute("a"),
                     geo.group("g")):
            with self.assertRaises(ValueError):
                view[0] = 1
            with self.assertRaises(ValueError):
                view.flags.writeable = True

    def test_making_a_view_takes_no_time_that_grows(self):
        def seconds(geo):
            best = 1.0
            for _ in range(20):
                start = time.perf_counter()
                geo.points
                best = min(best, time.perf_counter() - start)
            return best

        small, large = seconds(grid(10)), seconds(grid(1000))
        print(f"view of 100 points {small * 1e6:.1f} us, of 1000000 points {large * 1e6:.1f} us")
        self.assertLess(large, 20 * small + 1e-4)

    def test_empty_geometry_has_empty_views(self):
        geo = hackle.Geometry()
        self.assertEqual(geo.points.shape, (0, 3))
        self.assertEqual(geo.vertex_points.shape, (0,))
        self.assertEqual(geo.edit_points().shape, (0, 3))
        self.assertIsNone(geo.bounds)


class Writing(unittest.TestCase):
    def test_assigned_points_are_copied_and_older_views_are_snapshots(self):
        geo = cube()
        before = geo.points
        moved = CUBE_POINTS + 1
        geo.points = moved
        moved[:] = 9
        np.testing.assert_array_equal(before, CUBE_POINTS)
        np.testing.assert_array_equal(geo.points, CUBE_POINTS + 1)

    def test_writable_view_writes_into_the_geometry(self):
        geo = cube()
        points = geo.edit_points()
        points[:, 1] += 2
        self.assertTrue(np.shares_memory(points, geo.points))
        np.testing.assert_array_equal(geo.bounds, [[0, 2, 0], [1, 3, 1]])

    def test_earlier_views_and_copies_do_not_change(self):
        geo = cube()
        view, copy = geo.points, geo.copy()
        geo.edit_points()[:] = 5
        np.testing.assert_array_equal(view, CUBE_POINTS)
        np.testing.assert_array_equal(copy.points, CUBE_POINTS)
        np.testing.assert_array_equal(geo.points, np.full((8, 3), 5))

    def test_editing_a_copy_leaves_the_original(self):
        geo = cube()
        view = geo.points
        copy = geo.copy()
        self.assertTrue(np.shares_memory(copy.points, geo.points))
        copy.edit_points()[:] = 5
        copy.points = copy.points + 1
        np.testing.assert_array_equal(view, CUBE_POINTS)
        np.testing.assert_array_equal(geo.points, CUBE_POINTS)

    def test_copies_made_while_a_writable_view_lives_are_apart(self):
        geo = cube()
        geo.set_attribute("a", np.zeros(8))
        corner = geo.edit_points()[0]  # only a slice is kept
        values = geo.edit_attribute("a")
        others = [geo.copy(), hackle.convert(geo), geo.extract(np.arange(6)), hackle.Geometry()]
        others[3].append(geo)
        corner[:] = 7
        values[:] = 7
        for other in others:
            np.testing.assert_array_equal(other.points[0], CUBE_POINTS[0])
            np.testing.assert_array_equal(other.attribute("a"), np.zeros(8))
        np.testing.assert_array_equal(geo.points[0], [7, 7, 7])
        # Once nobody can write any more, copies share again.
        del corner, values
        self.assertTrue(np.shares_memory(geo.copy().points, geo.points))

    def test_two_writable_views_see_each_other(self):
        geo = cube()
        first = geo.edit_points()
        second = geo.edit_points()
        first[0] = 3
        np.testing.assert_array_equal(second[0], [3, 3, 3])
        np.testing.assert_array_equal(geo.points[0], [3, 3, 3])

    def test_writable_view_left_behind_is_harmless(self):
        geo = cube()
        old = geo.edit_points()
        geo.points = CUBE_POINTS + 1
        old[:] = 9
        np.testing.assert_array_equal(geo.points, CUBE_POINTS + 1)
        copy = geo.copy()
        self.assertTrue(np.shares_memory(copy.points, geo.points))
        geo.append(cube())
        old[:] = 10
        np.testing.assert_array_equal(geo.points[:8], CUBE_POINTS + 1)

    def test_writable_view_outlives_the_geometry(self):
        points = cube().edit_points()
        gc.collect()
        points += 1
        np.testing.assert_array_equal(points, CUBE_POINTS + 1)

    def test_bad_points_are_refused(self):
        geo = cube()
        for bad in (np.zeros((8, 2)), np.zeros(24), np.zeros((7, 3)), [["a"] * 3] * 8, None, [[1, 2, 3], [4]]):
            with self.assertRaises(hackle.UsageError):
                geo.points = bad
        np.testing.assert_array_equal(geo.points, CUBE_POINTS)
        with self.assertRaisesRegex(hackle.UsageError, r"shape \(n, 3\), got \(8, 2\)"):
            geo.points = np.zeros((8, 2))

    def test_any_layout_and_number_type_is_taken(self):
        geo = cube()
        for given in (CUBE_POINTS.astype(np.float32), CUBE_POINTS.astype(np.int8), np.asfortranarray(CUBE_POINTS),
                      np.repeat(CUBE_POINTS, 2, axis=0)[::2], CUBE_POINTS[::-1][::-1], CUBE_POINTS.tolist(),
                      CUBE_POINTS.astype(">f8")):
            geo.points = np.zeros((8, 3))
            geo.points = given
            np.testing.assert_array_equal(geo.points, CUBE_POINTS)


if __name__ == "__main__":
    unittest.main()
