// The reader's own GPU: runs a kernel that simulator/wgsl compiled, and measures it.

const PATIENCE = 8 // seconds that a kernel may take before its device is given up
const COMPILING = 60 // and that a driver may take to compile one: that ends, however long it is
const BURST = 0.12 // seconds of GPU work that a measurement is made of
const LOOP = /^ *(?:loop|while \(.*\)|for \(.*\)) \{$/m
const WHILE = /^ *(?:loop|while \(.*\)) \{$/m
const EACH = 1 << 20 // turns of all its loops that a thread may make in a trial
const WAITS = 1 << 16 // of those, at a barrier
const UNIT = 64 // turns that are counted at once
const FEW = 1 << 20 // units that all threads may make on a software adapter: a second or so; and on a GPU
const MANY = 1 << 28
const SCOPES = ["validation", "out-of-memory", "internal"] // what a browser refuses, and says to nobody who does not ask

export class Refusal extends Error {}

// Bytes as text and back: what a worker and a test can hand over.
export const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0))
export const text = data => {
  let out = ""
  for (let k = 0; k < data.length; k += 32768) out += String.fromCharCode(...data.subarray(k, k + 32768))
  return btoa(out)
}

// Where the site says what to do in which browser.
export const HELP = ["What to do in your browser", "my-gpu/#if-it-finds-no-gpu"]

export class Gpu {
  // Opens the adapter. Throws a Refusal that says what to do where there is none.
  static async open({ patience = PATIENCE } = {}) {
    let clock
    const late = new Promise((_, reject) => (clock = setTimeout(() => reject(new Refusal("The GPU does not answer. Is it still busy with a kernel that did not end? Quit the whole browser and start it again.")), patience * 1000)))
    late.catch(() => {})
    const adapter = await Promise.race([navigator.gpu?.requestAdapter({ powerPreference: "high-performance" }), late])
    if (!adapter) clearTimeout(clock)
    if (!adapter) throw Object.assign(new Refusal(`This browser gives no GPU.${isSecureContext ? "" : " WebGPU needs https, or a page from localhost."}`), { help: HELP })
    const gpu = new Gpu()
    gpu.patience = patience
    gpu.adapter = adapter
    const { limits } = adapter
    const wanted = ["maxStorageBuffersPerShaderStage", "maxStorageBufferBindingSize", "maxBufferSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupStorageSize"]
    gpu.timed = adapter.features.has("timestamp-query")
    const features = ["timestamp-query", "subgroups", "shader-f16"].filter(f => adapter.features.has(f))
    const asked = adapter.requestDevice({
      requiredFeatures: features,
      requiredLimits: Object.fromEntries(wanted.filter(l => limits[l]).map(l => [l, limits[l]])),
    })
    gpu.device = await Promise.race([asked, late])
    clearTimeout(clock)
    gpu.lost = gpu.device.lost.then(info => {
      gpu.gone ??= info.message || info.reason || "lost"
      return info
    })
    const { vendor, architecture, device, description } = adapter.info ?? {}
    gpu.name = [description || device, vendor, architecture].filter(Boolean).join(", ") || "an adapter without a name"
    gpu.software = /swiftshader|llvmpipe|software|lavapipe/i.test(gpu.name) || !!adapter.info?.isFallbackAdapter
    return gpu
  }

  close() {
    this.device.destroy()
  }

  // Work that may never end: the device is lost with it.
  async patient(promise, what = "The kernel", seconds = this.patience, why = "a loop that never ends?") {
    let clock
    const late = new Promise((_, reject) => {
      clock = setTimeout(() => {
        this.gone = "given up"
        this.device.destroy()
        reject(new Refusal(`${what} did not end within ${seconds} s. The GPU was given up; ${why} If the browser draws nothing any more, quit all of it and start it again: to close this tab does not help.`))
      }, seconds * 1000)
    })
    const gone = this.lost.then(info => {
      throw new Refusal(`${what} was lost with its device: ${info.message || info.reason}`)
    })
    try {
      return await Promise.race([promise, late, gone])
    } finally {
      clearTimeout(clock)
      gone.catch(() => {})
    }
  }

