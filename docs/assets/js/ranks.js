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

function* around(rank, n, bytes, steps, me = r => r) { // part after part to the right
  for (let step = 0; step < steps; step++) {
    yield { to: me((rank + 1) % n), bytes: bytes / n }
    yield { from: me((rank + n - 1) % n) }
  }
}
const ring = (rank, n, bytes, me) => around(rank, n, bytes, 2 * (n - 1), me)
function* byNode(rank, n, bytes, size) { // inside each machine, between them, inside again
  const first = rank - (rank % size), inside = r => first + r, between = r => (rank % size) + size * r
  yield* around(rank % size, size, bytes, size - 1, inside)
  yield* ring((rank - (rank % size)) / size, n / size, bytes / size, between)
  yield* around(rank % size, size, bytes, size - 1, inside)
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
  yield* broadcast(rank, n, bytes)
}
function* broadcast(rank, n, bytes) {
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
// Ranks with several pieces of the model: [kind, batch, piece], as interleaved.py has them.
const turnsOf = (rank, n, micro, pieces) => {
  const turns = []
  for (let first = 0; first < micro; first += n)
    for (let piece = 0; piece < pieces; piece++)
      for (let batch = 0; batch < n; batch++) turns.push([first + batch, piece])
  const forward = turns.map(([batch, piece]) => ["F", batch, piece])
  const backward = turns.map(([batch, piece]) => ["B", batch, pieces - 1 - piece])
  const ahead = Math.min(2 * (n - 1 - rank) + (pieces - 1) * n, turns.length), list = forward.slice(0, ahead)
  for (let i = ahead; i < turns.length; i++) list.push(forward[i], backward[i - ahead])
  return list.concat(backward.slice(turns.length - ahead))
}
function* inPieces(rank, n, p) {
  const last = p.pieces * n - 1
  for (const [kind, batch, piece] of turnsOf(rank, n, p.batches, p.pieces)) {
    const at = piece * n + rank, step = kind === "F" ? 1 : -1
    if (at - step >= 0 && at - step <= last) yield { from: (rank - step + n) % n }
    yield { work: (p.forward * (kind === "F" ? 1 : 2)) / p.pieces, name: `${kind}${batch}.${piece}` }
    if (at + step >= 0 && at + step <= last) yield { to: (rank + step + n) % n, bytes: p.bytes }
  }
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

const COLLECTIVES = {
  ring: "All-reduce, ring", tree: "All-reduce, tree", one: "All-reduce, one shot", two: "All-reduce, two shots",
  node: "All-reduce, by machine", broadcast: "Broadcast, tree", scatter: "Reduce-scatter, ring",
  gather: "All-gather, ring", all: "All-to-all",
}
const LOADS = { crowd: "Loads, rank 0 first", own: "Loads, own rank first" }
const TRAINS = { ddp: "DDP: gradients in buckets", gpipe: "Pipeline, GPipe", "1f1b": "Pipeline, 1F1B", pieces: "Pipeline, interleaved 1F1B" }
const PROGRAMS = { ...COLLECTIVES, ...LOADS, ...TRAINS }
const NETWORK = [5e-6, 50e9] // between machines: a round latency, and a card of 400 Gb/s
const MOST = 3e5 // messages that a page plays

// Play one of PROGRAMS. `p` has ranks, bytes, latency, bandwidth, batches and forward (seconds), and,
// if need be, `size`, the ranks of a machine, and `pieces`.
export const play = (kind, p, dies) => {
  const n = p.ranks, size = p.size || n
  const of = {
    ring: r => ring(r, n, p.bytes), tree: r => tree(r, n, p.bytes), node: r => byNode(r, n, p.bytes, size),
    broadcast: r => broadcast(r, n, p.bytes),
    scatter: r => around(r, n, p.bytes, n - 1), gather: r => around(r, n, p.bytes, n - 1),
    one: r => all(r, n, 2 * p.bytes), // a word carries a value and the number of the call
    two: r => twoShots(r, n, p.bytes), all: r => all(r, n, p.bytes / n),
    crowd: r => loads(r, n, p.bytes, false), own: r => loads(r, n, p.bytes, true),
    gpipe: r => stage(orders.gpipe, r, n, p), "1f1b": r => stage(orders["1f1b"], r, n, p),
    pieces: r => inPieces(r, n, p),
    ddp: r => (r < n ? computes(r, n, p) : sends(r - n, n, p)),
  }[kind]
  const programs = Array.from({ length: kind === "ddp" || kind in LOADS ? 2 * n : n }, (_, r) => of(r))
  const own = (a, b) => kind === "ddp" && a + n === b
  const machine = r => Math.floor((r % n) / size)
  const link = (a, b) => (own(a, b) ? [0, Infinity] : machine(a) === machine(b) ? [p.latency, p.bandwidth] : NETWORK)
  return run(programs, link, dies)
}

// How many messages that is, about.
const messages = (kind, { ranks: n, batches, pieces, size }) =>
  n * ({ ring: 2 * n, tree: 2, broadcast: 1, node: 2 * size + (2 * n) / size, ddp: 2 * n * batches, gpipe: 2 * batches, "1f1b": 2 * batches, pieces: 2 * pieces * batches }[kind] ?? 2 * n)

// Why a choice cannot be played, or "".
const refused = (kind, p) => {
  if (kind === "node" && (p.size === p.ranks || p.ranks % p.size)) return `${p.ranks.toLocaleString("en")} ranks are no two or more whole machines of ${p.size}: move one of the two sliders.`
  if (kind === "pieces" && p.ranks < 3) return "Interleaved pieces want three ranks or more: between two, both directions share one queue."
  const count = messages(kind, p)
  if (count > MOST) return `That is about ${show(count / 1e6)} million messages, too many to play here. A tree, a pipeline or an all-reduce by machine works with ${p.ranks.toLocaleString("en")} ranks.`
  return ""
}

const SVG = "http://www.w3.org/2000/svg"
const node = (tag, attributes = {}, ...inside) => {
  const made = tag in SHAPES ? document.createElementNS(SVG, tag) : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...inside)
  return made
}
const SHAPES = { svg: 1, rect: 1, text: 1, title: 1, line: 1 }
const LEFT = 46, HIGH = 20, ROWS = 16

const draw = (kind, n, { spans, seconds }, WIDTH) => {
  const shown = Math.min(n, ROWS), rows = kind === "ddp" ? 2 * shown : shown, scale = (WIDTH - LEFT - 8) / (seconds || 1)
  const row = rank => (kind === "ddp" ? 2 * (rank % n) + (rank >= n) : rank % n)
  const height = rows * HIGH + 30
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "ranks__lines", role: "img" })
  for (let rank = 0; rank < shown; rank++) {
    const y = row(rank) * HIGH
    svg.append(node("text", { x: LEFT - 6, y: y + 14, "text-anchor": "end" }, `r${rank}`))
    svg.append(node("line", { x1: LEFT, x2: WIDTH - 8, y1: y, y2: y }))
  }
  for (const { rank, to, name, began, end } of spans) {
    if (rank % n >= shown) continue
    const wide = Math.max((end - began) * scale, 0.4), x = LEFT + began * scale, y = row(rank) * HIGH + 2
    const sort = name ? (name[0] === "F" ? "forward" : "backward") : "message"
    const words = name ? `rank ${rank}: ${name}` : `rank ${rank % n} to rank ${to % n}`
    const rect = node("rect", { x, y, width: Math.max(wide - 0.8, 0.4), height: HIGH - 4, class: `ranks__${sort}` },
      node("title", {}, `${words}, ${time(began)} to ${time(end)}`))
    svg.append(rect)
    const label = name ?? `${to % n}`
    if (wide > 7 * label.length + 2) svg.append(node("text", { x: x + wide / 2, y: y + 12, "text-anchor": "middle", class: "ranks__on" }, label))
  }
  const axis = rows * HIGH + 4, ticks = WIDTH < 480 ? 2 : 4
  for (let i = 0; i <= ticks; i++) {
    const x = LEFT + ((WIDTH - LEFT - 8) * i) / ticks
    svg.append(node("line", { x1: x, x2: x, y1: axis - 4, y2: axis + 2 }))
    svg.append(node("text", { x, y: axis + 15, "text-anchor": i === ticks ? "end" : i ? "middle" : "start" }, time((seconds * i) / ticks)))
  }
  return svg
}

