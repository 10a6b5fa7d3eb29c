// "Run on my GPU": the launches of a program on the reader's own card, compared and measured.

import { Gpu, Refusal, unpacked } from "./gpu.js"

const NEAR = 2e-5 // of the largest number of an array: what float32 may differ by
const NEARLY = 0.9 // of a rate: two measurements of the same kernel differ by as much
const SLOW = 0.25 // seconds of a launch above which no larger size is tried

let gpu

const make = (tag, name = "", text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text })

// Numbers of a buffer.
const numbers = (data, kind) => new ({ f: Float32Array, i: Int32Array }[kind] ?? Uint32Array)(data.buffer, data.byteOffset, data.byteLength / 4)

// What differs from the stepper's result: null, or where it begins and how much there is of it.
export function difference(shader, want, got) {
  const wrong = []
  for (const b of shader.bindings) {
    if (!b.written || !got[b.name]) continue
    const right = numbers(want[b.name], b.kind)
    const ours = numbers(got[b.name], b.kind)
    let most = 0
    if (b.kind === "f") for (const x of right) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x))
    const differ = []
    for (let k = 0; k < right.length; k++) {
      const [x, y] = [right[k], ours[k]]
      if (x === y || (x !== x && y !== y) || (b.kind === "f" && Math.abs(x - y) <= NEAR * most)) continue
      differ.push(k)
    }
    if (differ.length) {
      const [k] = differ
      const many = differ.length === 1 ? `It is the only one of ${count(right.length)} that differs` : `${count(differ.length)} of ${count(right.length)} elements differ`
      wrong.push(`${b.name}[${k}] is ${ours[k]} on this GPU and ${right[k]} in the stepper. ${many}.`)
    }
  }
  return wrong.join(" ") || null
}

// A shader for more elements, whose buffers repeat what those of another hold.
function longer(small, large) {
  const bindings = large.bindings.map(b => {
    const base = small.bindings.find(one => one.name === b.name).data
    const data = new Uint8Array(b.elements * 4)
    for (let at = 0; at < data.length; at += base.length) data.set(base.subarray(0, data.length - at), at)
    return { ...b, data }
  })
  return { ...large, params: small.params, bindings }
}

