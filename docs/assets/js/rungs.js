// The score of the worklog's bets: counted here, kept with the reader's progress, and shared as text
// that the reader copies. Nothing leaves the browser.
const { read, all } = lockstep
const WITHIN = 1.2 // a fifth
const off = (bet, rate) => bet > 0 ? Math.max(bet, rate) / Math.min(bet, rate) : Infinity
const show = value => Number(value.toPrecision(3)).toLocaleString("en")
const cell = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more })
const middle = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]

const rungs = () => all(".rung[data-rate]").map(node => {
  let box = node.previousElementSibling
  while (box && !box.matches("details.bet")) box = box.previousElementSibling
  const bets = read().bets, { rate, ceiling } = node.dataset
  return { title: node.dataset.title, bet: bets[box?.dataset.bet], rate: Number(rate), ceiling: Number(ceiling) }
})

const draw = place => {
  const list = rungs(), made = list.filter(rung => rung.bet !== undefined)
  const hits = of => made.filter(rung => off(rung[of], rung.rate) <= WITHIN).length
  const said = !made.length ? `No bet yet: there are ${list.length} on this page.`
    : `${hits("bet")} of ${made.length} within a fifth; half of them off by a factor of ${show(middle(made.map(rung => off(rung.bet, rung.rate))))} or less. Who had always bet the binding ceiling: ${hits("ceiling")} of ${made.length}.${made.length < list.length ? ` ${list.length - made.length} to go.` : ""}`
  place.querySelector(".rungs__said").textContent = said
  const table = place.querySelector("tbody")
  table.replaceChildren(...list.map(({ title, bet, rate }) => {
    const row = document.createElement("tr"), known = bet !== undefined
    const near = known && off(bet, rate) <= WITHIN
    row.append(cell("th", title, { scope: "row" }), cell("td", known ? show(bet) : "–"), cell("td", known ? show(rate) : "?"),
      cell("td", known ? `${near ? "✓ " : ""}${Number.isFinite(off(bet, rate)) ? `× ${show(off(bet, rate))}` : "–"}` : ""))
    row.classList.toggle("is-near", near)
    return row
  }))
  const button = place.querySelector("button")
  button.hidden = !made.length
  button.onclick = async () => {
    const marks = list.map(({ bet, rate }) => bet === undefined ? "·" : off(bet, rate) <= WITHIN ? "■" : "□").join("")
    const text = `The matmul worklog, ${list.length} bets: ${marks} ${hits("bet")} of ${made.length} within a fifth. ${location.href.replace(/[?#].*/, "")}`
    const field = place.querySelector("textarea"), told = place.querySelector("[role=status]")
    field.value = text
    field.hidden = false
    field.select()
    try {
      await navigator.clipboard.writeText(text)
      told.textContent = "Copied."
    } catch {
      told.textContent = "Copy it from the field."
    }
  }
}

for (const place of all("div.rungs")) {
  place.innerHTML = `<p class="rungs__said" aria-live="polite"></p>
    <table class="rung__table"><caption>TFLOP/s: your bets, and the H200</caption><thead><tr><th scope="col">Rung</th><th scope="col">you</th><th scope="col">H200</th><th scope="col">off by</th></tr></thead><tbody></tbody></table>
    <p><button type="button" class="md-button">Copy my score</button> <span role="status"></span></p>
    <textarea aria-label="Your score, to share" readonly rows="3" hidden></textarea>`
  draw(place)
  document.addEventListener("bets", () => draw(place))
}
