// Recorded steps as a figure of a page: the view of the panel, with the kernel's lines beside it.
// No Python is loaded. "Take over" opens the same program at the same step in the panel.

import { View } from "./view.js"

const still = matchMedia("(prefers-reduced-motion: reduce)")
const WORDS = /(#.*)|("[^"]*"|'[^']*')|\b(and|def|else|elif|for|if|in|not|or|pass|range|return|while)\b|\b(\d[\d.]*)\b/g

const fetched = async url => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.json()
}

let styled
const style = href =>
  (styled ??= new Promise((resolve, reject) => {
    const node = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve, onerror: reject })
    document.head.append(node)
  }))

// A line of Python, with the words that the site colors.
function colored(text) {
  const node = document.createElement("code")
  let at = 0
  for (const match of text.matchAll(WORDS)) {
    const kind = ["comment", "string", "keyword", "number"][match.slice(1).findIndex(Boolean)]
    node.append(text.slice(at, match.index), Object.assign(document.createElement("span"), { className: `play__${kind}`, textContent: match[0] }))
    at = match.index + match[0].length
  }
  node.append(text.slice(at) || (at ? "" : "\u00a0"))
  return node
}

export async function play(figure, base) {
  const name = figure.dataset.play
  const [data] = await Promise.all([fetched(new URL(`assets/recordings/${name}.json`, base)), style(new URL("assets/css/run-here.css", base).href)])
  const stage = figure.querySelector(".play__stage")
  if (stage.firstChild) return // it is there already
  const code = Object.assign(document.createElement("div"), { className: "play__code", tabIndex: 0 })
  code.setAttribute("role", "region")
  code.setAttribute("aria-label", `The kernel: ${data.title}`)
  const lines = new Map()
  data.source.forEach((text, k) => {
    if (text === null) return
    const row = Object.assign(document.createElement("div"), { className: "play__line" })
    row.dataset.line = data.first + k
    row.append(colored(text))
    lines.set(data.first + k, row)
    code.append(row)
  })
  const side = Object.assign(document.createElement("div"), { className: "play__view" })
  const take = Object.assign(document.createElement("button"), { type: "button", className: "play__take", textContent: "Take over: change it, run it" })
  stage.classList.add("rh", "rh--figure")
  stage.append(code, side)
  let current
  const view = new View(side, {
    figure: true,
    line: number => {
      current?.classList.remove("play__line--now")
      current = lines.get(number)
      current?.classList.add("play__line--now")
      // Within the box of the code alone: the page stays where it is.
      if (current) code.scrollTop = Math.max(0, current.offsetTop - code.clientHeight / 2)
    },
    source: () => "",
    picked: () => {},
  })
  side.querySelector("[data-el=all]").append(take)
  view.show(data.run)
  figure.classList.add("is-ready")
  take.onclick = async () => {
    view.pause()
    take.setAttribute("aria-busy", "true")
    try {
      const { open } = await import(new URL("assets/vendor/run-here/panel.js", base))
      const taken = { page: data.page ? `${data.page.replace(/\/$/, "")}/` : "", b: data.block, c: data.code ?? undefined, l: data.launch, k: data.at, s: view.at }
      await open({ base, block: data.block, button: take, taken })
    } catch (error) {
      console.error(error)
      take.textContent = "Could not load it. Try again"
    }
    take.removeAttribute("aria-busy")
  }
  // The home page's own plays by itself, where motion is wanted.
  if (figure.closest(".hero__play") && !still.matches) view.play()
}
