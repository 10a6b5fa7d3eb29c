// What "My GPU" measures: small shaders, each written for one question, and what their times say.

const BYTES = { f32: 4, vec2f: 8, vec4f: 16 }
const THREADS = 256
const FOLD = 65535

// Groups for so many threads; more than a dispatch has along x lie in rows.
const grid = threads => {
  const groups = Math.ceil(threads / THREADS)
  return [Math.min(FOLD, groups), Math.ceil(groups / FOLD), 1]
}
const place = `(group.x + group.y * ${FOLD}u) * ${THREADS}u + thread.x`
const head = name => `@compute @workgroup_size(${THREADS})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u)`
const shader = (name, wgsl, groups, bindings, shared = 0) => ({ name, wgsl, groups, block: [THREADS, 1, 1], shared, params: new Uint8Array(0), bindings })
const buffer = (name, bytes) => ({ name, bytes, data: new Uint8Array(0) })
const io = (type, out = type) => `@group(0) @binding(0) var<storage, read> x: array<${type}>;
@group(0) @binding(1) var<storage, read_write> y: array<${out}>;
`
const sizes = most => [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28].filter(n => n <= most)

// A copy of so many bytes, so wide a thread.
export function copy(bytes, type = "vec4f") {
  const count = bytes / BYTES[type]
  const wgsl = `${io(type)}${head("copy")} {
  let i = ${place};
  if (i < ${count}u) { y[i] = x[i]; }
}`
  return shader("copy", wgsl, grid(count), [buffer("x", bytes), buffer("y", bytes)])
}

// Reads of every `stride`-th float, or of floats that begin `offset` elements late.
export function reads(bytes, stride, offset = 0) {
  const whole = bytes / 4
  const count = Math.min(1 << 20, whole / 2 / stride)
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
  const { limits } = gpu.device
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize, gpu.software ? 1 << 22 : 1 << 28)
  const groups = gpu.software ? 8 : 2048
  const found = {}
  let done = 0
  const steps = sizes(most).length + 3 + 6 + 4 + 2 + 6 + 5 + 4
  const timed = async (shader, words) => {
    tell(words, done++ / steps)
    return (await gpu.time(shader)).seconds
  }
  found.copy = []
  for (const bytes of sizes(most)) found.copy.push({ bytes, gbps: (2 * bytes) / (await timed(copy(bytes), "Copying, at growing sizes")) / 1e9 })
  found.copy_gbps = found.copy.at(-1).gbps
  found.widths = []
  for (const type of Object.keys(BYTES)) found.widths.push({ bytes: BYTES[type], gbps: (2 * most) / (await timed(copy(most, type), "Copying, at several widths")) / 1e9 })
  found.strides = []
  for (const stride of [1, 2, 4, 8, 16, 32]) {
    const [made, count] = reads(most, stride)
    found.strides.push({ stride, gbps: (8 * count) / (await timed(made, "Reading with strides")) / 1e9 })
  }
  found.offsets = []
  for (const offset of [0, 1, 8, 16]) {
    const [made, count] = reads(most, 1, offset)
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
