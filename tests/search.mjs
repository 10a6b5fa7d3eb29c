// Answers questions as the search's worker does: node search.mjs WORKER INDEX [TABLE], questions as a JSON
// list on standard input. It prints for each the milliseconds that it took and the answer.
import { readFileSync } from "node:fs"
import vm from "node:vm"

const [worker, file, table] = process.argv.slice(2)
const index = JSON.parse(readFileSync(file, "utf8"))
const questions = JSON.parse(readFileSync(0, "utf8"))
let listen, answered
const world = vm.createContext({
  URL, console, TextDecoder, atob, setTimeout, fetch: undefined, self: { location: new URL("https://example.org/assets/js/w.js") },
  addEventListener: (_, listener) => { listen = listener },
  postMessage: ({ type, data }) => { if (type === 3) answered(data) },
})
vm.runInContext(readFileSync(worker, "utf8"), world)
listen({ data: { type: 0, data: { config: { index, words: table && readFileSync(table, "base64") } } } })
const answers = []
for (const question of questions) {
  const start = performance.now()
  const { items, suggest } = await new Promise(resolve => {
    answered = resolve
    listen({ data: { type: 2, data: question } })
  })
  answers.push({ question, ms: performance.now() - start, items, suggest })
}
console.log(JSON.stringify(answers))
