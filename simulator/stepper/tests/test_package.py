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

# What differs where a script runs in another module than __main__.
MAIN = """from __future__ import annotations
import dataclasses, os, pickle, sys
import beside

@dataclasses.dataclass
class Pair:
    left: int

if __name__ == "__main__":
    import __main__
    same = __main__.Pair is Pair and pickle.loads(pickle.dumps(Pair(2))) == Pair(2)
    print(*sys.argv[1:], beside.number, same, os.path.basename(__file__), sys.path[0])
    sys.exit(5)
"""
OTHERS = (
    (
        "import multiprocessing, sys, threading\n" + RACE.split("counts = ")[0].split("\n", 1)[1]
    ).replace("import numpy", "from numba import cuda; import numpy")
    + """
def launch(_=0):
    counts = np.zeros(4, np.int32)
    histogram[1, 64](np.arange(64) % 4, counts)

if __name__ == "__main__":
    if sys.argv[1] == "threads":
        threading.Thread(target=launch).start()
    else:
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
            pool.map(launch, range(2))
"""
)


class Package(unittest.TestCase):
    def script(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "script.py")
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

    def test_a_script_is_the_main_module_as_under_python(self):
        path = self.script(MAIN)
        with open(os.path.join(os.path.dirname(path), "beside.py"), "w") as file:
            file.write("number = 7\n")
        mine = self.command(path, "one", "two")
        self.assertEqual(mine.returncode, 5, mine.stderr)
        done = self.command("-m", "stepper", path, "one", "two")
        self.assertEqual((done.returncode, done.stdout), (5, mine.stdout), done.stderr)
        self.assertIn("one two 7 True", done.stdout)

    def test_exit_statuses(self):
        for end, status in (("0", 0), ("None", 0), ("3", 3), ("'words'", 1)):
            path = self.script(f"import sys\nsys.exit({end})\n")
            done = self.command("-m", "stepper", path)
            self.assertEqual((done.returncode, "words" in done.stderr), (status, end[0] == "'"))
        done = self.command("-m", "stepper", self.script("def f():\n    1 / 0\nf()\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("ZeroDivisionError", done.stderr)
        self.assertNotIn("__main__.py", done.stderr)
        self.assertEqual(self.command("-m", "stepper", "/not/there.py").returncode, 2)

    def test_what_other_processes_and_threads_find_counts(self):
        for how in ("fork", "threads"):
            done = self.command("-m", "stepper", self.script(OTHERS), how)
            self.assertEqual(done.returncode, 1, (how, done.stderr))
            self.assertEqual(done.stderr.count("script.py:8: "), 1, done.stderr)

    def test_json_and_sarif(self):
        path = self.script(RACE)
        found = json.loads(self.command("-m", "stepper", "--format", "json", path).stderr)
        self.assertEqual(found["findings"][0]["line"], 8)
        sarif = json.loads(self.command("-m", "stepper", "--format", "sarif", path).stderr)
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"]["startLine"], 8)

    def test_a_refusal_is_a_line_and_not_a_traceback(self):
        begin = "from numba import cuda\n"
        for text, line, said in (
            ("from numba.cuda import nothing\n", 1, "`from numba.cuda import nothing`"),
            ("import numba.cuda.libdevice\n", 1, "`import numba.cuda.libdevice`"),
            (begin + "cuda.nothing(1)\n", 2, "`numba.cuda.nothing`"),
            (begin + "cuda.device_array(3).nothing()\n", 2, "`.nothing`: a device array"),
            (begin + "print(hasattr(cuda, 'nothing'), getattr(cuda, 'nothing', 3))\n", 0, ""),
        ):
            done = self.command("-m", "stepper", self.script(text))
            self.assertEqual(done.returncode, bool(line), done.stderr)
            self.assertIn(
                f"script.py:{line}: the stepper cannot run {said}" if line else "", done.stderr
            )
            self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stdout, "False 3\n")

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

    def test_managed_memory_is_the_hosts_and_copies_as_the_devices(self):
        result = stepper.run_script(
            "from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef k(a):\n"
            "    a[cuda.grid(1)] *= 2\n\nm = cuda.managed_array(4, np.int32)\nm[:] = 1\n"
            "m.copy_to_device(np.arange(4, dtype=np.int32))\nk[1, 4](m)\n"
            "print(m.copy_to_host().tolist(), m.sum())\n"
        )
        self.assertEqual((result.output, result.error), ("[0, 2, 4, 6] 12\n", None))

    def test_output_of_the_script_is_its_own(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            result = stepper.run_script(SOUND, mode="run")
        self.assertEqual((said.getvalue(), result.output), ("", "done\n"))


if __name__ == "__main__":
    unittest.main()
