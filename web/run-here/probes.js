// What "My GPU" measures: small shaders, each written for one question, and what their times say.

const BYTES = { f32: 4, vec2f: 8, vec4f: 16 }
const THREADS = 256
const ROW = 32768 // a dispatch has 65,535 along x; all sizes here are powers of two, so rows of this are all full
const PAST = 1 << 28 // bytes of a copy that no cache holds

// Groups for so many threads. Those of a row that is not full would cost a quarter of the rate of a copy, and do nothing.
const grid = threads => {
  const groups = Math.ceil(threads / THREADS)
  return [Math.min(ROW, groups), Math.ceil(groups / ROW), 1]
}
const place = `(group.x + group.y * ${ROW}u) * ${THREADS}u + thread.x`
const head = name => `@compute @workgroup_size(${THREADS})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u)`
const shader = (name, wgsl, groups, bindings, shared = 0) => ({ name, wgsl, groups, block: [THREADS, 1, 1], shared, params: new Uint8Array(0), bindings })
const buffer = (name, bytes) => ({ name, bytes, data: new Uint8Array(0) })
const io = (type, out = type) => `@group(0) @binding(0) var<storage, read> x: array<${type}>;
@group(0) @binding(1) var<storage, read_write> y: array<${out}>;
`
const sizes = most => [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30].filter(n => n <= most)

// A copy of so many bytes, so wide a thread.
export function copy(bytes, type = "vec4f") {
  const count = bytes / BYTES[type]
  const wgsl = `${io(type)}${head("copy")} {
  let i = ${place};
  if (i < ${count}u) { y[i] = x[i]; }
}`
  return shader("copy", wgsl, grid(count), [buffer("x", bytes), buffer("y", bytes)])
}

// The same with four loads before four stores: of 64 bytes that a thread moves, or of each turn of a loop over 1024.
export function copyOfFour(bytes, loop) {
  const [count, groups] = [bytes / 16, Math.max(1, bytes / (loop ? 1024 : 64) / THREADS)]
  const step = loop ? groups * THREADS : THREADS
  const lines = [0, 1, 2, 3].map(k => `let v${k} = x[i + ${k * step}u];`).concat([0, 1, 2, 3].map(k => `y[i + ${k * step}u] = v${k};`)).join(" ")
  const [across, down] = [Math.min(ROW, groups), Math.ceil(groups / ROW)]
  const wgsl = `${io("vec4f")}${head("copy")} {
${loop ? `  for (var i = ${place}; i < ${count}u; i += ${4 * step}u) { ${lines} }` : `  let i = (group.x + group.y * ${ROW}u) * ${4 * THREADS}u + thread.x;
  ${lines}`}
}`
  return shader("copy", wgsl, [across, down, 1], [buffer("x", bytes), buffer("y", bytes)])
}
// The three ways, by what a thread moves: on which a card is fastest, only a measurement says.
const WAYS = { 16: copy, 64: copyOfFour, 1024: bytes => copyOfFour(bytes, true) }

// A phone ends a page that takes much memory, and its caches are small.
const phone = /Android|iPhone|iPad|Mobile/.test(globalThis.navigator?.userAgent)

// Bytes that a copy may have: the largest power of two that the device binds, and no more than `least`.
const mostOf = (gpu, least) => {
  const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits
  return 2 ** Math.floor(Math.log2(Math.min(maxStorageBufferBindingSize, maxBufferSize, least)))
}

// The copy rate of a moment, in GB/s, past all caches: `known` is the way that an earlier call found the fastest.
export async function copyRate(gpu, known) {
  let best
  for (const way of known ? [known.way] : Object.keys(WAYS)) {
    for (let bytes = known?.bytes ?? mostOf(gpu, gpu.software ? 1 << 26 : PAST); ; bytes /= 2) {
      try {
        const gbps = (2 * bytes) / (await gpu.time(WAYS[way](bytes))).seconds / 1e9
        if (!best || gbps > best.gbps) best = { gbps, way, bytes }
        break
      } catch (error) {
        if (gpu.gone || bytes <= 1 << 24) throw error // else there is no memory for as much
      }
    }
  }
  return best
}