// Bytes that a launch must move at least: what it reads and what it writes, once.
const traffic = shader => shader.bindings.reduce((sum, b) => sum + b.data.byteLength * (b.read + b.written), 0)
const rate = bytes => (bytes >= 1e11 ? `${(bytes / 1e12).toPrecision(3)} TB/s` : `${(bytes / 1e9).toPrecision(3)} GB/s`)
const span = seconds => (seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(3)} µs` : `${(seconds * 1e3).toPrecision(3)} ms`)
const percent = share => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
const count = n => n.toLocaleString("en")

export class MyGpu {
  // `section`: where it writes; `say(text, level)`: the panel's status line.
  constructor(section, say) {
    this.section = section
    this.say = say
  }

  // `kernels`: what session.on_gpu made. `record`: the row of the H200's benchmark of this kernel, or nothing. `pars`: of an
  // exercise, the kernels of the reference solution.
  async run(kernels, record, pars = []) {
    const { section } = this
    section.replaceChildren(make("h3", "", "On this computer's GPU"))
    section.hidden = false
    if (!gpu || gpu.gone) gpu = undefined
    try {
      gpu ??= await Gpu.open()
    } catch (error) {
      section.append(make("p", "", error.message))
      this.say("No GPU to run it on.", "bad")
      return
    }
    const software = gpu.software ? " It is a software adapter: your browser computes on the CPU." : ""
    section.append(make("p", "rh-gpu-name", `Adapter: ${gpu.name}.${software}`))
    let wrong = 0
    let right = 0
    let copy
    for (const row of kernels) {
      const place = make("section", "rh-gpu")
      section.append(place)
      place.append(make("h4", "", `${row.kernel}, ${row.grid.filter((n, k) => !k || n > 1).join(" × ")} blocks of ${row.block.filter((n, k) => !k || n > 1).join(" × ")}`))
      if (!row.shader) {
        place.append(make("p", "", row.refused ? `Not compiled: line ${row.line}: ${row.refused}.` : "It did not end in the stepper."))
        wrong++
        continue
      }
      const shader = unpacked(row.shader)
      const want = Object.fromEntries(Object.entries(row.want).map(([name, data]) => [name, Uint8Array.from(atob(data), c => c.charCodeAt(0))]))
      try {
        this.say(`Running ${row.kernel} on ${gpu.name}.`)
        const differs = difference(shader, want, await gpu.run(shader))
        differs ? wrong++ : right++
        place.append(make("p", differs ? "rh-gpu-wrong" : "rh-gpu-right", differs ? `✗ ${differs}` : "✓ The same result as the stepper's."))
        if (differs) place.append(make("p", "", "It was not measured: how fast a wrong result comes says nothing. If the kernel is right whatever the order of its threads (Check tries several), this GPU or its driver is not."))
        else if (row.sizes) {
          this.say(`Measuring ${row.kernel}.`)
          copy ??= await gpu.copyRate()
          const par = pars.find(one => one.kernel === row.kernel)
          place.append(await this.measured(shader, row.sizes, copy, record, par))
        }
      } catch (error) {
        if (!(error instanceof Refusal)) console.error(error)
        wrong++
        place.append(make("p", "rh-gpu-wrong", error.message))
      }
      place.append(this.listing(shader))
      if (gpu.gone) break
    }
    if (gpu.gone) gpu = undefined
    this.say(wrong ? `${wrong} of ${wrong + right} launches gave no right result on your GPU.` : `${right} ${right === 1 ? "launch" : "launches"} on your GPU, with the stepper's result.`, wrong ? "bad" : "good")
  }

  // Times for growing sizes, as a table; below it the share of this adapter's copy rate as bars.
  async measured(small, sizes, copy, record, par) {
    const table = make("table", "rh-par")
    const head = make("tr")
    for (const name of ["Elements", "A launch", "Rate", "Of this adapter's copy rate"]) head.append(Object.assign(make("th", "", name), { scope: "col" }))
    table.append(make("caption", "", `Times by ${gpu.timed ? "the GPU's own clock" : "the page's clock over many launches"}. Above the page's own size, blocks have 256 threads if the kernel leaves the choice. A copy runs at ${rate(copy)} here.`), head)
    let best = 0
    let last
    for (const [times, large] of [[1, null], ...sizes]) {
      const shader = large ? longer(small, large) : small
      if (shader.bindings.some(b => b.data.byteLength > gpu.device.limits.maxStorageBufferBindingSize)) break
      const { seconds } = await gpu.time(shader)
      const bytes = traffic(shader)
      const share = bytes / seconds / copy
      best = Math.max(best, share)
      last = { times, share, shader }
      const row = make("tr")
      row.append(Object.assign(make("th", "", count(Math.max(...shader.bindings.map(b => b.elements)))), { scope: "row" }))
      for (const text of [span(seconds), rate(bytes / seconds), percent(share)]) row.append(make("td", "", text))
      table.append(row)
      if (seconds > SLOW) break
    }
    const box = make("div")
    box.append(table)
    if (record && sizes.length) {
      const list = make("ul", "rh-bars")
      for (const [name, share, rest] of [["Your GPU", best, ""], ["H200, Numba", record.share, ` (${rate(record.gbps * 1e9)})`]]) {
        const item = make("li", "", `${name}: ${(100 * share).toFixed(0)} % of its copy rate${rest} `)
        item.append(Object.assign(make("meter"), { max: 1, value: Math.min(1, share), ariaLabel: name }))
        list.append(item)
      }
      box.append(list)
    }
    const aim = par ? await this.par(par, last, copy) : record && sizes.length && { share: best, par: record.share, whose: "what it reaches on the H200, of that card's own" }
    if (aim) box.append(make("p", "rh-gpu-par", `${aim.share >= NEARLY * aim.par ? "At par" : "Below par"}: your kernel reaches ${percent(aim.share)} of this card's own copy rate. Par is ${percent(aim.par)}, ${aim.whose}.`))
    return box
  }

  // What the reference solution reaches on this card, with as many elements as the reader's kernel had last.
  async par(row, last, copy) {
    const small = unpacked(row.shader)
    const large = row.sizes.find(([times]) => times === last?.times)?.[1]
    if (!last || (last.times > 1 && !large)) return null
    // By turns, so that a moment in which the card does something else decides nothing.
    const reached = async shader => traffic(shader) / (await gpu.time(shader)).seconds / copy
    const reference = await reached(large ? longer(small, large) : small)
    const again = await reached(last.shader)
    return { share: Math.max(last.share, again), par: reference, whose: "what the reference solution reaches on it" }
  }

  listing(shader) {
    const more = make("details")
    const code = Object.assign(make("pre", "rh-output", shader.wgsl), { tabIndex: 0 })
    code.setAttribute("role", "region")
    code.setAttribute("aria-label", `WGSL of ${shader.name}`)
    more.append(make("summary", "", "The WGSL that was made of it"), code)
    return more
  }
}
