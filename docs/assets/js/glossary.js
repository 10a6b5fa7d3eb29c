// Definition of a term on hover, focus and tap; index of the glossary. All reads without it.
(() => {
  let tip, link, timer, tapped, touch

  const hide = () => {
    clearTimeout(timer)
    link?.removeAttribute("aria-describedby")
    tip?.remove()
    tip = link = tapped = null
  }
  const show = (of, tap) => {
    clearTimeout(timer)
    if (of === link && tap === tapped) return
    hide()
    link = of
    tapped = tap
    tip = document.createElement("div")
    tip.className = "defined md-typeset"
    const text = document.createElement("p")
    text.id = "defined"
    text.setAttribute("role", "tooltip")
    text.textContent = of.dataset.term
    tip.append(text)
    if (tap) {
      const more = document.createElement("a")
      more.href = of.href
      more.textContent = `More on “${of.textContent}”`
      tip.append(more)
    }
    of.closest("main, body").append(tip)
    of.setAttribute("aria-describedby", "defined")
    const at = of.getClientRects()[0]
    const under = at.bottom + tip.offsetHeight + 12 < innerHeight
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8))
    const frame = tip.offsetParent.getBoundingClientRect()
    tip.style.left = `${left - frame.left}px`
    tip.style.top = `${(under ? at.bottom + 6 : at.top - tip.offsetHeight - 6) - frame.top}px`
  }
  const term = ({ target }) => target.closest?.("a.term")

  addEventListener("pointerover", event => {
    if (event.pointerType === "touch") return
    clearTimeout(timer)
    if (term(event)) timer = setTimeout(show, 80, term(event), false)
    else if (tip && !tip.contains(event.target)) timer = setTimeout(hide, 200)
  })
  addEventListener("pointerdown", event => {
    touch = event.pointerType === "touch"
    if (tip && !tip.contains(event.target) && term(event) !== link) hide()
  }, true)
  addEventListener("focusin", event => {
    if (term(event) && !touch) show(term(event), false)
    else if (tip && !tip.contains(event.target)) hide()
  })
  addEventListener("keydown", ({ key }) => {
    touch = false
    if (key === "Escape") hide()
  })
  // The first tap shows; its link goes on.
  addEventListener("click", event => {
    const of = term(event)
    if (!of || !touch || (of === link && tapped)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    show(of, true)
  }, true)

  const KEY = "lockstep-platform"
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]
  let chosen = ""
  try { chosen = localStorage.getItem(KEY) ?? "" } catch {}

  const order = () => {
    all(".names, .entry__names").forEach(box => {
      const rows = [...box.children]
      rows.forEach((row, n) => { row.dataset.n ??= n })
      const first = row => row.dataset.platform === chosen ? -1 : +row.dataset.n
      rows.forEach(row => row.classList.toggle("is-chosen", row.dataset.platform === chosen))
      box.replaceChildren(...rows.sort((a, b) => first(a) - first(b)).flatMap(row => [row, " "]))
    })
    all(".entries > li").forEach(entry => {
      entry.querySelector(".entry__first")?.remove()
      const name = entry.querySelector(`[data-platform="${chosen}"] i`)
      if (!name) return
      const first = document.createElement("b")
      first.className = "entry__first"
      first.textContent = name.textContent.split(";")[0]
      entry.prepend(first, " ")
    })
  }
  const finder = box => {
    box.insertAdjacentHTML("afterbegin", `<div class="finder__tools"><label>Filter
      <input type="search" autocomplete="off"></label><label>Show first the name of
      <select><option value="">no platform</option></select></label></div><p role="status"></p>`)
    const [input, select, said] = all("input, select, [role=status]", box)
    all("a[data-platform]", box).forEach(({ dataset, textContent }) => select.append(new Option(textContent, dataset.platform)))
    select.value = chosen
    select.addEventListener("change", () => {
      chosen = select.value
      try { localStorage.setItem(KEY, chosen) } catch {}
      order()
    })
    const entries = all(".entries > li"), lists = all(".entries"), letters = all(".letters > li")
    const found = lists[0].cloneNode()
    box.append(found)
    const to = item => item.querySelector("a")
    const filter = () => {
      const value = input.value.trim().toLowerCase()
      const words = value.split(/\s+/).map(word => RegExp("(^|[^a-z0-9]|(?![a-z0-9]))" + word.replace(/\W/g, "\\$&")))
      // The very name first, then what has the words in its names, then in its definition.
      const rank = entry => {
        const names = `${to(entry).textContent}, ${entry.dataset.aliases ?? ""}`.toLowerCase()
        const texts = [".entry__names", ".entry__text"].map(of => entry.querySelector(of).textContent.toLowerCase())
        const has = text => words.every(word => word.test(text))
        return [names.split(", ").includes(value), has(names), has(`${names} ${texts[0]}`), has(`${names} ${texts}`)].indexOf(true)
      }
      const ranks = entries.map(value ? rank : () => -1)
      const hits = [0, 1, 2, 3].flatMap(n => entries.filter((_, at) => ranks[at] === n))
      const left = hits.map(entry => to(entry).href)
      letters.forEach(item => { item.hidden = value && !left.includes(to(item).href) })
      lists.forEach(list => { list.hidden = list.previousElementSibling.hidden = !!value })
      found.replaceChildren(...hits.map(entry => entry.cloneNode(true)))
      said.textContent = value && `${hits.length} of ${entries.length} terms`
    }
    input.addEventListener("input", filter)
    input.addEventListener("keydown", ({ key }) => {
      if (key === "Enter" && found.firstChild) to(found).click()
    })
  }
  document$.subscribe(() => {
    hide()
    const box = document.querySelector(".finder")
    if (box && !box.querySelector("input")) finder(box)
    order()
  })
})()