// Reads of every `stride`-th float of half an array, or of floats that begin `offset` elements late: as many as there
// are, so that a cache which holds what a few of them touch does not answer for memory.
export function reads(bytes, stride, offset = 0) {
  const count = bytes / 8 / stride
  const wgsl = `${io("f32")}${head("reads")} {
  let i = ${place};
  if (i < ${count}u) { y[i] = x[i * ${stride}u + ${offset}u]; }
}`
  return [shader("reads", wgsl, grid(count), [buffer("x", bytes), buffer("y", 4 * count)]), count]
}

// Multiply-adds: eight chains a thread, so that none waits for the one before it.
export function multiplyAdds(groups, turns) {
  const chains = "abcdefgh".split("")
  const wgsl = `${io("f32")}${head("chains")} {
  let i = ${place};
  let m = x[0];
  let s = f32(thread.x) + x[1];
${chains.map((c, k) => `  var ${c} = s + ${k}.0;`).join("\n")}
  for (var n = 0u; n < ${turns}u; n++) {
${Array.from({ length: 16 }, () => `    ${chains.map(c => `${c} = fma(${c}, m, s);`).join(" ")}`).join("\n")}
  }
  y[i] = ${chains.join(" + ")};
}`
  const flops = 2 * chains.length * 16 * turns * groups * THREADS
  return [shader("chains", wgsl, [groups, 1, 1], [buffer("x", 16), buffer("y", 4 * groups * THREADS)]), flops]
}

// A launch of one group that does next to nothing.
export const nothing = () => shader("nothing", `${io("f32")}${head("nothing")} {
  if (thread.x == 0u) { y[group.x] = x[0]; }
}`, [1, 1, 1], [buffer("x", 16), buffer("y", 16)])

// For each thread of a workgroup of this shape: its lane, the lanes of its subgroup, and the number of the thread in the
// first lane.
export const lanes = block => ({ ...shader("lanes", `enable subgroups;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(${block})
fn lanes(@builtin(local_invocation_index) index: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  y[3u * index] = lane;
  y[3u * index + 1u] = size;
  y[3u * index + 2u] = subgroupShuffle(index, 0u);
}`, [1, 1, 1], [{ name: "y", written: true, data: new Uint8Array(12 * block.reduce((a, b) => a * b)) }]), block })

// Whether subgroups are CUDA's warps: 32 threads that follow one another, in the order of their lanes. WGSL leaves it open.
export const inOrder = words => words.length > 0 && words.every((word, at) => {
  const index = Math.floor(at / 3)
  return word === [index % 32, 32, index - (index % 32)][at % 3]
})

// Reads of workgroup memory, `stride` elements apart from thread to thread.
export function banks(groups, stride, turns = 512) {
  const wgsl = `${io("u32")}var<workgroup> s: array<u32, 2048>;
${head("banks")} {
  for (var k = thread.x; k < 2048u; k += ${THREADS}u) { s[k] = x[k & 3u]; }
  workgroupBarrier();
  var at = (thread.x * ${stride}u) & 2047u;
  for (var n = 0u; n < ${turns}u; n++) { at = (at + s[at]) & 2047u; }
  y[${place}] = at;
}`
  return [shader("banks", wgsl, [groups, 1, 1], [buffer("x", 16), buffer("y", 4 * groups * THREADS)], 8192), groups * THREADS * turns]
}

// One of `ways` branches for each thread, equally long.
export function branches(groups, ways, turns = 256) {
  const cases = Array.from({ length: ways }, (_, k) => `    case ${k}u: { for (var n = 0u; n < ${turns}u; n++) { v = fma(v, m, ${k + 1}.5); } }`)
  const wgsl = `${io("f32")}${head("branches")} {
  let m = x[0];
  var v = f32(thread.x);
  switch (thread.x % ${ways}u) {
${cases.join("\n")}
    default: {}
  }
  y[${place}] = v;
}`
  return shader("branches", wgsl, [groups, 1, 1], [buffer("x", 16), buffer("y", 4 * groups * THREADS)])
}

