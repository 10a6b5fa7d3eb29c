// Lets a service worker keep what a page has loaded, so that it works without a network.

// `base`: the site's root; `page`: the page's address; `more`: addresses that the page did not fetch itself. Resolves when
// all of it is kept; rejects where a browser keeps nothing: in a private window, or without https.
export async function keep(base, page, more = []) {
  await navigator.serviceWorker.register(new URL("run-here-offline.js", base), { scope: new URL("./", base).pathname })
  const { active } = await navigator.serviceWorker.ready
  const seen = performance.getEntriesByType("resource").map(entry => entry.name)
  const files = [page, ...seen, ...more].filter(url => url.startsWith(base))
  await new Promise(resolve => {
    const channel = new MessageChannel()
    channel.port1.onmessage = resolve
    active.postMessage({ keep: [...new Set(files)] }, [channel.port2])
  })
}
