// The page "My GPU": measures the reader's card, draws its roofline, and keeps the record in the browser.

import { Gpu, Refusal } from "./gpu.js"
import { ofH200, roof, roofOf, scaled, three } from "./h200.js"
import { keep as keepOffline } from "./offline.js"
import { measure } from "./probes.js"

const SVG = "http://www.w3.org/2000/svg"
const LINK = "#card="
const LIMITS = ["maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupStorageSize", "maxStorageBufferBindingSize", "maxBufferSize", "maxStorageBuffersPerShaderStage"]

// An empty class would count as one: the style of tables is for those that have none.
const make = (tag, text = "", name) => Object.assign(document.createElement(tag), { textContent: text, ...(name && { className: name }) })
const percent = x => `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`
const amount = n => (n >= 1 << 30 ? `${n / (1 << 30)} GiB` : n >= 1 << 20 ? `${n / (1 << 20)} MiB` : n >= 1024 ? `${n / 1024} KiB` : `${n} B`)

// A record as the end of an address, and back.
async function squeezed(bytes, way) {
  const stream = new Blob([bytes]).stream().pipeThrough(way)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
export async function packed(record) {
  const data = await squeezed(new TextEncoder().encode(JSON.stringify(record)), new CompressionStream("deflate-raw"))
  return btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}
export async function unpacked(text) {
  const data = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(await squeezed(data, new DecompressionStream("deflate-raw"))))
}

function table(caption, heads, rows) {
  const box = make("div", "", "md-typeset__scrollwrap")
  const made = make("table")
  made.append(make("caption", caption))
  const top = make("tr")
  for (const head of heads) top.append(Object.assign(make("th", head), { scope: "col" }))
  const body = make("tbody")
  for (const [first, ...rest] of rows) {
    const line = make("tr")
    line.append(Object.assign(make("th", first), { scope: "row" }))
    for (const cell of rest) line.append(make("td", cell))
    body.append(line)
  }
  const header = make("thead")
  header.append(top)
  made.append(header, body)
  box.append(made)
  return box
}

// Where the labels of points stand: each in the plot, on no point and no other label; and, as far as there is room, on no
// line, in the order of the points of a column, and near its point. Sizes are those of a phone, whose text is the largest for
// the plot. All labels are placed together: one that is placed alone may take the only room of the next.
const TEXT = 24
const WIDE = 0.58 * TEXT // a letter, at most
const COLUMN = 100 // points that are nearer along x stand in a column
const SHIFTS = [0, 18, 24, 34, 46, 58, 76, 100, 124, 148, 172, 196].flatMap(shift => (shift ? [shift, -shift] : [0]))
const SIDES = { 1: 0, [-1]: 1, 0: 8 } // what a place right, left, above or below costs beside its distance
const ON_A_LINE = 1000
function labelPlaces(points, taken, lines, [from, to, top, bottom]) {
  const choices = points.map(({ x, y, title }) => {
    const size = title.length * WIDE
    const found = SHIFTS.flatMap(shift => [1, -1, 0].filter(side => side || Math.abs(shift) >= 24).map(side => {
      const start = side > 0 ? x + 12 : side < 0 ? x - 12 - size : x - size / 2
      const box = [start, start + size, y + shift - TEXT / 2, y + shift + TEXT / 2]
      const end = side ? [side > 0 ? start - 3 : box[1] + 3, y + shift] : [x, shift > 0 ? box[2] : box[3]]
      const leader = Math.abs(shift) > TEXT + (side ? 0 : 10) ? [[x, y], end] : []
      const cost = Math.abs(shift) + SIDES[side] + (lines.some(line => meet(box, line)) ? ON_A_LINE : 0)
      return { x, side, box, leader, along: along(leader), cost }
    }))
    const inside = found.filter(({ box }) => box[0] >= from && box[1] <= to && box[2] >= top && box[3] <= bottom)
    const clear = inside.filter(({ box }) => !taken.some(other => meet(box, other)))
    return [clear, inside, found].find(some => some.length).toSorted((a, b) => a.cost - b.cost)
  })
  // What two cost together; the one comes first where its point is higher.
  const both = (a, b) => (meet(a.box, b.box) ? 10 * ON_A_LINE : 0)
    + (Math.abs(a.x - b.x) < COLUMN && b.box[2] < a.box[2] ? ON_A_LINE : 0)
    + (a.along.some(part => meet(part, b.box)) || b.along.some(part => meet(part, a.box)) ? ON_A_LINE / 2 : 0)
  let best = Infinity
  let places
  const place = (chosen, cost) => {
    if (chosen.length === choices.length) [best, places] = [cost, chosen]
    else for (const one of choices[chosen.length]) {
      if (cost + one.cost >= best) break
      const more = chosen.reduce((sum, other) => sum + both(other, one), cost + one.cost)
      if (more < best) place([...chosen, one], more)
    }
  }
  place([], 0)
  return places
}
const meet = (a, b) => a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3]

