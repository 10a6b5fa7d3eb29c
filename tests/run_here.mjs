// node tests/run_here.mjs ARCHIVE < programs.json: run programs as the reader's browser does, in Pyodide.
// In: [[mode, code], ...], with the text of an exercise where the mode is "grade". Out: what the panel gets for each, as JSON, less the recordings, and the seconds of a core that it took.

import { readFileSync } from "node:fs"
import { loadPyodide } from "pyodide"

// Steps of a launch: twice what the longest takes, so that only what never ends gets there. A
// reader's launch ends after seconds (tests/test_run_here.py), which a busy machine would meet.
const STEPS = 500_000

const programs = JSON.parse(readFileSync(0, "utf8"))
const python = await loadPyodide()
python.unpackArchive(new Uint8Array(readFileSync(process.argv[2])), "zip", { extractDir: "/lib/stepper" })
python.runPython("import sys; sys.path.insert(0, '/lib/stepper')")
const session = python.pyimport("session")
const results = programs.map(([mode, code, exercise]) => {
  const began = process.cpuUsage()
  const result = JSON.parse(
    mode === "grade" ? session.grade(code, Infinity, exercise)
    : session.report(session.execute.callKwargs(code, { mode, max_steps: STEPS }), 0))
  const { user, system } = process.cpuUsage(began)
  result.seconds = (user + system) / 1e6
  for (const launch of result.launches) launch.trace = launch.trace && launch.trace.steps.length
  return result
})
process.stdout.write(JSON.stringify(results))
