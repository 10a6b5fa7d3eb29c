// The worker: loads Pyodide and the stepper from this site, and runs programs. It blocks; the page does not.

const FOLDER = "/lib/stepper"

let session
let python
let home

// Have the large files fetched with the page told how far they are: {address: promise of a response}.
async function counted(base) {
  const sizes = await (await fetch(new URL("assets/vendor/run-here/files.json", base))).json()
  const total = Object.values(sizes).reduce((a, b) => a + b)
  let done = 0
  const tell = () => postMessage({ kind: "progress", done, total })
  tell()
  const get = async (name, url) => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${name}: ${response.status}`)
    const count = new TransformStream({
      transform(chunk, out) {
        done += chunk.length
        done < total ? tell() : postMessage({ kind: "progress", done: 1, total: 1 })
        out.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(count), { headers: { "content-type": name.endsWith(".wasm") ? "application/wasm" : "" } })
  }
  const files = {}
  for (const name in sizes) {
    const url = new URL(`assets/vendor/${name}`, base).href
    files[url] = get(name, url)
  }
  return files
}

// The files of a zip, written into Python's folder by the browser: Python's own zipfile took half a second.
async function unpack(packed, folder) {
  const data = new DataView(packed)
  const words = new TextDecoder()
  let end = packed.byteLength - 22
  while (data.getUint32(end, true) !== 0x06054b50) end--
  let at = data.getUint32(end + 16, true)
  const writes = []
  for (let n = data.getUint16(end + 10, true); n; n--) {
    const [size, length, extra, comment] = [data.getUint32(at + 20, true), ...[28, 30, 32].map(k => data.getUint16(at + k, true))]
    const name = words.decode(new Uint8Array(packed, at + 46, length))
    const local = data.getUint32(at + 42, true)
    const from = local + 30 + data.getUint16(local + 26, true) + data.getUint16(local + 28, true)
    const part = new Blob([new Uint8Array(packed, from, size)])
    const stored = !data.getUint16(at + 10, true)
    const bytes = stored ? part.arrayBuffer() : new Response(part.stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer()
    if (!name.endsWith("/")) writes.push(bytes.then(bytes => [`${folder}/${name}`, new Uint8Array(bytes)]))
    at += 46 + length + extra + comment
  }
  return Promise.all(writes)
}

function write(files) {
  for (const [path, bytes] of files) {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")))
    python.FS.writeFile(path, bytes)
  }
}

const archive = async (name, base) => unpack(await (await fetch(new URL(`assets/vendor/run-here/${name}`, base))).arrayBuffer(), FOLDER)

// The compiler to WGSL comes when a program is first run on the reader's GPU.
let compiling
const compiler = () =>
  (compiling ??= (async () => {
    write(await archive("wgsl.zip", home))
    session.files_came(FOLDER)
  })())

// Python's memory as tools/snapshot.mjs left it, with the stepper in it: starting and importing took seconds.
async function start(base) {
  home = base
  const pyodide = name => new URL(`assets/vendor/pyodide/${name}`, base)
  const module = import(pyodide("pyodide.mjs"))
  import(pyodide("pyodide.asm.mjs")).catch(() => {}) // the former asks for it, later, and says what went wrong
  const stepper = archive("stepper.zip", base)
  const files = await counted(base)
  const unzipped = async packed => new Response((await packed).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()
  const memory = unzipped(files[new URL("assets/vendor/run-here/snapshot.bin", base).href])
  // Pyodide asks for the others: they are on their way.
  const ask = self.fetch
  self.fetch = (url, options) => files[String(url?.url ?? url)] ?? ask(url, options)
  const { loadPyodide } = await module
  python = await loadPyodide({ indexURL: pyodide("").href, _loadSnapshot: memory })
  self.fetch = ask
  // The memory has the stepper's modules, imported; files for what is imported later, and for what shows lines.
  write(await stepper)
  session = python.pyimport("session")
  session.files_came(FOLDER)
  session.awake()
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
  const { number, code, mode, limit, exercise, plan } = data
  try {
    if (mode === "gpu") await compiler()
    const result =
      mode === "grade" ? session.grade(code, limit, exercise)
      : mode === "check" ? session.check(code, limit)
      : mode === "gpu" ? session.on_gpu(code, limit, exercise, plan)
      : session.run(code, mode, limit)
    postMessage({ kind: "result", number, result })
  } catch (error) {
    postMessage({ kind: "failed", number, message: String(error.message || error).trim().split("\n").pop() })
  }
}
