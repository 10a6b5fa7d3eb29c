// The worker that each page starts for its search. What answers (search-worker.js, nine kilobytes) comes
// when a reader is about to search: assets/js/search.js says so on this channel, or with the first question.
(() => {
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel("lockstep-search") : null
  const held = []
  const wake = () => {
    try {
      importScripts("search-worker.js")
    } catch (error) { // the next question tries again
      console.warn(`search: ${error.message}`)
      if (held.length > 1) postMessage({ type: 3, data: { items: [] } })
      return held.splice(1)
    }
    removeEventListener("message", hold)
    channel?.close()
    for (const data of held) dispatchEvent(new MessageEvent("message", { data: { ...data, woken: true } }))
  }
  const hold = ({ data }) => {
    if (data.type === 2 && !data.data.trim()) return postMessage({ type: 3, data: { items: [] } })
    held.push(data)
    if (data.type === 0) postMessage({ type: 1 })
    else wake()
  }
  addEventListener("message", hold)
  channel?.addEventListener("message", () => { if (held.length) wake() })
})()
