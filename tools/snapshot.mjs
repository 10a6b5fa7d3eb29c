// node tools/snapshot.mjs STEPPER.zip: Pyodide's memory with the stepper imported and warm, as gzip, to stdout.
//
// A browser that starts from it does not start Python, nor import anything: web/run-here/worker.js.

import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { loadPyodide } from "pyodide"

const WARM = `
import sys
sys.path.insert(0, "/lib/stepper")
import gc, session

PROGRAM = """
import math
import numpy as np
from numba import cuda

@cuda.jit
def warm(x, y):
    s = cuda.shared.array(4, np.float32)
    i = cuda.grid(1)
    s[cuda.threadIdx.x] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i < x.size:
        y[i] = math.sqrt(s[cuda.threadIdx.x]) * np.float32(2)

x = cuda.to_device(np.arange(6, dtype=np.float32))
y = cuda.device_array_like(x)
warm[2, 4](x, y)
print(y.copy_to_host())
"""
for mode in ("run", "record"):
    session.run(PROGRAM, mode, 10)
session.check(PROGRAM, 10)
gc.collect()
`

const python = await loadPyodide({ _makeSnapshot: true, env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" } })
const zip = readFileSync(process.argv[2])
python.unpackArchive(new Uint8Array(zip), "zip", { extractDir: "/lib/stepper" })
python.runPython(WARM)
process.stdout.write(gzipSync(python.makeMemorySnapshot(), { level: 9 }))
