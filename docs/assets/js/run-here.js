// "Run here": a button beside each block that the page can run. The rest is loaded when it is pressed.
(() => {
  const base = new URL("../../", document.currentScript.src)
  let shared = /^#run=/.test(location.hash) && location.hash

  // Recorded steps: the player comes when they do.
  const seen = new IntersectionObserver(found => {
    for (const { target, isIntersecting } of found)
      if (isIntersecting && !seen.unobserve(target))
        import(new URL("assets/vendor/run-here/player.js", base)).then(({ play }) => play(target, base.href)).catch(console.error)
  }, { rootMargin: "300px" })

  const panel = () => import(new URL("assets/vendor/run-here/panel.js", base))

  const open = async (button, link) => {
    if (location.protocol === "file:") {
      // A browser starts no worker from there.
      button.textContent = "It needs a server: python -m http.server in the site's folder"
      return
    }
    button.setAttribute("aria-busy", "true")
    try {
      const { open } = await panel()
      await open({ base: base.href, block: button.dataset.block, button, link })
    } catch (error) {
      console.error(error)
      button.textContent = "Could not load it. Try again"
    }
    button.removeAttribute("aria-busy")
  }

  document$.subscribe(() => {
    if (location.protocol !== "file:") for (const node of document.querySelectorAll("figure.play")) seen.observe(node)
    for (const node of document.querySelectorAll("[data-run]")) {
      if (node.querySelector("button")) continue
      const button = document.createElement("button")
      button.type = "button"
      button.className = "run-here"
      button.textContent = node.dataset.label ?? "Run here"
      button.dataset.block = node.dataset.run
      button.addEventListener("click", () => open(button))
      // A press begins when the mouse's button is down. (A finger that is down may scroll.)
      button.addEventListener("pointerdown", ({ pointerType }) => {
        if (pointerType === "mouse" && location.protocol !== "file:") panel().then(({ warm }) => warm(base.href)).catch(() => {})
      })
      node.append(button)
    }
    const found = shared && document.querySelector(".run-here")
    if (found) open(found, shared)
    shared = false
  })
})()
