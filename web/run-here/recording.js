// A recording of one launch, as simulator/stepper/trace.py makes it, played forwards and back.

const WARP = 32

export const bits = mask => {
  let n = 0
  for (mask >>>= 0; mask; mask = (mask & (mask - 1)) >>> 0) n++
  return n
}

export const triple = ([x, y, z]) => (z ? `(${x}, ${y}, ${z})` : y ? `(${x}, ${y})` : `${x}`)

// How long a row of a memory is; one dimension is one row.
export const rowOf = shape => Math.max(1, shape.at(-1) ?? 1)

export class Recording {
  constructor(trace) {
    this.trace = trace
    this.steps = trace.steps
    this.position = 0 // so many steps are done
    this.memory = trace.memories.map(m => [...m.initial])
    this.shapeOf = trace.memories.map(m => m.shape)
    const [x, y, z] = trace.block
    this.threads = x * y * z
    // The steps of each block, and of each of its warps: places in `steps`.
    this.ofBlock = trace.blocks.map(() => [])
    this.ofWarp = trace.blocks.map(() => [])
    this.barriers = trace.blocks.map(() => [])
    this.barrierLines = new Set()
    this.used = trace.memories.map(() => null) // the rows and columns that are touched at all
    // When each element was first written, where nothing had written it before the launch.
    this.firstWrite = trace.memories.map(m => (m.unwritten === true || m.unwritten.length ? new Map() : null))
    this.unwritten = trace.memories.map(m => (m.unwritten === true ? null : new Set(m.unwritten)))
    this.owner = [] // of a local array: its block and its thread
    this.steps.forEach(([block, warp, place, mask, accesses], at) => {
      this.ofBlock[block].push(at)
      if (warp < 0) {
        this.barriers[block].push(at)
        this.barrierLines.add(trace.sites[place].line)
        return
      }
      ;(this.ofWarp[block][warp] ??= []).push(at)
      for (const [, memory, lanes, items, written] of accesses) {
        this.use(memory, items)
        if (trace.memories[memory].space === "local")
          this.owner[memory] ??= [block, warp * WARP + (lanes ? lanes[0] : 31 - Math.clz32(mask & -mask))]
        const first = written && this.firstWrite[memory]
        if (first) for (const item of items) if (!first.has(item)) first.set(item, at)
      }
    })
  }

  use(memory, items) {
    const row = rowOf(this.shapeOf[memory])
    const used = (this.used[memory] ??= { rows: [Infinity, 0], columns: [Infinity, 0] })
    for (const item of items) {
      const r = Math.floor(item / row)
      const c = item % row
      if (r < used.rows[0]) used.rows[0] = r
      if (r > used.rows[1]) used.rows[1] = r
      if (c < used.columns[0]) used.columns[0] = c
      if (c > used.columns[1]) used.columns[1] = c
    }
  }

  seek(position) {
    while (this.position < position) this.apply(this.steps[this.position++], 4)
    while (this.position > position) this.apply(this.steps[--this.position], 5)
  }

  // Put what a step wrote (4), or what was there before it (5), into the memories.
  apply([, , , , accesses], which) {
    const list = which === 5 ? [...accesses].reverse() : accesses
    for (const access of list) {
      const values = access[which]
      if (!values) continue
      const memory = this.memory[access[1]]
      const items = access[3]
      for (let k = 0; k < items.length; k++) {
        const at = which === 5 ? items.length - 1 - k : k
        if (items[at] < memory.length) memory[items[at]] = values[at]
      }
    }
  }

  isWritten(memory, item) {
    const first = this.firstWrite[memory]
    if (!first) return true
    const missing = this.unwritten[memory]
    if (missing && !missing.has(item)) return true
    return first.has(item) && first.get(item) < this.position
  }

  line(step) {
    const [, warp, place] = step
    return (warp < 0 ? this.trace.sites : this.trace.statements)[place].line
  }

  lanesOf(warp) {
    return Math.min(WARP, this.threads - warp * WARP)
  }

  // What each thread of a block is doing: [{state, line}]. States: idle, running, masked, ready, barrier, done.
  threadsOf(block) {
    const now = this.position - 1 // the step that was done last
    const current = now >= 0 && this.steps[now][0] === block ? this.steps[now] : null
    const list = this.barriers[block]
    let k = lowest(list, now + 1)
    const opened = k ? list[k - 1] : -1 // the last barrier that all have passed
    const out = []
    for (let warp = 0; warp * WARP < this.threads; warp++) {
      const steps = this.ofWarp[block][warp] ?? []
      const until = lowest(steps, now + 1)
      const lanes = this.lanesOf(warp)
      const last = new Array(lanes).fill(-1)
      const more = new Array(lanes).fill(false)
      let left = lanes
      for (k = until - 1; k >= 0 && left; k--) {
        const mask = this.steps[steps[k]][3]
        for (let lane = 0; lane < lanes; lane++)
          if (last[lane] < 0 && (mask >>> lane) & 1) {
            last[lane] = steps[k]
            left--
          }
      }
      left = lanes
      for (k = until; k < steps.length && left; k++) {
        const mask = this.steps[steps[k]][3]
        for (let lane = 0; lane < lanes; lane++)
          if (!more[lane] && (mask >>> lane) & 1) {
            more[lane] = true
            left--
          }
      }
      const mine = current && current[1] === warp
      for (let lane = 0; lane < lanes; lane++) {
        const at = last[lane]
        const line = at < 0 ? null : this.line(this.steps[at])
        let state = "ready"
        if (mine && at === now) state = "running"
        else if (at >= 0 && !more[lane] && !this.trace.cut) state = "done"
        else if (at >= 0 && this.barrierLines.has(line) && at > opened) state = "barrier"
        else if (mine) state = "masked"
        else if (at < 0) state = "idle"
        out.push({ state, line, warp, lane })
      }
    }
    return out
  }