  // Do what the browser may refuse, and throw what it refuses: else the time of nothing would pass for a rate. Returns
  // what `hand` returns, and a promise of that it was taken.
  guarded(hand) {
    const { device } = this
    for (const kind of SCOPES) device.pushErrorScope(kind)
    let made, thrown
    try {
      made = hand()
    } catch (error) {
      thrown = error
    }
    const taken = this.patient(Promise.all(SCOPES.map(() => device.popErrorScope()))).then(wrong => {
      const error = wrong.find(one => one)
      if (error) throw new Refusal(error instanceof GPUOutOfMemoryError ? `This GPU has no memory left for it. ${error.message}` : error.message)
    })
    taken.catch(() => {}) // whoever awaits it is told
    if (thrown) throw thrown
    return [made, taken]
  }

  // A shader made ready: buffers filled, pipeline compiled.
  async prepare(shader) {
    const { device } = this
    const { limits } = device
    const threads = shader.block.reduce((a, b) => a * b)
    if (threads > limits.maxComputeInvocationsPerWorkgroup) throw new Refusal(`Blocks of ${threads} threads: this adapter has at most ${limits.maxComputeInvocationsPerWorkgroup} in a workgroup.`)
    if (shader.shared > limits.maxComputeWorkgroupStorageSize) throw new Refusal(`${shader.shared} bytes of shared memory: this adapter has ${limits.maxComputeWorkgroupStorageSize} for a workgroup.`)
    // An error of the module or the pipeline is told by the promise, in words of its own.
    const [[module, made]] = this.guarded(() => {
      const module = device.createShaderModule({ code: shader.wgsl })
      return [module, device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: shader.name } }).catch(error => error)]
    })
    // The clock of the run starts after it.
    const pipeline = await this.patient(made, "Compiling", COMPILING, "its text is too long for this driver.")
    if (pipeline instanceof Error) {
      const { messages } = await module.getCompilationInfo()
      const wrong = messages.find(m => m.type === "error")
      throw new Refusal(wrong ? `WGSL line ${wrong.lineNum}: ${wrong.message}` : pipeline.message)
    }
    const buffers = []
    const free = () => buffers.forEach(b => b.destroy())
    try {
      const [group, taken] = this.guarded(() => {
        for (const b of shader.bindings) {
          const size = Math.max(4, b.bytes ?? b.data.byteLength)
          if (size > limits.maxStorageBufferBindingSize) throw new Refusal(`${b.name} has ${size} bytes: this adapter binds ${limits.maxStorageBufferBindingSize}.`)
          const buffer = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST })
          buffers.push(buffer)
          if (b.data.byteLength) device.queue.writeBuffer(buffer, 0, b.data)
        }
        const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }))
        if (shader.params.byteLength) {
          const buffer = device.createBuffer({ size: Math.ceil(shader.params.byteLength / 16) * 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST })
          device.queue.writeBuffer(buffer, 0, shader.params)
          entries.push({ binding: buffers.length, resource: { buffer } })
          buffers.push(buffer)
        }
        return entries.length ? device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) : null
      })
      await taken
      return { shader, pipeline, group, buffers, free }
    } catch (error) {
      free()
      throw error
    }
  }

  dispatch(pass, { shader, pipeline, group }) {
    pass.setPipeline(pipeline)
    if (group) pass.setBindGroup(0, group)
    pass.dispatchWorkgroups(...shader.groups)
  }

  // One launch. Returns {name of a written buffer: its bytes}.
  async run(shader) {
    const { device } = this
    const ready = await this.prepare(shader)
    const back = []
    try {
      const [, taken] = this.guarded(() => {
        const encoder = device.createCommandEncoder()
        const pass = encoder.beginComputePass()
        this.dispatch(pass, ready)
        pass.end()
        shader.bindings.forEach((b, k) => {
          if (!b.written || !b.data.byteLength) return
          const size = b.data.byteLength
          const buffer = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ })
          back.push([b.name, buffer])
          encoder.copyBufferToBuffer(ready.buffers[k], 0, buffer, 0, size)
        })
        device.queue.submit([encoder.finish()])
      })
      await taken
      await this.patient(device.queue.onSubmittedWorkDone())
      const found = {}
      for (const [name, buffer] of back) {
        await this.patient(buffer.mapAsync(GPUMapMode.READ))
        found[name] = new Uint8Array(buffer.getMappedRange().slice(0))
      }
      return found
    } finally {
      for (const [, buffer] of back) buffer.destroy()
      ready.free()
    }
  }

  // Runs a launch with its loops counted, and throws a Refusal where they do not end: a GPU that is busy forever takes the
  // browser along. `seen`: whether the stepper saw all of it end, so that only what hangs on the order of threads is left; else
  // `why` says what it saw.
  async trial(shader, seen, why = "") {
    if (!(seen ? WHILE : LOOP).test(shader.wgsl)) return
    const counted = bounded(shader, this.software ? FEW : MANY)
    let spent
    try {
      spent = (await this.run(counted)).spent_
    } catch (error) {
      if (seen && !this.gone) return
      throw this.gone || !(error instanceof Refusal) ? error : Object.assign(new Refusal(`It was not run: its loops could not be counted in a trial before. ${error.message}`), { held: true })
    }
    const [, late] = new Uint32Array(spent.buffer)
    if (!late) return
    const all = (this.software ? FEW : MANY) * UNIT
    const said = late === 1
      ? `Its loops may never end, so it was not run. They were counted in a trial, and left when one thread had made ${EACH.toLocaleString("en")} turns, or ${WAITS.toLocaleString("en")} at a barrier.`
      : `Its loops make too many turns, or never end, so it was not run. They were counted in a trial, and left when all threads together had made ${all.toLocaleString("en")} turns. A smaller launch tells which of the two it is.`
    throw Object.assign(new Refusal(said + why), { held: true })
  }

  // Seconds for one launch: by timestamps on the GPU, else by many launches and the page's clock.
  async time(shader) {
    const ready = await this.prepare(shader)
    try {
      let repeat = 1
      for (;;) {
        const seconds = await this.burst(ready, repeat)
        if (seconds > BURST || repeat >= 4096) {
          const all = [seconds, await this.burst(ready, repeat), await this.burst(ready, repeat)].sort((a, b) => a - b)
          return { seconds: all[1] / repeat, repeat, timed: this.timed }
        }
        repeat = Math.min(4096, Math.max(repeat * 2, Math.ceil((repeat * BURST) / Math.max(seconds, 1e-5))))
      }
    } finally {
      ready.free()
    }
  }

  async burst(ready, repeat) {
    const { device } = this
    let query, resolve, map
    const [start, taken] = this.guarded(() => {
      const encoder = device.createCommandEncoder()
      if (this.timed) {
        query = device.createQuerySet({ type: "timestamp", count: 2 })
        resolve = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC })
        map = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ })
      }
      const pass = encoder.beginComputePass(query ? { timestampWrites: { querySet: query, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } } : {})
      for (let k = 0; k < repeat; k++) this.dispatch(pass, ready)
      pass.end()
      if (query) {
        encoder.resolveQuerySet(query, 0, 2, resolve, 0)
        encoder.copyBufferToBuffer(resolve, 0, map, 0, 16)
      }
      const commands = encoder.finish()
      const start = performance.now()
      device.queue.submit([commands])
      return start
    })
    await this.patient(device.queue.onSubmittedWorkDone())
    const clock = (performance.now() - start) / 1e3
    await taken
    if (!query) return clock
    await this.patient(map.mapAsync(GPUMapMode.READ))
    const [from, to] = new BigUint64Array(map.getMappedRange())
    map.unmap()
    for (const thing of [query, resolve, map]) thing.destroy()
    const seconds = Number(to - from) / 1e9
    return seconds > 0 ? seconds : clock // some clocks are coarse, or stand still
  }

  // Seconds from one small launch to the next, each submitted by itself, by the page's clock.
  async launches(shader, count = 200) {
    const ready = await this.prepare(shader)
    const send = () => {
      const encoder = this.device.createCommandEncoder()
      const pass = encoder.beginComputePass()
      this.dispatch(pass, ready)
      pass.end()
      this.device.queue.submit([encoder.finish()])
    }
    const burst = async count => {
      const start = performance.now()
      const [, taken] = this.guarded(() => {
        for (let k = 0; k < count; k++) send()
      })
      await this.patient(this.device.queue.onSubmittedWorkDone())
      const seconds = (performance.now() - start) / 1e3 / count
      await taken
      return seconds
    }
    try {
      await burst(8)
      return await burst(count)
    } finally {
      ready.free()
    }
  }
}

