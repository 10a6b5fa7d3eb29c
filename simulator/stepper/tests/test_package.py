"""The package by itself: fast, without NumPy, Numba or pytest's plugins. ``python -m unittest``."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import stepper

RACE = """from numba import cuda
import numpy as np

@cuda.jit
def histogram(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        counts[values[i]] += 1

counts = np.zeros(4, np.int32)
histogram[1, 64](np.arange(64) % 4, counts)
print("done")
"""
SOUND = RACE.replace("counts[values[i]] += 1", "cuda.atomic.add(counts, values[i], 1)")


class Package(unittest.TestCase):
    def script(self, text):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "script.py")
        with open(path, "w") as file:
            file.write(text)
        return path

    def command(self, *words, **more):
        environment = {**os.environ, **more}
        return subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, env=environment
        )

    def test_a_race_is_found_at_its_line(self):
        result = stepper.run_script(RACE, mode="check")
        self.assertEqual({f.line for f in result.findings}, {8})
        self.assertIn("cuda.atomic.add(counts, values[i], 1)", result.findings[0].message)

    def test_a_sound_script_has_no_findings(self):
        result = stepper.run_script(SOUND, mode="check")
        self.assertEqual((result.findings, result.output), ([], "done\n"))

    def test_the_command_says_file_and_line_and_fails(self):
        path = self.script(RACE)
        done = self.command("-m", "stepper", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("script.py:8: ", done.stderr)
        self.assertEqual(self.command("-m", "stepper", self.script(SOUND)).returncode, 0)

    def test_the_command_runs_the_successors_scripts(self):
        text = RACE.replace("from numba import", "from numba_cuda_mlir import")
        self.assertEqual(self.command("-m", "stepper", self.script(text)).returncode, 1)

    def test_json_and_sarif(self):
        path = self.script(RACE)
        found = json.loads(self.command("-m", "stepper", "--format", "json", path).stderr)
        self.assertEqual(found["findings"][0]["line"], 8)
        sarif = json.loads(self.command("-m", "stepper", "--format", "sarif", path).stderr)
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"]["startLine"], 8)

    def test_a_refusal_is_a_line_and_not_a_traceback(self):
        done = self.command("-m", "stepper", self.script("from numba.cuda import nothing\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(":1: ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_install_and_uninstall(self):
        made = stepper.install(raise_findings=False)
        try:
            from numba import cuda

            self.assertIs(cuda, made.cuda)
            self.assertIs(stepper.installed(), made)
        finally:
            stepper.uninstall()
        self.assertIsNone(stepper.installed())
        self.assertIsNot(sys.modules.get("numba.cuda"), made.cuda)

    def test_text_shows_the_line(self):
        from stepper.report import as_text

        result = stepper.run_script(RACE, mode="check", filename="a.py")
        text = as_text(result.findings)
        self.assertIn("a.py:8:", text)
        self.assertIn("counts[values[i]] += 1", text)
        self.assertIn("\033[", as_text(result.findings, color=True))

    def test_output_of_the_script_is_its_own(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            result = stepper.run_script(SOUND, mode="run")
        self.assertEqual((said.getvalue(), result.output), ("", "done\n"))


if __name__ == "__main__":
    unittest.main()
