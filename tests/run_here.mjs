// node tests/run_here.mjs ARCHIVE < programs.json: run programs as the reader's browser does, in Pyodide.
// In: [[mode, code], ...]. Out: what the panel gets for each, as JSON, less the recordings.

import { readFileSync } from "node:fs"
import { loadPyodide } from "pyodide"

const programs = JSON.parse(readFileSync(0, "utf8"))
const python = await loadPyodide()
python.unpackArchive(new Uint8Array(readFileSync(process.argv[2])), "zip", { extractDir: "/lib/stepper" })
python.runPython("import sys; sys.path.insert(0, '/lib/stepper')")
const session = python.pyimport("session")
const results = programs.map(([mode, code]) => {
  const result = JSON.parse(mode === "check" ? session.check(code, 2) : session.run(code, mode, 2))
  for (const launch of result.launches) launch.trace = launch.trace && launch.trace.steps.length
  return result
})
process.stdout.write(JSON.stringify(results))
