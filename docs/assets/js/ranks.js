// Ranks and links as a timeline: the simulator of the page on many GPUs, in the page. `run` is
// World.run of kernels/many_gpus/world.py with sizes in place of arrays; a test holds their times
// against each other.
export class Lost extends Error {}

// Run a generator for each rank. It yields {to, bytes}, {from} or {work, name}. `link(a, b)` gives
// the latency and the bandwidth, in seconds and bytes. `dies` is [rank, after how many operations].
export const run = (programs, link, dies = []) => {
  const n = programs.length, spans = [], waits = new Map(), died = new Map(), events = []
  const inbox = new Map(), queue = programs.map(() => []), out = Array(n).fill(0), into = Array(n).fill(0)
  const steps = Array(n).fill(0)
  let seconds = 0, number = 0
  const box = (from, to) => inbox.get(from * n + to) ?? inbox.set(from * n + to, []).get(from * n + to)
  const before = (a, b) => a.when < b.when || (a.when === b.when && a.number < b.number)
  const at = (when, what, rank, came) => {
    let i = events.push({ when, number: number++, what, rank, came }) - 1
    for (let up; i && before(events[i], events[(up = (i - 1) >> 1)]); i = up)
      [events[i], events[up]] = [events[up], events[i]]
  }
  const first = () => {
    const top = events[0], last = events.pop()
    if (events.length) {
      events[0] = last
      for (let i = 0; ; ) {
        let least = i
        for (const child of [2 * i + 1, 2 * i + 2]) if (child < events.length && before(events[child], events[least])) least = child
        if (least === i) break
        ;[events[i], events[least]] = [events[least], events[i]]
        i = least
      }
    }
    return top
  }
  const move = (now, rank) => {
    const send = queue[rank][0]
    if (into[send.to] > now) return at(into[send.to], move, rank)
    const [latency, bandwidth] = link(rank, send.to), end = now + send.bytes / bandwidth
    out[rank] = into[send.to] = end
    if (!send.hidden) spans.push({ rank, to: send.to, began: now, end, arrives: end + latency })
    if (waits.get(send.to) === rank) {
      waits.delete(send.to)
      at(end + latency, goOn, send.to)
    } else box(rank, send.to).push(end + latency)
    queue[rank].shift()
    if (queue[rank].length) at(end, move, rank)
  }
  const goOn = (now, rank) => {
    if (rank === dies[0] && steps[rank]++ === dies[1]) return void died.set(rank, now)
    const { value: what, done } = programs[rank].next()
    if (done) seconds = Math.max(seconds, now)
    else if ("work" in what) {
      spans.push({ rank, name: what.name, began: now, end: now + what.work })
      at(now + what.work, goOn, rank)
    } else if ("from" in what) {
      const came = box(what.from, rank)
      if (came.length) at(Math.max(now, came.shift()), goOn, rank)
      else waits.set(rank, what.from)
    } else {
      queue[rank].push(what)
      if (queue[rank].length === 1) at(Math.max(now, out[rank]), move, rank)
      at(now, goOn, rank)
    }
  }
  programs.forEach((_, rank) => at(0, goOn, rank))
  while (events.length) {
    const { when, what, rank } = first()
    what(when, rank)
  }
  let lost = ""
  if (waits.size || died.size) {
    const words = [...died].map(([rank, when]) => `rank ${rank} died at ${time(when)}`), seen = []
    let rank = Math.min(...waits.keys())
    while (waits.has(rank) && !seen.includes(rank)) {
      seen.push(rank)
      words.push(`rank ${rank} waits for rank ${waits.get(rank)}`)
      rank = waits.get(rank)
    }
    const more = waits.size - seen.length
    lost = words.join("; ") + (more > 0 ? `; ${more} more wait` : "")
    seconds = spans.reduce((most, { end }) => Math.max(most, end), 0)
  }
  return { seconds, spans, lost }
}

const time = s => (s >= 1 ? `${show(s)} s` : s >= 1e-3 ? `${show(1e3 * s)} ms` : `${show(1e6 * s)} µs`)
const show = x => x.toLocaleString("en", { maximumSignificantDigits: 3 })

