// Keeps what "Run here" has loaded, so that it works without a network. Registered when it is first used.
// The network is asked first, always: what is kept is for when it does not answer.

const NAME = "run-here"

addEventListener("install", () => skipWaiting())
addEventListener("activate", event => event.waitUntil(clients.claim()))

addEventListener("message", event => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(NAME)
      await Promise.all(event.data.keep.map(url => cache.add(url).catch(() => {})))
      event.ports[0]?.postMessage("kept")
    })(),
  )
})

addEventListener("fetch", event => {
  const { request } = event
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return
  event.respondWith(
    (async () => {
      const cache = await caches.open(NAME)
      try {
        const response = await fetch(request)
        if (response.ok && (await cache.match(request))) await cache.put(request, response.clone())
        return response
      } catch (error) {
        const kept = await cache.match(request, { ignoreSearch: true })
        if (kept) return kept
        throw error
      }
    })(),
  )
})
