// The filter of the map. Without this script all rows are there, and the switches for columns work.
// What is chosen stands in the address, so that it can be passed on: #group=atomics&eq=none&q=add.
(() => {
  const form = () => document.querySelector("form.map-filter")
  const ticked = (form, name) => [...form.querySelectorAll(`[name="${name}"]:checked`)].map(i => i.value)
  const lists = ["eq", "only", "with"]
  let rows = []

  const read = form => {
    const chosen = new URLSearchParams()
    const { q, group } = form.elements
    if (q.value.trim()) chosen.set("q", q.value.trim())
    if (group.value) chosen.set("group", group.value)
    lists.forEach(name => ticked(form, name).length && chosen.set(name, ticked(form, name).join(".")))
    return chosen
  }

  const write = (form, chosen) => {
    form.elements.q.value = chosen.get("q") ?? ""
    form.elements.group.value = chosen.get("group") ?? ""
    if (form.elements.group.selectedIndex < 0) form.elements.group.value = ""
    lists.forEach(name => {
      const values = (chosen.get(name) ?? "").split(".")
      form.querySelectorAll(`[name="${name}"]`).forEach(i => { i.checked = values.includes(i.value) })
    })
  }

  const draw = form => {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean)
    const group = form.elements.group.value
    const eq = ticked(form, "eq"), only = ticked(form, "only")
    let shown = 0
    const sections = new Map()
    for (const row of rows) {
      const fits = (!group || row.group === group) && (!eq.length || eq.includes(row.eq)) &&
        only.every(name => row.has[name]) && words.every(word => row.text.includes(word))
      row.tr.hidden = !fits
      shown += fits
      sections.set(row.section, (sections.get(row.section) ?? 0) + fits)
    }
    for (const [{ heading, table }, count] of sections) heading.hidden = table.hidden = !count
    const all = shown === rows.length
    form.querySelector("[role=status]").textContent =
      all ? `${shown} rows.` : `${shown} of ${rows.length} rows.`
    form.querySelector("[type=reset]").hidden = all && !read(form).size
  }

  const remember = form => {
    const chosen = read(form).toString()
    history.replaceState(history.state, "", chosen ? `#${chosen}` : location.pathname + location.search)
  }

  // An address with "=" is a filter; another one is the place of a row, which must not stay hidden.
  const follow = form => {
    const hash = location.hash.slice(1)
    const target = hash && !hash.includes("=") && document.getElementById(hash)
    if (target) {
      if (!target.closest("[hidden]")) return
      write(form, new URLSearchParams())
      draw(form)
      target.scrollIntoView()
    } else {
      write(form, new URLSearchParams(hash.includes("=") ? hash : ""))
      draw(form)
    }
  }

  const start = () => {
    const found = form()
    if (!found || found.dataset.ready) return
    found.dataset.ready = "yes"
    rows = [...document.querySelectorAll(".map--all h2[id]")].flatMap(heading => {
      let node = heading.nextElementSibling
      while (node && !node.querySelector("tr") && node.tagName !== "H2") node = node.nextElementSibling
      const section = { heading, table: node }
      return [...node.querySelectorAll("tbody tr")].map(tr => {
        const { dataset } = tr.cells[0]
        return {
          tr, section, group: heading.id, eq: dataset.eq, text: tr.textContent.toLowerCase(),
          has: { claims: dataset.claim, unverified: dataset.unverified, pairs: tr.querySelector('a[href*="pairs/"]') },
        }
      })
    })
    found.querySelectorAll("[hidden]").forEach(node => { node.hidden = false })
    found.addEventListener("submit", event => event.preventDefault())
    found.addEventListener("input", () => { draw(found); remember(found) })
    found.addEventListener("reset", () => setTimeout(() => {
      draw(found)
      remember(found)
      found.elements.q.focus() // the button that had the focus is gone
    }))
    follow(found)
  }

  addEventListener("hashchange", () => form() && follow(form()))
  document$.subscribe(start)
})()
