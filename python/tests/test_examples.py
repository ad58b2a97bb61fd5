"""Every script in examples/python runs and leaves files behind."""

import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(os.environ["HACKLE_SOURCE_DIR"]) / "examples" / "python"


class Examples(unittest.TestCase):
    def test_examples_run(self):
        scripts = sorted(FOLDER.glob("*.py"))
        self.assertTrue(scripts)
        for script in scripts:
            with self.subTest(script=script.name), tempfile.TemporaryDirectory() as folder:
                spec = importlib.util.spec_from_file_location(script.stem, script)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                self.assertIsNotNone(module.main(folder))
                files = os.listdir(folder)
                self.assertTrue(files)
                self.assertTrue(all(os.path.getsize(os.path.join(folder, f)) > 0 for f in files))


if __name__ == "__main__":
    unittest.main()