function* ring(rank, n, bytes, me = r => r) {
  for (let step = 0; step < 2 * (n - 1); step++) {
    yield { to: me((rank + 1) % n), bytes: bytes / n }
    yield { from: me((rank + n - 1) % n) }
  }
}
function* all(rank, n, bytes) { // one message to each other rank, one from each
  for (let other = 1; other < n; other++) yield { to: (rank + other) % n, bytes }
  for (let other = 1; other < n; other++) yield { from: (rank - other + n) % n }
}
function* twoShots(rank, n, bytes) {
  yield* all(rank, n, bytes / n)
  yield* all(rank, n, bytes / n)
}
// Each rank loads its part from one GPU after another. Ranks 0 to n - 1 ask; n + r answers for rank r.
const turns = (rank, n, own) => Array.from({ length: n }, (_, k) => ((own ? rank : 0) + k) % n).filter(gpu => gpu !== rank)
function* loads(me, n, bytes, own) {
  if (me < n)
    for (const gpu of turns(me, n, own)) {
      yield { to: n + gpu, bytes: 0, hidden: true }
      yield { from: n + gpu }
    }
  else {
    const turn = rank => turns(rank, n, own).indexOf(me - n)
    const askers = Array.from({ length: n }, (_, rank) => rank).filter(rank => rank !== me - n)
    for (const rank of askers.sort((a, b) => turn(a) - turn(b))) {
      yield { from: rank }
      yield { to: rank, bytes: bytes / n }
    }
  }
}
function* tree(rank, n, bytes) { // a binomial tree to rank 0, and back
  let reach = 1
  for (; reach < n; reach *= 2) {
    if (rank % (2 * reach) === reach) yield { to: rank - reach, bytes }
    else if (rank % (2 * reach) === 0 && rank + reach < n) yield { from: rank + reach }
  }
  for (let r = 1; r < n; r *= 2) {
    if (rank < r && rank + r < n) yield { to: rank + r, bytes }
    else if (rank >= r && rank < 2 * r) yield { from: rank - r }
  }
}
export const orders = {
  gpipe: (rank, n, m) => [..."FB"].flatMap(kind => Array.from({ length: m }, (_, i) => [kind, i])),
  "1f1b": (rank, n, m) => {
    const ahead = Math.min(m, n - 1 - rank), list = []
    for (let i = 0; i < ahead; i++) list.push(["F", i])
    for (let i = 0; i < m - ahead; i++) list.push(["F", ahead + i], ["B", i])
    for (let i = m - ahead; i < m; i++) list.push(["B", i])
    return list
  },
}
function* stage(order, rank, n, p) {
  for (const [kind, batch] of order(rank, n, p.batches)) {
    const [onward, back] = kind === "F" ? [rank + 1, rank - 1] : [rank - 1, rank + 1]
    if (back >= 0 && back < n) yield { from: back }
    yield { work: p.forward * (kind === "F" ? 1 : 2), name: `${kind}${batch}` }
    if (onward >= 0 && onward < n) yield { to: onward, bytes: p.bytes }
  }
}
// A rank's backward pass is one line, its all-reduces are a second one: a stream of their own.
function* computes(rank, n, p) {
  for (let i = 0; i < p.batches; i++) {
    yield { work: p.forward / p.batches, name: `B${i}` }
    yield { to: n + rank, bytes: 0, hidden: true }
  }
}
function* sends(rank, n, p) {
  for (let i = 0; i < p.batches; i++) {
    yield { from: rank }
    yield* ring(rank, n, p.bytes / p.batches, r => n + r)
  }
}

const COLLECTIVES = { ring: "All-reduce, ring", tree: "All-reduce, tree", one: "All-reduce, one shot", two: "All-reduce, two shots", all: "All-to-all" }
const LOADS = { crowd: "Loads, rank 0 first", own: "Loads, own rank first" }
const PROGRAMS = { ...COLLECTIVES, ...LOADS, ddp: "DDP: gradients in buckets", gpipe: "Pipeline, GPipe", "1f1b": "Pipeline, 1F1B" }

