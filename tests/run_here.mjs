// node tests/run_here.mjs ARCHIVE: run programs as the reader's browser does, in Pyodide.
// In, a line of JSON for each request: [[mode, code], ...], with the text of an exercise where the mode is "grade". Out, a line for each: what the panel gets for each program, less the recordings, and the seconds of a core that it took.

import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { loadPyodide } from "pyodide"

// Steps of a launch: twice what the longest takes, so that only what never ends gets there. A
// reader's launch ends after seconds (tests/test_run_here.py), which a busy machine would meet.
const STEPS = 500_000

const python = await loadPyodide()
python.unpackArchive(new Uint8Array(readFileSync(process.argv[2])), "zip", { extractDir: "/lib/stepper" })
python.runPython("import sys; sys.path.insert(0, '/lib/stepper')")
const session = python.pyimport("session")
const run = ([mode, code, exercise]) => {
  const began = process.cpuUsage()
  const result = JSON.parse(
    mode === "grade" ? session.grade(code, Infinity, exercise)
    : session.report(session.execute.callKwargs(code, { mode, max_steps: STEPS }), 0))
  const { user, system } = process.cpuUsage(began)
  result.seconds = (user + system) / 1e6
  for (const launch of result.launches) launch.trace = launch.trace && launch.trace.steps.length
  return result
}
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map(run))}\n`)
