// The filter of the library. Without this script all entries are there, and the form is not.
// What is chosen stands in the address, so that it can be passed on: #topics=attention&lang=ru.
(() => {
  const names = ["q", "topics", "kind", "level", "phase", "lang"]
  const form = () => document.querySelector("form.library-filter")
  let items = []

  const read = form => new URLSearchParams(
    names.map(name => [name, form.elements[name].value.trim()]).filter(([, value]) => value))

  const draw = form => {
    const chosen = read(form)
    const words = (chosen.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    const sections = new Map()
    for (const { li, heading, text } of items) {
      const fits = words.every(word => text.includes(word)) && names.slice(1).every(name =>
        !chosen.has(name) || li.dataset[name].split(" ").includes(chosen.get(name)))
      li.hidden = !fits
      shown += fits
      sections.set(heading, (sections.get(heading) ?? 0) + fits)
    }
    for (const [heading, count] of sections) heading.hidden = heading.nextElementSibling.hidden = !count
    form.querySelector("[role=status]").textContent =
      shown === items.length ? `${shown} entries.` : `${shown} of ${items.length} entries.`
    form.querySelector("[type=reset]").hidden = !chosen.size
    return chosen
  }

  const remember = chosen => history.replaceState(
    history.state, "", chosen.size ? `#${chosen}` : location.pathname + location.search)

  const follow = form => {
    const hash = location.hash.slice(1)
    const chosen = new URLSearchParams(hash.includes("=") ? hash : "")
    names.forEach(name => { form.elements[name].value = chosen.get(name) ?? "" })
    draw(form)
    if (hash && !hash.includes("=")) document.getElementById(hash)?.scrollIntoView()
  }

  const start = () => {
    const found = form()
    if (!found || found.dataset.ready) return
    found.dataset.ready = "yes"
    found.hidden = false
    items = [...document.querySelectorAll(".library h2[id]")].flatMap(heading =>
      [...heading.nextElementSibling.children].map(li =>
        ({ li, heading, text: li.textContent.toLowerCase() })))
    found.addEventListener("submit", event => event.preventDefault())
    found.addEventListener("input", () => remember(draw(found)))
    found.addEventListener("reset", () => setTimeout(() => {
      remember(draw(found))
      found.elements.q.focus() // the button that had the focus is gone
    }))
    follow(found)
  }

  addEventListener("hashchange", () => form() && follow(form()))
  document$.subscribe(start)
})()
