// Figures that move: cells of lanes, banks, slots, and the ways between them. It draws the frames that
// snippets/motion/ recorded, and decides nothing.
import { Steps, drawn, make, whenSeen } from "./steps.js"

class Motion extends Steps {
  constructor(stage, data) {
    super(stage, data, { one: data.step, pace: data.frames.length > 20 ? 600 : 1500 })
    this.view = make("div", { class: "motion__view", "aria-hidden": "true" }) // the words say it
    this.panels = data.panels.map(panel => this.grid(panel))
    this.ways = drawn("svg", { class: "motion__ways" })
    this.view.append(this.ways)
    const legend = make("div", { class: "motion__legend", "aria-hidden": "true" })
    for (const [letter, words] of data.legend) legend.append(make("span", {}, make("i", { "data-is": letter }), words))
    stage.append(this.view, legend)
    this.go(0)
    new ResizeObserver(() => this.link(this.data.frames[this.at])).observe(this.view)
  }

  grid({ name, rows, columns, ends, group, cells }) {
    const named = rows.some(row => row)
    const box = make("div", { class: "motion__panel" }, make("b", {}, name))
    const grid = make("div", { class: "motion__grid" })
    grid.style.gridTemplateColumns = `${named ? "max-content " : ""}repeat(${columns}, minmax(0, 1fr))`
    const made = []
    for (const row of rows) {
      if (named) grid.append(make("span", { class: "motion__row" }, row))
      for (let k = 0; k < columns; k++) {
        const cell = make("i", group && k && k % group === 0 ? { class: "is-first" } : {})
        made.push(cell)
        grid.append(cell)
      }
    }
    box.append(grid)
    if (ends) box.append(make("div", { class: "motion__ends" }, ...ends.map(end => make("span", {}, end))))
    box.classList.toggle("motion__panel--wide", columns <= 8) // its cells hold words
    box.classList.toggle("motion__panel--time", Boolean(cells))
    this.view.append(box)
    return made
  }

  said(frame) {
    return frame.words
  }

  draw(frame) {
    this.data.panels.forEach(({ columns, cells, text }, number) => {
      // A panel that fills with time has a column for each frame after the first.
      const letters = cells ?? frame.cells[number]
      const words = (cells ? text : frame.text?.[number]) ?? {}
      this.panels[number].forEach((cell, k) => {
        const there = !cells || k % columns < this.at
        const is = there ? letters[k] : " "
        const says = (there && words[k]) || ""
        if (cell.dataset.is !== is) cell.dataset.is = is
        if (cell.textContent !== says) cell.textContent = says
        cell.classList.toggle("is-now", Boolean(cells) && k % columns === this.at - 1)
      })
    })
    this.link(frame)
  }

  // The ways from cell to cell, drawn from the edges that face each other.
  link({ links = [] }) {
    const all = this.view.getBoundingClientRect()
    this.ways.setAttribute("viewBox", `0 0 ${all.width} ${all.height}`)
    this.ways.replaceChildren(...links.map(([from, a, to, b]) => {
      const [one, two] = [this.panels[from][a], this.panels[to][b]].map(cell => cell.getBoundingClientRect())
      const [x1, x2] = [one, two].map(({ left, width }) => left + width / 2 - all.left)
      const down = one.top < two.top
      const y1 = (down ? one.bottom : one.top) - all.top
      const y2 = (down ? two.top : two.bottom) - all.top
      // Around what stands between two cells of one column; else straight.
      const aside = x1 === x2 && Math.abs(y2 - y1) > one.height ? one.width * 0.6 : 0
      const d = `M${x1} ${y1}C${x1 + aside} ${y1 + (y2 - y1) / 3} ${x2 + aside} ${y2 - (y2 - y1) / 3} ${x2} ${y2}`
      return drawn("path", { d, pathLength: 1 })
    }))
  }
}

whenSeen("motion", name => `motion/${name}.json`, Motion)
