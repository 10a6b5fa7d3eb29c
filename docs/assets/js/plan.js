// What a GPU keeps and receives when a transformer is trained in parallel: the calculator of the
// page on Megatron. `plan` is kernels/megatron/calculator.py; a test holds the two against each other.
export const plan = p => {
  const layers = Math.floor(p.layers / p.pipeline)
  const parameters = (12 * p.width ** 2 * layers + p.words * p.width) / p.tensor
  const cut = stage => (p.zero >= stage ? p.data : 1)
  const state = {
    weights: (p.weight_bytes * parameters) / cut(3),
    gradients: (p.weight_bytes * parameters) / cut(2),
    adam: ((p.weight_bytes === 2 ? 12 : 8) * parameters) / cut(1),
  }
  const tokens = p.length * p.sequences
  const stream = (p.weight_bytes * tokens * p.width) / p.tensor
  const batch = stream * layers * (p.recompute ? 1 : 16)
  const end = 2 * stream + (4 * tokens * p.words) / p.tensor
  const held = Math.min(p.micro_batches, p.pipeline)
  const kept = p.pipeline === 1 ? batch + end : Math.max(batch * held, batch + end)
  const activations = kept + (p.recompute ? 16 * stream : 0)
  const message = p.weight_bytes * tokens * p.width
  const times = p.zero === 3 ? 3 * p.micro_batches : p.zero === 2 ? p.micro_batches + 1 : 2
  const traffic = {
    tensor: p.micro_batches * layers * (p.recompute ? 12 : 8) * message * (1 - 1 / p.tensor),
    pipeline: p.pipeline > 1 ? (p.micro_batches * 2 * message) / p.tensor : 0,
    data: p.weight_bytes * parameters * times * (1 - 1 / p.data),
  }
  const bubble = (p.pipeline - 1) / (p.micro_batches + p.pipeline - 1)
  return { parameters: 12 * p.width ** 2 * p.layers + p.words * p.width, state, activations, traffic, bubble }
}

// What is wrong with a plan, in words that say how to mend it; empty if nothing is.
export const mistakes = p => {
  const found = []
  for (const [name, value] of Object.entries(p))
    if (!["zero", "recompute"].includes(name) && !(Number.isInteger(value) && value >= 1))
      found.push(`${NAMES[name] ?? name}: write a whole number, 1 or more.`)
  if (found.length) return found
  if (p.layers % p.pipeline) found.push(`${p.layers} layers do not divide into ${p.pipeline} stages.`)
  if (p.width % p.tensor) found.push(`A width of ${p.width} does not divide by ${p.tensor} tensor parallel ranks.`)
  if (p.zero > 1 && p.pipeline > 1) found.push("ZeRO 2 and 3 with a pipeline: gradients and weights would travel for each micro-batch. Choose ZeRO 1.")
  return found
}

const NAMES = {
  layers: "Layers", width: "Width", words: "Words of the vocabulary", length: "Tokens of a sequence",
  sequences: "Sequences of a micro-batch", micro_batches: "Micro-batches of a step",
  data: "Data parallel", tensor: "Tensor parallel", pipeline: "Pipeline stages",
}
const SHAPES = {
  "1.56 billion": [48, 1600, 50257, 1024], "6.57 billion": [32, 4096, 32000, 4096],
  "65.5 billion": [80, 8192, 128000, 4096], "175 billion": [96, 12288, 50257, 2048],
}
const START = { layers: 80, width: 8192, words: 128000, length: 4096, sequences: 1, micro_batches: 8, data: 8, tensor: 8, pipeline: 1 }
const PARTS = [["weights", "Weights"], ["gradients", "Gradients"], ["adam", "Adam's numbers"], ["activations", "Activations, at their peak"]]
const SENT = [["tensor", "for tensor parallelism"], ["pipeline", "for the pipeline"], ["data", "for data parallelism"]]

const gb = bytes => `${(bytes / 1e9).toLocaleString("en", { maximumSignificantDigits: 3 })} GB`

const make = (tag, attributes = {}, ...inside) => {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...inside)
  return node
}
const select = (name, choices) =>
  make("select", { name }, ...choices.map(([value, words]) => make("option", { value }, words)))
const field = (words, control) => make("label", {}, make("span", {}, words), control)
const group = (title, ...fields) => make("fieldset", {}, make("legend", {}, title), ...fields)
const count = name => field(NAMES[name], make("input", { type: "number", name, min: 1, step: 1, inputmode: "numeric", value: START[name] }))

// By namedItem: `elements.length` is how many there are.
const read = form => {
  const p = {}
  for (const name of Object.keys(NAMES)) p[name] = form.elements.namedItem(name).valueAsNumber
  p.zero = Number(form.elements.zero.value)
  p.weight_bytes = Number(form.elements.numbers.value)
  p.recompute = form.elements.recompute.checked
  return p
}

