// "Run on my GPU": the launches of a program on the reader's own card, compared and measured.

import { bytes, Gpu, Refusal, unpacked } from "./gpu.js"
import { reached, roof, scaled } from "./h200.js"
import { copyRate, inOrder, lanes, multiplyAdds, nothing } from "./probes.js"

const DRIFT = 0.1 // of the copy rate, that two measurements of a minute differ by on a GPU that has nothing else to do
const ABOVE = 1.02 // of a copy rate or a roof: two measurements differ by less
const NEARLY = 0.9 // of a rate: two measurements of the same kernel differ by as much
const LONG = 1 // seconds that a launch may be expected to take: systems reset a GPU that is busy for two
const LEAST = 0.02 // of its own limit, that the H200 reaches: below it there is nothing to hold a card against
const SUM = 1e-3 // what a float32 sum of many numbers, added in any order, may differ by from the float64 sum
const SHORT = 4 // times what a launch of nothing takes: less says more of launching than of the kernel

const SOME = " The stepper ran only a few of the blocks, and in those they ended."

let gpu
let told = 0 // tables that were made

const make = (tag, name = "", text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text })

// Numbers of a buffer with so many elements: of kind h are float16 in two bytes, of q, Q and d numbers of 64 bits, else each has four.
const numbers = (data, kind, count) =>
  kind === "h"
    ? Float32Array.from(new Uint16Array(data.buffer, data.byteOffset, count), half)
    : "qQd".includes(kind)
      ? new { q: BigInt64Array, Q: BigUint64Array, d: Float64Array }[kind](data.slice().buffer)
      : new ({ f: Float32Array, i: Int32Array }[kind] ?? Uint32Array)(data.buffer, data.byteOffset, data.byteLength / 4)
const half = bits => {
  const [size, rest] = [(bits >> 10) & 31, bits & 1023]
  const value = size === 31 ? (rest ? NaN : Infinity) : size ? 2 ** (size - 25) * (1024 + rest) : 2 ** -24 * rest
  return bits >> 15 ? -value : value
}
const NORMAL = { f: 2 ** -126, h: 2 ** -14, d: 0 } // the smallest number with all of its digits: what lies below is subnormal
const floats = { f: 2e-5, h: 1e-3, d: 1e-12 } // of the largest number of an array: what such numbers may differ by

// Compares with the stepper's result: `wrong`, null or where a difference begins and how much there is of it; `far`, the largest
// difference of floats, as a share of the largest number of their array. `places`: of a large launch, the elements that `want` has.
// `near`: what else floats may differ by. `tiny`: whether it differs in subnormal numbers, or was computed from some.
export function compared(shader, want, got, places, near) {
  const wrong = []
  const subnormal = (x, kind) => x !== 0 && kind in NORMAL && Math.abs(x) < NORMAL[kind]
  let far = 0
  let tiny = false
  for (const b of shader.bindings) {
    if (!b.written || !got[b.name] || !want[b.name]) continue
    const at = places?.[b.name]
    const right = numbers(want[b.name], b.kind, at?.length ?? b.elements)
    const ours = numbers(got[b.name], b.kind, b.elements)
    let most = 0
    if (floats[b.kind]) for (const x of right) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x))
    const differ = []
    for (let k = 0; k < right.length; k++) {
      const [x, y] = [right[k], ours[at ? at[k] : k]]
      if (x === y || (x !== x && y !== y)) continue
      if (floats[b.kind] && Math.abs(x - y) <= (near ?? floats[b.kind]) * most) far = Math.max(far, Math.abs(x - y) / most)
      else differ.push(k)
    }
    if (differ.length) {
      const [k] = differ
      tiny ||= differ.some(at => subnormal(right[at], b.kind))
      const all = `${count(right.length)}${at ? " compared" : ""}`
      const many = differ.length === 1 ? `It is the only one of ${all} that differs` : `${count(differ.length)} of ${all} elements differ`
      const place = at ? at[k] : k
      wrong.push(`${b.name}[${place}] is ${ours[place]} on this GPU and ${right[k]} in the stepper. ${many}.`)
    }
  }
  if (wrong.length) tiny ||= shader.bindings.some(b => b.read && floats[b.kind] && numbers(b.data, b.kind, b.elements).some(x => subnormal(x, b.kind)))
  return { wrong: wrong.join(" ") || null, far, tiny }
}