const tell = (kind, p, found) => {
  const n = p.ranks, messages = found.spans.filter(({ to }) => to !== undefined)
  const lost = kind in LOADS ? found.lost.replace(/rank (\d+)/g, (was, r) => (r < n ? was : `port ${r - n}`)) : found.lost
  if (lost) return `Nobody can go on. ${lost[0].toUpperCase()}${lost.slice(1)}.`
  const sent = messages.filter(({ rank }) => rank % n === 0).length
  if (kind in COLLECTIVES) {
    const parts = kind === "broadcast" ? 1 : ((COLLECTIVES[kind].startsWith("All-reduce") ? 2 : 1) * (n - 1)) / n
    const rate = (parts * p.bytes) / found.seconds / 1e9
    return `${time(found.seconds)} for ${n.toLocaleString("en")} ranks. Rank 0 sends ${sent} messages. Bus bandwidth ${show(rate)} GB/s of ${show(p.bandwidth / 1e9)}.`
  }
  if (kind in LOADS) {
    const busy = ((n - 1) / n) * p.bytes / p.bandwidth
    return `${time(found.seconds)} until all ${n} ranks have their part from all others. Each port sends for ${time(busy)} of it and idles ${show(100 * (1 - busy / found.seconds))} %.`
  }
  if (kind === "ddp") return `${time(found.seconds)}: the backward pass alone takes ${time(p.forward)}, so ${time(found.seconds - p.forward)} of communication show.`
  const busy = 3 * p.forward * p.batches, pieces = kind === "pieces" ? p.pieces : 1
  return `${time(found.seconds)}. A stage works for ${time(busy)} of it and idles ${show(100 * (1 - busy / found.seconds))} %; without messages it would be ${show((100 * (n - 1)) / (pieces * p.batches + n - 1))} %.`
}