  thread(index) {
    const [x, y] = this.trace.block
    return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))]
  }

  linear([x, y, z]) {
    return x + this.trace.block[0] * (y + this.trace.block[1] * z)
  }

  // ---------------------------------------------------------------- words

  // "reads a[0..7] and b[0..7], writes out[0..7]"
  accessWords([, , , , accesses]) {
    const verbs = new Map()
    for (const access of accesses) {
      const [site, memory, , items] = access
      const { array, kind } = this.trace.sites[site]
      const verb = kind === "atomic" ? "updates" : access[4] ? "writes" : "reads"
      const place = `${array}${ranges(items, this.shapeOf[memory])}`
      if (!verbs.has(verb)) verbs.set(verb, new Set())
      verbs.get(verb).add(place)
    }
    return [...verbs].map(([verb, places]) => `${verb} ${join([...places])}`).join(", ")
  }

  // What a thread of a block touches in the whole launch, as the accesses of one step.
  ofThread(block, index) {
    const [warp, lane] = [index >> 5, index & 31]
    const sites = new Map()
    for (const at of this.ofWarp[block][warp] ?? []) {
      const [, , , mask, accesses] = this.steps[at]
      if (!((mask >>> lane) & 1)) continue
      for (const [site, memory, lanes, items, written] of accesses) {
        const k = lanes ? lanes.indexOf(lane) : bits(mask & ((1 << lane) - 1))
        if (k < 0 || k >= items.length) continue
        const key = `${site} ${memory}`
        if (!sites.has(key)) sites.set(key, [site, memory, new Set(), written])
        sites.get(key)[2].add(items[k])
      }
    }
    return [...sites.values()].map(([site, memory, items, written]) => [site, memory, 0, [...items], written])
  }

  // The step that was done last, as a sentence.
  words(shown, count) {
    if (!shown) return `Before the first of ${count} steps.`
    const step = this.steps[this.position - 1]
    const [, warp, , mask] = step
    const head = `Step ${shown} of ${count}: `
    if (warp < 0) return `${head}all threads of the block have reached the barrier in line ${this.line(step)} and go on.`
    const active = bits(mask)
    const lanes = this.lanesOf(warp)
    const who = active === lanes ? (lanes === 1 ? "its one lane" : `all ${lanes} lanes`) : `${active} of ${lanes} lanes`
    const does = this.accessWords(step)
    return `${head}warp ${warp}, line ${this.line(step)}, ${who}${does ? `: ${does}` : ""}.`
  }
}

// The first place in a sorted list whose value is not below another.
function lowest(list, value) {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

export const join = words =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

// "[0..7, 9]" of one axis; "[3, 0..15]" where all but one axis stay; else the first and the last.
export function ranges(items, shape) {
  const unique = [...new Set(items)].sort((a, b) => a - b)
  if (shape.length < 2) return `[${runs(unique)}]`
  const places = unique.map(item => {
    const place = []
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      place.unshift(item % shape[axis])
      item = Math.floor(item / shape[axis])
    }
    return place
  })
  const axes = shape.map((_, axis) => [...new Set(places.map(p => p[axis]))].sort((a, b) => a - b))
  if (axes.reduce((n, axis) => n * axis.length, 1) === places.length) return `[${axes.map(runs).join(", ")}]`
  return ` at ${places.length} places from [${places[0].join(", ")}] to [${places.at(-1).join(", ")}]`
}

function runs(list) {
  const out = []
  for (let k = 0; k < list.length; ) {
    let end = k
    while (end + 1 < list.length && list[end + 1] === list[end] + 1) end++
    out.push(end - k > 1 ? `${list[k]}..${list[end]}` : list.slice(k, end + 1).join(", "))
    k = end + 1
  }
  const joined = out.join(", ")
  if (out.length < 6) return joined
  const step = list[1] - list[0]
  if (list.every((v, k) => !k || v - list[k - 1] === step)) return `${list[0]}, ${list[1]}, ... ${list.at(-1)}`
  return `${out.slice(0, 4).join(", ")}, ... ${list.at(-1)}`
}
