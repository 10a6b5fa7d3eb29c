// What helps to read and to find one's way: tables that are wider than the page, charts under a finger,
// drawings enlarged, Ctrl+K, ticks in the sidebar, pages without their frame, an address that leads
// nowhere. Every page reads without it.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]
  const make = (tag, more) => Object.assign(document.createElement(tag), more)
  const config = JSON.parse(document.getElementById("__config").textContent)
  const base = new URL(config.base.replace(/\/*$/, "/"), location)

  // ---- A shadow stands where a table or a chart goes on beyond the edge of its box.
  const more = box => {
    const left = box.scrollLeft > 1, right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1
    const frame = box.parentNode
    if (!left && !right) return frame.removeAttribute("data-more")
    frame.dataset.more = [left && "left", right && "right"].filter(Boolean).join(" ")
  }
  const watched = new ResizeObserver(found => found.forEach(({ target }) => more(target)))
  const frames = () => all(".md-content :is(.md-typeset__scrollwrap, .plot)").forEach(box => {
    if (box.parentNode.matches(".wide")) return
    const frame = make("div", { className: "wide" })
    box.replaceWith(frame)
    frame.append(box)
    box.addEventListener("scroll", () => more(box), { passive: true })
    watched.observe(box)
  })

  // ---- A chart says under a finger, and to the keyboard, what a pointer that rests is told.
  let tip
  const untold = () => { tip?.remove(); tip = null }
  const tell = (shape, text) => {
    untold()
    tip = make("div", { className: "defined md-typeset" })
    tip.append(make("p", { textContent: text }))
    tip.setAttribute("role", "status")
    document.querySelector("main").append(tip)
    const at = shape.getBoundingClientRect(), frame = tip.offsetParent.getBoundingClientRect()
    const left = Math.max(8, Math.min(at.left + at.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8))
    tip.style.left = `${left - frame.left}px`
    tip.style.top = `${at.top - tip.offsetHeight - 8 - frame.top}px`
  }
  // The shape that has something to say and is nearest to a finger, which covers more than a dot.
  const nearest = (svg, x, y) => {
    let best, least = 24
    for (const title of svg.querySelectorAll("* > title")) {
      if (title.parentNode === svg) continue
      const box = title.parentNode.getBoundingClientRect()
      const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom))
      if (far < least) [best, least] = [title, far]
    }
    return best
  }
  addEventListener("click", event => {
    const svg = event.target.closest?.(".plot svg"), title = svg && nearest(svg, event.clientX, event.clientY)
    if (title) tell(title.parentNode, title.textContent)
    else untold()
  })

  // ---- A drawing fills the window: an image by itself, a term's picture and a chart by a button.
  const enlarge = (shown, name, opener) => {
    const box = make("dialog", { className: "enlarged" }), copy = shown.cloneNode(!shown.matches("img"))
    const close = make("button", { type: "button", className: "md-button", textContent: "Close" })
    close.autofocus = true // and not a frame that scrolls
    for (const name of ["id", "tabindex", "role", "aria-label", "title"]) copy.removeAttribute(name)
    box.setAttribute("aria-label", name)
    if (shown.matches("img")) box.append(copy, close)
    else {
      const frame = make("div", { className: shown.matches("svg") ? "plot" : "picture" })
      copy.setAttribute("role", "img")
      copy.setAttribute("aria-label", name)
      frame.append(copy)
      box.append(frame, close)
    }
    box.onclick = () => box.close()
    box.onclose = () => { box.remove(); opener.focus() }
    document.body.append(box)
    box.showModal()
  }
  const drawings = () => {
    all('.md-content img[src*="/diagrams/"]:not([role])').forEach(image => {
      if (image.closest("a")) return
      const open = () => enlarge(image, image.alt || "Drawing", image)
      image.tabIndex = 0
      image.title = "Enlarge"
      image.setAttribute("role", "button")
      image.setAttribute("aria-label", `Enlarge: ${image.alt}`)
      image.onclick = open
      image.onkeydown = event => {
        if (event.key !== "Enter" && event.key !== " ") return
        event.preventDefault()
        open()
      }
    })
    all(".md-content :is(.picture, .wide:has(> .plot > svg)):not(:has(> .enlarge))").forEach(figure => {
      const find = () => figure.querySelector(":scope > .picture__panels") ??
        all(":scope > .plot > svg", figure).find(svg => svg.checkVisibility())
      const name = find()?.getAttribute("aria-label") ?? "Drawing"
      const button = make("button", { type: "button", className: "enlarge", textContent: "Enlarge" })
      button.setAttribute("aria-label", `Enlarge: ${name}`)
      button.onclick = () => enlarge(find(), name, button)
      figure.append(button)
      const panels = figure.querySelector(":scope > .picture__panels")
      if (panels) panels.onclick = button.onclick
    })
  }

  // ---- Ctrl+K
  const field = document.querySelector("[data-md-component=search-query]")
  const look = text => {
    const toggle = document.getElementById("__search")
    if (toggle && !toggle.checked) toggle.click()
    if (text !== undefined) field.value = text
    field.focus()
    field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }))
  }
  if (field) {
    const mac = /Mac|iPhone|iPad/.test(navigator.platform)
    field.closest("form").dataset.keys = mac ? "\u2318K" : "Ctrl K"
    addEventListener("keydown", event => {
      if (event.key.toLowerCase() !== "k" || !(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return
      if (document.querySelector("dialog[open]")) return
      event.preventDefault()
      look()
    })
  }

  // ---- The page alone: its button stands beside the path.
  const ALONE = "lockstep-alone", root = document.documentElement
  const alone = on => {
    root.classList.toggle("is-alone", on)
    all(".alone").forEach(button => {
      button.setAttribute("aria-pressed", on)
      button.textContent = on ? "Show the menus" : "Page alone"
    })
  }
  let kept = false
  try { kept = localStorage.getItem(ALONE) === "1" } catch { /* it lasts as long as the page */ }
  const focusing = () => {
    const path = document.querySelector(".md-path")
    if (path && !path.querySelector(".alone")) {
      const button = make("button", { type: "button", className: "alone" })
      button.onclick = () => {
        kept = !kept
        try { localStorage.setItem(ALONE, kept ? "1" : "0") } catch { /* as above */ }
        alone(kept)
      }
      path.append(button)
    }
    alone(kept && !!path)
  }

  // ---- A tick in the sidebar for each lesson that its reader has finished
  let lessons
  const ticks = async () => {
    const { done } = window.lockstep.read()
    const links = all(".md-nav--primary a.md-nav__link[href]").filter(link => !link.hash)
    if (Object.keys(done).length && links.some(link => link.href.includes("/roadmap/"))) {
      lessons ??= fetch(new URL("data/roadmap.json", base)).then(answer => answer.json())
      const rows = await lessons.catch(() => [])
      const of = {}
      for (const { id, url } of rows) if (url) (of[new URL(url, base).pathname] ??= []).push(id)
      for (const link of links) {
        const ids = of[link.pathname]
        link.classList.toggle("is-done", !!ids && ids.every(id => done[id]))
      }
    } else links.forEach(link => link.classList.remove("is-done"))
  }

  // ---- An address that leads nowhere: pages whose address is most like it
  const pairs = text => {
    const found = new Set(), plain = ` ${decodeURI(text).toLowerCase().replace(/\.html?$/, "").replace(/[^a-z0-9]+/g, " ").trim()} `
    for (let n = 0; n + 2 < plain.length; n++) found.add(plain.slice(n, n + 3))
    return found
  }
  const alike = (a, b) => {
    let both = 0
    for (const pair of a) both += b.has(pair)
    return both / (a.size + b.size - both)
  }
  const lost = async form => {
    const asked = location.pathname.slice(base.pathname.length), last = asked.split("/").filter(Boolean).at(-1) ?? ""
    const input = form.querySelector("input")
    input.value = decodeURI(last).replace(/\.html?$/, "").replace(/[-_]+/g, " ")
    input.select()
    form.onsubmit = event => {
      event.preventDefault()
      look(input.value)
    }
    const text = await (await fetch(form.dataset.lost)).text()
    const places = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => new URL(url).pathname)
    const root = places.reduce((a, b) => a.length < b.length ? a : b, places[0] ?? "/")
    const whole = pairs(asked), end = pairs(last)
    const rank = path => Math.max(alike(whole, pairs(path)), alike(end, pairs(path.split("/").filter(Boolean).at(-1) ?? "")))
    const near = places.map(place => place.slice(root.length)).filter(Boolean).map(path => [rank(path), path])
    const best = near.sort((a, b) => b[0] - a[0]).slice(0, 5).filter(([far]) => far > 0.2)
    if (!best.length) return
    const list = make("ul")
    for (const [, path] of best) {
      const item = make("li")
      item.append(make("a", { href: new URL(path, base).href, textContent: path.replace(/\/$/, "") }))
      list.append(item)
    }
    form.nextElementSibling.replaceChildren(make("p", { textContent: "The addresses most like it:" }), list)
  }

  document.addEventListener("lockstep", ticks)
  document.addEventListener("change", event => { if (event.target.dataset?.done) ticks() })
  document$.subscribe(() => {
    untold()
    focusing()
    ticks()
    const form = document.querySelector("form.lost")
    if (form) lost(form).catch(console.error)
    frames()
    drawings()
    setTimeout(frames, 300) // the theme puts tables into their boxes after the page is there
  })
})()
