// The search's field, and its index, which is fetched when a reader opens the search, not with the page.
(() => {
  const search = document.querySelector(".md-search")
  // Material looks at the field after each key. What a menu pastes comes without one.
  search?.addEventListener("input", ({ target }) => target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true })))

  if (typeof BroadcastChannel !== "function" || !location.protocol.startsWith("http")) return
  const channel = new BroadcastChannel("lockstep-search")
  let told = false
  const tell = () => {
    if (!told) channel.postMessage("opened")
    told = true
  }
  search?.addEventListener("focusin", tell)
  search?.addEventListener("pointerover", tell) // on its way to the field
  // Ctrl comes a moment before the K of Ctrl+K, and "/" and "f" are the theme's own keys for it.
  addEventListener("keydown", ({ key }) => { if (["Control", "Meta", "/", "f", "s"].includes(key)) tell() })
  // On a phone the search is opened by a button beside it.
  document.querySelectorAll("[for=__search]").forEach(label => {
    label.addEventListener("pointerenter", tell)
    label.addEventListener("click", tell)
  })
})()