// Atomic additions, all threads on `places` of them.
export function atomics(groups, places, turns = 16) {
  const wgsl = `@group(0) @binding(0) var<storage, read_write> y: array<atomic<u32>>;
${head("atomics")} {
  let i = ${place};
  for (var n = 0u; n < ${turns}u; n++) { atomicAdd(&y[i % ${places}u], 1u); }
}`
  return [shader("atomics", wgsl, [groups, 1, 1], [buffer("y", 4 * groups * THREADS)]), groups * THREADS * turns]
}

// Measures all of it, and says how far it is: tell(words, share). Returns the record, less the kernels.
export async function measure(gpu, tell) {
  let largest = mostOf(gpu, gpu.software ? 1 << 22 : phone ? PAST : 1 << 30)
  const groups = gpu.software ? 8 : 2048
  const found = {}
  let done = 0
  const steps = sizes(largest).length + 5 + 6 + 4 + 2 + 6 + 5 + 4
  const timed = async (shader, words) => {
    tell(words, done++ / steps)
    return (await gpu.time(shader)).seconds
  }
  found.copy = []
  for (const bytes of sizes(largest)) {
    try {
      found.copy.push({ bytes, gbps: (2 * bytes) / (await timed(copy(bytes), "Copying, at growing sizes")) / 1e9 })
    } catch (error) {
      if (gpu.gone || bytes <= PAST) throw error // there is no memory for as much
    }
  }
  largest = found.copy.at(-1).bytes
  found.widths = []
  const widths = { ...Object.fromEntries(Object.entries(BYTES).map(([type, n]) => [n, bytes => copy(bytes, type)])), ...WAYS }
  for (const way in widths) found.widths.push({ bytes: +way, gbps: (2 * largest) / (await timed(widths[way](largest), "Copying, at several widths")) / 1e9 })
  // A card's roof is the fastest copy that no cache can have helped.
  found.copy_gbps = Math.max(...found.copy.filter(r => r.bytes >= Math.min(largest, PAST)).concat(found.widths).map(r => r.gbps))
  found.strides = []
  for (const stride of [1, 2, 4, 8, 16, 32]) {
    const [made, count] = reads(largest, stride)
    found.strides.push({ stride, gbps: (8 * count) / (await timed(made, "Reading with strides")) / 1e9 })
  }
  found.offsets = []
  for (const offset of [0, 1, 8, 16]) {
    const [made, count] = reads(largest, 1, offset)
    found.offsets.push({ offset, gbps: (8 * count) / (await timed(made, "Reading with offsets")) / 1e9 })
  }
  let best = 0
  for (const turns of gpu.software ? [4, 8] : [64, 256]) {
    const [made, flops] = multiplyAdds(groups, turns)
    best = Math.max(best, flops / (await timed(made, "Multiplying and adding")) / 1e12)
  }
  found.tflops = best
  found.banks = []
  for (const stride of [1, 2, 4, 8, 16, 32]) {
    const [made, count] = banks(groups, stride, gpu.software ? 16 : 512)
    found.banks.push({ stride, gops: count / (await timed(made, "Reading workgroup memory")) / 1e9 })
  }
  found.branches = []
  for (const ways of [1, 2, 4, 8, 16]) found.branches.push({ ways, us: (await timed(branches(groups, ways, gpu.software ? 16 : 256), "Parting ways")) * 1e6 })
  found.atomics = []
  for (const places of [1, 32, 1024, groups * THREADS]) {
    const [made, count] = atomics(groups, places, gpu.software ? 1 : 16)
    found.atomics.push({ places, gops: count / (await timed(made, "Adding atomically")) / 1e9 })
  }
  tell("Launching", 1)
  found.launch_us = (await gpu.launches(nothing())) * 1e6
  return found
}
