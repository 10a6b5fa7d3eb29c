// The worker: loads Pyodide and the stepper from this site, and runs programs. It blocks; the page does not.

let session
let python
let home

// Fetch the large files first, so that the page can tell how far it is. Returns {address: bytes}.
async function prefetch(base) {
  const sizes = await (await fetch(new URL("assets/vendor/run-here/files.json", base))).json()
  const total = Object.values(sizes).reduce((a, b) => a + b)
  let done = 0
  const tell = () => postMessage({ kind: "progress", done, total })
  tell()
  const files = Object.keys(sizes).map(async name => {
    const url = new URL(`assets/vendor/${name}`, base).href
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${name}: ${response.status}`)
    const chunks = []
    const reader = response.body.getReader()
    for (;;) {
      const { done: over, value } = await reader.read()
      if (over) break
      chunks.push(value)
      done += value.length
      tell()
    }
    return [url, new Blob(chunks, { type: name.endsWith(".wasm") ? "application/wasm" : "" })]
  })
  return Object.fromEntries(await Promise.all(files))
}

// The compiler to WGSL comes when a program is first run on the reader's GPU.
let compiling
const compiler = () =>
  (compiling ??= (async () => {
    const packed = await (await fetch(new URL("assets/vendor/run-here/wgsl.zip", home))).arrayBuffer()
    python.unpackArchive(packed, "zip", { extractDir: "/lib/stepper" })
    python.runPython("import importlib; importlib.invalidate_caches()")
  })())

async function start(base) {
  home = base
  const module = import(new URL("assets/vendor/pyodide/pyodide.mjs", base))
  const packed = fetch(new URL("assets/vendor/run-here/stepper.zip", base)).then(response => response.arrayBuffer())
  const files = await prefetch(base)
  postMessage({ kind: "progress", done: 1, total: 1 })
  // Pyodide asks for them again: give it what is here.
  const ask = self.fetch
  self.fetch = (url, options) => {
    const blob = files[String(url?.url ?? url)]
    return blob ? Promise.resolve(new Response(blob)) : ask(url, options)
  }
  const { loadPyodide } = await module
  python = await loadPyodide({ indexURL: new URL("assets/vendor/pyodide/", base).href })
  self.fetch = ask
  python.unpackArchive(await packed, "zip", { extractDir: "/lib/stepper" })
  python.runPython("import sys; sys.path.insert(0, '/lib/stepper')")
  session = python.pyimport("session")
  const seen = performance.getEntriesByType("resource").map(entry => entry.name)
  postMessage({ kind: "ready", files: [...new Set([...seen, ...Object.keys(files), self.location.href])] })
}

onmessage = async ({ data }) => {
  if (data.kind === "start") {
    try {
      await start(data.base)
    } catch (error) {
      postMessage({ kind: "broken", message: String(error.message || error) })
    }
    return
  }
  const { number, code, mode, limit, exercise } = data
  try {
    if (mode === "gpu") await compiler()
    const result =
      mode === "grade" ? session.grade(code, limit, exercise)
      : mode === "check" ? session.check(code, limit)
      : mode === "gpu" ? session.on_gpu(code, limit)
      : session.run(code, mode, limit)
    postMessage({ kind: "result", number, result })
  } catch (error) {
    postMessage({ kind: "failed", number, message: String(error.message || error).trim().split("\n").pop() })
  }
}