// A shader whose loops are left after so many turns of a thread, or of all threads. Its last buffer says so: 1 or 2 in its
// second word. A loop that waits at a barrier is left by the whole workgroup, as WGSL demands.
export function bounded({ wgsl, bindings, ...shader }, most) {
  const lines = wgsl.split("\n")
  const found = []
  let waits = false
  lines.forEach((line, k) => {
    const head = /^( *)(?:loop|while \(.*\)|for \(.*\)) \{$/.exec(line)
    if (!head) {
      found.push(line.replace(`@binding(${bindings.length}) var<uniform>`, `@binding(${bindings.length + 1}) var<uniform>`))
      return
    }
    const end = lines.findIndex((other, at) => at > k && other.startsWith(`${head[1]}}`))
    const barrier = lines.slice(k, end).some(other => other.includes("Barrier()"))
    waits ||= barrier
    // The threads ask one another now and then alone: for a software adapter that is dear.
    if (barrier) found.push(`var wait_${k} = 0u;`, line, `wait_${k}++; if ((wait_${k} & ${UNIT - 1}u) == 0u) { if (spent_waits()) { late_ = 1u; } if (workgroupUniformLoad(&late_) != 0u) { break; } }`)
    else found.push(line, "if (spent_turns()) { break; }")
  })
  found.push(`@group(0) @binding(${bindings.length}) var<storage, read_write> spent_: array<atomic<u32>, 2>;
var<private> turns_: u32;
var<private> waits_: u32;
var<private> over_: bool;
${waits ? "var<workgroup> late_: u32;" : ""}
fn spent_waits() -> bool {
  waits_ += ${UNIT}u;
  spent_unit(waits_ >= ${WAITS}u);
  return over_;
}
fn spent_turns() -> bool {
  turns_++;
  if ((turns_ & ${UNIT - 1}u) == 0u) { spent_unit(turns_ >= ${EACH}u); }
  return over_;
}
fn spent_unit(late: bool) {
  if (over_) { return; }
  if (late) { over_ = true; atomicMax(&spent_[1], 1u); }
  else if (atomicAdd(&spent_[0], 1u) >= ${most}u) { over_ = true; atomicMax(&spent_[1], 2u); }
}`)
  const quiet = bindings.map(b => ({ ...b, written: false })) // nothing of it is looked at
  return { ...shader, wgsl: found.join("\n"), bindings: [...quiet, { name: "spent_", written: true, data: new Uint8Array(8) }] }
}

// A shader as JSON, with its bytes as text, made ready for Gpu.
export const unpacked = shader => ({
  ...shader,
  params: bytes(shader.params),
  bindings: shader.bindings.map(b => ({ ...b, data: bytes(b.data) })),
})
