// The labs, live: heat and waves on a plate, and a wind tunnel, computed by the reader's CPU in the
// page. `heat`, `wave` and `lattice` do a step as the labs' kernels do; a test holds them together.
const NINE = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]]
const WEIGHTS = [4 / 9, ...Array(4).fill(1 / 9), ...Array(4).fill(1 / 36)]

// A step of the heat equation from u to out. The border keeps its values.
export const heat = (u, rows, columns, ratio, out) => {
  out.set(u)
  for (let y = 1; y < rows - 1; y++)
    for (let i = y * columns + 1; i < (y + 1) * columns - 1; i++)
      out[i] = u[i] + ratio * (u[i - columns] + u[i + columns] + u[i - 1] + u[i + 1] - 4 * u[i])
}

// A step of the wave equation: what comes after `now` goes where `before` was.
export const wave = (now, medium, rows, columns, before) => {
  for (let y = 1; y < rows - 1; y++)
    for (let i = y * columns + 1; i < (y + 1) * columns - 1; i++) {
      const bend = now[i - columns] + now[i + columns] + now[i - 1] + now[i + 1] - 4 * now[i]
      before[i] = 2 * now[i] - before[i] + medium[i] * bend
    }
}

// A step of lattice Boltzmann (D2Q9): nine planes of populations, as in kernels/wind_tunnel.
export const lattice = (f, solid, rows, columns, omega, wind, out) => {
  const n = rows * columns
  for (let y = 0; y < rows; y++) {
    const here = y * columns, south = (y > 0 ? y - 1 : rows - 1) * columns, north = (y < rows - 1 ? y + 1 : 0) * columns
    for (let x = 0; x < columns; x++) {
      const west = x > 0 ? x - 1 : 0, east = x < columns - 1 ? x + 1 : x, i = here + x
      const f0 = f[i], f1 = f[n + here + west], f2 = f[2 * n + south + x], f3 = f[3 * n + here + east]
      const f4 = f[4 * n + north + x], f5 = f[5 * n + south + west], f6 = f[6 * n + south + east]
      const f7 = f[7 * n + north + east], f8 = f[8 * n + north + west]
      if (solid[i]) { // each one goes back where it came from
        out[i] = f0; out[n + i] = f3; out[2 * n + i] = f4; out[3 * n + i] = f1; out[4 * n + i] = f2
        out[5 * n + i] = f7; out[6 * n + i] = f8; out[7 * n + i] = f5; out[8 * n + i] = f6
        continue
      }
      let rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8, w = omega
      let u = (f1 - f3 + f5 - f6 - f7 + f8) / rho, v = (f2 - f4 + f5 + f6 - f7 - f8) / rho
      if (x === 0) [rho, u, v, w] = [1, wind, 0, 1]
      const still = 1 - 1.5 * (u * u + v * v), s = rho / 9, d = rho / 36, p = u + v, m = u - v
      out[i] = f0 + w * (4 * s * still - f0)
      out[n + i] = f1 + w * (s * (still + 3 * u + 4.5 * u * u) - f1)
      out[2 * n + i] = f2 + w * (s * (still + 3 * v + 4.5 * v * v) - f2)
      out[3 * n + i] = f3 + w * (s * (still - 3 * u + 4.5 * u * u) - f3)
      out[4 * n + i] = f4 + w * (s * (still - 3 * v + 4.5 * v * v) - f4)
      out[5 * n + i] = f5 + w * (d * (still + 3 * p + 4.5 * p * p) - f5)
      out[6 * n + i] = f6 + w * (d * (still - 3 * m + 4.5 * m * m) - f6)
      out[7 * n + i] = f7 + w * (d * (still - 3 * p + 4.5 * p * p) - f7)
      out[8 * n + i] = f8 + w * (d * (still + 3 * m + 4.5 * m * m) - f8)
    }
  }
}

// What the air did to the walls in the last step, along the wind and across it: each population
// that a wall has sent back has turned its momentum around.
export const force = (f, solid, rows, columns) => {
  const n = rows * columns
  let along = 0, across = 0
  for (let y = 0; y < rows; y++)
    for (let x = 1; x < columns - 1; x++) {
      const i = y * columns + x
      if (!solid[i]) continue
      for (let d = 1; d < 9; d++) {
        const [right, up] = NINE[d]
        if (solid[((y + up + rows) % rows) * columns + x + right]) continue
        along -= 2 * right * f[d * n + i]
        across -= 2 * up * f[d * n + i]
      }
    }
  return [along, across]
}

