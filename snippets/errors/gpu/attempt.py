"""Call right() and then wrong() of a script, and print what each of them said."""

import subprocess
import sys
import textwrap


def attempt(name):
    tell(open(name).read())


def tell(code):
    script = {"__name__": "script"}
    exec(code, script)
    for which in ("right", "wrong"):
        try:
            script[which]()
            said = "no error"
        except Exception as error:
            first = str(error).splitlines()[0].partition(" GPU 0 has")[0]
            said = f"{type(error).__name__}: {first}"
        said = textwrap.fill(f"{which}: {said}", 78, subsequent_indent="  ")
        print(said, flush=True)


def apart(name):
    """The same in a process of its own, for errors that end a process."""
    command, code = [sys.executable, "-W", "ignore", "attempt.py"], open(name).read()
    done = subprocess.run(command, input=code, capture_output=True, text=True)
    print(done.stdout.strip())


if __name__ == "__main__":
    tell(sys.stdin.read())
