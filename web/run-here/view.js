// The view of one block: its threads, the memories it touches, and the way through its steps.

import { Recording, ranges, rowOf, triple } from "./recording.js"

const CELLS = 1024 // elements of a memory that are drawn at once
const PACES = { slow: 1200, normal: 500, fast: 120 } // milliseconds for a step when it plays
const still = matchMedia("(prefers-reduced-motion: reduce)")
const HUES = 8
const SMALL = 64 // elements of a memory that is always drawn as a whole
const TALL = 224 // pixels that a picture should not be taller than
const ROWNAME = 54 // pixels for the names of the rows

const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag)
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value)
    else if (value !== false && value !== undefined) node.setAttribute(key, value === true ? "" : value)
  node.append(...children)
  return node
}

const STATES = {
  running: "runs this step",
  masked: "masked: its warp is here, it is not",
  barrier: "waits at a barrier",
  ready: "between two steps",
  done: "has finished",
  idle: "has not begun",
  fault: "stopped here by a finding",
}

export class View {
  // `line(number)`: the editor shows that line; `source(number)`: its text; `picked(launch)`: another launch.
  // `figure`: in a page, whose headings are its own.
  constructor(root, { line, source, picked, figure = false }) {
    Object.assign(this, { root, line, source, picked })
    const html = `
      <p class="rh-empty" data-el="empty"></p>
      <div data-el="all" hidden>
        <div class="rh-picks">
          <label data-el="launchLabel">Launch <select data-el="launch"></select></label>
          <label data-el="blockLabel">Block <select data-el="block"></select></label>
        </div>
        <div class="rh-step">
          <div class="rh-buttons" role="group" aria-label="Steps">
            <button type="button" data-el="first" aria-label="First step"><svg viewBox="0 0 16 16"><path d="M3 3h2v10H3zM13 3v10L6 8z"/></svg></button>
            <button type="button" data-el="back" aria-label="One step back"><svg viewBox="0 0 16 16"><path d="M11 3v10L4 8z"/></svg></button>
            <button type="button" data-el="play" aria-label="Play" aria-pressed="false"><svg viewBox="0 0 16 16"><path class="rh-play" d="M4 2.5v11L13 8z"/><path class="rh-pause" d="M4 3h3v10H4zM9 3h3v10H9z"/></svg></button>
            <button type="button" data-el="forward" aria-label="One step forward"><svg viewBox="0 0 16 16"><path d="M5 3v10l7-5z"/></svg></button>
            <button type="button" data-el="last" aria-label="Last step"><svg viewBox="0 0 16 16"><path d="M11 3h2v10h-2zM3 3v10l7-5z"/></svg></button>
          </div>
          <select data-el="pace" aria-label="Speed"><option>slow<option selected>normal<option>fast</select>
          <input type="range" min="0" value="0" data-el="slider" aria-label="Step">
          <output data-el="where"></output>
        </div>
        <p class="rh-words" data-el="words" aria-live="polite"></p>
        <pre class="rh-source" data-el="source" aria-hidden="true"></pre>
        <h3>Threads of the block</h3>
        <div class="rh-threads" data-el="threads" role="slider" tabindex="0" aria-valuemin="0" aria-valuenow="0"></div>
        <p class="rh-thread-words" data-el="thread"></p>
        <ul class="rh-legend" data-el="states"></ul>
        <h3>Memory</h3>
        <div class="rh-memories" data-el="memories"></div>
        <ul class="rh-legend">
          <li><i class="rh-cell rh-cell--read"></i>read</li>
          <li><i class="rh-cell rh-cell--write"></i>written</li>
          <li><i class="rh-cell rh-cell--read rh-cell--write"></i>updated in one piece</li>
          <li><i class="rh-cell rh-cell--unknown">?</i>nothing has written it</li>
        </ul>
        <details class="rh-text" data-el="text"><summary>The same as text</summary><div data-el="textBody"></div></details>
      </div>`
    root.innerHTML = figure ? html.replace(/<(\/?)h3>/g, "<$1b>") : html
    this.el = {}
    for (const node of root.querySelectorAll("[data-el]")) this.el[node.dataset.el] = node
    const { el } = this
    el.first.onclick = () => this.go(0)
    el.back.onclick = () => this.go(this.at - 1)
    el.forward.onclick = () => this.go(this.at + 1)
    el.last.onclick = () => this.go(this.count)
    el.play.onclick = () => (this.timer ? this.pause() : this.play())
    el.slider.oninput = () => this.go(Number(el.slider.value))
    el.block.onchange = () => this.chooseBlock(Number(el.block.value), 0)
    el.launch.onchange = () => this.picked(Number(el.launch.value))
    el.text.ontoggle = () => this.drawText()
    el.pace.onchange = () => this.timer && this.play()
    if (still.matches) el.pace.value = "slow"
    // A thread that is pointed at, or chosen by the arrow keys: its cells light up.
    el.threads.onpointermove = el.threads.onclick = ({ target }) => {
      const index = this.cells?.indexOf(target) ?? -1
      if (index >= 0 && index !== this.chosen) this.choose(index)
    }
    el.threads.onpointerleave = () => document.activeElement !== el.threads && this.choose(-1)
    el.threads.onblur = () => this.choose(-1)
    el.threads.onfocus = () => this.chosen < 0 && el.threads.matches(":focus-visible") && this.choose(0)
    el.threads.onkeydown = event => {
      const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, Home: -Infinity, End: Infinity }[event.key]
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return
      event.preventDefault()
      this.choose(Math.max(0, Math.min(this.recording.threads - 1, Math.max(0, this.chosen) + by)))
    }
    new ResizeObserver(() => this.recording && this.layOut()).observe(root)
    for (const [state, words] of Object.entries(STATES).slice(0, -1))
      el.states.append(make("li", {}, make("i", { class: `rh-thread rh-thread--${state} rh-w0` }, state === "done" ? "✓" : ""), words))
  }

  // Say why there is nothing to see.
  empty(text) {
    this.pause()
    this.recording = this.laid = null
    this.el.threads.replaceChildren()
    this.el.memories.replaceChildren() // else they were laid out once more, for the next recording
    this.el.empty.textContent = text
    this.el.empty.hidden = !text
    this.el.all.hidden = true
  }

  launches(list, chosen) {
    this.el.launch.replaceChildren(
      ...list.map((launch, k) => make("option", { value: k }, `${launch.number + 1}: ${launch.kernel}[${size(launch.grid)}, ${size(launch.block)}]`)),
    )
    this.el.launch.value = chosen
    this.el.launchLabel.hidden = list.length < 2
  }

  // Show a recording at a block and step.
  show(launch, { block = 0, step, whole = 0 } = {}) {
    this.pause()
    this.launch = launch
    this.recording = new Recording(launch.trace)
    this.whole = whole
    this.el.empty.hidden = !launch.trace.cut
    this.el.empty.textContent = launch.trace.cut ? `The recording is long: this is the beginning of it, ${launch.trace.steps.length} steps.` : ""
    this.el.all.hidden = false
    this.el.block.replaceChildren(
      ...launch.trace.blocks.map((index, k) => make("option", { value: k }, `${triple(index)}${launch.trace.blocks.length > 1 ? ` of ${size(launch.grid)}` : ""}`)),
    )
    this.el.blockLabel.hidden = launch.trace.blocks.length < 2
    this.chooseBlock(Math.min(block, launch.trace.blocks.length - 1), step ?? 0)
  }

  chooseBlock(block, step) {
    this.block = block
    this.el.block.value = block
    this.mine = this.recording.ofBlock[block]
    this.count = this.mine.length
    this.chosen = -1
    this.own = []
    this.el.threads.setAttribute("aria-valuemax", this.recording.threads - 1)
    this.el.slider.max = this.count
    this.layOut()
    this.go(step)
  }

  // Point out a thread by its number in the block; -1: none.
  choose(index) {
    this.chosen = index
    this.own = index < 0 || !this.recording ? [] : this.recording.ofThread(this.block, index)
    if (this.recording) this.draw()
  }

  play() {
    clearInterval(this.timer)
    if (this.at >= this.count) this.go(0)
    this.el.play.setAttribute("aria-pressed", "true")
    this.el.play.setAttribute("aria-label", "Pause")
    this.el.words.setAttribute("aria-live", "off") // what plays is not read out, step for step
    this.timer = setInterval(() => {
      this.go(this.at + 1, true)
      if (this.at >= this.count) this.pause()
    }, PACES[this.el.pace.value])
  }

  pause() {
    clearInterval(this.timer)
    this.timer = undefined
    this.el.play.setAttribute("aria-pressed", "false")
    this.el.play.setAttribute("aria-label", "Play")
    this.el.words.setAttribute("aria-live", "polite")
  }

  // Go to so many steps of this block.
  go(step, playing = false) {
    if (!this.recording) return
    if (!playing) this.pause()
    this.at = Math.max(0, Math.min(this.count, step))
    const { recording, mine, el } = this
    recording.seek(this.at ? mine[this.at - 1] + 1 : this.count ? mine[0] : 0)
    this.draw()
    let words = recording.words(this.at, this.count)
    if (this.at === this.count) for (const { line, message } of this.faults().slice(0, 1)) words += ` Line ${line}: ${message.replaceAll("`", "")}`
    el.words.textContent = words
    el.slider.value = this.at
    el.slider.setAttribute("aria-valuetext", words)
    el.where.textContent = `${this.at} / ${this.count}`
    el.first.disabled = el.back.disabled = !this.at
    el.forward.disabled = el.last.disabled = this.at >= this.count
    const done = this.at ? recording.steps[mine[this.at - 1]] : null
    const fault = this.at === this.count && this.faults()[0]
    const line = fault ? fault.line : done ? recording.line(done) : 0
    el.source.textContent = this.source(line) || " "
    this.line(line)
  }

  // Findings that ended the launch in this block: nothing follows them.
  faults() {
    const here = this.recording.trace.blocks[this.block]
    return this.launch.findings.filter(
      finding => finding.thread && finding.block?.every((n, k) => n === here[k]) && this.find(finding)?.step === this.count,
    )
  }

  // The step at which a thread ran a line for the last time: where to look at a finding.
  find({ block, thread, line }) {
    const { recording } = this
    const number = recording.trace.blocks.findIndex(index => index.every((n, k) => n === block[k]))
    if (number < 0) return null
    const linear = recording.linear(thread)
    const steps = recording.ofBlock[number]
    for (let k = steps.length - 1; k >= 0; k--) {
      const step = recording.steps[steps[k]]
      if (step[1] === linear >> 5 && (step[3] >>> (linear & 31)) & 1 && recording.line(step) === line) return { block: number, step: k + 1 }
    }
    return { block: number, step: steps.length }
  }

  // ---------------------------------------------------------------- drawing

  // Lay out the cells for this block and this width.
  layOut() {
    const { recording, el } = this
    const width = el.words.clientWidth || 600
    if (width === this.width && recording === this.laid && this.block === this.laidBlock) return
    Object.assign(this, { width, laid: recording, laidBlock: this.block })
    this.layOutThreads(width)
    this.layOutMemories(width)
    if (this.at !== undefined && this.at <= this.count) this.draw()
  }

  layOutThreads(width) {
    const { recording, el } = this
    const [x, y, z] = recording.trace.block
    // One row for each y where a row fits a warp's width, and one for each warp otherwise.
    const columns = x <= 32 && y * z > 1 ? x : Math.min(32, recording.threads)
    const label = columns === x && y * z > 1 ? k => (z > 1 ? `y ${k % y}, z ${Math.floor(k / y)}` : `y ${k}`) : k => `warp ${k}`
    this.columns = columns
    const rows = Math.ceil(recording.threads / columns)
    const cell = Math.max(7, Math.min(30, Math.floor((width - ROWNAME) / columns) - 2, Math.max(10, Math.floor(TALL / rows) - 2)))
    el.threads.style.setProperty("--cell", `${cell}px`)
    el.threads.classList.toggle("rh-threads--small", cell < 19)
    el.threads.replaceChildren()
    this.cells = []
    for (let start = 0, row = 0; start < recording.threads; start += columns, row++) {
      const line = make("div", { class: "rh-row" }, make("span", { class: "rh-rowname" }, label(row)))
      for (let k = start; k < Math.min(start + columns, recording.threads); k++) {
        const node = make("i")
        this.cells.push(node)
        line.append(node)
      }
      el.threads.append(line)
    }
  }

  layOutMemories(width) {
    const { recording, el } = this
    const here = recording.trace.blocks[this.block]
    el.memories.replaceChildren()
    this.shown = []
    recording.trace.memories.forEach((memory, number) => {
      if (memory.block && !memory.block.every((n, k) => n === here[k])) return
      if (!memory.initial.length) return
      const owner = recording.owner[number]
      if (owner && owner[0] !== this.block) return
      const space = owner ? `${memory.space} of thread ${triple(recording.thread(owner[1]))}` : memory.space
      const shape = memory.shape
      const row = rowOf(shape)
      // A large memory: only the part that is touched at all.
      let [top, bottom, left, right] = [0, memory.initial.length / row - 1, 0, row - 1]
      if (memory.initial.length > SMALL) {
        const used = recording.used[number]
        if (!used) return
        ;[top, bottom] = used.rows
        ;[left, right] = used.columns
      }
      bottom = Math.min(bottom, Math.ceil(memory.initial.length / row) - 1)
      const wide = Math.max(2, ...memory.initial.slice(0, 64).map(v => format(v).length))
      const best = Math.max(26, wide * 8 + 8)
      const room = width - ROWNAME
      const flat = top === bottom // one row, which may be broken into several
      const length = right - left + 1
      const fit = 1 << Math.floor(Math.log2(Math.max(1, room / (best + 2))))
      // With values where they fit, and as small squares where they do not.
      let columns = flat ? Math.min(fit, length) : length
      let rows = flat ? Math.ceil(length / columns) : bottom - top + 1
      const big = columns * (best + 2) <= room && rows <= 18
      let [cell, high] = [best, 23]
      if (!big) {
        columns = Math.min(flat ? Math.min(64, 1 << Math.floor(Math.log2(room / 8))) : length, Math.floor(room / 7))
        if (flat) rows = Math.ceil(length / columns)
        cell = Math.max(5, Math.min(13, Math.floor(room / columns) - 2))
        high = Math.max(5, Math.min(13, Math.floor(TALL / rows) - 2))
      }
      const drawn = Math.min(rows, Math.max(1, Math.floor(CELLS / columns)), Math.max(1, Math.floor((1.4 * TALL) / (high + 2))))
      const grid = make("div", { class: big ? "rh-cells" : "rh-cells rh-cells--small" })
      grid.style.setProperty("--cell", `${cell}px`)
      grid.style.setProperty("--high", `${high}px`)
      const cells = []
      const names = []
      for (let r = 0; r < drawn; r++) {
        const name = make("span", { class: "rh-rowname" })
        names.push(name)
        const line = make("div", { class: "rh-row" }, name)
        for (let c = 0; c < columns; c++) {
          const node = make("i", { class: "rh-cell" })
          cells.push(node)
          line.append(node)
        }
        grid.append(line)
      }
      const whole = top === 0 && left === 0 && (flat ? right === row - 1 : columns === row && bottom === memory.initial.length / row - 1)
      const caption = make("figcaption", {}, make("b", {}, memory.name || "memory"), ` ${space}, ${memory.dtype}[${shape.join(", ")}]`)
      const more = make("span", { class: "rh-more" })
      caption.append(whole ? "" : ", the part that is used", more)
      el.memories.append(make("figure", { class: `rh-memory rh-memory--${memory.space}`, "aria-hidden": "true" }, caption, grid))
      // The element of a cell, or -1; the row that draws an element; the name of a row.
      const item = flat
        ? (r, c) => (r * columns + c < length ? top * row + left + r * columns + c : -1)
        : (r, c) => (r < rows && c < length ? (top + r) * row + left + c : -1)
      const rowWith = flat ? k => Math.floor(((k % row) - left) / columns) : k => Math.floor(k / row) - top
      const named = flat ? r => left + r * columns : r => top + r
      this.shown.push({ number, memory, space, columns, rows, drawn, cells, names, more, first: 0, item, rowWith, named, every: big ? 1 : Math.ceil(14 / (high + 2)) })
    })
  }

  draw() {
    const { recording } = this
    const threads = recording.threadsOf(this.block)
    if (this.at === this.count)
      for (const { thread, line } of this.faults()) Object.assign(threads[recording.linear(thread)], { state: "fault", line })
    threads.forEach(({ state, line, warp, lane }, k) => {
      const node = this.cells[k]
      const text = state === "done" ? "✓" : state === "fault" ? "✗" : state === "idle" || line === null ? "" : String(line)
      const name = `rh-thread rh-thread--${state} rh-w${warp % HUES}${k === this.chosen ? " rh-thread--chosen" : ""}`
      if (node.className !== name) node.className = name
      if (node.textContent !== text) node.textContent = text
      node.title = `thread ${triple(recording.thread(k))}, warp ${warp}, lane ${lane}: ${STATES[state]}${line ? `, line ${line}` : ""}`
    })
    const tally = {}
    for (const { state } of threads) tally[state] = (tally[state] ?? 0) + 1
    const words = Object.entries(tally).map(([state, n]) => `${n} ${state === "running" ? "running" : state}`)
    this.el.threads.setAttribute("aria-label", `${threads.length} threads: ${words.join(", ")}`)

    const step = this.at ? recording.steps[this.mine[this.at - 1]] : null
    const touched = new Map() // memory -> item -> "read", "write" or both
    for (const access of step ? step[4] : []) {
      const [site, memory, , items] = access
      const kind = recording.trace.sites[site].kind === "atomic" ? 3 : access[4] ? 2 : 1
      if (!touched.has(memory)) touched.set(memory, new Map())
      const map = touched.get(memory)
      for (const item of items) map.set(item, (map.get(item) ?? 0) | kind)
    }
    const chosen = new Map() // memory -> the items that the chosen thread touches at all
    for (const [, memory, , items] of this.own) chosen.set(memory, new Set([...(chosen.get(memory) ?? []), ...items]))
    for (const part of this.shown) this.drawMemory(part, touched.get(part.number) ?? new Map(), chosen.get(part.number))
    this.drawThread(threads[Math.max(0, this.chosen)])
    this.drawText()
  }

  // The chosen thread in words, for those who hear it as well.
  drawThread({ state, line, warp, lane }) {
    const { recording, el } = this
    const index = Math.max(0, this.chosen)
    const does = recording.accessWords([0, 0, 0, 0, this.own])
    const text = `Thread ${triple(recording.thread(index))}, warp ${warp}, lane ${lane}: ${STATES[state]}${line ? `, line ${line}` : ""}.${does ? ` In all it ${does}.` : ""}`
    el.threads.setAttribute("aria-valuenow", index)
    el.threads.setAttribute("aria-valuetext", text)
    el.thread.textContent = this.chosen < 0 ? "Point at a thread, or choose one with the arrow keys, to see its cells." : text
  }

  drawMemory(part, touched, chosen) {
    const { recording } = this
    const { columns, rows, drawn, cells, names, number, memory } = part
    // Move what is drawn to where the step touches it.
    if (touched.size && rows > drawn) {
      const row = part.rowWith(touched.keys().next().value)
      if (row < part.first || row >= part.first + drawn) part.first = Math.max(0, Math.min(rows - drawn, row - (drawn >> 1)))
    }
    const values = recording.memory[number]
    names.forEach((node, r) => {
      const text = r % part.every === 0 ? String(part.named(part.first + r)) : ""
      if (node.textContent !== text) node.textContent = text
    })
    cells.forEach((node, k) => {
      const item = part.item(part.first + Math.floor(k / columns), k % columns)
      const there = item >= 0 && item < values.length
      const kind = touched.get(item) ?? 0
      const known = there && recording.isWritten(number, item)
      let name = "rh-cell"
      if (!there) name += " rh-cell--none"
      else if (!known) name += " rh-cell--unknown"
      if (kind & 1) name += " rh-cell--read"
      if (kind & 2) name += " rh-cell--write"
      if (there && chosen?.has(item)) name += " rh-cell--chosen"
      if (node.className !== name) node.className = name
      const text = !there ? "" : known ? format(values[item]) : "?"
      if (node.textContent !== text) node.textContent = text
      if (there) node.title = `${memory.name}${ranges([item], memory.shape)} = ${known ? values[item] : "not written"}`
    })
    part.more.textContent = rows > drawn ? ` (rows ${part.named(part.first)} to ${part.named(part.first + drawn - 1)})` : ""
  }

  // What the pictures show, in words; made when it is open.
  drawText() {
    if (!this.el.text.open || !this.recording) return
    const { recording, el } = this
    const rows = new Map()
    recording.threadsOf(this.block).forEach(({ state, line, warp, lane }) => {
      const key = `${warp}|${state}|${line ?? ""}`
      if (!rows.has(key)) rows.set(key, { warp, state, line, lanes: [] })
      rows.get(key).lanes.push(lane)
    })
    const table = make("table", {}, make("caption", {}, "Threads"), head("Warp", "Lanes", "State", "Line"))
    for (const { warp, state, line, lanes } of rows.values())
      table.append(make("tr", {}, cell(warp), cell(ranges(lanes, [32]).slice(1, -1)), cell(STATES[state]), cell(line ?? "")))
    const memory = make("table", {}, make("caption", {}, "Memory after this step"), head("Array", "Where", "Values"))
    for (const { number, memory: m, space } of this.shown) {
      const values = recording.memory[number].slice(0, 64).map((v, k) => (recording.isWritten(number, k) ? format(v) : "?"))
      const more = recording.memory[number].length > 64 ? " ..." : ""
      memory.append(make("tr", {}, cell(m.name), cell(space), cell(values.join(" ") + more)))
    }
    const lines = make("table", {}, make("caption", {}, "Counts of the whole launch"), head("Line", "What was counted"))
    for (const count of lineCounts(this.launch)) lines.append(make("tr", {}, cell(count.line), cell(count.title)))
    el.textBody.replaceChildren(table, memory, lines)
  }
}

