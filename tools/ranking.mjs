// What each result of a question has (see `rate` in web/search-worker.js), for tools/ranking.py:
// node ranking.mjs WORKER INDEX TABLE MOST, questions as a JSON list on standard input. It prints for each
// where its first results lead, and what the MOST best docs have, where the table knows the question.
import { readFileSync } from "node:fs"
import vm from "node:vm"

const [worker, file, table, most] = process.argv.slice(2)
const index = JSON.parse(readFileSync(file, "utf8"))
const told = "return { doc, page, score: Math.exp(points) }"
const adds = "for (const name in some) points += worth[name] * some[name]"
const source = readFileSync(worker, "utf8")
if (!source.includes(told) || !source.includes(adds)) throw new Error("the worker rates in another way: mend this file")
const rates = source.replace(adds, `{ ${adds}; Object.assign(every, some) }`)
  .replace("let points = (exact", "const every = {}\n let points = (exact")
  .replace(told, "saw.push([doc, points, means && { ...every, base: (exact ? 100 : 0) - (weight < 0.5 ? 20 : 0) }]); " + told)
let listen, answered
const world = vm.createContext({
  URL, console, TextDecoder, atob, setTimeout, saw: [], self: { location: new URL("https://example.org/assets/js/w.js") },
  addEventListener: (_, listener) => { listen = listener }, postMessage: ({ type, data }) => { if (type === 3) answered(data) },
})
vm.runInContext(rates, world)
listen({ data: { type: 0, data: { config: { index, words: readFileSync(table, "base64") } } } })
const place = doc => { const [page, anchor] = index.docs[doc]; return index.pages[page][0] + (anchor ? `#${anchor}` : "") }
const all = []
for (const ask of JSON.parse(readFileSync(0, "utf8"))) {
  world.saw.length = 0
  const { items } = await new Promise(done => { answered = done; listen({ data: { type: 2, data: ask } }) })
  const best = world.saw.sort((a, b) => b[1] - a[1]).slice(0, most).filter(([, , has]) => has)
  all.push({
    first: items.slice(0, 10).map(([one]) => one.location), names: best.length ? Object.keys(best[0][2]) : [],
    docs: best.map(([doc]) => place(doc)), has: best.map(([, , has]) => Object.values(has).map(value => +(+value).toPrecision(6))),
  })
}
process.stdout.write(JSON.stringify(all))