// What the stepper left of some blocks of a large launch: the elements' places, and their bytes, by array.
const sampled = arrays => [0, 1].map(k => Object.fromEntries(Object.entries(arrays).map(([name, row]) => [name, k ? bytes(row[1]) : new Uint32Array(bytes(row[0]).buffer)])))

const many = places => Object.values(places).reduce((sum, p) => sum + p.length, 0)

// A shader for more elements, whose buffers repeat what those of another hold.
function longer(small, large) {
  const bindings = large.bindings.map(b => {
    const base = small.bindings.find(one => one.name === b.name).data
    const data = new Uint8Array(b.size)
    data.set(base.subarray(0, data.length))
    for (let at = base.length; at && at < data.length; at *= 2) data.copyWithin(at, 0, at)
    return { ...b, data }
  })
  return { ...large, params: bytes(large.params), bindings }
}

// Bytes that a launch must move at least: what it reads and what it writes, once.
const traffic = shader => shader.bindings.reduce((sum, b) => sum + b.data.byteLength * (b.read + b.written), 0)
const several = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`
// The shape of a launch: "4 blocks of 16 × 16".
const shape = ({ grid, block }) => {
  const [blocks, threads] = [grid, block].map(side => side.filter((n, k) => !k || n > 1).join(" × "))
  return `${blocks} ${blocks === "1" ? "block" : "blocks"} of ${threads}`
}
const rate = n => scaled(n / 1e9, "B/s")
const span = seconds => (seconds >= 1 ? `${seconds.toPrecision(3)} s` : seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(3)} µs` : `${(seconds * 1e3).toPrecision(3)} ms`)
const percent = share => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
const count = n => n.toLocaleString("en")
const held = far => `${far ? `the largest difference is ${far.toExponential(1)}` : "it is the same, rounded to float32"}, and ${floats.f} of the largest number of an array is allowed.`
const work = flops => scaled(flops / 1e9, "FLOP/s")

// What the compiler may use of this adapter: `subgroups`, 32 where they are as warps are, else 0; `f16`.
export async function abilities() {
  if (!gpu || gpu.gone) gpu = await Gpu.open()
  gpu.warps ??= await warps(gpu)
  const { maxComputeInvocationsPerWorkgroup: threads } = gpu.device.limits
  return { subgroups: gpu.warps ? 32 : 0, f16: gpu.device.features.has("shader-f16"), threads }
}

// Whether this adapter's subgroups are warps, as it says and as a kernel finds: in blocks of one, two and three dimensions.
async function warps(gpu) {
  const { subgroupMinSize: least, subgroupMaxSize: most } = gpu.adapter.info ?? {}
  if (!gpu.device.features.has("subgroups") || least !== 32 || most !== 32) return false
  try {
    for (const block of [[256, 1, 1], [16, 16, 1], [8, 4, 4]]) {
      const { y } = await gpu.run(lanes(block))
      if (!inOrder([...new Uint32Array(y.buffer)])) return false
    }
    return true
  } catch (error) {
    if (error instanceof Refusal && !gpu.gone) return false // shuffles through workgroup memory do without
    throw error
  }
}

// This adapter's multiply-adds, in TFLOP/s, as the page My GPU measures them.
async function peak() {
  const [shader, flops] = multiplyAdds(gpu.software ? 8 : 2048, gpu.software ? 8 : 256)
  return flops / (await gpu.time(shader)).seconds / 1e12
}

export class MyGpu {
  // `section`: where it writes; `say(text, level)`: the panel's status line; `narrow(plan)`: runs the program once more, with float64
  // in float32 (`single`) or by integers (`emulated`).
  // `base`: the site's root.
  constructor(section, say, narrow, base) {
    this.section = section
    this.say = say
    this.narrow = narrow
    this.base = base
  }

  // The device is lost, with whatever runs on it.
  stop() {
    this.stopped = true
    gpu?.close()
  }

