// node tools/bundle.mjs: bundle web/run-here, the search, and what each page loads, and print {name: text} as JSON.
// tools/assets.py writes the files.

import { readFileSync } from "node:fs"
import { build, transform } from "esbuild"

// Each page loads these: one file of each kind is 9 KB less on the way than twenty, and eighteen requests.
// In this order: quiz and bet take what progress has made.
const SCRIPTS = "a11y search copy-script run-here glossary progress quiz bet record reading filters"
const SHEETS = "fonts lockstep proof reading learn glossary map pictures a11y"

const together = async (names, kind) => {
  const texts = names.split(" ").map(name => readFileSync(`docs/assets/${kind}/${name}.${kind}`, "utf8"))
  const { code } = await transform(texts.join(kind === "js" ? "\n;\n" : "\n"), { loader: kind, minify: true, charset: "utf8", legalComments: "none" })
  return [`site.${kind}`, code]
}

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
const shared = await Promise.all([together(SCRIPTS, "js"), together(SHEETS, "css")])
const files = result.outputFiles.map(file => [file.path.split(/[\\/]/).pop(), file.text])
process.stdout.write(JSON.stringify(Object.fromEntries([...files, ...shared])))