const head = (...names) => make("tr", {}, ...names.map(name => make("th", { scope: "col" }, name)))
const cell = text => make("td", {}, String(text))
const size = ([x, y, z]) => (z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : `${x}`)

export function format(value) {
  if (typeof value !== "number") return String(value)
  if (Number.isInteger(value)) return Math.abs(value) < 1e6 ? String(value) : value.toExponential(1)
  return String(Number(value.toPrecision(3)))
}

const short = n => String(Number(n.toFixed(1)))

// The counts of a launch by line: what stands beside the line, and all of it as a sentence.
export function lineCounts(launch) {
  const out = []
  for (const [line, row] of Object.entries(launch.lines ?? {})) {
    const lanes = row.executed ? row.lanes / row.executed : 0
    const parts = row.executed ? [["lanes", `${short(lanes)} ln`]] : []
    const said = row.executed ? [`warps ran it ${row.executed} times, with ${short(lanes)} active lanes on average`] : []
    if (row.split) said.push(`lanes went different ways ${row.split} times`)
    let sectors = 0
    let requests = 0
    let ways = 1
    let contention = 1
    for (const access of row.accesses) {
      const verb = { load: "reads", store: "writes", atomic: "updates" }[access.kind] ?? access.kind
      if (access.space === "global" || access.space === "local") {
        sectors += access.sectors
        requests += access.requests
        said.push(`${verb} ${access.array}: ${short(access.sectors / access.requests)} sectors a request`)
      } else if (access.space === "shared") {
        const worst = Math.max(...Object.keys(access.ways).map(Number))
        ways = Math.max(ways, worst)
        said.push(`${verb} ${access.array} in shared memory: ${worst > 1 ? `${worst}-way bank conflict` : "no bank conflict"}`)
      }
      if (access.kind === "atomic") {
        contention = Math.max(contention, access.contention)
        if (access.contention > 1) said.push(`up to ${access.contention} lanes update one element`)
      }
    }
    if (requests) parts.push(["sectors", `${short(sectors / requests)} sec`])
    if (ways > 1) parts.push(["ways", `${ways}-way`])
    if (contention > 1) parts.push(["ways", `${contention} on 1`])
    if (said.length) out.push({ line: Number(line), parts, title: `${said.join("; ")}.`, bad: ways > 1 })
  }
  return out
}