// Play one of PROGRAMS. `p` has ranks, bytes, latency, bandwidth, batches and forward (seconds).
export const play = (kind, p, dies) => {
  const n = p.ranks
  const of = {
    ring: r => ring(r, n, p.bytes), tree: r => tree(r, n, p.bytes),
    one: r => all(r, n, 2 * p.bytes), // a word carries a value and the number of the call
    two: r => twoShots(r, n, p.bytes), all: r => all(r, n, p.bytes / n),
    crowd: r => loads(r, n, p.bytes, false), own: r => loads(r, n, p.bytes, true),
    gpipe: r => stage(orders.gpipe, r, n, p), "1f1b": r => stage(orders["1f1b"], r, n, p),
    ddp: r => (r < n ? computes(r, n, p) : sends(r - n, n, p)),
  }[kind]
  const programs = Array.from({ length: kind === "ddp" || kind in LOADS ? 2 * n : n }, (_, r) => of(r))
  const own = (a, b) => kind === "ddp" && a + n === b
  return run(programs, (a, b) => (own(a, b) ? [0, Infinity] : [p.latency, p.bandwidth]), dies)
}

const SVG = "http://www.w3.org/2000/svg"
const node = (tag, attributes = {}, ...inside) => {
  const made = tag in SHAPES ? document.createElementNS(SVG, tag) : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...inside)
  return made
}
const SHAPES = { svg: 1, rect: 1, text: 1, title: 1, line: 1 }
const WIDTH = 640, LEFT = 46, HIGH = 20

const draw = (kind, n, { spans, seconds }) => {
  const rows = kind === "ddp" ? 2 * n : n, scale = (WIDTH - LEFT - 8) / (seconds || 1)
  const row = rank => (kind === "ddp" ? 2 * (rank % n) + (rank >= n) : rank % n)
  const height = rows * HIGH + 30
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "ranks__lines", role: "img" })
  for (let rank = 0; rank < n; rank++) {
    const y = row(rank) * HIGH
    svg.append(node("text", { x: LEFT - 6, y: y + 14, "text-anchor": "end" }, `r${rank}`))
    svg.append(node("line", { x1: LEFT, x2: WIDTH - 8, y1: y, y2: y }))
  }
  for (const { rank, to, name, began, end } of spans) {
    const wide = Math.max((end - began) * scale, 0.4), x = LEFT + began * scale, y = row(rank) * HIGH + 2
    const sort = name ? (name[0] === "F" ? "forward" : "backward") : "message"
    const words = name ? `rank ${rank}: ${name}` : `rank ${rank % n} to rank ${to % n}`
    const rect = node("rect", { x, y, width: Math.max(wide - 0.8, 0.4), height: HIGH - 4, class: `ranks__${sort}` },
      node("title", {}, `${words}, ${time(began)} to ${time(end)}`))
    svg.append(rect)
    const label = name ?? `${to % n}`
    if (wide > 7 * label.length + 2) svg.append(node("text", { x: x + wide / 2, y: y + 12, "text-anchor": "middle", class: "ranks__on" }, label))
  }
  const axis = rows * HIGH + 4
  for (let i = 0; i <= 4; i++) {
    const x = LEFT + ((WIDTH - LEFT - 8) * i) / 4
    svg.append(node("line", { x1: x, x2: x, y1: axis - 4, y2: axis + 2 }))
    svg.append(node("text", { x, y: axis + 15, "text-anchor": i === 4 ? "end" : i ? "middle" : "start" }, time((seconds * i) / 4)))
  }
  return svg
}

const tell = (kind, p, found) => {
  const n = p.ranks, messages = found.spans.filter(({ to }) => to !== undefined)
  const lost = kind in LOADS ? found.lost.replace(/rank (\d+)/g, (was, r) => (r < n ? was : `port ${r - n}`)) : found.lost
  if (lost) return `Nobody can go on. ${lost[0].toUpperCase()}${lost.slice(1)}.`
  const sent = messages.filter(({ rank }) => rank % n === 0).length
  if (kind in COLLECTIVES) {
    const rate = (kind === "all" ? 1 : 2) * ((n - 1) / n) * p.bytes / found.seconds / 1e9
    return `${time(found.seconds)} for ${n} ranks. Rank 0 sends ${sent} messages. Bus bandwidth ${show(rate)} GB/s of ${show(p.bandwidth / 1e9)}.`
  }
  if (kind in LOADS) {
    const busy = ((n - 1) / n) * p.bytes / p.bandwidth
    return `${time(found.seconds)} until all ${n} ranks have their part from all others. Each port sends for ${time(busy)} of it and idles ${show(100 * (1 - busy / found.seconds))} %.`
  }
  if (kind === "ddp") return `${time(found.seconds)}: the backward pass alone takes ${time(p.forward)}, so ${time(found.seconds - p.forward)} of communication show.`
  const busy = 3 * p.forward * p.batches
  return `${time(found.seconds)}. A stage works for ${time(busy)} of it and idles ${show(100 * (1 - busy / found.seconds))} %; without messages it would be ${show((100 * (n - 1)) / (p.batches + n - 1))} %.`
}

