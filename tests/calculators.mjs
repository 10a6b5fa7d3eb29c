// node tests/calculators.mjs plan.js|ranks.js|live.js: read questions as JSON, a line each; answer so.
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { resolve } from "node:path"
import { readFileSync, writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"

// The site's scripts end in .js, which some versions of Node take for another kind of module.
const copy = resolve(mkdtempSync(`${tmpdir()}/calculators-`), "script.mjs")
writeFileSync(copy, readFileSync(process.argv[2], "utf8"))
const { plan, mistakes, play, answer: asking } = await import(pathToFileURL(copy))
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  const answer = asking ? asking(asked) : plan ? { ...plan(asked), mistakes: mistakes(asked) } : play(asked.kind, asked, asked.dies)
  console.log(JSON.stringify(answer))
}
