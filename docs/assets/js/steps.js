// Recorded frames that a reader steps through, plays and stops: the bar of buttons, its slider, and the
// words of a frame. Who extends it draws a frame. Nothing moves before somebody asks for it.
const still = matchMedia("(prefers-reduced-motion: reduce)")
const ICONS = { // the buttons' pictures; "play" has a second one
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2.5v11L13 8z",
  forward: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
}

export const make = (tag, attributes = {}, ...inside) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...inside)
  return made
}
export const drawn = (tag, attributes = {}, ...inside) => { // the same for an SVG
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...inside)
  return made
}
const icon = name => drawn("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, drawn("path", { d: ICONS[name] }))
const capital = word => word[0].toUpperCase() + word.slice(1)

export class Steps {
  // `one`: what a frame is called; `pace`: milliseconds for one when it plays.
  constructor(stage, data, { one, pace }) {
    Object.assign(this, { data, pace, buttons: {} })
    const names = { first: `First ${one}`, back: `One ${one} back`, play: "Play", forward: `One ${one} forward`, last: `Last ${one}` }
    const group = make("div", { class: "steps__buttons", role: "group", "aria-label": `${capital(one)}s` })
    for (const [name, label] of Object.entries(names)) {
      const button = make("button", { type: "button", "aria-label": label }, icon(name))
      button.onclick = () => this.press(name)
      group.append((this.buttons[name] = button))
    }
    this.slider = make("input", { type: "range", min: 0, max: data.frames.length - 1, value: 0, "aria-label": capital(one) })
    this.slider.oninput = () => this.go(Number(this.slider.value))
    this.where = make("output")
    this.words = make("p", { class: "steps__said", "aria-live": "polite" })
    stage.append(make("div", { class: "steps__bar" }, group, this.slider, this.where), this.words)
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
    }, still.matches ? 2 * this.pace : this.pace)
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
    this.words.setAttribute("aria-live", now ? "off" : "polite") // what plays is not read out
  }

  go(at, playing = false) {
    if (!playing && this.timer) this.pause()
    const { frames } = this.data
    this.at = Math.max(0, Math.min(frames.length - 1, at))
    const frame = frames[this.at], before = frames[Math.max(0, this.at - 1)]
    this.slider.value = this.at
    this.where.textContent = `${this.at} / ${frames.length - 1}`
    const words = this.said(frame)
    this.words.textContent = words
    this.slider.setAttribute("aria-valuetext", words)
    for (const [name, off] of [["first", !this.at], ["back", !this.at], ["forward", this.at === frames.length - 1], ["last", this.at === frames.length - 1]])
      this.buttons[name].disabled = off
    this.draw(frame, before)
  }
}

const styled = {}
const style = name =>
  (styled[name] ??= new Promise((resolve, reject) => {
    const href = new URL(`../css/${name}.css`, import.meta.url).href
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve, onerror: reject }))
  }))

// Bring a kind of figure to life, each when it comes near: its style sheet, its recording, its buttons.
// From the file system a browser fetches nothing: there the words stay.
export const whenSeen = (kind, path, Player) => {
  if (location.protocol === "file:")
    return document$.subscribe(() => document.querySelectorAll(`.${kind}__stage`).forEach(stage => { stage.hidden = true }))
  const start = async figure => {
    if (figure.dataset.ready) return
    figure.dataset.ready = "yes"
    const [response] = await Promise.all([fetch(new URL(`../${path(figure.dataset[kind])}`, import.meta.url)), style("steps"), style(kind)])
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
    new Player(figure.querySelector(`.${kind}__stage`), await response.json())
    figure.classList.add("is-ready")
  }
  const seen = new IntersectionObserver(found => {
    for (const { target, isIntersecting } of found)
      if (isIntersecting && !seen.unobserve(target)) start(target).catch(console.error)
  }, { rootMargin: "300px" })
  document$.subscribe(() => document.querySelectorAll(`figure.${kind}`).forEach(figure => seen.observe(figure)))
}