const SLIDERS = { // name: words, smallest, largest, start, what a position stands for, how it is said
  ranks: ["Ranks", 2, 16, 4, x => x, x => `${x}`],
  bytes: ["Size", 10, 33, 25, x => 2 ** x, x => (x >= 2 ** 30 ? `${x / 2 ** 30} GiB` : x >= 2 ** 20 ? `${x / 2 ** 20} MiB` : `${x / 2 ** 10} KiB`)],
  latency: ["Latency", 0, 20, 4, x => 0.25e-6 * 2 ** (x / 2), x => time(x)],
  bandwidth: ["Bandwidth", 0, 20, 17, x => 1e9 * 2 ** (x / 2), x => `${show(x / 1e9)} GB/s`],
  batches: ["Micro-batches", 1, 16, 8, x => x, x => `${x}`],
  forward: ["Forward pass of one", 0, 20, 10, x => 1e-4 * 2 ** (x / 2), x => time(x)],
}

const TRAINING = { batches: "Buckets", forward: "Backward pass" } // their names under DDP

const start = form => {
  if (form.dataset.ready) return
  form.dataset.ready = "yes"
  form.setAttribute("aria-label", "Ranks and links, as a timeline")
  if (!document.querySelector("link.calculators"))
    document.head.append(node("link", { rel: "stylesheet", class: "calculators", href: new URL("../css/calculators.css", import.meta.url).href }))
  const choose = node("select", { name: "kind" }, ...Object.entries(PROGRAMS).map(([value, words]) => node("option", { value }, words)))
  const fields = node("div", { class: "ranks__fields" }, node("label", {}, node("span", {}, "What"), choose))
  for (const [name, [words, min, max, value]] of Object.entries(SLIDERS))
    fields.append(node("label", { "data-of": name }, node("span", {}, words), node("input", { type: "range", name, min, max, value }), node("output")))
  fields.append(node("label", { class: "plan__tick" }, node("input", { type: "checkbox", name: "dies" }), node("span", {}, "the last rank dies on the way")))
  const said = node("p", { role: "status", class: "plan__said" })
  const frame = node("div", { class: "ranks__frame", tabindex: "0", role: "group", "aria-label": "Timeline" })
  form.append(fields, said, frame)
  const update = () => {
    const kind = choose.value, p = {}
    for (const [name, [, , , , value, words]] of Object.entries(SLIDERS)) {
      const input = form.elements[name]
      p[name] = value(input.valueAsNumber)
      const text = words(p[name])
      input.nextElementSibling.textContent = text
      input.setAttribute("aria-valuetext", text)
      if (!(name in TRAINING)) continue
      input.parentElement.hidden = kind in COLLECTIVES || kind in LOADS
      input.previousElementSibling.textContent = kind === "ddp" ? TRAINING[name] : SLIDERS[name][0]
    }
    const found = play(kind, p, form.elements.dies.checked ? [p.ranks - 1, 3] : [])
    said.textContent = tell(kind, p, found)
    said.classList.toggle("is-wrong", Boolean(found.lost))
    const svg = draw(kind, p.ranks, found)
    svg.setAttribute("aria-label", `${PROGRAMS[kind]}, a row for each rank. ${said.textContent}`)
    frame.replaceChildren(svg)
  }
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("input", update)
  form.hidden = false
  update()
}

if (globalThis.document$) document$.subscribe(() => document.querySelectorAll("form.ranks").forEach(start))
