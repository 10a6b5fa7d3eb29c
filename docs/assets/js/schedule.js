// The scheduler of a cache in blocks, step by step. It draws what lockstep_site/schedule.py recorded
// of the page's own Python, and decides nothing.
import { Steps, make, whenSeen } from "./steps.js"

const chip = name => make("b", { class: "schedule__chip", "data-of": name }, name)

class Schedule extends Steps {
  constructor(stage, data) {
    super(stage, data, { one: "change", pace: 900 })
    this.requests = make("ul", { class: "schedule__requests", "aria-label": "Requests" })
    this.cache = make("ul", { class: "schedule__cache", "aria-label": "Blocks of the cache" })
    this.free = make("p", { class: "schedule__free" })
    this.code = make("div", { class: "schedule__code", role: "group", tabindex: 0, "aria-label": "The scheduler's code" })
    this.lines = data.source.map(text => make("div", {}, make("code", { style: `--in: ${text.search(/\S|$/)}` }, text.trim() || " ")))
    this.code.append(...this.lines)
    stage.append(
      make("div", { class: "schedule__view" },
        make("div", {}, make("b", {}, "Requests"), this.requests),
        make("div", {}, make("b", {}, "Cache"), this.cache, this.free)),
      this.code,
    )
    this.go(0)
  }

  said(frame) {
    return frame.step ? `Step ${frame.step}. ${frame.words}` : frame.words
  }

  draw(frame, before) {
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

whenSeen("schedule", name => `schedules/${name}.json`, Schedule)
