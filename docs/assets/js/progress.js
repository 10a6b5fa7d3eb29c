// What a reader has done, kept in this browser alone. Pages read as well without it.
window.lockstep = (() => {
  const KEY = "lockstep", ASIDE = "lockstep-unread-"
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]
  const base = new URL(JSON.parse(document.getElementById("__config").textContent).base.replace(/\/*$/, "/"), location).href
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`
  const empty = () => ({ lockstep: 1, done: {}, solved: {}, par: {}, quiz: {}, hints: {}, bets: {}, code: {} })
  const few = n => Number.isInteger(n) && n >= 0 && n < 20
  const day = text => /^\d{4}-\d\d-\d\d$/.test(text)
  const parts = { done: day, solved: day, par: day, bets: Number.isFinite, code: text => typeof text == "string" && text.length < 20000, quiz: a => Array.isArray(a) && a.length < 20 && a.every(few), hints: few }
  let kept = null // where the browser keeps nothing: until the reader leaves
  let broken = false // what was kept has been found unreadable

  // Returns the progress that a text holds. Throws a word that says why it is none.
  const parse = text => {
    let data, state = empty()
    try { data = JSON.parse(text) } catch { throw "it is not JSON" }
    if (!data?.lockstep) throw "it is not progress on this site"
    if (data.lockstep !== 1) throw "another version of this site wrote it"
    for (const part in parts) {
      for (const [id, value] of Object.entries(data[part] ?? {})) {
        if (!/^[a-z0-9-]{1,80}$/.test(id) || !parts[part](value)) throw `its part “${part}” is damaged`
        state[part][id] = value
      }
    }
    const place = (from, { title, path } = from ?? {}) =>
      typeof title == "string" && typeof path == "string" ? { title, path } : undefined
    const last = place(data.last)
    if (last) state.last = { ...last, ids: [data.last.ids ?? []].flat().map(String), next: place(data.last.next), at: place(data.last.at) }
    return state
  }

  const read = () => {
    if (kept) return kept
    try {
      const text = localStorage.getItem(KEY)
      try { return text === null ? empty() : parse(text) } catch {
        localStorage.setItem(ASIDE + Date.now(), text) // lose nothing, not even what cannot be read
        localStorage.removeItem(KEY)
        broken = true
        return empty()
      }
    } catch { return (kept = empty()) }
  }
  const change = edit => {
    const state = read()
    edit(state)
    if (!kept) try { localStorage.setItem(KEY, JSON.stringify(state)) } catch { kept = state }
    refresh()
  }
  const today = () => new Date().toISOString().slice(0, 10)
  const mark = (map, ids, on) => ids.split(" ").forEach(id => { if (on) map[id] ??= today(); else delete map[id] })
  const say = text => all(".progress__said").forEach(node => { node.textContent = text })
  const aside = () => { try { return Object.keys(localStorage).filter(key => key.startsWith(ASIDE)) } catch { return [] } }

  const refresh = () => {
    const { done, last } = read()
    all("[data-done]").forEach(box => { box.checked = box.dataset.done.split(" ").every(id => done[id]) })
    all("[data-item]").forEach(node => node.classList.toggle("is-done", node.dataset.item in done))
    all(".phase__done").forEach(node => {
      const n = all(".is-done", node.parentNode).length
      node.textContent = n ? `${n} of ${node.dataset.of} done` : ""
    })
    all(".continue").forEach(node => {
      const place = last && (last.ids.every(id => done[id]) ? last.next : last.at ?? last)
      let href = null
      try { href = new URL(place.path, base).href } catch { /* nowhere yet */ }
      node.hidden = !href?.startsWith(base) // progress from a file leads nowhere else
      if (!node.hidden) Object.assign(node, { href, textContent: place === last.next ? `Next: ${place.title}` : `Continue: ${last.title}${place === last ? "" : `, “${place.title}”`}` })
    })
  }

  const load = async file => {
    let found
    try { found = parse(await file.text()) } catch (why) {
      return say(`“${file.name}” was refused: ${typeof why == "string" ? why : "it cannot be read"}. Nothing was changed.`)
    }
    change(state => {
      for (const id in found.hints) found.hints[id] = Math.max(found.hints[id], state.hints[id] ?? 0)
      Object.assign(state.hints, found.hints)
      for (const part of ["done", "solved", "par", "quiz", "bets", "code"]) state[part] = { ...found[part], ...state[part] }
      state.last ??= found.last
    })
    say(`Added ${count(Object.keys(found.done).length, "page")} and ${count(Object.keys(found.quiz).length, "quiz answer")} from “${file.name}”.`)
  }
  const download = (name, text) => {
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
    Object.assign(document.createElement("a"), { href, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(href), 9e3)
  }
  const tools = {
    save: () => download("lockstep-progress.json", JSON.stringify(read(), null, 1)),
    aside() {
      const keys = aside()
      download("lockstep-set-aside.json", keys.map(key => localStorage.getItem(key)).join("\n"))
      keys.forEach(key => localStorage.removeItem(key))
      say("")
    },
    load: button => button.parentNode.querySelector("[type=file]").click(),
    forget() {
      if (!confirm("Forget all ticks and answers on this device?")) return
      try { [KEY, ...aside()].forEach(key => localStorage.removeItem(key)) } catch { /* nothing there */ }
      if (kept) kept = empty()
      refresh()
      document.dispatchEvent(new Event("lockstep"))
      say("Forgotten.")
    },
  }

  // The section that a lesson's reader has come to: the last heading above the middle of the screen
  const here = () => location.href.slice(base.length).replace(/[?#].*/, "")
  const note = () => {
    const { last } = read()
    if (last?.path !== here() || !document.querySelector(".tick")) return
    const heading = all(".md-content :is(h2, h3)[id]").filter(node => node.getBoundingClientRect().top < innerHeight / 2).at(-1)
    const path = heading && `${last.path}#${heading.id}`
    if (path === last.at?.path) return
    const title = heading && [...heading.childNodes].filter(node => !node.matches?.(".headerlink")).map(node => node.textContent).join("").trim()
    change(state => { state.last.at = heading && { title, path } })
  }
  let moved = 0
  addEventListener("scroll", () => {
    clearTimeout(moved)
    moved = setTimeout(note, 250)
  }, { passive: true })

  addEventListener("storage", refresh) // another tab
  document.addEventListener("click", ({ target }) => tools[target.dataset?.progress]?.(target))
  document.addEventListener("change", ({ target }) => {
    if (target.dataset.done) change(state => mark(state.done, target.dataset.done, target.checked))
    if (target.dataset.solved) change(state => mark(state.solved, target.dataset.solved, target.checked))
    if (target.type === "file" && target.files[0]) load(target.files[0]).then(() => { target.value = "" })
  })
  document$.subscribe(() => {
    const tick = document.querySelector(".tick"), path = here()
    if (tick) change(state => {
      const next = tick.querySelector(".tick__next")
      state.last = {
        title: tick.dataset.title, path,
        ids: tick.querySelector("[data-done]").dataset.done.split(" "),
        next: next ? { title: next.textContent, path: next.href.slice(base.length) } : undefined,
        at: state.last?.path === path ? state.last.at : undefined,
      }
    })
    refresh()
    if (kept) say("This browser keeps nothing for this site: ticks and answers last until you leave.")
    else if (aside().length && (broken || document.querySelector("[data-progress]"))) {
      say("What this browser had kept could not be read. It was set aside unchanged, and this is a new start. ")
      all(".progress__said").forEach(node => {
        const button = Object.assign(document.createElement("button"), { type: "button", className: "md-button", textContent: "Save what was set aside" })
        button.dataset.progress = "aside"
        node.append(button)
      })
    }
  })
  return { read, change, all, today }
})()
