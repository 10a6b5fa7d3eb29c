// node tools/bundle.mjs: bundle web/run-here, and the search, and print {name: text} as JSON. tools/assets.py writes the files.

import { build } from "esbuild"

const result = await build({
  entryPoints: ["web/run-here/panel.js", "web/run-here/player.js", "web/run-here/worker.js", "web/run-here/my-gpu.js", "web/run-here/measure.js", "web/search-start.js", "web/search-worker.js"],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  external: ["*/pyodide.mjs"],
  outdir: "out",
  write: false,
  logLevel: "error",
})
const files = result.outputFiles.map(file => [file.path.split(/[\\/]/).pop(), file.text])
process.stdout.write(JSON.stringify(Object.fromEntries(files)))
