// node tests/run_here.mjs ARCHIVE < programs.json: run programs as the reader's browser does, in Pyodide.
// In: [[mode, code], ...], with the text of an exercise where the mode is "grade". Out: what the panel gets for each, as JSON, less the recordings.

import { readFileSync } from "node:fs"
import { loadPyodide } from "pyodide"

// Seconds for a launch. A reader's is stopped after 2 (tests/test_run_here.py): here it is only a
// guard against a program that never ends, and no slow machine may meet it.
const LIMIT = 120

const programs = JSON.parse(readFileSync(0, "utf8"))
const python = await loadPyodide()
python.unpackArchive(new Uint8Array(readFileSync(process.argv[2])), "zip", { extractDir: "/lib/stepper" })
python.runPython("import sys; sys.path.insert(0, '/lib/stepper')")
const session = python.pyimport("session")
const results = programs.map(([mode, code, exercise]) => {
  const result = JSON.parse(
    mode === "grade" ? session.grade(code, 5, exercise)
    : mode === "check" ? session.check(code, LIMIT)
    : session.run(code, mode, LIMIT))
  for (const launch of result.launches) launch.trace = launch.trace && launch.trace.steps.length
  return result
})
process.stdout.write(JSON.stringify(results))
