// What of the site's own records stands beside the reader's card, and the units of both.

export const three = x => (x >= 1000 ? Math.round(x).toLocaleString("en") : Number(x.toPrecision(3)).toString())

// A rate in the unit that fits it, of a number of GB/s, GFLOP/s or the like.
export const scaled = (x, unit) => (x >= 1000 ? `${three(x / 1000)} T${unit}` : x >= 1 ? `${three(x)} G${unit}` : x >= 1e-3 ? `${three(x * 1e3)} M${unit}` : `${three(x * 1e6)} k${unit}`)

// Of the rows of data/benchmarks.json, which may be of several GPUs, those of the H200.
export const ofH200 = rows => rows.filter(row => row.device === "NVIDIA H200")

// Those rows -> the H200's copy rate, of its own device copy, in GB/s; undefined without one.
export const copyRate = rows => rows.find(row => row.id === "transpose")?.reference

// Rows -> the H200's roof: its copy rate in GB/s, and the TFLOP/s of cuBLAS's float32 product; undefined without a record.
export function roofOf(rows) {
  const [copy_gbps, tflops] = [copyRate(rows), rows.find(row => row.id === "sgemm-tiled")?.reference]
  return copy_gbps && tflops ? { copy_gbps, tflops } : undefined
}

// What a card can do at so many operations a byte, in GFLOP/s.
export const roof = (card, intensity) => Math.min(card.copy_gbps * intensity, card.tflops * 1000)

// What the H200 reached with a kernel, by the row of its benchmark: {gbps, share of its copy rate}, or {gflops, share of its
// roof}; undefined where nothing was measured.
export function reached(rows, id, intensity) {
  const row = rows?.find(one => one.id === id)
  const card = rows && roofOf(rows)
  if (!row || !card || !["GB/s", "TFLOP/s"].includes(row.unit)) return undefined
  if (row.unit === "GB/s") return { gbps: row.ours, share: row.ours / card.copy_gbps }
  return intensity ? { gflops: row.ours * 1000, share: (row.ours * 1000) / roof(card, intensity) } : undefined
}
