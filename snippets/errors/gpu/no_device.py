import os
import subprocess
import sys

SCRIPT = "from numba import cuda; cuda.device_array(1)"


def run(**variables):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    variables = os.environ | variables
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])


def right():
    run()


def wrong():
    run(CUDA_VISIBLE_DEVICES="")
