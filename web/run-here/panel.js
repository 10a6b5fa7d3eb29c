// The panel: an editor with a block's program, its output and findings, and the view of its threads.

import { Editor, prose } from "./editor.js"
import { Engine, Stopped } from "./engine.js"
import { pack, unpack } from "./share.js"
import { View, lineCounts } from "./view.js"

const MOST = 1e6 // characters of a program that is run

let engine
let panel
const kept = new Map() // page and block -> the code that the reader left there

export async function open({ base, block, button, link }) {
  const page = location.href.split("#")[0]
  const css = new URL("assets/css/run-here.css", base)
  const [data, state] = await Promise.all([fetchJson(new URL("run.json", page)), link ? unpack(link) : null, style(css)])
  if (link && !state) {
    history.replaceState(history.state, "", page)
    return
  }
  const key = state && data.programs[state.b] ? String(state.b) : block
  const program = data.programs[key]
  if (!program) throw new Error(`this page has no program ${key}`)
  panel ??= new Panel(base)
  panel.open({ page, key, title: data.page, program, button, state })
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
    <h2 id="rh-title">Run here<span data-el="title"></span></h2>
    <button type="button" class="rh-close" data-el="close" aria-label="Close"><svg viewBox="0 0 16 16"><path d="M3.5 2.4 8 6.9l4.500-4.500 1.100 1.100L9.100 8l4.500 4.500-1.100 1.100L8 9.100l-4.500 4.500-1.100-1.100L6.900 8 2.400 3.500z"/></svg></button>
  </header>
  <div class="rh-bar" role="group" aria-label="Program">
    <button type="button" class="rh-button rh-button--main" data-el="run" title="Ctrl+Enter">Run</button>
    <button type="button" class="rh-button" data-el="check" title="Run it in three orders of its threads, and look for races and the like">Check</button>
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
      <div class="rh-editor" data-el="editor"></div>
      <p class="rh-key" data-el="key" hidden>Right of the code: active lanes (ln), sectors a request (sec), ways of a bank conflict (2-way), lanes that update one element (16 on 1).</p>
      <div class="rh-breaks" data-el="breaks" role="group" aria-label="Break it"></div>
      <ul class="rh-findings" data-el="findings"></ul>
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
    this.editor = new Editor(el.editor, { run: () => this.run(), changed: () => this.edited() })
    this.view = new View(el.view, {
      line: number => this.editor.current(number),
      source: number => this.editor.lineText(number),
      picked: launch => this.showLaunch(launch),
    })
    el.close.onclick = () => this.dialog.close()
    el.run.onclick = () => this.run()
    el.check.onclick = () => this.run("check")
    el.stop.onclick = () => engine.stop()
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
    addEventListener("popstate", () => this.dialog.open && location.href.split("#")[0] !== this.page && this.dialog.close())
    this.dialog.onkeydown = event => {
      if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) this.run()
    }
  }

  open({ page, key, title, program, button, state }) {
    const { el } = this
    const same = this.page === page && this.key === key && !state
    Object.assign(this, { page, key, program, button })
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
    if (!this.dialog.open) this.dialog.showModal()
    document.documentElement.classList.add("rh-open")
    this.warm()
    if (same) return el.run.focus()
    el.record.checked = true
    el.presets.value = 0
    const code = state?.c ?? kept.get(`${page} ${key}`) ?? program.code
    this.clear()
    this.editor.code = code
    this.clear()
    el.run.focus()
    this.wanted = state ? { launch: state.l ?? 0, block: state.k ?? 0, step: state.s ?? 0 } : null
    const known = [program.code, ...[...program.presets, ...program.breaks].map(offer => edited(program.code, offer.edits))]
    if (known.includes(code)) this.run()
    else {
      this.say(state ? "This code came with the link. Read it, then press Run." : "This is the code as you left it.")
      this.view.empty("Press Run to see the threads.")
    }
  }

  // Start the engine while the reader looks around.
  warm() {
    engine ??= new Engine(this.base, data => this.loading(data))
    engine.start().then(() => this.offline(), () => {})
  }

  closed() {
    document.documentElement.classList.remove("rh-open")
    this.view.pause()
    if (this.busy) engine.stop()
    if (this.editor.code !== this.program.code) kept.set(`${this.page} ${this.key}`, this.editor.code)
    else kept.delete(`${this.page} ${this.key}`)
    if (/^#run=/.test(location.hash)) history.replaceState(history.state, "", this.page)
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
      this.said ??= this.say("Loading Python for this page: once, and then it is kept.")
    } else {
      this.el.progress.removeAttribute("value")
      if (this.el.status.dataset.level !== "start") this.say("Starting Python.", "start")
    }
  }

  // `mode`: "check", or else what the box says.
  async run(mode) {
    if (this.busy) return
    mode ??= this.el.record.checked ? "record" : "run"
    const code = this.editor.code
    if (code.length > MOST) return this.say("The program is too long.", "bad")
    const { el } = this
    this.clear()
    this.busy = true
    for (const name of ["run", "check", "reset", "presets"]) el[name].disabled = true
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
      result = await engine.run(code, mode)
    } catch (error) {
      failure = error
    }
    this.busy = false
    el.progress.hidden = true
    for (const name of ["run", "check", "reset", "presets"]) el[name].disabled = false
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
    if (this.editor.code === code) return this.show(result, mode)
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
    history.replaceState(history.state, "", this.page + hash)
    const { share } = this.el
    try {
      await navigator.clipboard.writeText(this.page + hash)
      this.say("The link is on the clipboard.")
      share.textContent = "Copied"
    } catch {
      this.say("The link is in the address bar.")
    }
    setTimeout(() => (share.textContent = "Copy link"), 2000)
  }

  // Let a service worker keep this page and what it loaded, so that it works without a network.
  async offline() {
    if (!("serviceWorker" in navigator) || this.saved === this.page) return
    this.saved = this.page
    try {
      await navigator.serviceWorker.register(new URL("run-here-offline.js", this.base), { scope: new URL("./", this.base).pathname })
      const { active } = await navigator.serviceWorker.ready
      const seen = performance.getEntriesByType("resource").map(entry => entry.name)
      const files = [this.page, new URL("run.json", this.page).href, ...seen, ...engine.loaded].filter(url => url.startsWith(this.base))
      const channel = new MessageChannel()
      channel.port1.onmessage = () => (this.dialog.dataset.offline = "ready")
      active.postMessage({ keep: [...new Set(files)] }, [channel.port2])
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