// Where a cylinder stands, or a wing: the symmetric section of NACA's four digits, its thickness
// 15 % of its chord, turned by an angle about its middle. `up` is toward larger rows.
export const body = (kind, rows, columns, size, degrees) => {
  const solid = new Uint8Array(rows * columns), middle = [Math.round(columns / 4), rows / 2]
  const turn = (degrees * Math.PI) / 180
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const right = x - middle[0], up = y - middle[1]
      if (kind === "cylinder") solid[y * columns + x] = right ** 2 + up ** 2 < size ** 2 / 4
      else if (kind === "wing") {
        const t = 0.5 + (right * Math.cos(turn) - up * Math.sin(turn)) / size
        const h = Math.abs(right * Math.sin(turn) + up * Math.cos(turn)) / size
        const half = 0.75 * (0.2969 * Math.sqrt(t) - 0.126 * t - 0.3516 * t ** 2 + 0.2843 * t ** 3 - 0.1015 * t ** 4)
        solid[y * columns + x] = t >= 0 && t <= 1 && h < half
      }
    }
  return solid
}

// Air that moves with the wind, and not quite evenly: without that it stays symmetric for long.
export const air = (rows, columns, wind) => {
  const n = rows * columns, f = new Float32Array(9 * n)
  for (let i = 0; i < n; i++) {
    const u = wind, v = 0.05 * wind * Math.sin((2 * Math.PI * (i % columns)) / columns)
    for (let d = 0; d < 9; d++) {
      const to = NINE[d][0] * u + NINE[d][1] * v
      f[d * n + i] = WEIGHTS[d] * (1 + 3 * to + 4.5 * to * to - 1.5 * (u * u + v * v))
    }
  }
  return f
}

// ---------------------------------------------------------------- in the page

const node = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}
const choice = (name, words, options) =>
  node("label", {}, node("span", {}, words), node("select", { name }, ...Object.entries(options).map(([value, text]) => node("option", { value }, text))))
const slider = (name, words, min, max, step, value) =>
  node("label", { "data-of": name }, node("span", {}, words), node("input", { type: "range", name, min, max, step, value }), node("output"))
const show = (x, digits = 2) => x.toLocaleString("en-US", { maximumSignificantDigits: digits })

// Each: rows, columns, controls(), reset(form) -> state, step(state, form), value(state, i) -> -1 to 1,
// wall(state, i), tell(state, form), touch(state, x, y).
const TUNNEL = {
  label: "A wind tunnel", rows: 100, columns: 260, wind: 0.1,
  controls: () => [
    choice("kind", "In the wind", { cylinder: "a cylinder", wing: "a wing section", nothing: "what you draw" }),
    slider("degrees", "Tilt of the wing", -20, 20, 1, 10),
    slider("viscosity", "Viscosity", 8, 50, 1, 12),
  ],
  words: { degrees: x => `${x}°`, viscosity: x => show(x / 1000) },
  size: form => (form.elements.kind.value === "wing" ? 48 : 14),
  reset(form) {
    const { rows, columns, wind } = this, kind = form.elements.kind.value
    form.querySelector("[data-of=degrees]").hidden = kind !== "wing"
    const f = air(rows, columns, wind)
    const solid = body(kind, rows, columns, this.size(form), form.elements.degrees.valueAsNumber)
    return { f, out: f.slice(), solid, steps: 0, up: [], was: 0, lift: 0, drag: 0, spin: new Float32Array(rows * columns) }
  },
  step(s, form) {
    const { rows, columns, wind } = this, n = rows * columns
    lattice(s.f, s.solid, rows, columns, 1 / (3e-3 * form.elements.viscosity.valueAsNumber + 0.5), wind, s.out)
    ;[s.f, s.out] = [s.out, s.f]
    // How the air moves across the wind, some way behind the body: where it begins to move up.
    const i = Math.round(rows / 2) * columns + Math.round(columns / 2), f = d => s.f[d * n + i]
    const v = f(2) - f(4) + f(5) + f(6) - f(7) - f(8)
    if (s.was < 0 && v >= 0) s.up = [...s.up, s.steps - v / (v - s.was)].slice(-5)
    s.was = v
    s.steps++
  },
  look(s) {
    const { rows, columns } = this, n = rows * columns, [along, across] = force(s.f, s.solid, rows, columns)
    s.drag += 0.05 * (along - s.drag)
    s.lift += 0.05 * (across - s.lift)
    const f = s.f, u = i => f[n + i] - f[3 * n + i] + f[5 * n + i] - f[6 * n + i] - f[7 * n + i] + f[8 * n + i]
    const v = i => f[2 * n + i] - f[4 * n + i] + f[5 * n + i] + f[6 * n + i] - f[7 * n + i] - f[8 * n + i]
    for (let y = 1; y < rows - 1; y++)
      for (let i = y * columns + 1; i < (y + 1) * columns - 1; i++) s.spin[i] = v(i + 1) - v(i - 1) - u(i + columns) + u(i - columns)
  },
  value: (s, i) => s.spin[i] / 0.05,
  wall: (s, i) => s.solid[i],
  touch(s, x, y) {
    for (let b = -2; b <= 2; b++) for (let a = -2; a <= 2; a++) s.solid[Math.min(Math.max(y + b, 0), this.rows - 1) * this.columns + Math.min(Math.max(x + a, 2), this.columns - 3)] = 1
  },
  tell(s, form) {
    const size = this.size(form), kind = form.elements.kind.value, whole = 0.5 * this.wind ** 2 * size
    const reynolds = (this.wind * size) / (form.elements.viscosity.valueAsNumber / 1000)
    if (!Number.isFinite(s.drag)) return "The air has blown up: too little viscosity for cells of this size. Take more, and begin again."
    if (kind === "nothing") return "Draw walls with the pointer."
    const said = [`Reynolds number ${show(reynolds, 3)}. Drag coefficient ${show(s.drag / whole)}`]
    said.push(kind === "wing" ? `, lift coefficient ${show(s.lift / whole)}.` : ".")
    if (s.up.length > 2) {
      const period = (s.up.at(-1) - s.up[0]) / (s.up.length - 1)
      if (kind === "cylinder") said.push(` Strouhal number ${show(size / (period * this.wind))}; of a long cylinder in a wide tunnel ${show(0.1816 - 3.3265 / reynolds + 1.6e-4 * reynolds)}.`)
    }
    return said.join("")
  },
}

