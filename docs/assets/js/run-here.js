// "Run here": a button beside each block that the page can run. The rest is loaded when it is pressed.
(() => {
  const base = new URL("../../", document.currentScript.src)
  let shared = /^#run=/.test(location.hash) && location.hash

  const open = async (button, link) => {
    if (location.protocol === "file:") {
      // A browser starts no worker from there.
      button.textContent = "It needs a server: python -m http.server in the site's folder"
      return
    }
    button.setAttribute("aria-busy", "true")
    try {
      const { open } = await import(new URL("assets/vendor/run-here/panel.js", base))
      await open({ base: base.href, block: button.dataset.block, button, link })
    } catch (error) {
      console.error(error)
      button.textContent = "Could not load it. Try again"
    }
    button.removeAttribute("aria-busy")
  }

  document$.subscribe(() => {
    for (const node of document.querySelectorAll("[data-run]")) {
      if (node.querySelector("button")) continue
      const button = document.createElement("button")
      button.type = "button"
      button.className = "run-here"
      button.textContent = "Run here"
      button.dataset.block = node.dataset.run
      button.addEventListener("click", () => open(button))
      node.append(button)
    }
    const found = shared && document.querySelector(".run-here")
    if (found) open(found, shared)
    shared = false
  })
})()
