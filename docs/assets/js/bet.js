// Bets: a guess first, then the figure. Without this script the box folds open.
(() => {
  const { read, change, all } = lockstep
  const PREFIX = { n: 1e-9, "µ": 1e-6, "μ": 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 }
  // 1 of "GB/s" as a number of "B/s", and its name
  const unit = text => {
    const found = /^([nµμmkMGTP])?(s|B\/s|FLOP\/s|op\/s|B)$/.exec(text)
    return found ? [PREFIX[found[1] ?? ""], found[2]] : [1, text]
  }
  const one = name => name.replace(/ .*/, "").replace(/s$/, "") // of "cycles" and "cycle"
  const number = text => {
    const found = /([\d.,]+)\s*([^\s\d.,;]*)/.exec(text.replace(/\u00a0|\u202f/g, " ").trim())
    return found && [Number(found[1].replaceAll(",", "")), found[2]]
  }
  const show = value => Number(value.toPrecision(3)).toLocaleString("en")

  // The first figure of the text that the slider's unit fits: a bare number does.
  const answer = box => {
    const [mine, name] = unit(box.dataset.unit)
    for (const node of box.querySelectorAll(".measured, .worked, strong")) {
      if (node.closest("summary, .bet__told, .bet__card") || node.matches(".measured--stale, .measured--missing")) continue
      const found = number(node.textContent)
      if (!found || !Number.isFinite(found[0])) continue
      const [theirs, other] = unit(found[1])
      if (!other || one(other) === one(name)) return found[0] * (other ? theirs / mine : 1)
    }
    return null
  }

  // What the page "My GPU" kept of the reader's own card, of one kernel: [its title, share of the roof, par or null]
  const base = new URL("../../", document.currentScript.src).href
  const percent = share => `${Number((100 * share).toPrecision(2))} %`
  const own = box => {
    let card
    try { card = JSON.parse(localStorage["lockstep-card"]) } catch { /* none */ }
    const [title, share, par] = card?.kernels?.[box.dataset.card] ?? []
    if (!(share > 0)) return ["And on your own card? ", Object.assign(document.createElement("a"), { href: `${base}my-gpu/`, textContent: "Bet, and measure it" }), "."]
    return [`${title}: your card (${card.name}) reaches ${percent(share)} of its own roof${par > 0 ? `; par is ${percent(par)}, what the H200 reaches of its own` : ""}.`]
  }

  const reveal = (box, guess) => {
    const { unit: name } = box.dataset, right = answer(box)
    const told = box.querySelector(".bet__told")
    let text = `You said ${show(guess)} ${name}.`
    if (right !== null) {
      const ratio = guess === right ? 1 : Math.max(guess, right) / Math.min(guess, right)
      text += ratio >= 1 && ratio < 1.1 ? " Within a tenth." : Math.min(guess, right) > 0 ? ` Off by a factor of ${show(ratio)}.` : ""
    }
    told.textContent = text
    if (box.dataset.card) box.querySelector(".bet__card").replaceChildren(...own(box))
    box.classList.add("is-open")
    box.querySelector("form").hidden = true
  }

  // What tells the answer below a bet stays folded until it is made, or the reader opens it.
  const fold = () => {
    const { bets } = read()
    all("details.told").forEach(box => {
      const made = box.dataset.told.split(" ").every(bet => bet in bets)
      if (!box.matches(".is-ready") || made != box.matches(".is-told")) box.open = made
      box.classList.add("is-ready")
      box.classList.toggle("is-told", made)
      box.ontoggle = () => all(`.told--more[data-told="${box.dataset.told}"]`).forEach(more => { more.open = box.open })
    })
    document.dispatchEvent(new Event("bets"))
  }

  const ask = box => {
    if (box.querySelector("form")) return
    const { low, high, unit: name, bet } = box.dataset
    const form = document.createElement("form")
    form.className = "bet__form"
    const id = `bet-${bet}`, middle = (Number(low) + Number(high)) / 2
    form.innerHTML = `<label for="${id}">Your guess</label><input id="${id}" type="range" min="${low}" max="${high}" step="any"><output for="${id}"></output><button class="md-button">Show what it is</button>`
    const [slider, said, button] = ["input", "output", "button"].map(of => form.querySelector(of))
    const step = (high - low) / 100, counts = /^(?!times|nats)[a-z]{3,}s$/.test(name)
    slider.step = counts ? Math.max(1, Math.round(step)) : step
    slider.value = middle
    const tell = () => {
      said.textContent = `${show(slider.valueAsNumber)} ${name}`
      slider.setAttribute("aria-valuetext", said.textContent)
    }
    // The answer may stand in the middle: a guess is a slider that was moved.
    button.disabled = true
    slider.oninput = () => { tell(); button.disabled = false }
    tell()
    form.onsubmit = event => {
      event.preventDefault()
      change(({ bets }) => { bets[bet] = slider.valueAsNumber })
      reveal(box, slider.valueAsNumber)
      fold()
      told.focus()
    }
    const told = document.createElement("p")
    told.className = "bet__told"
    told.tabIndex = -1
    box.querySelector("summary").after(form, told)
    if (box.dataset.card) told.after(Object.assign(document.createElement("p"), { className: "bet__card" }))
    box.open = true
    box.classList.add("is-asking")
    const { bets } = read()
    if (bet in bets) reveal(box, bets[bet])
  }

  document$.subscribe(() => { all("details.bet[data-bet]").forEach(ask); fold() })
  document.addEventListener("lockstep", () => {
    const { bets } = read()
    all("details.bet.is-open").forEach(box => {
      if (box.dataset.bet in bets) return
      box.classList.remove("is-open")
      box.querySelector("form").hidden = false
      box.querySelector(".bet__told").textContent = ""
    })
    fold()
  })
})()