const PLATE = {
  label: "Heat and waves on a plate", rows: 140, columns: 260,
  controls: () => [
    choice("kind", "What", { slits: "a wave and two slits", lens: "a wave and a lens", drum: "a wave, and you", heat: "heat, and you" }),
    slider("ratio", "Ratio of a step", 5, 27, 1, 20),
  ],
  words: { ratio: x => show(x / 100) },
  reset(form) {
    const { rows, columns } = this, kind = form.elements.kind.value, n = rows * columns
    form.querySelector("[data-of=ratio]").hidden = kind !== "heat"
    const medium = new Float32Array(n).fill(0.25)
    for (let i = 0; i < n; i++) {
      const x = i % columns, y = (i - x) / columns, off = Math.abs(y - rows / 2)
      if (kind === "slits" && Math.abs(x - 70) < 2 && Math.abs(off - 16) > 4) medium[i] = 0
      if (kind === "lens" && Math.hypot(x - 100, y - rows / 2) < 36) medium[i] = 0.13
    }
    const s = { kind, medium, now: new Float32Array(n), before: new Float32Array(n), steps: 0 }
    if (kind === "heat" || kind === "drum") this.touch(s, Math.round(columns / 2), Math.round(rows / 2))
    return s
  },
  step(s, form) {
    const { rows, columns } = this
    if (s.kind === "heat") heat(s.now, rows, columns, form.elements.ratio.valueAsNumber / 100, s.before)
    else {
      if (s.kind !== "drum") for (let y = 1; y < rows - 1; y++) s.now[y * columns + 28] += 0.12 * Math.sin(s.steps / 4) * Math.min(1, s.steps / 100)
      wave(s.now, s.medium, rows, columns, s.before)
    }
    ;[s.now, s.before] = [s.before, s.now]
    if (s.kind === "slits" || s.kind === "lens") // the rim swallows what comes, so that little comes back
      for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
        const rim = Math.min(x, columns - 1 - x, y, rows - 1 - y)
        if (rim >= 20) x = Math.max(x, columns - 21)
        else {
          const keep = 1 - 0.08 * (1 - rim / 20) ** 2
          s.now[y * columns + x] *= keep
          s.before[y * columns + x] *= keep
        }
      }
    s.steps++
  },
  look() {},
  value: (s, i) => (s.kind === "slits" ? 1.8 : 1.2) * s.now[i],
  wall: (s, i) => !s.medium[i],
  touch(s, x, y) {
    for (let b = -9; b <= 9; b++) for (let a = -9; a <= 9; a++) {
      const i = Math.min(Math.max(y + b, 1), this.rows - 2) * this.columns + Math.min(Math.max(x + a, 1), this.columns - 2)
      const hot = Math.exp(-(a * a + b * b) / 16)
      s.now[i] = Math.max(s.now[i], hot)
      if (s.kind !== "heat") s.before[i] = Math.max(s.before[i], hot)
    }
  },
  tell(s, form) {
    let sum = 0, largest = 0
    for (const value of s.now) { sum += value; largest = Math.max(largest, Math.abs(value)) }
    if (s.kind === "drum") return "Push the plate with the pointer."
    if (s.kind === "lens") return "The wave comes from the left, and is slower within the lens."
    if (s.kind === "slits") return "The wave comes from the left. Pale lines behind the wall: there crest meets trough."
    const ratio = form.elements.ratio.valueAsNumber
    if (!(largest < 5)) return `The largest cell has ${show(largest)}: a ratio above 0.25 makes a checkerboard grow. Begin again.`
    return `Heat the plate with the pointer. All of it together ${show(sum, 4)}, the hottest cell ${show(largest)}${ratio > 25 ? "; wait" : ""}.`
  },
}

