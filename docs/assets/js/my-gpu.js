// The page "My GPU": a button; what measures is loaded when it is pressed, or when a link brings a record.
const base = new URL("../../", import.meta.url)
const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("assets/css/my-gpu.css", base).href })
document.head.append(style)

document$.subscribe(() => {
  const place = document.querySelector("div.my-gpu")
  if (!place || place.querySelector("button")) return
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties)
  const button = make("button", { type: "button", className: "md-button md-button--primary", textContent: "Measure my GPU" })
  const status = make("p", { className: "my-gpu__status" })
  status.setAttribute("role", "status")
  const bar = make("progress", { max: 1, value: 0, hidden: true, ariaLabel: "How far the measurement is" })
  place.replaceChildren(button, status, bar, make("div", { className: "my-gpu__result" }))
  let run
  const load = async () => (run ??= await (await import(new URL("assets/vendor/run-here/measure.js", base))).open(place, base))
  button.addEventListener("click", async () => {
    try {
      await (await load())()
    } catch (error) {
      console.error(error)
      status.textContent = "Could not load it. Try again."
    }
  })
  if (location.hash.startsWith("#card=")) load().catch(console.error)
})
