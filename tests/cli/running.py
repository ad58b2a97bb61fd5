"""Runs with files: what is written, what is said, what signals do. Usage: running.py HACKLE [tests]"""
import json
import os
import pathlib
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HACKLE = pathlib.Path(sys.argv.pop(1)).resolve()

# A closed tetrahedron, clockwise seen from outside as Houdini has it.
TETRAHEDRON = """["fileversion","18.5.408","hasindex",false,"pointcount",4,"vertexcount",12,"primitivecount",4,"info",{},
"topology",["pointref",["indices",[0,1,2,0,3,1,1,3,2,2,3,0]]],
"attributes",["pointattributes",[[["scope","public","type","numeric","name","P","options",{}],
["size",3,"storage","fpreal32","values",["size",3,"storage","fpreal32","tuples",[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]]]]]],
"primitives",[[["type","Polygon_run"],["startvertex",0,"nprimitives",4,"nvertices_rle",[3,4]]]]]
"""


def hackle(*words, **options):
    options = {"capture_output": True, "text": True, "timeout": 60, **options}
    return subprocess.run([str(HACKLE), *map(str, words)], **options)


class InFolder(unittest.TestCase):
    """Each test has an empty folder with tet.geo in it, and works there."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        pathlib.Path("tet.geo").write_text(TETRAHEDRON)

    def files(self):
        return sorted(os.listdir("."))

    def run_well(self, *words):
        result = hackle(*words)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def run_badly(self, code, *words, **options):
        result = hackle(*words, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr


class Running(InFolder):
    def test_one_line_says_what_was_written(self):
        out = self.run_well("convert", "tet.geo", "-o", "out.bgeo")
        self.assertRegex(out, r"^out\.bgeo: 4 points, 4 polygons, [\d.]+ (bytes|kB) in \d+\.\d+ s\n$")
        self.assertEqual(self.files(), ["out.bgeo", "tet.geo"])

    def test_a_fracture_says_how_many_pieces_it_made(self):
        """First, and without a word about depth, which OBJ cannot carry and nobody asked for."""
        self.assertRegex(self.run_well("voronoi", "tet.geo", "--pieces", "5", "-o", "out.obj"), r"^5 pieces\nout\.obj: ")

    def test_quiet_says_nothing(self):
        self.assertEqual(self.run_well("convert", "tet.geo", "-o", "out.bgeo", "--quiet"), "")
        self.assertEqual(self.run_well("info", "tet.geo", "-q"), "")
        self.assertEqual(self.files(), ["out.bgeo", "tet.geo"])

    def test_flags_in_all_forms_give_equal_files(self):
        forms = ["--precision double", "--precision=double", "--precision single --precision double",
                 "--precision double --unpack", "--precision double --no-unpack", "--unpack off --precision double"]
        contents = set()
        for form in forms:
            self.run_well("convert", "tet.geo", "-o", "out.bgeo", *form.split())
            contents.add(pathlib.Path("out.bgeo").read_bytes())
        self.assertEqual(len(contents), 1)
        self.run_well("convert", "-o", "out.bgeo", "tet.geo")
        self.assertNotIn(pathlib.Path("out.bgeo").read_bytes(), contents)

    def test_results_are_aligned_for_people(self):
        out = self.run_well("info", "tet.geo")
        self.assertRegex(out, r"(?m)^ *points +4$")
        self.assertRegex(out, r"(?m)^ *closed +yes$")
        self.assertNotIn("{", out)

    def test_the_report_has_everything(self):
        report = json.loads(self.run_well("convert", "tet.geo", "-o", "out.bgeo", "--json", "-", "--threads", 1))
        self.assertEqual(report["op"], "convert")
        self.assertRegex(report["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(report["params"], {"unpack": False, "precision": "auto"})
        self.assertEqual(report["warnings"], [])
        self.assertEqual(report["threads"], 1)
        self.assertGreater(report["peak_mb"], 1)
        self.assertGreaterEqual(report["seconds"], sum(report["stages"].values()))
        self.assertLessEqual({"read", "write"}, set(report["stages"]))
        self.assertIn("result", report)

    def test_the_report_goes_to_a_file(self):
        out = self.run_well("convert", "tet.geo", "-o", "out.bgeo", "--json=report.json")
        self.assertIn("out.bgeo: 4 points", out)
        self.assertEqual(json.loads(pathlib.Path("report.json").read_text())["op"], "convert")
        self.assertEqual(self.files(), ["out.bgeo", "report.json", "tet.geo"])

    def test_the_report_alone_needs_no_output(self):
        self.assertEqual(json.loads(self.run_well("convert", "tet.geo", "--json", "-"))["op"], "convert")
        self.assertEqual(self.files(), ["tet.geo"])

    def test_info_reports_numbers(self):
        result = json.loads(self.run_well("info", "tet.geo", "--json", "-"))["result"]
        self.assertTrue(result["closed"])
        self.assertTrue(result["manifold"])
        self.assertAlmostEqual(result["volume"], 1 / 6, places=6)

    def test_warnings_go_to_standard_error_and_the_report(self):
        result = hackle("transform", "tet.geo", "--pivot-position", "1,2,3", "-o", "out.bgeo", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"^warning: pivot_position has no effect here; it works when pivot is \w+\n$")
        warnings = json.loads(result.stdout)["warnings"]
        self.assertEqual([f"warning: {w}\n" for w in warnings], [result.stderr])

    def test_threads_do_not_change_the_result(self):
        for threads in (1, 2):
            self.run_well("normals", "tet.geo", "-o", f"{threads}.bgeo", "--threads", threads)
        self.assertEqual(pathlib.Path("1.bgeo").read_bytes(), pathlib.Path("2.bgeo").read_bytes())

    def test_open_inputs_and_several_inputs(self):
        self.run_well("merge", "tet.geo", "tet.geo", "-o", "two.bgeo")
        self.assertEqual(json.loads(self.run_well("info", "two.bgeo", "--json", "-"))["result"]["points"], 8)
        self.assertIn("needs the input", self.run_badly(2, "convert", "-", "-o", "out.bgeo"))

    def test_progress_stays_off_where_there_is_no_terminal(self):
        self.assertEqual(hackle("convert", "tet.geo", "-o", "out.bgeo").stderr, "")


class Trouble(InFolder):
    def test_missing_and_malformed_inputs_have_their_exit_codes(self):
        self.assertIn("missing.bgeo: No such file", self.run_badly(5, "info", "missing.bgeo"))
        self.assertIn("folder", self.run_badly(5, "info", "."))
        pathlib.Path("broken.geo").write_text(TETRAHEDRON[:300])
        self.assertTrue(self.run_badly(3, "info", "broken.geo").startswith("hackle: broken.geo: "))
        pathlib.Path("noise.xyz").write_bytes(b"noise")
        self.assertIn("no format that Hackle reads", self.run_badly(3, "info", "noise.xyz"))

    def test_failures_are_reported_too(self):
        result = hackle("info", "missing.bgeo", "--json", "-")
        self.assertEqual(result.returncode, 5)  # a farm tries only these again
        report = json.loads(result.stdout)
        self.assertEqual(report["op"], "info")
        self.assertEqual(report["error"]["code"], "io")
        self.assertIn("missing.bgeo", report["error"]["message"])
        self.assertIn("remedy", report["error"])
        self.assertEqual(report["warnings"], [])
        self.assertIn("missing.bgeo", result.stderr)

    def test_words_that_make_no_sense_are_reported_too(self):
        result = hackle("info", "--nonsense", "--json", "report.json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(json.loads(pathlib.Path("report.json").read_text())["error"]["code"], "usage")

    def test_one_file_cannot_hold_two_outputs(self):
        message = self.run_badly(2, "voronoi", "tet.geo", "-o", "a.bgeo", "-o", "./a.bgeo")
        self.assertIn("a.bgeo is named for the output geometry and for the output constraints", message)
        self.assertEqual(self.files(), ["tet.geo"])

    def test_no_file_of_a_command_destroys_another(self):
        pathlib.Path("link.geo").symlink_to("tet.geo")
        before = pathlib.Path("tet.geo").read_bytes()
        for words in (("info", "tet.geo", "--json", "tet.geo"),
                      ("info", "tet.geo", "--json=./tet.geo"),
                      ("info", "tet.geo", "--json", "link.geo"),
                      ("modes", "tet.geo", "-o", "tet.geo"),
                      ("voronoi", "tet.geo", "-o", "a.bgeo", "tet.geo"),
                      ("voronoi", "tet.geo", "-o", "a.bgeo", "--json", "a.bgeo"),
                      ("crack", "tet.geo", "-o", "a.bgeo", "--state", "tet.geo"),
                      ("crack", "tet.geo", "-o", "a.bgeo", "--state", "a.bgeo"),
                      ("crack", "tet.geo", "-o", "a.bgeo", "--state", "s", "--json", "s"),
                      ("info", "--nonsense", "tet.geo", "--json", "tet.geo")):
            with self.subTest(words=words):
                message = self.run_badly(2, *words)
                self.assertTrue("is named for" in message or "--nonsense" in message, message)
                self.assertEqual(pathlib.Path("tet.geo").read_bytes(), before)
                self.assertEqual(self.files(), ["link.geo", "tet.geo"])
        # Geometry in its own place is fine: the old file stays until the new one is complete.
        self.assertEqual(hackle("transform", "tet.geo", "--translate", "1,0,0", "-o", "tet.geo").returncode, 0)
        self.assertNotEqual(pathlib.Path("tet.geo").read_bytes(), before)

    def test_unwritable_outputs_are_noticed_before_any_work(self):
        pathlib.Path("a.bgeo").mkdir()
        started = time.monotonic()
        for name, reason in (("no/such/folder.bgeo", "No such file"), ("a.bgeo", "Is a directory")):
            message = self.run_badly(5, "convert", "missing.geo", "-o", name)  # the input is not even opened
            self.assertIn(f"cannot write {name}: {reason}", message)
        self.assertIn("no/report.json", self.run_badly(5, "info", "tet.geo", "--json", "no/report.json"))
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(self.files(), ["a.bgeo", "tet.geo"])

    def test_a_full_disk_leaves_the_old_file_and_nothing_else(self):
        self.run_well("convert", "tet.geo", "-o", "out.bgeo")
        before = pathlib.Path("out.bgeo").read_bytes()

        def small_files_only():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        message = self.run_badly(5, "convert", "tet.geo", "--precision", "double", "-o", "out.bgeo",
                                 preexec_fn=small_files_only)
        self.assertIn("hackle: cannot write out.bgeo: File too large\n  free some space", message)
        self.assertEqual(self.files(), ["out.bgeo", "tet.geo"])
        self.assertEqual(pathlib.Path("out.bgeo").read_bytes(), before)

    def test_links_and_devices_stay_what_they_are(self):
        pathlib.Path("there").mkdir()
        os.symlink("there/real.bgeo", "link.bgeo")
        self.run_well("convert", "tet.geo", "-o", "link.bgeo")
        self.assertTrue(os.path.islink("link.bgeo"))
        self.assertTrue(pathlib.Path("there/real.bgeo").is_file())
        self.run_well("convert", "tet.geo", "-o", "there/real.bgeo", "--json", "/dev/null")
        self.assertFalse(pathlib.Path("/dev/null").is_file())
        os.symlink("/dev/full", "full.bgeo")
        self.assertIn("No space left", self.run_badly(5, "convert", "tet.geo", "-o", "full.bgeo"))
        self.assertFalse(pathlib.Path("/dev/full").is_file())

    def test_a_file_keeps_its_mode(self):
        pathlib.Path("out.bgeo").touch()
        os.chmod("out.bgeo", 0o600)
        self.run_well("convert", "tet.geo", "-o", "out.bgeo")
        self.assertEqual(os.stat("out.bgeo").st_mode & 0o777, 0o600)

    def test_where_no_threads_can_be_started_that_is_said(self):
        """A library starts threads before main(), and would end the program by an exception that nobody catches."""
        if os.getuid() != 0:
            self.skipTest("only root can become somebody without other processes")
        os.chmod(".", 0o777)

        def few_processes(number):
            os.setgid(54321)
            os.setuid(54321)
            resource.setrlimit(resource.RLIMIT_NPROC, (number, number))

        for words in (["--version"], ["info", "tet.geo"]):
            said = self.run_badly(4, *words, preexec_fn=lambda: few_processes(1))
            self.assertIn("no threads\n  raise the limits on processes", said)
        said = self.run_badly(4, "voronoi", "tet.geo", "-o", "out.bgeo", "--threads", 8, preexec_fn=lambda: few_processes(6))
        self.assertRegex(said, "may start no more threads\n  use fewer threads, or raise")

    def test_lattices_that_do_not_fit_are_refused_before_they_are_made(self):
        self.run_well("model", "box", "-o", "box.obj", "--quiet")
        cvd = ["cvd", "box.obj", "--impact", "at=0.5,1,0.5", "impulse=100", "-o", "out.bgeo", "--threads", 1]

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

        for cells, words in ((200, "a lattice of 200 cells .* would take more than"), (18, "unknowns would take about .* GB")):
            with self.subTest(cells=cells):
                said = self.run_badly(3, *cvd, "--cells", cells, preexec_fn=little_memory)
                self.assertRegex(said, words)
                self.assertRegex(said, "\n  use (fewer cells|a coarser lattice)")

    def test_solids_in_no_place_for_numbers_are_refused(self):
        def write_box(name, low, high):
            with open(name, "w") as out:
                for x, y, z in ((x, y, z) for x in (low, high) for y in (low, high) for z in (low, high)):
                    out.write(f"v {x!r} {y!r} {z!r}\n")
                for face in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"):
                    out.write(f"f {face}\n")

        write_box("far.obj", 1e15, 1e15 + 1)
        write_box("huge.obj", 0.0, 1e100)
        for words in (["voronoi"], ["tets"], ["modes", "--modes", 2]):
            output = "out.modes" if words[0] == "modes" else "out.bgeo"
            self.assertIn("too coarse for it\n  move it", self.run_badly(3, words[0], "far.obj", *words[1:], "-o", output))
            self.assertIn("large\n  scale it", self.run_badly(3, words[0], "huge.obj", *words[1:], "-o", output))
        self.assertIn("too far away for voxels", self.run_badly(3, "sdf", "far.obj", "-o", "out.vdb"))

    def test_too_little_memory_is_a_failure_not_a_crash(self):
        self.make_big()

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))

        message = self.run_badly(4, "merge", *["big.bgeo"] * 64, "-o", "out.bgeo", preexec_fn=little_memory)
        self.assertIn("out of memory", message)
        self.assertEqual(self.files(), ["big.bgeo", "tet.geo"])

    def make_big(self):
        """big.bgeo: 400,000 points, by merging copies of copies."""
        self.run_well("merge", *["tet.geo"] * 100, "-o", "big.bgeo")
        for copies in (100, 10):
            self.run_well("merge", *["big.bgeo"] * copies, "-o", "big.bgeo")


class Modes(InFolder):
    """Fracture modes: a cache file between two runs."""

    def setUp(self):
        super().setUp()
        self.run_well("model", "dumbbell", "-o", "solid.obj", "--quiet")
        self.run_well("modes", "solid.obj", "--modes", "4", "--elements", "1500", "-o", "f.modes", "--quiet")

    def pieces(self, *words):
        report = json.loads(self.run_well(*words, "--json", "-"))["result"]
        self.assertTrue(report["closed"] and report["manifold"])
        self.assertLess(report["volume_error"], 1e-9)
        return report["pieces"]

    def test_modes_then_an_impact(self):
        blow = ["modes_impact", "f.modes", "--at", "0.15,0.075,0", "--dir", "0,-1,0", "--threshold", "0.01", "-o", "out.bgeo"]
        weak = hackle(*blow, "--impulse", "0", "--json", "-")
        self.assertIn("nothing breaks", weak.stderr)
        self.assertEqual(json.loads(weak.stdout)["result"]["pieces"], 1)
        self.assertGreater(self.pieces(*blow, "--impulse", "1e6"), 1)
        record = ["modes_impact", "f.modes", "--impact", "at=0.15,0.075,0", "dir=0,-1,0", "impulse=1e6", "--threshold", "0.01",
                  "-o", "record.bgeo"]
        self.pieces(*record)
        self.assertEqual(pathlib.Path("out.bgeo").read_bytes(), pathlib.Path("record.bgeo").read_bytes())
        again = ["modes_impact", "f.modes", "-", "out.bgeo", "--at", "-0.15,0.075,0", "--impulse", "1e6", "-o", "again.bgeo"]
        self.assertIn("a single part", hackle(*again).stderr)
        self.assertGreater(self.pieces("prefracture", "f.modes", "--modes", "3", "-o", "all.bgeo"), 1)

    def test_files_that_do_not_fit(self):
        impact = ["modes_impact", "f.modes", "--at", "0.15,0.05,0", "-o", "out.bgeo"]
        whole = pathlib.Path("f.modes").read_bytes()
        for bytes, message in [(whole[:-1], "damaged"), (whole[:1000] + b"x" + whole[1001:], "checksum"),
                               (whole[:24] + b"\x09" + whole[25:], "version 9"), (b"v 0 0 0", "no modes file")]:
            pathlib.Path("f.modes").write_bytes(bytes)
            self.assertIn(message, self.run_badly(3, *impact))
        pathlib.Path("f.modes").write_bytes(whole)
        self.assertIn("another mesh", self.run_badly(3, "modes_impact", "f.modes", "-", "-", "tet.geo", "--at", "0.15,0.05,0",
                                                     "-o", "out.bgeo"))
        self.assertIn("9 modes are asked for", self.run_badly(2, *impact, "--modes", "9"))
        self.assertNotIn("out.bgeo", self.files())


class Cracks(InFolder):
    """Crack propagation: closed pieces, equal bytes, and runs that go on after a kill."""

    BAR = ["crack", "bar.bgeo", "--condition", "kind=displacement", "group=left", "--condition", "kind=force",
           "force=0,-2e6,0", "group=right", "--preset", "pmma", "--triangles", "250", "--ratio", "5",
           "--toughness-pattern", "grains", "--toughness-size", "0.05", "--loading", "sudden", "--steps", "20"]

    def setUp(self):
        super().setUp()
        self.run_well("model", "box", "--resolution", "4", "-o", "box.bgeo", "--quiet")
        self.run_well("transform", "box.bgeo", "--scale", "3,0.6,0.6", "-o", "bar.bgeo", "--quiet")

    def test_pieces_are_closed_and_add_up(self):
        result = json.loads(self.run_well(*self.BAR, "-o", "out.bgeo", "--json", "-"))["result"]
        self.assertTrue(result["closed"] and result["manifold"])
        self.assertGreaterEqual(result["pieces"], 2)
        self.assertLess(result["volume_error"], 1e-9)
        self.assertAlmostEqual(result["volume_in"], 3 * 0.36, places=6)
        for step in result["steps"]:
            self.assertGreaterEqual(step["seconds"], 0)

    def test_threads_do_not_change_the_bytes(self):
        for threads in ("1", "2"):
            self.run_well(*self.BAR, "-o", f"out{threads}.bgeo", "--threads", threads)
        self.assertEqual(pathlib.Path("out1.bgeo").read_bytes(), pathlib.Path("out2.bgeo").read_bytes())

    def kill_after(self, states):
        """Kills a run as soon as its state was written this many times."""
        process = subprocess.Popen([str(HACKLE), *self.BAR, "-o", "out.bgeo", "--state", "run.crack"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 50
        seen = set()
        while len(seen) < states and process.poll() is None and time.monotonic() < deadline:
            try:
                seen.add(pathlib.Path("run.crack").stat().st_mtime_ns)
            except FileNotFoundError:
                time.sleep(0.001)
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL, "it came to its end before")
        self.assertNotIn("out.bgeo", self.files())
        return json.loads(self.run_well(*self.BAR, "-o", "out.bgeo", "--state", "run.crack", "--resume", "--json", "-"))

    def test_a_killed_run_goes_on_to_the_same_bytes(self):
        self.run_well(*self.BAR, "-o", "whole.bgeo")
        for states in (1, 3):
            report = self.kill_after(states)
            self.assertGreaterEqual(report["result"]["steps_before"], states)
            self.assertGreater(len(report["result"]["steps"]), report["result"]["steps_before"])
            self.assertEqual(pathlib.Path("out.bgeo").read_bytes(), pathlib.Path("whole.bgeo").read_bytes())
            pathlib.Path("run.crack").unlink()
            pathlib.Path("out.bgeo").unlink()

    def test_states_that_cannot_be_kept_or_do_not_fit(self):
        self.assertIn("nowhere", self.run_badly(5, *self.BAR, "-o", "out.bgeo", "--state", "nowhere/run.crack"))
        pathlib.Path("run.crack").write_text("no state")
        self.assertIn("run.crack", self.run_badly(3, *self.BAR, "-o", "out.bgeo", "--state", "run.crack", "--resume"))
        self.assertEqual(pathlib.Path("run.crack").read_text(), "no state")
        self.assertEqual(self.files(), ["bar.bgeo", "box.bgeo", "run.crack", "tet.geo"])


class Interrupts(InFolder):
    """Runs of many seconds, ended early."""

    LONG = {
        "read and merge": ["merge", *["big.bgeo"] * 60, "-o", "out.geo"],
        "model": ["model", "figure", "--resolution", "1500", "-o", "out.bgeo"],
        "render": ["render", "tet.geo", "--width", "4096", "--height", "4096", "--samples", "4096", "-o", "out.png"],
    }
    LIMIT = 10.0  # seconds; a run that is not stopped takes minutes
    TRIES = 3  # a busy machine may delay one

    def setUp(self):
        super().setUp()
        Trouble.make_big(self)

    def start(self, words):
        process = subprocess.Popen([str(HACKLE), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 30
        while process.poll() is None and not self.listens(process) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        self.assertIsNone(process.poll(), "the run was over before it could be interrupted")
        return process

    @staticmethod
    def listens(process):
        """Whether the process catches SIGINT by now; a busy machine is slow to start it."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
        return bool(int(caught, 16) >> (signal.SIGINT - 1) & 1)

    def seconds_to_stop(self, words, number):
        process = self.start(words)
        started = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        seconds = time.monotonic() - started
        self.assertEqual((process.returncode, out, err), (130, "", "hackle: cancelled\n"))
        self.assertEqual(self.files(), ["big.bgeo", "tet.geo"])
        return seconds

    def test_signals_end_every_run_at_once_and_leave_nothing(self):
        for name, words in self.LONG.items():
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(run=name, signal=number):
                    tries = []
                    while len(tries) < self.TRIES and (not tries or tries[-1] >= self.LIMIT):
                        tries.append(self.seconds_to_stop(words, number))
                    self.assertLess(tries[-1], self.LIMIT, tries)

    def test_other_ends_of_a_session_leave_nothing_either(self):
        for number in (signal.SIGHUP, signal.SIGQUIT):
            self.seconds_to_stop(self.LONG["render"], number)

    def test_solids_too_thin_for_boundary_elements_are_refused_at_once(self):
        with open("sliver.obj", "w") as out:
            for x, y, z in ((x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1e-9)):
                out.write(f"v {x} {y} {z}\n")
            for face in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"):
                out.write(f"f {face}\n")
        said = self.run_badly(3, "stress", "sliver.obj", "--condition", "kind=pressure", "pressure=1e5", "-o", "out.bgeo")
        self.assertIn("too thin for boundary elements", said)
        self.assertIn("sheet", said)
        said = self.run_badly(3, "tets", "sliver.obj", "-o", "out.bgeo")
        self.assertRegex(said, "the solid is 1e-09 m thick on average; 50000 tetrahedra in it would be [0-9.]+ m large")

    def test_a_second_signal_does_not_wait(self):
        process = self.start(self.LONG["render"])
        process.send_signal(signal.SIGSTOP)  # so that both arrive before the run can end by itself
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)

    def test_lines_of_progress_appear_while_the_run_goes_on(self):
        """A log is not empty until the end: lines of progress come first, then the cancel."""
        for style, pattern in (("lines", r"progress: \d+% \w+, "), ("openjd", r"openjd_progress: [\d.]+")):
            process = subprocess.Popen([str(HACKLE), *self.LONG["render"], "--progress", style],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertRegex(process.stderr.readline(), pattern)
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=60)[1]
            self.assertEqual(rest.splitlines()[-1], "hackle: cancelled")
            self.assertEqual("openjd_fail: cancelled" in rest, style == "openjd")

    def test_the_bar_shows_on_a_terminal_and_is_cleared(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([str(HACKLE), *self.LONG["render"]], stdout=subprocess.DEVNULL, stderr=slave,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.1)[0]:
                shown += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the terminal's other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(master)
        lines = shown.decode().split("\r\x1b[K")
        drawn = [line for line in lines if re.match(r"\w+ .*\d:\d\d", line)]
        self.assertGreater(len(drawn), 3, lines)
        self.assertEqual(lines[-1].replace("\r", ""), "hackle: cancelled\n")  # after the cleared line


if __name__ == "__main__":
    unittest.main()
