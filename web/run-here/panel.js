// The panel: an editor with a block's program, its output and findings, and the view of its threads.

import { Editor, prose } from "./editor.js"
import { Engine, Stopped } from "./engine.js"
import { ofH200 } from "./h200.js"
import { keep } from "./offline.js"
import { pack, unpack } from "./share.js"
import { View, lineCounts } from "./view.js"

const MOST = 1e6 // characters of a program that is run

let engine
let panel
const kept = new Map() // page and block -> the code that the reader left there

// Start the engine: it takes longest, so it is asked first.
export function warm(base) {
  engine ??= new Engine(base, data => panel?.loading(data))
  return engine.start()
}

// `link`: the state in an address; `taken`: a state of this site, of a page that may be another.
export async function open({ base, block, button, link, taken }) {
  if (!link) warm(base).catch(() => {}) // the panel says so when it is there
  const here = location.href.split("#")[0]
  const page = taken ? new URL(taken.page, base).href : here
  const css = new URL("assets/css/run-here.css", base)
  const [data, given] = await Promise.all([fetchJson(new URL("run.json", page)), link ? unpack(link) : null, style(css)])
  if (link && !given) {
    history.replaceState(history.state, "", here)
    return
  }
  const state = taken ?? given
  const key = state && data.programs[state.b] ? String(state.b) : block
  const program = data.programs[key]
  if (!program) throw new Error(`this page has no program ${key}`)
  panel ??= new Panel(base)
  panel.open({ here, page, key, title: data.page, program, button, state, known: !!taken })
}

async function fetchJson(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.json()
}

let styled
const style = url =>
  (styled ??= new Promise((resolve, reject) => {
    const node = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url.href })
    node.onload = resolve
    node.onerror = () => reject(new Error(`${url} could not be loaded`))
    document.head.append(node)
  }))

const HTML = `
  <header class="rh-head">
    <h2 id="rh-title"><b data-el="kind">Run here</b><span data-el="title"></span></h2>
    <button type="button" class="rh-close" data-el="close" aria-label="Close"><svg viewBox="0 0 16 16"><path d="M3.5 2.4 8 6.9l4.500-4.500 1.100 1.100L9.100 8l4.500 4.500-1.100 1.100L8 9.100l-4.500 4.500-1.100-1.100L6.900 8 2.400 3.500z"/></svg></button>
  </header>
  <div class="rh-bar" role="group" aria-label="Program">
    <button type="button" class="rh-button rh-button--main" data-el="run" title="Ctrl+Enter">Run</button>
    <button type="button" class="rh-button" data-el="check" title="Run it in three orders of its threads, and look for races and the like">Check</button>
    <button type="button" class="rh-button" data-el="gpu" title="Compile the kernels to WGSL and run them on this computer's own graphics card">Run on my GPU</button>
    <button type="button" class="rh-button" data-el="stop" disabled>Stop</button>
    <button type="button" class="rh-button" data-el="reset" title="The page's own code">Reset</button>
    <label class="rh-toggle"><input type="checkbox" data-el="record" checked> Record each step</label>
    <button type="button" class="rh-button rh-button--quiet" data-el="share">Copy link</button>
    <label class="rh-presets" data-el="presetsLabel"><span>Inputs</span> <select data-el="presets"></select></label>
  </div>
  <p class="rh-status" data-el="status" role="status"></p>
  <progress class="rh-progress" data-el="progress" aria-label="Loading" hidden></progress>
  <div class="rh-body">
    <section class="rh-code" aria-label="Code and output">
      <div class="rh-task" data-el="task" hidden>
        <div data-el="statement"></div>
        <ol class="rh-hints" data-el="hints"></ol>
        <button type="button" class="rh-button rh-button--quiet" data-el="hint"></button>
      </div>
      <div class="rh-editor" data-el="editor"></div>
      <p class="rh-key" data-el="key" hidden>Right of the code: active lanes (ln), sectors a request (sec), ways of a bank conflict (2-way), lanes that update one element (16 on 1).</p>
      <div class="rh-breaks" data-el="breaks" role="group" aria-label="Break it"></div>
      <div class="rh-verdict" data-el="verdict" hidden></div>
      <ul class="rh-findings" data-el="findings"></ul>
      <div data-el="card" hidden></div>
      <h3 id="rh-output">Output</h3>
      <pre class="rh-output" data-el="output" tabindex="0" role="region" aria-labelledby="rh-output"></pre>
    </section>
    <section class="rh-view" data-el="view" aria-label="Threads and memory"></section>
  </div>`

