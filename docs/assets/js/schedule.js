// The scheduler of a cache in blocks, step by step. It draws what lockstep_site/schedule.py recorded
// of the page's own Python, and decides nothing.
const still = matchMedia("(prefers-reduced-motion: reduce)")
const ICONS = { // the buttons' pictures; "play" has a second one
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z",
  forward: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
}
const NAMES = { first: "First change", back: "One change back", play: "Play", forward: "One change forward", last: "Last change" }

const make = (tag, attributes = {}, ...inside) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...inside)
  return made
}
const icon = name => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
  svg.setAttribute("viewBox", "0 0 16 16")
  svg.setAttribute("aria-hidden", "true")
  path.setAttribute("d", ICONS[name])
  svg.append(path)
  return svg
}
const chip = name => make("b", { class: "schedule__chip", "data-of": name }, name)

class Schedule {
  constructor(stage, data) {
    this.data = data
    this.buttons = {}
    const group = make("div", { class: "schedule__buttons", role: "group", "aria-label": "Changes" })
    for (const [name, label] of Object.entries(NAMES)) {
      const button = make("button", { type: "button", "aria-label": label }, icon(name))
      button.onclick = () => this.press(name)
      group.append((this.buttons[name] = button))
    }
    this.slider = make("input", { type: "range", min: 0, max: data.frames.length - 1, value: 0, "aria-label": "Change" })
    this.slider.oninput = () => this.go(Number(this.slider.value))
    this.where = make("output")
    this.said = make("p", { class: "schedule__said", "aria-live": "polite" })
    this.requests = make("ul", { class: "schedule__requests", "aria-label": "Requests" })
    this.cache = make("ul", { class: "schedule__cache", "aria-label": "Blocks of the cache" })
    this.free = make("p", { class: "schedule__free" })
    this.code = make("div", { class: "schedule__code", role: "group", tabindex: 0, "aria-label": "The scheduler's code" })
    this.lines = data.source.map(text => make("div", {}, make("code", {}, text || " ")))
    this.code.append(...this.lines)
    stage.append(
      make("div", { class: "schedule__bar" }, group, this.slider, this.where),
      this.said,
      make("div", { class: "schedule__view" }, make("b", {}, "Requests"), this.requests, make("b", {}, "Cache"), this.cache, this.free),
      this.code,
    )
    this.go(0)
  }

  press(name) {
    const last = this.data.frames.length - 1
    if (name === "play") return this.timer ? this.pause() : this.play()
    this.go({ first: 0, back: this.at - 1, forward: this.at + 1, last }[name])
  }

  play() {
    if (this.at === this.data.frames.length - 1) this.go(0)
    this.playing(true)
    this.timer = setInterval(() => {
      this.go(this.at + 1, true)
      if (this.at === this.data.frames.length - 1) this.pause()
    }, still.matches ? 1800 : 900)
  }

  pause() {
    clearInterval(this.timer)
    this.timer = undefined
    this.playing(false)
  }

  playing(now) {
    const { play } = this.buttons
    play.setAttribute("aria-label", now ? "Pause" : "Play")
    play.replaceChildren(icon(now ? "pause" : "play"))
    this.said.setAttribute("aria-live", now ? "off" : "polite") // what plays is not read out
  }

  go(at, playing = false) {
    if (!playing && this.timer) this.pause()
    const { frames } = this.data
    this.at = Math.max(0, Math.min(frames.length - 1, at))
    const frame = frames[this.at], before = frames[Math.max(0, this.at - 1)]
    this.slider.value = this.at
    this.where.textContent = `${this.at} / ${frames.length - 1}`
    const words = frame.step ? `Step ${frame.step}. ${frame.words}` : frame.words
    this.said.textContent = words
    this.slider.setAttribute("aria-valuetext", words)
    for (const [name, off] of [["first", !this.at], ["back", !this.at], ["forward", this.at === frames.length - 1], ["last", this.at === frames.length - 1]])
      this.buttons[name].disabled = off
    this.drawRequests(frame)
    this.drawCache(frame, before)
    this.drawLine(frame.line)
  }

  drawRequests({ rows, queue }) {
    this.requests.replaceChildren(...rows.map(([name, place, cached, asked, made, answer, table]) => {
      const total = asked + answer - 1 // the last token is made and needs no place
      const bar = make("span", { class: "schedule__bar-of", "aria-hidden": "true" }, make("i", { "data-of": name }))
      bar.firstChild.style.width = `${(100 * Math.min(cached, total)) / total}%`
      const state = place === "waits" ? `waits, number ${queue.indexOf(name) + 1}` : place
      const counts = `${cached} of ${total} tokens in the cache, ${made} of ${answer} made`
      const blocks = table.length ? `blocks ${table.join(" ")}` : "no blocks"
      return make("li", { class: place === "runs" ? "" : "is-idle", title: this.data.prompts[name] },
        chip(name), make("span", {}, state), bar, make("small", {}, `${counts}; ${blocks}`))
    }))
    if (!rows.length) this.requests.append(make("li", { class: "is-idle" }, "none"))
  }

  drawCache({ blocks, free }, before) {
    this.cache.replaceChildren(...blocks.map(([owners, users, tokens], number) => {
      const [oldOwners, oldUsers, oldTokens] = before.blocks[number]
      const changed = owners !== oldOwners || users !== oldUsers || tokens !== oldTokens
      const cells = make("span", { class: "schedule__cells", "aria-hidden": "true" })
      for (let k = 0; k < this.data.page; k++) cells.append(make("i", { class: k < tokens.length ? "is-full" : "" }, (tokens[k] ?? "").replace(" ", "␣")))
      const who = users ? [...owners].map(chip) : ["free"]
      const held = make("span", { class: "schedule__heard" }, tokens ? ` holds ${tokens.replaceAll("•", "a made token, ")}` : "")
      return make("li", { class: `${users ? "" : "is-free"} ${changed ? "is-changed" : ""}` },
        make("span", { class: "schedule__owner" }, `${number} `, ...who), cells, held)
    }))
    this.free.textContent = free.length ? `Free, the next one first: ${free.join(", ")}` : "No block is free."
  }

  drawLine(number) {
    this.now?.classList.remove("is-now")
    this.now = this.lines[number - this.data.first]
    this.now?.classList.add("is-now")
    // Within its own box: the page stays where it is.
    if (this.now) this.code.scrollTop = Math.max(0, this.now.offsetTop - this.code.clientHeight / 2)
  }
}

const start = async figure => {
  const stage = figure.querySelector(".schedule__stage")
  if (figure.dataset.ready) return
  figure.dataset.ready = "yes"
  if (!document.querySelector("link.schedules"))
    await new Promise((resolve, reject) => {
      const href = new URL("../css/schedule.css", import.meta.url).href
      document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", className: "schedules", href, onload: resolve, onerror: reject }))
    })
  const response = await fetch(new URL(`../schedules/${figure.dataset.schedule}.json`, import.meta.url))
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  const data = await response.json()
  new Schedule(stage, data)
  figure.classList.add("is-ready")
}

// From the file system a browser fetches nothing: there the words stay.
const seen = new IntersectionObserver(found => {
  for (const { target, isIntersecting } of found)
    if (isIntersecting && !seen.unobserve(target)) start(target).catch(console.error)
}, { rootMargin: "300px" })
if (location.protocol !== "file:")
  document$.subscribe(() => document.querySelectorAll("figure.schedule").forEach(figure => seen.observe(figure)))