const SLIDERS = { // name: words, smallest, largest, start, what a position stands for, how it is said
  ranks: ["Ranks", 2, 18, 4, x => ({ 17: 64, 18: 1024 })[x] ?? x, x => x.toLocaleString("en")],
  size: ["In a machine", 1, 4, 4, x => 2 ** x, x => `${x}`],
  bytes: ["Size", 10, 33, 25, x => 2 ** x, x => (x >= 2 ** 30 ? `${x / 2 ** 30} GiB` : x >= 2 ** 20 ? `${x / 2 ** 20} MiB` : `${x / 2 ** 10} KiB`)],
  latency: ["Latency", 0, 20, 5, x => 0.25e-6 * 2 ** (x / 2), x => time(x)],
  bandwidth: ["Bandwidth", 0, 20, 17, x => 1e9 * 2 ** (x / 2), x => `${show(x / 1e9)} GB/s`],
  batches: ["Micro-batches", 1, 16, 8, x => x, x => `${x}`],
  pieces: ["Pieces a rank", 1, 4, 2, x => x, x => `${x}`],
  forward: ["Forward pass of one", 0, 20, 10, x => 1e-4 * 2 ** (x / 2), x => time(x)],
}

const TRAINING = { batches: "Buckets", forward: "Backward pass" } // their names under DDP
// Which sliders a program has, where it is not all.
const wants = (name, kind) =>
  name === "size" ? kind in COLLECTIVES : name === "pieces" ? kind === "pieces" : name in TRAINING ? kind in TRAINS : true

const start = form => {
  if (form.dataset.ready) return
  form.dataset.ready = "yes"
  form.setAttribute("aria-label", "Ranks and links, as a timeline")
  if (!document.querySelector("link.calculators"))
    document.head.append(node("link", { rel: "stylesheet", class: "calculators", href: new URL("../css/calculators.css", import.meta.url).href }))
  const choose = node("select", { name: "kind" }, ...Object.entries({ Collectives: COLLECTIVES, Loads: LOADS, Training: TRAINS }).map(([label, group]) =>
    node("optgroup", { label }, ...Object.entries(group).map(([value, words]) => node("option", { value }, words)))))
  const fields = node("div", { class: "ranks__fields" }, node("label", {}, node("span", {}, "What"), choose))
  for (const [name, [words, min, max, value]] of Object.entries(SLIDERS))
    fields.append(node("label", { "data-of": name }, node("span", {}, words), node("input", { type: "range", name, min, max, value }), node("output")))
  fields.append(node("label", { class: "plan__tick" }, node("input", { type: "checkbox", name: "dies" }), node("span", {}, "the last rank dies on the way")))
  const said = node("p", { role: "status", class: "plan__said" })
  const frame = node("div", { class: "ranks__frame", role: "group", "aria-label": "Timeline" })
  form.append(fields, said, frame)
  const update = () => {
    const kind = choose.value, p = {}
    for (const [name, [, , , , value]] of Object.entries(SLIDERS)) p[name] = value(form.elements[name].valueAsNumber)
    if (kind === "pieces") p.batches = Math.ceil(p.batches / p.ranks) * p.ranks // whole rounds of all ranks
    for (const [name, [plain, , , , , words]] of Object.entries(SLIDERS)) {
      const input = form.elements[name], text = words(p[name])
      input.nextElementSibling.textContent = text
      input.setAttribute("aria-valuetext", text)
      input.parentElement.hidden = !wants(name, kind)
      if (name in TRAINING) input.previousElementSibling.textContent = kind === "ddp" ? TRAINING[name] : plain
    }
    if (!(kind in COLLECTIVES)) p.size = p.ranks // a machine for all
    const why = refused(kind, p)
    const found = why ? { seconds: 0, spans: [], lost: "" } : play(kind, p, form.elements.dies.checked ? [p.ranks - 1, 3] : [])
    const part = p.ranks > ROWS ? ` The timeline shows ranks 0 to ${ROWS - 1}.` : ""
    said.textContent = why || tell(kind, p, found) + part
    said.classList.toggle("is-wrong", Boolean(why || found.lost))
    const svg = draw(kind, p.ranks, found, Math.max(280, Math.round(frame.clientWidth) || 640))
    svg.setAttribute("aria-label", `${PROGRAMS[kind]}, a row for each rank. ${said.textContent}`)
    frame.replaceChildren(...(why ? [] : [svg]))
  }
  choose.addEventListener("input", () => { // a first choice that can be played
    const { ranks, size } = form.elements
    if (choose.value === "node" && 2 ** size.value >= ranks.value) [ranks.value, size.value] = [16, 3]
    if (choose.value === "pieces" && ranks.value < 3) ranks.value = 4
  })
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("input", update)
  form.hidden = false
  update()
  let wide = frame.clientWidth // the timeline is as wide as its frame: a phone shows all of it
  new ResizeObserver(() => {
    if (frame.clientWidth === wide) return
    wide = frame.clientWidth
    update()
  }).observe(frame)
}

if (globalThis.document$) document$.subscribe(() => document.querySelectorAll("form.ranks").forEach(start))
