// What the page My GPU measures, for a GPU that no browser reaches: simulator/hardware/my_gpu.py times it through wgpu.
//   node tools/my_gpu.mjs LIMITS.json            the shaders in their order, as JSON, for a device of these limits
//   node tools/my_gpu.mjs LIMITS.json TIMES.json  what the page's own code makes of their seconds: a record less the kernels

import { readFileSync } from "node:fs"
import { measure } from "../web/run-here/probes.js"

const [limits, times] = process.argv.slice(2).map(file => JSON.parse(readFileSync(file, "utf8")))
const shaders = []
const gpu = {
  device: { limits },
  software: false,
  time: async shader => ({ seconds: times ? times.seconds[shaders.push(shader) - 1] : shaders.push(shader) && 1 }),
  launches: async shader => (times ? times.launch : shaders.push(shader) && 1),
}
const found = await measure(gpu, () => {})
const told = ({ name, wgsl, groups, bindings }) => ({ name, wgsl, groups, bindings: bindings.map(({ name, bytes }) => ({ name, bytes })) })
console.log(JSON.stringify(times ? found : shaders.map(told)))
