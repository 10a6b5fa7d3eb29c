// The search's index is fetched when a reader opens the search, not with the page.
(() => {
  if (typeof BroadcastChannel !== "function" || !location.protocol.startsWith("http")) return
  const channel = new BroadcastChannel("lockstep-search")
  let told = false
  const tell = () => {
    if (!told) channel.postMessage("opened")
    told = true
  }
  const search = document.querySelector(".md-search")
  search?.addEventListener("focusin", tell)
  // On a phone the search is opened by a button beside it.
  document.querySelectorAll("[for=__search]").forEach(label => {
    label.addEventListener("pointerenter", tell)
    label.addEventListener("click", tell)
  })
})()
