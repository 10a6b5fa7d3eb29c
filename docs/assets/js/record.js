/* A reader checks: the hash of a block's text, computed here, beside the hash of its record. */

const hex = bytes => Array.from(new Uint8Array(bytes), b => b.toString(16).padStart(2, "0")).join("")

/** The text of the block that a record stands below, as its reader sees it. */
function shownAbove(record) {
  let place = record.previousElementSibling
  while (place && !place.classList.contains("highlight")) place = place.previousElementSibling
  return place?.querySelector("pre > code")?.textContent.replace(/^\n+|\n+$/g, "")
}

let known = {}

/** The whole hashes of this page's blocks: the page itself begins them. None without a server. */
function hashes() {
  const address = new URL("blocks.json", location.href.replace(/#.*/, "")).href
  if (known.address !== address) {
    const answer = fetch(address).then(found => (found.ok ? found.json() : []))
    known = { address, rows: answer.catch(() => []) }
  }
  return known.rows
}

async function complete(record, hash) {
  const all = [...document.querySelectorAll("details.record")]
  const whole = (await hashes())[all.indexOf(record)]
  if (whole?.startsWith(hash.textContent)) hash.textContent = whole
}

async function compare(record, hash, said) {
  const text = new TextEncoder().encode(shownAbove(record))
  const found = hex(await crypto.subtle.digest("SHA-256", text))
  const same = found.startsWith(hash.textContent)
  said.textContent = same
    ? "The text above has this hash: it is what ran."
    : `The text above has another hash, ${found}: it is not what the record says.`
  record.dataset.same = String(same)
}

// Where a browser has no hashes, on a page without encryption, there is no button.
document.addEventListener(
  "toggle",
  event => {
    const record = event.target
    const hash = record.matches?.(".record") && record.querySelector(".record__hash")
    if (!hash || hash.nextElementSibling || !globalThis.crypto?.subtle) return
    const button = document.createElement("button")
    const said = document.createElement("span")
    button.type = "button"
    button.className = "record__check"
    button.textContent = "Compare with this page"
    said.className = "record__said"
    said.setAttribute("role", "status")
    button.addEventListener("click", () => compare(record, hash, said))
    hash.after(" ", button, said)
    complete(record, hash)
  },
  true,
)
