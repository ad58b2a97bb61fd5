"""The program as people meet it: verbs, messages, completion, reference. Usage: command_line.py HACKLE SOURCE_DIR [tests]

Runs with files are in running.py.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HACKLE = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()


def hackle(*words, **options):
    return subprocess.run([str(HACKLE), *map(str, words)], capture_output=True, text=True, timeout=60, **options)


class Verbs(unittest.TestCase):
    def check(self, result, code, out="", err=""):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(out, result.stdout)
        self.assertIn(err, result.stderr)
        if code == 0:
            self.assertEqual(result.stderr, "")
        else:
            self.assertEqual(result.stdout, "")
            self.assertTrue(result.stderr.startswith("hackle: "), result.stderr)

    def test_verbs_print_on_standard_output(self):
        self.check(hackle("list"), 0, "  convert ")
        self.check(hackle("help"), 0, "usage: hackle OP")
        self.check(hackle("--help"), 0, "usage: hackle OP")
        self.check(hackle("formats"), 0, "extensions")
        self.check(hackle("--version"), 0, "hackle ")
        self.check(hackle("help", "convert"), 0, "--precision CHOICE")
        self.assertEqual(hackle("convert", "--help").stdout, hackle("help", "convert").stdout)
        self.assertEqual(hackle("convert", "-h").stdout, hackle("help", "convert").stdout)

    def test_every_listed_operator_has_help(self):
        names = [line.split()[0] for line in hackle("list").stdout.splitlines() if line.startswith("  ")]
        self.assertIn("convert", names)
        for name in names:
            self.check(hackle("help", name), 0, f"usage: hackle {name}")

    def test_usage_errors_exit_with_2(self):
        self.check(hackle(), 2, err="hackle list")
        self.check(hackle("covert"), 2, err="hackle: there is no operator covert\n  did you mean convert?\n")
        self.check(hackle("halp"), 2, err="did you mean help?")
        self.check(hackle("help", "covert"), 2, err="did you mean convert?")
        self.check(hackle("list", "more"), 2, err="list takes no words")
        self.check(hackle("completion", "fish"), 2, err="choose bash or zsh")
        self.check(hackle("convert"), 2, err="convert needs the input geometry")
        self.check(hackle("convert", "a.obj"), 2, err="there is no -o")
        self.check(hackle("convert", "a.obj", "-o", "-"), 2, err="standard output")
        self.check(hackle("convert", "a.obj", "-o", "b.nonsense"), 2, err="Hackle writes no files named b.nonsense")
        self.check(hackle("convert", "a.obj", "b.obj", "-o", "c.obj"), 2, err="takes 1 input, got 2")
        self.check(hackle("convert", "--unpakc"), 2, err="did you mean --unpack?")
        self.check(hackle("convert", "a.obj", "--precision"), 2, err="--precision needs a value")
        self.check(hackle("convert", "a.obj", "--seed", "1", "-o", "b.obj"), 2, err="convert has no flag --seed")

    def test_errors_are_one_line_and_a_remedy(self):
        for words in (["covert"], ["convert", "--unpakc"], ["convert"], []):
            lines = hackle(*words).stderr.splitlines()
            self.assertEqual(len(lines), 2)
            self.assertTrue(lines[1].startswith("  ") and lines[1].strip())

    def test_a_gone_reader_is_no_trouble(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as out:
            result = subprocess.run([str(HACKLE), "help"], stdout=out, stderr=subprocess.PIPE)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([str(HACKLE), "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 5)
        self.assertIn("No space left on device", result.stderr)

    def test_runs_from_any_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(hackle("list", cwd=folder), 0, "convert")
            link = pathlib.Path(folder, "hackle-link")
            link.symlink_to(HACKLE)
            result = subprocess.run([str(link), "--version"], cwd="/", capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words, cwd=None):
        """What bash would offer for the last word."""
        script = r"""
            eval "$("$0" completion bash)" || exit 1
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _hackle
            printf '%s\n' "${COMPREPLY[@]}"
        """
        result = subprocess.run(["bash", "-c", script, str(HACKLE), str(HACKLE), *words],
                                capture_output=True, text=True, cwd=cwd)
        self.assertEqual(result.stderr, "")
        return [line for line in result.stdout.split("\n") if line]

    def test_operators_flags_and_tokens(self):
        self.assertIn("convert", self.complete("con"))
        self.assertIn("completion", self.complete("comp"))
        self.assertEqual(self.complete("convert", "--unp"), ["--unpack"])
        self.assertEqual(self.complete("convert", "--precision", "s"), ["single"])
        self.assertEqual(self.complete("convert", "--precision", "=", "d"), ["double"])
        self.assertEqual(self.complete("convert", "--precision", "="), ["auto", "single", "double"])
        self.assertEqual(self.complete("nonsense", "x"), [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("one mesh.obj", "one.ply", "two.obj"):
                pathlib.Path(folder, name).touch()
            self.assertEqual(sorted(self.complete("convert", "on", cwd=folder)), ["one mesh.obj", "one.ply"])
            self.assertEqual(self.complete("convert", "-o", "tw", cwd=folder), ["two.obj"])

    def test_interactive_bash_takes_the_script(self):
        result = subprocess.run(["bash", "-c", 'eval "$("$0" completion bash)" && complete -p hackle', str(HACKLE)],
                                capture_output=True, text=True)
        self.assertEqual(result.stdout.strip(), "complete -F _hackle hackle")

    def test_zsh_script_parses(self):
        script = hackle("completion", "zsh").stdout
        self.assertTrue(script.startswith("#compdef hackle\n"))
        try:
            result = subprocess.run(["zsh", "-n"], input=script, capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("there is no zsh")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Reference(unittest.TestCase):
    def test_pages_are_remade_and_stale_ones_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = pathlib.Path(folder, "deep", "reference")
            self.assertEqual(hackle("docs", pages).returncode, 0)
            first = {page.name: page.read_bytes() for page in pages.iterdir()}
            self.assertIn("README.md", first)
            self.assertIn("convert.md", first)
            (pages / "gone.md").write_bytes(first["convert.md"])
            (pages / "mine.md").write_text("a page by hand\n")
            self.assertEqual(hackle("docs", pages).returncode, 0)
            second = {page.name: page.read_bytes() for page in pages.iterdir()}
            self.assertEqual(second.pop("mine.md"), b"a page by hand\n")
            self.assertEqual(first, second)

    def test_the_reference_in_the_repository_is_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(hackle("docs", folder).returncode, 0)
            made = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
        kept = {page.name: page.read_text() for page in (SOURCE / "docs/reference").iterdir()}
        remedy = "the reference is stale; mend it with: build/bin/hackle docs docs/reference"
        self.assertEqual(sorted(made), sorted(kept), remedy)
        for name in made:
            self.assertEqual(made[name], kept[name], f"{name}: {remedy}")


if __name__ == "__main__":
    unittest.main()
