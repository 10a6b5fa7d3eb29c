// The site's search, in a worker of its own. It speaks the messages of Material 9.8's search, whose
// field and list of results show what it finds: 0 start, 1 ready, 2 question, 3 answer.
//
// The index (lockstep/mkdocs/search.py makes it) is fetched when the search is opened or first asked. In
// the offline site, where a page cannot fetch, it comes with the start.
(() => {
  let index = null // a promise of {docs, terms, postings}
  let address = ""
  const base = () => new URL("../../", self.location.href)

  const load = () => {
    index ??= fetch(new URL(address, base())).then(answer => {
      if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
      return answer.json()
    })
    index.catch(() => { index = null }) // the next question tries again
    return index
  }

  const escape = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)
  const literal = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const marked = (text, words) => {
    const found = words.filter(word => word.length > 1).map(literal)
    if (!found.length) return escape(text)
    // A capturing group keeps what it matched: every second piece is a hit.
    const pieces = text.split(new RegExp(`(${found.join("|")})`, "iu"))
    return pieces.map((piece, i) => i % 2 ? `<mark>${escape(piece)}</mark>` : escape(piece)).join("")
  }

  // As in lockstep/mkdocs/search.py
  const split = text => (text.replace(/(?<=\d),(?=\d{3}\b)/g, "").match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? [])
    .map(word => word.replace(/^[_.]+|[_.]+$/g, "").toLowerCase()).filter(Boolean)

  // The first term that does not come before the word
  const lower = (terms, word) => {
    let low = 0, high = terms.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (terms[middle] < word) low = middle + 1
      else high = middle
    }
    return low
  }

  // What each section is worth for the terms that begin with a word: [scores by section, best term]
  const hits = ({ docs, terms, postings }, word) => {
    const scores = new Map()
    let best = "", most = 0
    for (let i = lower(terms, word); i < terms.length && terms[i].startsWith(word); i++) {
      const packed = postings[i].split(" ")
      const exact = terms[i].length === word.length
      const closeness = exact ? 2 : word.length / terms[i].length
      const rare = Math.log(1 + docs.length / packed.length)
      if (packed.length * closeness > most) [best, most] = [terms[i], packed.length * closeness]
      let section = 0
      for (const posting of packed) {
        section += parseInt(posting.slice(0, -1), 36)
        const score = parseInt(posting.slice(-1), 36) * rare * closeness
        if (score > (scores.get(section) ?? 0)) scores.set(section, score)
      }
    }
    return [scores, best]
  }

  const search = (data, text) => {
    const { docs } = data
    const asked = []
    let suggest = ""
    for (const word of split(text)) {
      let [scores, best] = hits(data, word)
      // Kernel for kernels; and the parts of a name that stands nowhere as a whole.
      if (word.length > 3 && word.endsWith("s")) {
        const [one, single] = hits(data, word.slice(0, -1))
        best ||= single
        one.forEach((score, section) => scores.set(section, Math.max(0.9 * score, scores.get(section) ?? 0)))
      }
      const parts = word.split(/[._]+/).filter(Boolean)
      if (!scores.size && parts.length > 1) parts.forEach(part => asked.push([part, hits(data, part)[0]]))
      else asked.push([word, scores])
      suggest = best
    }
    // The id of a measurement: a section that has it as a whole comes first.
    for (const id of text.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+){2,}/g) ?? []) {
      const [scores] = hits(data, id)
      if (scores.size) asked.push([id, new Map([...scores].map(([section, score]) => [section, 10 * score]))])
    }
    if (!asked.length) return { items: [] }
    const plain = text => split(text).map(word => word.replace(/s$/, "")).join(" ")
    const question = plain(text)
    const pages = new Map()
    const sections = new Set(asked.flatMap(([, scores]) => [...scores.keys()]))
    for (const section of sections) {
      const [location, title, teaser, names] = docs[section]
      const has = asked.map(([word, scores]) => [word, scores.has(section)])
      const share = has.filter(([, found]) => found).length / asked.length
      // The page that is opened marks these: a letter alone would be marked all over it.
      const terms = Object.fromEntries(has.filter(([word]) => word.length > 1))
      const sum = asked.reduce((total, [, scores]) => total + (scores.get(section) ?? 0), 0)
      const page = location.split("#")[0]
      const score = sum * share ** 2 * (page === location ? 1.3 : 1) * (plain(title) === question ? 2 : 1)
      if (!pages.has(page)) pages.set(page, [])
      pages.get(page).push({ section, location, title, text: teaser, names, terms, score })
    }
    const words = asked.map(([word]) => word)
    const shown = ({ section, names, ...item }) => ({
      ...item,
      title: marked(item.title, words),
      text: item.text && `<p>${marked(item.text, words)}</p>`,
      ...names.length && { tags: names.map(name => marked(name, words)) },
    })
    const heads = new Map(docs.map((doc, i) => [doc[0], i]))
    const groups = [...pages].map(([page, items]) => [page, items.sort((a, b) => b.score - a.score)])
    groups.sort(([, [a]], [, [b]]) => b.score - a.score)
    const items = groups.slice(0, 50).map(([page, found]) => {
      const best = found.slice(0, 8)
      if (!best.some(item => item.location === page) && heads.has(page)) {
        const head = found.find(item => item.location === page)
        const [location, title, text, names] = docs[heads.get(page)]
        best.push(head ?? { location, title, text, names, terms: found[0].terms, score: 0 })
      }
      return best.map(shown)
    })
    return { items, ...suggest && { suggest: [suggest] } }
  }

  addEventListener("message", async ({ data: { type, data } }) => {
    if (type === 0) {
      if (typeof data.config.index === "string") address = data.config.index
      else index = Promise.resolve(data.config.index)
      postMessage({ type: 1 })
    } else if (type === 2) {
      const found = data.trim() ? await load().then(known => search(known, data), error => {
        console.warn(`search: ${error.message}`)
        return { items: [] }
      }) : { items: [] }
      postMessage({ type: 3, data: found })
    }
  })

  // assets/js/search.js says so when a reader opens the search. Only there is an address fetched.
  if (typeof BroadcastChannel === "function" && self.location.protocol.startsWith("http")) {
    new BroadcastChannel("lockstep-search").addEventListener("message", () => { if (address) load() })
  }
})()