// Small boxes along a line from point to point.
const along = points => points.slice(1).flatMap(([x1, y1], k) => {
  const [x0, y0] = points[k]
  const many = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 4))
  return Array.from({ length: many + 1 }, (_, n) => [x0 + ((x1 - x0) * n) / many, y0 + ((y1 - y0) * n) / many]).map(([x, y]) => [x - 2, x + 2, y - 2, y + 2])
})

// The roofline of a card, and of another beside it, with kernels as points. Both axes are logarithmic.
export function roofline(cards, kernels) {
  const [width, height, left, bottom, top, right] = [720, 420, 78, 72, 16, 16]
  const node = (tag, attributes, text = "") => {
    const made = document.createElementNS(SVG, tag)
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    made.textContent = text
    return made
  }
  const from = 1 / 32
  const to = 1024
  const values = [...cards.flatMap(c => [roof(c, from), roof(c, to)]), ...kernels.map(k => k.gflops)]
  const low = 10 ** Math.floor(Math.log10(Math.max(1e-6, Math.min(...values))))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)))
  const x = i => left + ((Math.log2(i) - Math.log2(from)) / (Math.log2(to) - Math.log2(from))) * (width - left - right)
  const y = v => height - bottom - ((Math.log10(v) - Math.log10(low)) / (Math.log10(high) - Math.log10(low))) * (height - bottom - top)
  const said = `Roofline: ${cards.map(c => `${c.short} copies ${scaled(c.copy_gbps, "B/s")} and computes ${scaled(c.tflops * 1000, "FLOP/s")}`).join("; ")}. ${kernels.map(k => `${k.title}: ${scaled(k.gflops, "FLOP/s")}`).join(", ")}.`
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said, class: "my-gpu__roof" })
  for (let i = from; i <= to; i *= 4) {
    svg.append(node("line", { x1: x(i), x2: x(i), y1: top, y2: height - bottom, class: "my-gpu__grid" }))
    svg.append(node("text", { x: x(i), y: height - bottom + 28, "text-anchor": "middle" }, i < 1 ? `1/${1 / i}` : `${i}`))
  }
  for (let v = low; v <= high; v *= 10) {
    svg.append(node("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "my-gpu__grid" }))
    svg.append(node("text", { x: left - 8, y: y(v) + 5, "text-anchor": "end" }, v >= 1000 ? `${v / 1000}T` : v >= 1 ? `${v}G` : `${Math.round(v * 1000)}M`))
  }
  svg.append(node("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, "operations a byte"))
  svg.append(node("text", { x: left + 6, y: top + 20 }, "FLOP/s"))
  const taken = [[left, left + 6 * WIDE, top, top + TEXT]] // boxes: from and to along x, from and to along y
  const edges = [left, width - right, top, height - bottom]
  for (const kernel of kernels) taken.push([x(kernel.intensity) - 7, x(kernel.intensity) + 7, y(kernel.gflops) - 7, y(kernel.gflops) + 7])
  const roofs = cards.map(card => [from, Math.min(to, Math.max(from, (card.tflops * 1000) / card.copy_gbps)), to].map(i => [x(i), y(roof(card, i))]))
  const lines = roofs.flatMap(along)
  roofs.forEach((points, k) => svg.append(node("polyline", { points: points.join(" "), class: `my-gpu__line my-gpu__line--${k}` })))
  cards.forEach((card, k) => {
    // Above its line, or below where there is no room.
    const end = { x: width - right, y: roofs[k][2][1] }
    const size = card.short.length * WIDE
    const places = [-8, 24, 50, -34, 76, -60].map(shift => ({ at: end.y + shift, box: [end.x - size, end.x, end.y + shift - TEXT + 4, end.y + shift + 4] }))
    const { at, box } = places.find(({ box }) => box[2] >= 0 && ![...taken, ...lines].some(other => meet(box, other))) ?? places.find(({ box }) => box[2] >= 0 && !taken.some(other => meet(box, other))) ?? places[0]
    taken.push(box)
    svg.append(node("text", { x: end.x - 4, y: at, "text-anchor": "end" }, card.short))
  })
  const points = kernels.toSorted((a, b) => b.gflops - a.gflops).map(k => ({ x: x(k.intensity), y: y(k.gflops), title: k.title }))
  labelPlaces(points, taken, lines, edges).forEach(({ side, box, leader }, k) => {
    // Far from its point: a line leads there.
    if (leader.length) svg.append(node("polyline", { points: leader.join(" "), class: "my-gpu__leader" }))
    const [start, anchor] = side > 0 ? [box[0], "start"] : side < 0 ? [box[1], "end"] : [(box[0] + box[1]) / 2, "middle"]
    svg.append(node("text", { x: start, y: (box[2] + box[3]) / 2 + 6, "text-anchor": anchor }, points[k].title))
  })
  // On top of the lines that lead to them.
  for (const kernel of kernels) svg.append(node("circle", { cx: x(kernel.intensity), cy: y(kernel.gflops), r: 6, class: "my-gpu__point" }))
  return svg
}

// The lessons' kernels on this card: rate, and the share of what its roof allows.
async function kernels(gpu, card, rows, tell) {
  const found = []
  const left = []
  for (const row of rows) {
    tell(`Running ${row.title}`, found.length / rows.length)
    const shader = { ...row.shader, params: new Uint8Array(0), bindings: row.shader.bindings.map(b => ({ ...b, data: new Uint8Array(0) })) }
    try {
      const { seconds } = await gpu.time(shader)
      const gflops = row.flops / seconds / 1e9
      const intensity = row.flops / row.bytes
      found.push({ id: row.id, title: row.title, intensity, gflops, gbps: row.bytes / seconds / 1e9, share: gflops / roof(card, intensity) })
    } catch (error) {
      if (!(error instanceof Refusal) || gpu.gone) throw error
      left.push(`${row.title}: ${error.message}`) // a card that cannot take it has one point fewer
    }
  }
  return [found, left]
}

async function record(tell, data) {
  const gpu = await Gpu.open()
  try {
    const { info } = gpu.adapter
    const { limits } = gpu.adapter
    const card = {
      schema: 1,
      date: new Date().toISOString().slice(0, 10),
      name: gpu.name,
      vendor: info?.vendor ?? "",
      architecture: info?.architecture ?? "",
      software: gpu.software,
      clock: gpu.timed ? "gpu" : "page",
      subgroup: [info?.subgroupMinSize ?? 0, info?.subgroupMaxSize ?? 0],
      features: [...gpu.adapter.features].sort(),
      limits: Object.fromEntries(LIMITS.map(name => [name, limits[name]])),
      ...(await measure(gpu, (words, share) => tell(words, share * 0.8))),
    }
    const [found, left] = await kernels(gpu, card, data[gpu.software ? "small" : "large"], (words, share) => tell(words, 0.8 + share * 0.2))
    card.kernels = found
    return [card, left]
  } finally {
    gpu.close()
  }
}

// The H200's rows, from this site's records: what stands beside the reader's.
async function beside(base, data) {
  try {
    const rows = ofH200(await (await fetch(new URL("data/benchmarks.json", base))).json())
    const of = Object.fromEntries(rows.map(row => [row.id, row]))
    const card = roofOf(rows)
    if (!card) return null
    const found = Object.fromEntries(data.large.filter(k => of[k.h200]).map(k => [k.id, of[k.h200]]))
    return { short: "H200", ...card, rows: found }
  } catch {
    return null // without it, the reader's card stands alone
  }
}

// What the H200 reaches of its own roof with the same kernel, in Numba.
function parOf(kernel, h200) {
  const theirs = h200?.rows[kernel.id]
  return theirs && (theirs.unit === "GB/s" ? theirs.ours * kernel.intensity : theirs.ours * 1000) / roof(h200, kernel.intensity)
}

// Kept in this browser, for the bets of the lessons: docs/assets/js/bet.js.
function keep(card, h200) {
  const kernels = Object.fromEntries(card.kernels.map(k => [k.id, [k.title, k.share, parOf(k, h200) ?? null]]))
  try {
    localStorage["lockstep-card"] = JSON.stringify({ name: nameOf(card), date: card.date, kernels })
  } catch {
    // A browser that keeps nothing: the lessons do without.
  }
}

// A bet for the minute that it takes: the share of the card's own roof that a kernel will reach. Returns what tells the guess.
function ask(place, kernel) {
  const form = make("form", "", "bet__form")
  const slider = Object.assign(make("input"), { type: "range", id: "my-gpu-bet", min: 0, max: 100, step: 1, value: 50 })
  const said = Object.assign(make("output", "no bet yet"), { htmlFor: "my-gpu-bet" })
  form.append(Object.assign(make("label", `Your bet, while it measures: how much of your card's own roof will the ${kernel.title.toLowerCase()} reach?`), { htmlFor: "my-gpu-bet" }), slider, said)
  form.onsubmit = event => event.preventDefault()
  let guess
  slider.oninput = () => {
    guess = slider.valueAsNumber / 100
    said.textContent = percent(guess)
    slider.setAttribute("aria-valuetext", said.textContent)
  }
  place.replaceChildren(form)
  return () => guess
}

// How the bet came out, in words.
function told(kernel, h200, guess) {
  const par = parOf(kernel, h200)
  const aim = par ? ` Par is ${percent(par)}, what the H200 reaches of its own roof with Numba: ${kernel.share >= par ? "at par or better" : "below par"}.` : ""
  const off = guess === undefined ? "" : ` You said ${percent(guess)}${Math.max(guess, kernel.share) < 1.2 * Math.min(guess, kernel.share) ? ": within a fifth" : ""}.`
  return `${kernel.title}: your card reaches ${percent(kernel.share)} of its own roof.${aim}${off}`
}

// Browsers that keep the device to themselves name its maker and family alone.
const nameOf = card => (card.vendor && card.name.startsWith(card.vendor) ? `${card.vendor} ${card.architecture ?? ""}`.trim() : card.name.split(",")[0])
const BET = "sgemm-tiled"

// The cards that readers sent, from data/webgpu.json.
async function sent(base) {
  try {
    return await (await fetch(new URL("data/webgpu.json", base))).json()
  } catch {
    return []
  }
}

// The largest copy is measured among the sizes, and again among the widths. Where the two are far apart, the card did other
// work meanwhile, and no figure of the record is the card's own.
const SHAKEN = 1.3
function shaken(card) {
  const [first, again] = [card.copy.at(-1), card.widths.find(row => row.bytes === 16)].map(row => row?.gbps)
  return Math.max(first, again) / Math.min(first, again) > SHAKEN ? [first, again] : null
}

export function show(place, card, h200, others, guess) {
  const short = nameOf(card)
  const soft = card.software ? " It is a software adapter: the browser computes on the CPU, and these are the figures of that." : ""
  const timed = card.clock === "gpu" ? "the GPU's own clock" : "the page's clock over many launches"
  place.replaceChildren(
    make("h2", short),
    make("p", `${card.name}, ${card.date}, timed by ${timed}. Subgroups of ${card.subgroup[0] || "unknown"}${card.subgroup[1] > card.subgroup[0] ? ` to ${card.subgroup[1]}` : ""} threads; ${card.limits.maxComputeInvocationsPerWorkgroup} threads and ${amount(card.limits.maxComputeWorkgroupStorageSize)} of shared memory for a workgroup.${soft}`),
  )
  const apart = shaken(card)
  if (apart) place.append(make("p", `One copy, measured twice, did ${apart.map(gbps => scaled(gbps, "B/s")).join(" and then ")}: something else used this card meanwhile. Close what draws or computes, and measure again.`, "my-gpu__shaken"))
  const heads = ["Figure", short, ...(h200 ? ["H200"] : [])]
  const both = (mine, theirs) => (h200 ? [mine, theirs] : [mine])
  place.append(table("The roof", heads, [
    ["Copy", ...both(scaled(card.copy_gbps, "B/s"), h200 && scaled(h200.copy_gbps, "B/s"))],
    ["Multiply-add, float32", ...both(scaled(card.tflops * 1000, "FLOP/s"), h200 && `${scaled(h200.tflops * 1000, "FLOP/s")} (cuBLAS)`)],
    ["One launch after another", ...both(`${three(card.launch_us)} µs`, "see the lesson on launches")],
  ]))
  const known = others.filter(other => JSON.stringify(other) !== JSON.stringify(card))
  if (known.length) {
    const rows = [card, ...known].sort((a, b) => b.copy_gbps - a.copy_gbps)
    place.append(table("Beside the cards that readers sent", ["Card", "Copy", "Multiply-add", "A launch"], rows.map(one => [
      `${nameOf(one)}${one === card ? " (this one)" : one.software ? " (a CPU)" : ""}`, scaled(one.copy_gbps, "B/s"), scaled(one.tflops * 1000, "FLOP/s"), `${three(one.launch_us)} µs`,
    ])))
  }
  const figure = make("figure", "", "my-gpu__figure")
  figure.append(roofline([{ ...card, short }, ...(h200 ? [h200] : [])], card.kernels), make("figcaption", "What the card allows at so many operations a byte, and what the lessons' kernels reach on it. A point on the line could hardly be faster."))
  place.append(figure)
  const best = card.kernels.toSorted((a, b) => b.share - a.share)[0]
  const bet = card.kernels.find(k => k.id === BET)
  if (bet) place.append(make("p", told(bet, h200, guess), "my-gpu__told"))
  if (best?.share > 1.02) place.append(make("p", "More than 100 % of a roof? The roof is the fastest copy of more than a cache holds. Arrays that fit a cache are read faster, and so are those of a kernel that reads more than it writes."))
  if (best) place.append(make("p", `${best.title} reaches ${percent(best.share)} of your card's own roof. Which kernel of yours gets closer?`))
  place.append(
    table("The lessons' kernels", ["Kernel", "Rate", "Of this card's roof", ...(h200 ? ["Of the H200's, in Numba"] : [])], card.kernels.map(k => {
      const other = parOf(k, h200)
      return [k.title, k.intensity < 1 ? scaled(k.gbps, "B/s") : scaled(k.gflops, "FLOP/s"), percent(k.share), ...(h200 ? [other ? percent(other) : "not measured"] : [])]
    })),
    table("Copy, by size", ["Bytes", "Rate"], card.copy.map(r => [amount(r.bytes), scaled(r.gbps, "B/s")])),
    table("Copy, by what a thread moves", ["Bytes", "Rate"], card.widths.map(r => [`${r.bytes}`, scaled(r.gbps, "B/s")])),
    table("Reads with a stride", ["Floats from thread to thread", "Rate of what is used"], card.strides.map(r => [`${r.stride}`, scaled(r.gbps, "B/s")])),
    table("Reads that begin late", ["Floats", "Rate"], card.offsets.map(r => [`${r.offset}`, scaled(r.gbps, "B/s")])),
    table("Shared memory with a stride", ["Words from thread to thread", "Reads, in 10⁹ a second"], card.banks.map(r => [`${r.stride}`, three(r.gops)])),
    table("Threads that part ways", ["Branches", "µs"], card.branches.map(r => [`${r.ways}`, three(r.us)])),
    table("Atomic additions", ["Places that all threads share", "Additions, in 10⁹ a second"], card.atomics.map(r => [r.places.toLocaleString("en"), three(r.gops)])),
  )
  const keep = make("p", "", "my-gpu__keep")
  const save = make("a", "Save the record", "md-button")
  // Some browsers tell a page the vendor alone; whose card it is knows more.
  const said = card.name
  const field = Object.assign(make("input"), { type: "text", id: "my-gpu-name", maxLength: 60, autocomplete: "off" })
  const label = Object.assign(make("label", `Which card is it? Your browser says: ${said}`), { htmlFor: field.id })
  const written = () => {
    const name = field.value.trim()
    card.name = name ? `${name} (the browser: ${said})` : said
    URL.revokeObjectURL(save.href)
    save.href = URL.createObjectURL(new Blob([JSON.stringify(card, null, 1) + "\n"], { type: "application/json" }))
    save.download = `${(name || short).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "gpu"}.json`
  }
  written()
  field.addEventListener("input", written)
  const link = Object.assign(make("button", "Copy a link to it", "md-button"), { type: "button" })
  link.addEventListener("click", async () => {
    const url = new URL(LINK + (await packed(card)), location.href).href
    try {
      await navigator.clipboard.writeText(url)
      link.textContent = "Copied"
    } catch {
      location.hash = new URL(url).hash // no clipboard: the address bar has it
      link.textContent = "It is in the address bar"
    }
  })
  const named = make("p", "", "my-gpu__name")
  named.append(label, " ", field)
  place.append(named)
  keep.append(save, " ", link)
  place.append(keep)
}

// `place`: the element of the page; `base`: the site's root.
export async function open(place, base) {
  const status = place.querySelector('[role="status"]')
  const bar = place.querySelector("progress")
  const button = place.querySelector("button")
  const result = place.querySelector(".my-gpu__result")
  const data = await (await fetch(new URL("assets/vendor/run-here/roofline.json", base))).json()
  const [h200, others] = await Promise.all([beside(base, data), sent(base)])
  const page = location.href.replace(/#.*/, "")
  if ("serviceWorker" in navigator) keepOffline(new URL("./", base).href, page).then(() => (place.dataset.offline = "ready"), () => {})
  if (location.hash.startsWith(LINK)) {
    try {
      show(result, await unpacked(location.hash.slice(LINK.length)), h200, others)
      status.textContent = "A card that came with the link. Measure yours beside it."
    } catch {
      status.textContent = "The link holds no record that this page can read."
    }
  }
  return async () => {
    button.disabled = true
    bar.hidden = false
    const guess = ask(result, data.large.find(row => row.id === BET))
    try {
      const [card, left] = await record((words, share) => {
        status.textContent = `${words} …`
        bar.value = share
      }, data)
      keep(card, h200)
      show(result, card, h200, others, guess())
      const short = left.length ? ` Not measured, because the browser refused it: ${left.join(" ")}` : ""
      button.textContent = "Measure it again"
      status.textContent = `Measured: ${card.name}. Nothing of it has left your browser.${short}`
      result.querySelector("h2").tabIndex = -1
      result.querySelector("h2").focus()
    } catch (error) {
      if (!(error instanceof Refusal)) console.error(error)
      status.textContent = error.message
      if (error.help) status.append(" ", Object.assign(make("a", error.help[0]), { href: new URL(error.help[1], base).href }))
      result.replaceChildren()
    }
    bar.hidden = true
    button.disabled = false
  }
}