  // `kernels`: what session.on_gpu made. `rows`: the H200's benchmarks, if there are any. `pars`: of an exercise, the kernels of
  // the reference solution.
  async run(kernels, rows, pars = []) {
    const { section } = this
    section.replaceChildren(make("h3", "", "On this computer's GPU"))
    section.hidden = false
    if (!gpu || gpu.gone) gpu = undefined
    try {
      gpu ??= await Gpu.open()
    } catch (error) {
      const why = make("p", "", error.message)
      if (error.help) why.append(" ", Object.assign(make("a", "", error.help[0]), { href: new URL(error.help[1], this.base).href }))
      section.append(why)
      this.say("No GPU to run it on.", "bad")
      return
    }
    if (this.stopped) gpu.close()
    const software = gpu.software ? ` It is a software adapter: your browser computes on the CPU.` : ""
    section.append(make("p", "rh-gpu-name", `Adapter: ${gpu.name}.${software}`))
    let wrong = 0
    let right = 0
    let refused = 0
    let untold = 0
    let unmeasured = 0
    let endless = 0
    let card // this adapter's own limits, measured in this minute
    for (const row of kernels) {
      if (this.stopped) break
      const place = make("section", "rh-gpu")
      section.append(place)
      place.append(make("h4", "", `${row.kernel}, ${shape(row)}`))
      if (!row.shader) {
        place.append(make("p", "", row.refused ? `Not compiled: line ${row.line}: ${row.refused}.` : "It did not end in the stepper."))
        if (row.wide) place.append(this.offer())
        refused++
        continue
      }
      const shader = unpacked(row.shader)
      if (row.halves) place.append(make("p", "", gpu.device.features.has("shader-f16") ? "float16 takes two bytes here, as in CUDA." : "This adapter has no float16 (the feature shader-f16): such numbers take four bytes here and are rounded after each operation. The result is the same; the traffic is twice CUDA's."))
      // Of a launch that is too large for the stepper, it ran some blocks, or none.
      const [places, want] = row.sample ? sampled(row.sample.arrays) : [undefined, Object.fromEntries(Object.entries(row.want ?? {}).map(([name, data]) => [name, bytes(data)]))]
      try {
        this.say(`Running ${row.kernel} on ${gpu.name}.`)
        const why = row.unlike ? ` The stepper cannot tell: it has too many threads, and ${row.unlike}.` : SOME
        await gpu.trial(shader, !row.sample && !row.unlike, row.sample || row.unlike ? why : "")
        const { wrong: differs, far, tiny } = compared(shader, want, await gpu.run(shader), places)
        if (row.unlike) {
          untold++
          place.append(make("p", "", `It ran and was not compared: it has too many threads for the stepper, and ${row.unlike}.`))
        } else differs ? wrong++ : right++
        if (!row.unlike) place.append(make("p", differs ? "rh-gpu-wrong" : "rh-gpu-right", differs ? `✗ ${differs}` : row.single ? `✓ The stepper's result in float64, as near as float32 comes: ${held(far)}` : row.sample ? `✓ The same result as the stepper's in ${count(many(places))} elements: of so many threads it ran some blocks, the first and the last among them.` : "✓ The same result as the stepper's."))
        if (row.emulated) place.append(make("p", "", "float64 was emulated by integers: to the bit in its arithmetic, and slow."))
        if (differs && row.single) place.append(make("p", "", "It was computed in float32, and the stepper computes in float64 as CUDA does: this kernel may need the digits that float32 does not have. It was not measured."))
        else if (differs && tiny) place.append(make("p", "", "It was not measured. Its arrays hold subnormal numbers: not 0, and below 1.2e-38 in float32 or 6.1e-5 in float16. WGSL lets a GPU take those for 0, where CUDA computes with them. That may be the whole difference: try larger numbers."))
        else if (differs) place.append(make("p", "", "It was not measured: how fast a wrong result comes says nothing. If the kernel is right whatever the order of its threads (Check tries several), the fault is this GPU's, its driver's, or our compiler's: tell us."))
        else if (row.sizes) {
          this.say(`Measuring ${row.kernel}.`)
          try {
            card ??= { copy: await copyRate(gpu), launch: (await gpu.time(nothing())).seconds }
            if (row.sizes.some(size => size.flops)) card.tflops ??= await peak()
            const par = pars.find(one => one.kernel === row.kernel)
            place.append(await this.measured(shader, row, card, rows, par))
          } catch (error) {
            if (!(error instanceof Refusal || this.stopped)) console.error(error)
            place.append(make("p", "rh-gpu-wrong", this.stopped ? "Stopped." : error.wrong ? `✗ ${error.message}` : `✗ It could not be measured: ${error.message}`))
            if (error.wrong) {
              wrong++
              right--
            } else unmeasured++
          }
        }
      } catch (error) {
        if (!(error instanceof Refusal || this.stopped)) console.error(error)
        error.held ? endless++ : wrong++
        place.append(make("p", "rh-gpu-wrong", this.stopped ? "Stopped." : error.message))
      }
      place.append(this.listing(shader, row))
      if (gpu.gone) break
    }
    if (gpu.gone || this.stopped) gpu = undefined
    if (this.stopped) this.say("Stopped. The GPU was given up with what it ran.", "bad")
    else {
      const said = []
      if (wrong) said.push(`${wrong} of ${wrong + right} launches gave no right result on your GPU.`)
      else if (right) said.push(`${several(right, "launch", "launches")} on your GPU, with the stepper's result.`)
      if (untold) said.push(`${several(untold, "launch", "launches")} ran on your GPU and ${untold === 1 ? "was" : "were"} not compared.`)
      if (refused) said.push(`${several(refused, "launch was", "launches were")} not compiled.`)
      if (endless) said.push(`${several(endless, "launch was", "launches were")} not run: loops of too many turns, or that never end.`)
      if (unmeasured) said.push(`${unmeasured} could not be measured.`)
      this.say(said.join(" "), wrong || endless || unmeasured || refused ? "bad" : "good")
    }
  }