const start = (form, live) => {
  if (form.dataset.ready) return
  form.dataset.ready = "yes"
  form.setAttribute("aria-label", live.label)
  if (!document.querySelector("link.calculators"))
    document.head.append(node("link", { rel: "stylesheet", class: "calculators", href: new URL("../css/calculators.css", import.meta.url).href }))
  const { rows, columns } = live
  const canvas = node("canvas", { width: columns, height: rows, role: "img" })
  const go = node("button", { type: "button", class: "md-button" }, "Start"), again = node("button", { type: "button", class: "md-button" }, "Begin again")
  const said = node("p", { class: "plan__said" }), rate = node("p", { class: "plan__said" })
  form.append(node("div", { class: "ranks__fields" }, ...live.controls()), canvas, node("p", { class: "live__buttons" }, go, again), said, rate)
  const context = canvas.getContext("2d"), image = context.createImageData(columns, rows)
  let state, running = false, seen = true, told = 0
  const paint = () => {
    live.look(state)
    for (let i = 0; i < rows * columns; i++) {
      const x = i % columns, at = 4 * ((rows - 1 - (i - x) / columns) * columns + x), value = live.value(state, i)
      const [r, g, b] = live.wall(state, i) ? [128, 128, 128] : value > 0 ? [225, 110, 20] : [35, 110, 225]
      image.data.set([r, g, b, live.wall(state, i) ? 255 : Math.min(255, 255 * Math.abs(value))], at)
    }
    context.putImageData(image, 0, 0)
  }
  const tell = () => {
    said.textContent = live.tell(state, form)
    canvas.setAttribute("aria-label", `${live.label}, after ${show(state.steps, 6)} steps. ${said.textContent}`)
  }
  const frame = began => {
    if (!running) return
    if (seen) {
      const first = state.steps, from = performance.now()
      while (performance.now() - from < 12 && state.steps - first < 20) live.step(state, form)
      const took = performance.now() - from
      paint()
      if (began - told > 500) {
        told = began
        tell()
        rate.textContent = `${show(state.steps, 6)} steps; your CPU updates ${show(((state.steps - first) * rows * columns) / took / 1e3)} million cells a second.`
      }
    }
    requestAnimationFrame(frame)
  }
  const run = on => {
    running = on
    go.textContent = on ? "Pause" : "Start"
    if (on) requestAnimationFrame(frame)
    else tell()
  }
  const reset = () => {
    state = live.reset(form)
    paint()
    tell()
  }
  const words = () => {
    for (const [name, say] of Object.entries(live.words)) {
      const input = form.elements[name]
      input.nextElementSibling.textContent = say(input.valueAsNumber)
      input.setAttribute("aria-valuetext", say(input.valueAsNumber))
    }
  }
  go.addEventListener("click", () => run(!running))
  again.addEventListener("click", reset)
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("input", event => {
    words()
    if (["kind", "degrees"].includes(event.target.name)) reset()
  })
  const touch = event => {
    if (!(event.buttons & 1)) return
    const box = canvas.getBoundingClientRect()
    live.touch(state, Math.floor(((event.clientX - box.left) / box.width) * columns), Math.floor((1 - (event.clientY - box.top) / box.height) * rows))
    paint()
  }
  canvas.addEventListener("pointerdown", touch)
  canvas.addEventListener("pointermove", touch)
  new IntersectionObserver(([entry]) => (seen = entry.isIntersecting)).observe(canvas)
  form.hidden = false
  words()
  reset()
}

if (globalThis.document$)
  document$.subscribe(() => {
    for (const [name, live] of Object.entries({ plate: PLATE, tunnel: TUNNEL })) document.querySelectorAll(`form.${name}`).forEach(form => start(form, live))
  })

// For a test without a page: a step, or a few, of arrays that come as lists.
export const answer = asked => {
  const { rows, columns } = asked, f = new Float32Array(asked.f ?? []), out = new Float32Array(f.length)
  if (asked.what === "heat") return heat(f, rows, columns, asked.ratio, out), [...out]
  if (asked.what === "wave") return out.set(asked.before), wave(f, asked.medium, rows, columns, out), [...out]
  if (asked.what === "lattice") return lattice(f, asked.solid, rows, columns, asked.omega, asked.wind, out), [...out]
  if (asked.what === "body") return [...body(asked.kind, rows, columns, asked.size, asked.degrees)]
  return force(f, asked.solid, rows, columns)
}
