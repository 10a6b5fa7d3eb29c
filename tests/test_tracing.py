"""Lines are noted in every thread, also when many begin at once, and in files that are alike."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lockstep import compilers
from lockstep.tracing import Tracer

# Before Python 3.12 a thread that begins while another one installs its trace function is told so,
# by an error. The hook makes that certain: a second thread comes along while it sleeps.
MANY = """
import sys, threading, time
from lockstep.tracing import Tracer
sys.addaudithook(lambda event, _: event == "sys.settrace" and time.sleep(0.001))
source = "def work():\\n    return 1\\n"
names = {}
code = compile(source, "work.py", "exec")
exec(code, names)
done = []
with Tracer(["work.py"]) as tracer:
    tracer.watch(code)
    threads = [threading.Thread(target=lambda: done.append(names["work"]())) for _ in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(done), tracer.take())
"""


def test_threads_that_begin_together_are_all_traced():
    root = Path(__file__).parents[1]
    run = {"capture_output": True, "text": True, "cwd": root}
    done = subprocess.run([sys.executable, "-c", MANY], **run)
    assert done.stdout == "60 [['work.py', 2]]\n", done.stdout + done.stderr[-2000:]


def test_two_files_with_equal_code_are_both_traced():
    """Code objects are equal whatever file they are of: two exercises with the same imports."""
    with Tracer(["one.py", "two.py"]) as tracer:
        for file in ("one.py", "two.py"):
            code = compile("import math\n", file, "exec")
            tracer.watch(code)
            exec(code, {})
    assert tracer.take() == [["one.py", 1], ["two.py", 1]]


MADE = """
import types


@types.coroutine
def wait():
    yield


def work():
    return len(types.__name__)
"""


def test_lines_count_of_the_code_that_a_run_was_told_of_alone():
    """Not of what a library compiles under the same name. A copy by Python itself is no other."""
    own, names = compile(MADE, "work.py", "exec"), {}
    other = compile("\n" * 11 + "def work():\n    return 1\nwork()\n", "work.py", "exec")
    with Tracer(["work.py"]) as tracer:
        tracer.watch(own)
        exec(own, names)
        exec(other, {})
        before = tracer.take()
        list(names["wait"]())
        names["work"]()
    assert [line for _, line in before if line in {7, 11, 13, 14}] == []
    assert {line for _, line in tracer.take()} >= {7, 11}


@pytest.mark.parametrize(("second", "taken"), [("first.cuda", True), ("functools", False)])
def test_a_name_is_a_compilers_where_all_that_it_is_imported_from_are(second, taken):
    """A page on one compiler has exercises that import another one's under the same name."""
    texts = "from other import cuda", f"import {second} as cuda", "@cuda.jit\ndef fast(x): ..."
    blocks = [SimpleNamespace(language="python", options={}, text=text) for text in texts]
    names = compilers.of_page(blocks, ("first", "other"))
    assert ("fast" in compilers.taken(texts[2], names)) is taken