  // A kernel in float64 may be run in float32, if the reader says so.
  offer() {
    const box = make("div", "rh-gpu-offer")
    const button = (text, plan) => Object.assign(make("button", "rh-button", text), { type: "button", onclick: () => this.narrow(plan) })
    const [single, emulated] = [button("Run it in float32", { single: true }), button("Run it with float64 emulated", { emulated: true })]
    box.append(make("p", "", "This kernel computes in float64, which WebGPU does not have. In float32 it keeps 7 digits of a number instead of 16, so its result is held to 0.002\u00a0% of the largest number of each array, and no longer to the last digit."), single)
    box.append(make("p", "", "Emulated, each operation of float64 is done by some hundred operations on integers: exact, and slow. Its time says nothing of this GPU's float64, which WebGPU does not use. A long kernel takes the browser's driver long to compile."), emulated)
    return box
  }

  // Times for growing sizes, as a table; below it the share of this adapter's copy rate, or of its roof, as bars.
  async measured(small, { sizes, single, row: id, sample, unlike, grid, block }, card, rows, par) {
    const first = sample ? count(many(sampled(sample.arrays)[0])) : unlike ? "no" : "all"
    const table = make("table", "rh-par")
    const notes = make("ul", "rh-gpu-notes")
    const head = make("tr")
    const computes = sizes.some(size => size.flops)
    const whose = computes ? "roof" : "copy rate"
    for (const name of ["Elements", "Compared", "A launch", "Rate", "Of this adapter's copy rate", ...(computes ? ["Of its roof"] : [])]) head.append(Object.assign(make("th", "", name), { scope: "col" }))
    const own = !sizes.length ? "" : par && !sizes[0].times ? " The large launch is the check's own for larger arrays, which repeat what the small ones hold." : sizes[0].times ? " Above the page's own size, blocks have 256 threads if the kernel leaves the choice." : " The larger launches have blocks of a usual size, as the H200's benchmark."
    // A paragraph, and no caption: that would be as wide as the table, and be cut with it.
    const how = make("p", "rh-gpu-how")
    how.id = `rh-gpu-how-${++told}`
    table.setAttribute("aria-describedby", how.id)
    table.append(head)
    const grows = grid[1] > 1 || block[1] > 1 ? 1.5 : 1 // a product of matrices takes longer than its elements are more
    const found = []
    let last
    let samples = false
    let sums = false
    const uncompared = new Map() // reason -> the sizes
    for (const [at, size] of [{ shader: null }, ...sizes].entries()) {
      const shader = size.shader ? longer(small, size.shader) : small
      if (shader.bindings.some(b => b.data.byteLength > gpu.device.limits.maxStorageBufferBindingSize)) break
      const amount = size.flops ?? Math.max(...shader.bindings.map(b => b.elements))
      if (last?.size.shader && last.seconds * (amount / last.amount) ** grows > LONG) break
      const most = count(Math.max(...shader.bindings.map(b => b.elements)))
      if (size.fault) {
        notes.append(make("li", "", `${most} elements were not run. ${size.fault}`))
        continue
      }
      let part = size.shader ? "all" : first
      if (size.shader) {
        try {
          await gpu.trial(shader, false, size.sample && !size.sample.sum ? SOME : "")
        } catch (error) {
          if (gpu.gone || !(error instanceof Refusal)) throw error
          notes.append(make("li", "", `${most} elements: ${error.message}`))
          break
        }
      }
      if (size.sample) {
        const [places, want] = sampled(size.sample.arrays)
        const { wrong } = compared(shader, want, await gpu.run(shader), places, size.sample.sum && SUM)
        if (wrong && size.sample.sum) {
          notes.append(make("li", "", `${most} elements were not timed: their sum is off by more than ${percent(SUM)}, as a float32 may be to which so many numbers are added one by one. ${wrong.replace("in the stepper", "in float64")}`))
          continue
        }
        if (wrong && single) {
          notes.append(make("li", "", `${most} elements were not timed: float32 has too few digits for so many. ${wrong}`))
          continue
        }
        if (wrong) throw Object.assign(new Refusal(`With ${most} elements the result is wrong. ${wrong}`), { wrong })
        part = count(many(places))
        size.sample.sum ? (sums = true) : (samples = true)
      } else if (size.shader) {
        part = "no"
        uncompared.set(size.unlike, [...(uncompared.get(size.unlike) ?? []), most])
      }
      const { seconds } = await gpu.time(shader)
      const moved = size.bytes ?? traffic(shader)
      last = { size, at: at - 1, amount, seconds, shader, intensity: size.flops && size.flops / moved, moved, part, most, short: seconds < SHORT * card.launch }
      found.push(last)
    }
    // Once more behind the kernel: what else a GPU does may slow the one measurement or the other. The better counts.
    const before = card.copy.gbps
    const after = await copyRate(gpu, card.copy)
    if (after.gbps > before) card.copy = after
    card.copy_gbps = card.copy.gbps
    const apart = Math.abs(after.gbps - before) / card.copy_gbps > DRIFT ? `, measured twice: ${rate(before * 1e9)} before the kernel and ${rate(after.gbps * 1e9)} behind it. They differ because something else uses this GPU too, and what follows is as rough` : ""
    const roofs = computes ? ` Multiply-adds run at ${work(card.tflops * 1e12)}: the roof is the lower of the two at a kernel's operations a byte.` : ""
    how.textContent = `Times by ${gpu.timed ? "the GPU's own clock" : "the page's clock over many launches"}.${own} A copy of ${card.copy.bytes >> 20} MiB runs at ${rate(card.copy_gbps * 1e9)} here${apart}.${roofs} A launch of nothing takes ${span(card.launch)}.`
    let above = false
    for (const row of found) {
      const { size, seconds, moved, intensity } = row
      const ofCopy = moved / seconds / 1e9 / card.copy_gbps
      const ofRoof = intensity && size.flops / seconds / 1e9 / roof(card, intensity)
      row.share = computes ? ofRoof : ofCopy
      above ||= ofCopy > ABOVE || ofRoof > ABOVE
      const line = make("tr")
      line.append(Object.assign(make("th", "", row.most), { scope: "row" }))
      const cells = [row.part, span(seconds), intensity >= 1 ? work(size.flops / seconds) : rate(moved / seconds), percent(ofCopy)]
      if (computes) cells.push(intensity ? percent(ofRoof) : "not counted")
      for (const text of cells) line.append(make("td", "", text))
      table.append(line)
    }
    if (above) notes.append(make("li", "", `Above 100 %: the copy is too large for any cache. What fits a cache is read from there, which is faster than memory; and a kernel that reads more than it writes may pass a copy, which does as much of both.`))
    for (const [why, sizes] of uncompared) {
      const all = sizes.length > 1 ? `${sizes.slice(0, -1).join("; ")} and ${sizes.at(-1)}` : sizes[0]
      notes.append(make("li", "", `${all} elements were timed and not compared: ${why}.`))
    }
    if (sums) notes.prepend(make("li", "", `Compared: the one sum of a large launch, with the same sum in float64. It may differ by ${percent(SUM)}: float32 rounds after each addition, and the order is left open.`))
    if (samples) notes.prepend(make("li", "", "Compared: how many elements of the result were held against the stepper's. Of a large launch it runs some blocks, the first and the last among them, and what those wrote is compared."))
    const box = make("div")
    const wide = Object.assign(make("div", "rh-wide"), { tabIndex: 0, role: "region", ariaLabel: "Measurements" })
    wide.append(table)
    box.append(how, wide, notes)
    if (last.short) {
      box.append(make("p", "rh-gpu-short", `Too short to hold against a par: ${span(last.seconds)}, where a launch of nothing takes ${span(card.launch)}. That is the time of a launch, and not of a kernel.`))
      return box
    }
    const record = last.share && last.size.shader && reached(rows, id, last.intensity)
    if (record) {
      const list = make("ul", "rh-bars")
      const theirs = record.gbps ? rate(record.gbps * 1e9) : work(record.gflops * 1e9)
      for (const [name, share, rest] of [["Your GPU", last.share, ""], ["H200, Numba", record.share, ` (${theirs})`]]) {
        const item = make("li", "", `${name}: ${percent(share)} of its ${whose}${rest} `)
        item.append(Object.assign(make("meter"), { max: 1, value: Math.min(1, share), ariaLabel: name }))
        list.append(item)
      }
      box.append(list)
    }
    const aim = par ? await this.par(par, last, card) : record && record.share >= LEAST && { share: last.share, par: record.share, whose: "what it reaches on the H200, of that card's own" }
    if (aim) box.append(make("p", "rh-gpu-par", `${aim.share >= NEARLY * aim.par ? "At par" : "Below par"}: your kernel reaches ${percent(aim.share)} of this card's own ${whose}. Par is ${percent(aim.par)}, ${aim.whose}.`))
    return box
  }

