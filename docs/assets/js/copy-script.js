// "Copy the script": the whole page's Python, as the download has it. Without this script, or where a
// page may not fetch, the button stays hidden and the download is there.
(() => {
  if (!location.protocol.startsWith("http") || !navigator.clipboard) return
  const show = () => document.querySelectorAll("[data-copy-script]").forEach(button => {
    button.hidden = false
    const word = button.textContent
    button.onclick = async () => {
      const said = button.nextElementSibling
      try {
        const answer = await fetch(button.dataset.copyScript)
        if (!answer.ok) throw new Error(answer.statusText)
        await navigator.clipboard.writeText(await answer.text())
        said.textContent = "Copied."
      } catch {
        said.textContent = "It could not be copied: use the download."
      }
      setTimeout(() => { said.textContent = "" }, 4000)
    }
  })
  document$.subscribe(show)
})()