class Panel {
  constructor(base) {
    this.base = base
    this.dialog = Object.assign(document.createElement("dialog"), { className: "rh", innerHTML: HTML })
    this.dialog.setAttribute("aria-labelledby", "rh-title")
    document.body.append(this.dialog)
    this.el = {}
    for (const node of this.dialog.querySelectorAll("[data-el]")) this.el[node.dataset.el] = node
    const { el } = this
    this.editor = new Editor(el.editor, { run: () => this.main(), changed: () => this.edited() })
    this.view = new View(el.view, {
      line: number => this.editor.current(number),
      source: number => this.editor.lineText(number),
      picked: launch => this.showLaunch(launch),
    })
    el.close.onclick = () => this.dialog.close()
    el.run.onclick = () => this.run()
    el.check.onclick = () => this.run(this.program.exercise ? "grade" : "check")
    el.gpu.onclick = () => this.run("gpu")
    el.hint.onclick = () => this.hint()
    el.stop.onclick = () => this.stop()
    el.reset.onclick = () => {
      el.presets.value = 0
      this.load(this.program.code)
    }
    el.share.onclick = () => this.share()
    el.presets.onchange = () => {
      const preset = this.program.presets[Number(el.presets.value) - 1]
      this.load(preset ? edited(this.program.code, preset.edits) : this.program.code)
    }
    this.dialog.onclose = () => this.closed()
    // Another page comes while the panel is open: the browser's back button.
    addEventListener("popstate", () => this.dialog.open && location.href.split("#")[0] !== this.here && this.dialog.close())
    this.dialog.onkeydown = event => {
      if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) this.main()
    }
  }

  open({ here, page, key, title, program, button, state, known }) {
    const { el } = this
    const same = this.page === page && this.key === key && !state
    Object.assign(this, { here, page, key, program, button })
    el.title.textContent = title
    el.presets.replaceChildren(new Option("of the page", 0), ...program.presets.map((preset, k) => new Option(preset.label, k + 1)))
    el.presetsLabel.hidden = !program.presets.length
    el.breaks.replaceChildren()
    if (program.breaks.length) el.breaks.append("Break it: ")
    for (const offer of program.breaks) {
      const node = Object.assign(document.createElement("button"), { type: "button", className: "rh-button rh-button--break", textContent: offer.label })
      node.onclick = () => {
        const code = edited(this.editor.code, offer.edits)
        if (code === undefined) this.say("This edit does not fit the code any more: Reset first.", "bad")
        else this.load(code)
      }
      el.breaks.append(node)
    }
    this.task()
    if (!this.dialog.open) this.dialog.showModal()
    document.documentElement.classList.add("rh-open")
    this.warm()
    const first = program.exercise ? el.check : el.run
    if (same) return first.focus()
    el.record.checked = true
    el.presets.value = 0
    const code = state?.c ?? this.left() ?? program.code
    this.clear()
    this.editor.code = code
    this.clear()
    first.focus()
    this.wanted = state ? { launch: state.l ?? 0, block: state.k ?? 0, step: state.s ?? 0 } : null
    const own = [program.code, ...[...program.presets, ...program.breaks].map(offer => edited(program.code, offer.edits))]
    if (program.exercise && !state) {
      this.say(code === program.code ? "Write the kernel, then press Check. Run shows the example's steps." : "This is your answer as you left it.")
      this.view.empty("Press Run to see the threads of the example.")
    } else if (known || own.includes(code)) this.run()
    else {
      this.say(state ? "This code came with the link. Read it, then press Run." : "This is the code as you left it.")
      this.view.empty("Press Run to see the threads.")
    }
  }

  // What Ctrl+Enter does.
  main() {
    this.run(this.program.exercise ? "grade" : undefined)
  }

  // The exercise of the page that is being solved, with its statement and its hints.
  task() {
    const { el, program } = this
    const graded = program.exercise && document.querySelector(`[data-graded="${program.exercise.name}"]`)
    el.kind.textContent = program.exercise ? "Exercise" : "Run here"
    if (program.exercise) el.title.textContent = program.exercise.title
    el.task.hidden = !graded
    el.check.classList.toggle("rh-button--main", !!program.exercise)
    el.run.classList.toggle("rh-button--main", !program.exercise)
    el.check.title = program.exercise ? "Grade it on awkward sizes and poisoned output (Ctrl+Enter)" : "Run it in three orders of its threads, and look for races and the like"
    el.run.title = program.exercise ? "" : "Ctrl+Enter"
    this.frame = graded?.nextElementSibling
    this.hints = this.frame ? [...this.frame.querySelectorAll(".hint")] : []
    el.hints.replaceChildren()
    if (!graded) return
    const copies = [...graded.children].filter(node => !node.matches(".graded__act")).map(node => node.cloneNode(true))
    el.statement.replaceChildren(...copies)
    const seen = lockstep.read().hints[this.frame.dataset.exercise] ?? 0
    for (let n = 0; n < seen; n++) this.hint(false)
    this.sayHint()
  }

  hint(opened = true) {
    const { el, frame } = this
    const node = this.hints[el.hints.children.length]
    if (!node) return
    const item = document.createElement("li")
    item.append(...[...node.cloneNode(true).childNodes].filter(child => child.tagName && child.tagName !== "SUMMARY"))
    el.hints.append(item)
    this.sayHint()
    if (!opened) return
    lockstep.change(({ hints }) => (hints[frame.dataset.exercise] = Math.max(el.hints.children.length, hints[frame.dataset.exercise] ?? 0)))
    document.dispatchEvent(new Event("lockstep"))
  }

  sayHint() {
    const n = this.el.hints.children.length
    this.el.hint.hidden = n >= this.hints.length
    this.el.hint.textContent = `Hint ${n + 1} of ${this.hints.length}`
  }

  // The code as the reader left it: of an exercise for good, of a program until the page is left.
  left() {
    const { exercise } = this.program
    return exercise ? lockstep.read().code[exercise.key] : kept.get(`${this.page} ${this.key}`)
  }

  leave(code) {
    const { exercise } = this.program
    const own = code !== this.program.code && code.length < 20000
    if (exercise) {
      if (own || this.left()) lockstep.change(({ code: all }) => (own ? (all[exercise.key] = code) : delete all[exercise.key]))
    } else if (own) kept.set(`${this.page} ${this.key}`, code)
    else kept.delete(`${this.page} ${this.key}`)
  }

  // What runs now: a program in the stepper, or its kernels on the reader's GPU.
  stop() {
    this.card ? this.card.stop() : engine.stop()
  }

  // Start the engine while the reader looks around.
  warm() {
    warm(this.base).then(() => this.offline(), () => {})
  }

  closed() {
    document.documentElement.classList.remove("rh-open")
    this.view.pause()
    if (this.busy) this.stop()
    this.leave(this.editor.code)
    if (/^#run=/.test(location.hash)) history.replaceState(history.state, "", this.here)
    if (this.button?.isConnected) this.button.focus()
  }

  load(code) {
    if (this.busy || code === undefined) return
    this.wanted = null
    this.editor.code = code
    this.el.record.checked = true
    this.run()
  }

  edited() {
    if (this.busy) return
    this.editor.current(0)
    if (this.result) this.clear()
  }

  clear() {
    this.result = null
    this.el.output.textContent = ""
    this.el.output.classList.remove("rh-output--none")
    this.el.findings.replaceChildren()
    this.el.verdict.hidden = true
    this.el.card.hidden = true
    this.el.key.hidden = true
    this.say("")
    this.view.empty("Run the program to see its threads, step by step.")
  }

  say(text, level = "") {
    this.el.status.textContent = text
    this.el.status.dataset.level = level
  }

  loading({ done, total }) {
    if (!this.busy) return
    this.el.progress.hidden = false
    if (total > 1) {
      this.el.progress.max = total
      this.el.progress.value = done
      this.said ??= this.say(`Loading Python for this page, ${(total / 1e6).toFixed(1)} MB: once, and then it is kept.`)
    } else {
      this.el.progress.removeAttribute("value")
      if (this.el.status.dataset.level !== "start") this.say("Starting Python.", "start")
    }
  }

  // `mode`: "check", or else what the box says. `choice`: what the reader chose for the GPU.
  async run(mode, choice) {
    if (this.busy) return
    mode ??= this.el.record.checked ? "record" : "run"
    const code = this.editor.code
    if (code.length > MOST) return this.say("The program is too long.", "bad")
    const { el } = this
    this.clear()
    this.busy = true
    for (const name of ["run", "check", "gpu", "reset", "presets"]) el[name].disabled = true
    for (const node of el.breaks.children) node.disabled = true
    const focused = document.activeElement
    el.stop.disabled = false
    this.editor.notes([])
    this.editor.counts([])
    this.said = undefined
    this.say("Running.")
    this.view.empty("")
    let result, failure
    try {
      result = await engine.run(code, mode, this.program.exercise?.text, mode === "gpu" ? await this.plan(choice) : undefined)
    } catch (error) {
      failure = error
    }
    this.busy = false
    el.progress.hidden = true
    for (const name of ["run", "check", "gpu", "reset", "presets"]) el[name].disabled = false
    for (const node of el.breaks.children) node.disabled = false
    const stopHadFocus = document.activeElement === el.stop
    el.stop.disabled = true
    // A button that was disabled lost the keyboard: give it back.
    if (this.dialog.open && (document.activeElement === document.body || document.activeElement === this.dialog || stopHadFocus))
      (focused?.isConnected && focused !== document.body && focused !== el.stop ? focused : el.run).focus()
    if (failure) {
      this.view.empty("Nothing was recorded.")
      if (failure instanceof Stopped) this.say(failure.message, "bad")
      else this.say(`It could not be run: ${failure.message}`, "bad")
      this.warm()
      return
    }
    if (this.editor.code === code && mode === "gpu") return this.onGpu(result)
    if (this.editor.code === code) return mode === "grade" ? this.graded(result) : this.show(result, mode)
    this.clear()
    this.say("The code was changed while it ran: press Run.", "bad")
  }

  show(result, mode) {
    const { el } = this
    this.result = result
    el.output.textContent = result.output || "Nothing was printed."
    el.output.classList.toggle("rh-output--none", !result.output)
    const findings = result.launches.flatMap((launch, number) => launch.findings.map(finding => ({ ...finding, number }))).concat(result.rest)
    const notes = findings.map(({ line, message }) => ({ line, text: message, level: "finding" }))
    // What ended the program, unless it is one of the findings.
    const own = result.error && !findings.some(finding => finding.line === result.line)
    if (own) notes.push({ line: result.line, text: result.message, level: "error" })
    this.notes = notes
    this.editor.notes(firstOfEach(notes))

    el.findings.replaceChildren()
    for (const finding of firstOfEach(findings)) {
      const item = document.createElement("li")
      item.append(`Line ${finding.line}: `, ...prose(finding.message), " ")
      if (finding.count > 1) item.append(`(${finding.count} times) `)
      if (finding.thread && finding.block && result.launches[finding.number]?.trace) {
        const node = Object.assign(document.createElement("button"), { type: "button", className: "rh-button rh-button--quiet", textContent: "Show the step" })
        node.onclick = () => {
          this.showLaunch(finding.number)
          const place = this.view.find(finding)
          if (place) this.view.chooseBlock(place.block, place.step)
        }
        item.append(node)
      }
      el.findings.append(item)
    }
    if (own) {
      const item = document.createElement("li")
      item.append(result.line ? `Line ${result.line}: ` : "", ...prose(result.message))
      el.findings.append(item)
    }
    const differs = result.differs != null // it may be empty
    if (differs) {
      const item = document.createElement("li")
      item.append("The output depends on the order in which the threads run. In another order it is:")
      item.append(Object.assign(document.createElement("pre"), { className: "rh-output", textContent: result.differs, tabIndex: 0 }))
      el.findings.append(item)
    }

    const time = result.seconds < 0.095 ? `${Math.max(1, Math.round(result.seconds * 1000))} ms` : `${result.seconds.toFixed(1)} s`
    const many = `${result.launches.length + result.hidden} ${result.launches.length + result.hidden === 1 ? "launch" : "launches"}`
    const what = mode === "check" ? `Checked in ${result.orders} orders of the threads` : "Ran"
    const wrong = firstOfEach(findings).length
    const verdict = wrong
      ? `${wrong} ${wrong === 1 ? "finding" : "findings"}.`
      : own ? "It ended with an error."
      : mode === "run" ? "Nothing was recorded." : differs ? "The output depends on the order." : "Nothing wrong was found."
    this.say(`${what} in ${time} on this computer, ${many}. ${verdict}`, wrong || own || differs ? "bad" : "good")
    if (notes.length) this.editor.show(notes[0].line)

    const wanted = this.wanted
    this.wanted = null
    // Begin where something is wrong, or else at the first launch.
    const wrongOne = findings.find(finding => finding.thread && finding.block)
    const launch = wanted?.launch ?? wrongOne?.number ?? 0
    this.showLaunch(Math.min(launch, result.launches.length - 1), wanted)
    if (!wanted && wrongOne && this.view.recording) {
      const place = this.view.find(wrongOne)
      if (place) this.view.chooseBlock(place.block, place.step)
    }
  }

  // The program ran in the stepper, and its kernels are compiled: now the reader's own GPU.
  async onGpu(result) {
    if (result.verdict) this.graded(result)
    else this.show(result, "run")
    const { el } = this
    // What is wrong already is sent to no GPU.
    if (result.verdict ? !result.verdict.passed : el.status.dataset.level === "bad") {
      const what = result.verdict ? "answer" : result.launches.some(launch => launch.findings.length) || result.rest.length ? "finding" : "error"
      return this.say(`Not sent to your GPU: mend the ${what} first. ${el.status.textContent}`, "bad")
    }
    if (!result.kernels.length) return this.say("This program launches no kernel.", "bad")
    this.say("Compiled. Asking the browser for a GPU.")
    // Beside the code where there is room: threads to look at there are none.
    if (matchMedia("(max-width: 59.984375em)").matches) el.output.previousElementSibling.before(el.card)
    else el.view.prepend(el.card)
    if (!this.view.recording) this.view.empty("")
    const busy = ["run", "check", "gpu", "reset", "presets"]
    this.busy = true
    for (const name of busy) el[name].disabled = true
    try {
      const { MyGpu } = await this.compiled()
      this.card = new MyGpu(el.card, (text, level) => this.say(text, level), plan => this.run("gpu", plan), this.base)
      el.stop.disabled = false
      await this.card.run(result.kernels, await this.records(), result.par)
    } catch (error) {
      console.error(error)
      this.say(`It could not be run on the GPU: ${error.message}`, "bad")
    }
    this.busy = false
    this.card = null
    const stopHadFocus = document.activeElement === el.stop
    el.stop.disabled = true
    for (const name of busy) el[name].disabled = false
    this.offline(["assets/vendor/run-here/wgsl.zip", "data/benchmarks.json"].map(name => new URL(name, this.base).href))
    if (this.dialog.open && (stopHadFocus || [document.body, this.dialog].includes(document.activeElement))) el.gpu.focus()
  }

  compiled() {
    return import(new URL("assets/vendor/run-here/my-gpu.js", this.base))
  }

  // What the program's kernels are compiled for: this adapter, and sizes with enough work to measure.
  async plan(choice) {
    const { sizes = {}, code } = this.program
    const card = await this.compiled().then(({ abilities }) => abilities()).catch(() => ({})) // why it failed is said later
    return JSON.stringify({ sizes, code, ...card, ...choice })
  }

  // The H200's records, if they can be had.
  async records() {
    try {
      return (this.rows ??= ofH200(await fetchJson(new URL("data/benchmarks.json", this.base))))
    } catch {
      return undefined
    }
  }

  // What came of grading an exercise.
  graded(result) {
    const { el } = this
    const { verdict } = result
    this.result = result
    this.leave(this.editor.code)
    this.editor.notes(firstOfEach(verdict.notes))
    el.output.textContent = "The check prints nothing. Press Run for the example."
    el.output.classList.add("rh-output--none")
    this.say(verdict.message.replaceAll("`", ""), verdict.passed ? (verdict.met === false ? "" : "good") : "bad")
    const make = (tag, text, name) => Object.assign(document.createElement(tag), { textContent: text, className: name ?? "" })
    const list = make("ul", "", "rh-cases")
    for (const [name] of verdict.cases) list.append(make("li", `✓ ${name}`, "rh-case"))
    if (!verdict.passed) list.append(make("li", `✗ ${/^(?:In another order[^:]*: )?(\w+ = [^:]*):/.exec(verdict.message)?.[1] ?? "before the first case"}`, "rh-case rh-case--bad"))
    el.verdict.replaceChildren(make("h3", verdict.passed ? "Every case is right" : "Cases"), list)
    if (verdict.par?.length) {
      const table = make("table", "", "rh-par")
      const caption = make("caption", `Your kernel and the reference solution, counted by the stepper (${verdict.cases.at(-1)[0]})`)
      const first = document.createElement("tr")
      for (const name of ["Counted", "Yours", "Par"]) first.append(Object.assign(make("th", name), { scope: "col" }))
      table.append(caption, first)
      for (const { label, yours, par, each, counts } of verdict.par) {
        const row = make("tr", "", counts ? (yours > par ? "rh-over" : "rh-met") : "")
        const name = Object.assign(make("th", label), { scope: "row" })
        const figures = [yours, par].map((n, k) => make("td", `${n.toLocaleString("en")}${each ? ` (${each[k]} a request)` : ""}`))
        if (counts) figures[0].append(yours > par ? " ▲" : " ✓")
        row.append(name, ...figures)
        table.append(row)
      }
      el.verdict.append(table)
      if (verdict.met !== null) el.verdict.append(make("p", "Marked rows are the par of this exercise: as few as the reference solution, or fewer.", "rh-small"))
    }
    el.verdict.hidden = false
    if (verdict.passed) {
      const { key } = this.program.exercise
      lockstep.change(state => {
        state.solved[this.frame?.dataset.exercise ?? key] ??= lockstep.today()
        if (verdict.met) state.par[key] ??= lockstep.today()
      })
      document.dispatchEvent(new Event("lockstep"))
    }
    if (verdict.line) this.editor.show(verdict.line)
    const wrong = result.launches.findIndex(launch => launch.findings.some(finding => finding.thread && finding.block))
    const finding = wrong >= 0 && result.launches[wrong].findings.find(one => one.thread && one.block)
    this.showLaunch(Math.max(0, wrong))
    const place = finding && this.view.recording && this.view.find(finding)
    if (place) this.view.chooseBlock(place.block, place.step)
  }

  showLaunch(number, place) {
    const { result, view } = this
    const launch = result?.launches[number]
    if (!launch) {
      view.empty(result?.error ? "The program ended before a kernel was launched." : "This program launches no kernel.")
      return
    }
    this.launch = number
    const counts = lineCounts(launch)
    this.editor.counts(counts)
    this.el.key.hidden = !counts.length
    view.launches(result.launches, number)
    if (launch.trace?.steps.length) view.show(launch, { ...place, whole: result.whole[number] })
    else if (launch.trace) view.empty("Nothing ran in this launch.")
    else view.empty("No steps were recorded. Press Run with “Record each step” to see the threads.")
  }

  // A link to what is on the screen, in the address and on the clipboard.
  async share() {
    const state = { b: this.key }
    if (this.editor.code !== this.program.code) state.c = this.editor.code
    if (this.view.recording) Object.assign(state, { l: this.launch, k: this.view.block, s: this.view.at })
    const hash = await pack(state)
    if (this.page === this.here) history.replaceState(history.state, "", this.page + hash)
    const { share } = this.el
    try {
      await navigator.clipboard.writeText(this.page + hash)
      this.say("The link is on the clipboard.")
      share.textContent = "Copied"
    } catch {
      this.say(this.page === this.here ? "The link is in the address bar." : "The browser keeps the clipboard to itself.")
    }
    setTimeout(() => (share.textContent = "Copy link"), 2000)
  }

  // Let a service worker keep this page and what it loaded, so that it works without a network. `more`: what was loaded later.
  async offline(more = []) {
    const state = `${this.page} ${more}`
    if (!("serviceWorker" in navigator) || this.saved === state) return
    this.saved = state
    try {
      await keep(this.base, this.page, [new URL("run.json", this.page).href, ...engine.loaded, ...more])
      this.dialog.dataset.offline = more.length ? "gpu" : "ready"
    } catch {
      // Not here: a private window, or an address without https. All but offline use works.
    }
  }
}

// A program with edits made, each where its text occurs last; undefined where one finds nothing.
function edited(code, edits) {
  for (const [find, replace] of edits) {
    const at = code.lastIndexOf(find)
    if (at < 0) return undefined
    code = code.slice(0, at) + replace + code.slice(at + find.length)
  }
  return code
}

// The same thing is often found by many threads: keep the first of each line and kind.
function firstOfEach(list) {
  const seen = new Set()
  return list.filter(({ line, kind, text, level }) => {
    const key = `${line} ${kind ?? level} ${kind ? "" : level === "finding" ? text.replace(/\d+/g, "") : text}`
    return !seen.has(key) && seen.add(key)
  })
}