const draw = (form, out) => {
  const p = read(form), wrong = mistakes(p), room = Number(form.elements.room.value) * 1e9
  for (const name of Object.keys(NAMES)) form.elements.namedItem(name).setAttribute("aria-invalid", wrong.some(words => words.startsWith(NAMES[name] + ":")))
  out.said.classList.toggle("is-wrong", wrong.length > 0)
  out.result.hidden = wrong.length > 0
  if (wrong.length) {
    out.said.textContent = wrong.join(" ")
    return
  }
  const found = plan(p), sizes = { ...found.state, activations: found.activations }
  const total = Object.values(sizes).reduce((sum, x) => sum + x)
  const gpus = p.data * p.tensor * p.pipeline
  const billion = (found.parameters / 1e9).toLocaleString("en", { maximumSignificantDigits: 3 })
  out.said.textContent = `${billion} billion parameters on ${gpus.toLocaleString("en")} GPUs: ${gb(total)} on each, ` +
    (total <= room ? `which fits into ${gb(room)}.` : `${gb(total - room)} more than it has.`)
  const most = Math.max(total, room)
  out.bars.replaceChildren()
  PARTS.forEach(([name, words]) => {
    const bar = make("span", { class: `plan__part plan__part--${name}`, title: `${words}: ${gb(sizes[name])}` })
    bar.style.width = `${(100 * sizes[name]) / most}%`
    out.bars.append(bar)
  })
  const edge = make("span", { class: "plan__edge" })
  edge.style.left = `${(100 * room) / most}%`
  out.bars.append(edge)
  out.memory.replaceChildren(...PARTS.map(([name, words]) =>
    make("tr", {}, make("th", { scope: "row" }, make("span", { class: `plan__key plan__part--${name}` }), words), make("td", {}, gb(sizes[name])))))
  out.sent.replaceChildren(...SENT.map(([name, words]) =>
    make("tr", {}, make("th", { scope: "row" }, words), make("td", {}, gb(found.traffic[name])))))
  out.sent.append(make("tr", {}, make("th", { scope: "row" }, "idle in the pipeline's bubble"), make("td", {}, `${(100 * found.bubble).toFixed(1)} %`)))
}

const start = form => {
  if (form.dataset.ready) return
  form.dataset.ready = "yes"
  form.setAttribute("aria-label", "Memory and traffic of a training")
  if (!document.querySelector("link.calculators"))
    document.head.append(make("link", { rel: "stylesheet", class: "calculators", href: new URL("../css/calculators.css", import.meta.url).href }))
  const shape = select("shape", [["", "own numbers"], ...Object.keys(SHAPES).map(name => [name, name])])
  shape.value = "65.5 billion"
  const said = make("p", { role: "status", class: "plan__said" })
  const bars = make("div", { class: "plan__bars", "aria-hidden": "true" })
  const table = words => {
    const body = make("tbody")
    return [make("table", { class: "plan__table" }, make("caption", {}, words), body), body]
  }
  const [kept, memory] = table("One GPU keeps"), [received, sent] = table("One GPU receives in a step")
  const result = make("div", { class: "plan__result" }, bars, kept, received)
  form.append(
    group("Model", field("Parameters", shape), count("layers"), count("width"), count("words"),
      field("Numbers", select("numbers", [["2", "bfloat16"], ["4", "float32"]]))),
    group("Batch", count("length"), count("sequences"), count("micro_batches"),
      make("label", { class: "plan__tick" }, make("input", { type: "checkbox", name: "recompute" }), make("span", {}, "compute layers again (checkpointing)"))),
    group("GPUs", count("data"), count("tensor"), count("pipeline"),
      field("ZeRO", select("zero", [["0", "none"], ["1", "1: Adam"], ["2", "2: gradients"], ["3", "3: weights"]])),
      field("Memory of one", select("room", [["80", "80 GB"], ["141", "141 GB"], ["192", "192 GB"], ["24", "24 GB"]]))),
    said, result)
  form.elements.zero.value = "1"
  form.elements.room.value = "141"
  const out = { said, result, bars, memory, sent }
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("input", ({ target }) => {
    if (target === shape && shape.value)
      ["layers", "width", "words", "length"].forEach((name, i) => { form.elements.namedItem(name).value = SHAPES[shape.value][i] })
    else if (["layers", "width", "words"].includes(target.name)) shape.value = ""
    draw(form, out)
  })
  form.hidden = false
  draw(form, out)
}

if (globalThis.document$) document$.subscribe(() => document.querySelectorAll("form.plan").forEach(start))