  // What the reference solution reaches on this card, with as many elements as the reader's kernel had last.
  async par(row, last, card) {
    const small = unpacked(row.shader)
    const { times, flops, bytes } = last.size
    const large = row.sizes[last.at]?.shader
    if (last.size.shader && (!large || row.sizes[last.at].times !== times)) return null
    // By turns, so that a moment in which the card does something else decides nothing. Both are held to the same work: what the
    // reader's kernel moves beside it is its own affair.
    const reference = large ? longer(small, large) : small
    const moved = bytes ?? traffic(reference)
    const limit = flops ? flops / roof(card, flops / moved) / 1e9 : moved / card.copy_gbps / 1e9
    const share = async shader => limit / (await gpu.time(shader)).seconds
    const par = await share(reference)
    const again = await share(last.shader)
    return { share: again, par, whose: "what the reference solution reaches on it" }
  }

  listing(shader, { python, ...row }) {
    const more = make("details")
    const both = make("div", "rh-both")
    for (const [name, text] of [["Python", python], ["WGSL", shader.wgsl]]) {
      const code = Object.assign(make("pre", "rh-output", text), { tabIndex: 0 })
      code.setAttribute("role", "region")
      code.setAttribute("aria-label", `${name} of ${shader.name}`)
      both.append(code)
    }
    // The kernel itself, to read beside the Python: constants, buffers and helpers stand above it.
    more.addEventListener("toggle", () => {
      const code = both.lastChild
      const from = document.createRange()
      const at = shader.wgsl.indexOf("@compute")
      from.setStart(code.firstChild, at)
      from.setEnd(code.firstChild, at + 1)
      code.scrollTop += from.getBoundingClientRect().top - code.getBoundingClientRect().top - 8
    }, { once: true })
    more.append(make("summary", "", `The WGSL that was made of it for this launch, ${shape(row)}, beside its Python`), both)
    return more
  }
}
