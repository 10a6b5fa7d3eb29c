// The site's search, in a worker of its own, which search-start.js starts. It speaks the messages of
// Material 9.8's search, whose field and list of results show what it finds: 0 start, 1 ready, 2 question,
// 3 answer.
//
// The index (lockstep/mkdocs/search.py makes it) is fetched when the search is opened or first asked. In
// the offline site, where a page cannot fetch, it comes with the start.
//
// A result comes first by what it has of the question together: in its section, in its title, as a
// name (see W), and by how near it is to what the question means (see learn). A word is found as it
// stands, by its stem, as the beginning of a longer one, by a synonym; a word that stands nowhere is
// taken for two that were written as one, or for one with a wrong letter.
(() => {
  let index = null // a promise of the index, as `open` returns it
  let address = "", words = "" // of the index, and of the table of meanings
  let last = "" // the question that is asked
  let pages = null // the index as it came, until it has answered in full
  const base = () => new URL("../../", self.location.href)
  const get = async address => {
    const answer = await fetch(new URL(address, base()))
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
    return answer
  }
  const load = () => {
    index ??= get(address).then(async answer => {
      const told = await answer.json()
      pages = told
      if (last) begin()
      const known = await open(told)
      warm(known)
      if (words) get(words).then(answer => answer.arrayBuffer()).then(async table => {
        await learn(known, new Uint8Array(table))
        if (last) reply(known)
        else search(known, "threads of a warp")
      }).catch(error => console.warn(`search: ${error.message}`))
      return known
    })
    index.catch(() => { index = null }) // the next question tries again
    return index
  }
  // Code that has run once is fast: before the first key, and never in front of a question
  const warm = async known => {
    for (const question of ["simdgroup", "bank conflict", "threads of a warp"]) {
      await new Promise(done => setTimeout(done))
      if (last) return
      search(known, question)
    }
  }
  // Between two parts of long work: a question that came meanwhile is heard
  const resting = () => {
    let since = Date.now()
    return async () => {
      if (Date.now() - since < 8) return
      await new Promise(done => setTimeout(done))
      since = Date.now()
    }
  }
  const reply = known => {
    postMessage({ type: 3, data: last ? search(known, last) : { items: [] } })
    if (last) pages = null
  }

  // ------------------------------------------------------------ words

  // Words that a question has and an answer need not: the index tells them
  let ASKING = new Set()
  // What nearly every page is about: a name with one of them makes it no rarer.
  const CONTEXT = new Set("cuda numba gpu gpus python nvidia".split(" "))
  // Words that say how much, and hardly of what: a fifth of what another word as rare tells
  const FAINT = new Set("slightly single card cards less most same entire exact simple bit lot new".split(" "))
  // Those of them that a question and a heading do not share for nothing
  const IDLE = new Set("a an and are as at be by for from in into is it its of on or the to was with".split(" "))
  // What kind of page a question asks for, by its words: the term itself, two things side by side,
  // what to install, or Apple's side
  const KINDS = {
    what: /^(?:what(?:'s| is| are| does)|что такое)\s|(?:^|\s)(?:explained|meaning|mean|means)(?:\s|$)/i,
    versus: /\s(?:vs|versus|or|between|difference|отличается|разница)(?:\s|$)|^(?:difference|разница)\s/i,
    install: /install|\bpip\b|conda|wheel|version|driver|available|laptop|установ|верси/i,
    apple: /\b(?:metal|swift|mps|mlx|apple|mac|macbook|macos|m[1-9]|simd_?group\w*|thread_?group\w*|mtl\w*)\b/i,
  }
  const CYRILLIC = /[а-я]/
  const MESSAGE = /\b(?:\w*Error|error|Exception):\s/ // one that is pasted is looked for as it stands
  // As in lockstep/mkdocs/search.py
  const split = text => (text.replace(/(?<=\d),(?=\d{3}\b)/g, "").replace(/(?<=\p{L})['\u2019]s\b/gu, "").match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? [])
    .map(word => word.replace(/^[_.]+|[_.]+$/g, "").toLowerCase().replaceAll("ё", "е")).filter(Boolean)

  const russian = word => {
    const stem = word.replace(/(?:иями|ями|ами|иях|ях|ах|ием|ем|ом|ого|его|ому|ему|ыми|ими|ым|им|ых|их|ою|ею|ой|ей|ий|ый|ая|яя|ую|юю|ое|ее|ые|ие|ия|ию|ии|ье|ья|ью|ам|ям|ов|ев|[аеиоуыьэюяй])$/, "")
    return stem.length > 2 ? stem : word
  }
  // Near enough to know "tiles" and "tiling" for one word; what it returns is never shown.
  const stems = new Map()
  const stem = word => {
    if (!stems.has(word)) stems.set(word, cut(word))
    return stems.get(word)
  }
  const cut = word => {
    if (/^[а-я]{4,}$/.test(word)) return russian(word)
    if (!/^[a-z]{4,}$/.test(word)) return word
    const drop = (end, left) => { if (word.endsWith(end) && word.length - end.length >= left) word = word.slice(0, -end.length) }
    if (word.endsWith("ication")) return `${word.slice(0, -7)}y`
    if (word.endsWith("ies")) word = `${word.slice(0, -3)}y`
    else if (/(?:s|x|ch|sh)es$/.test(word)) word = word.slice(0, -2)
    else if (!/(?:ss|us|is)$/.test(word)) drop("s", 3)
    for (const [end, left] of [["ation", 4], ["ing", 3], ["ed", 3], ["er", 5], ["e", 3]]) drop(end, left)
    return word.replace(/([^aeiou])\1$/, "$1")
  }

  // A verb and its noun whose stems differ: allocate and allocation, divide and division, convert and
  // conversion. What it returns is what such words share, no stem where it ends in "-", or the word's stem.
  const family = word => {
    const verb = word.match(/^([a-z]{3,}at)(?:es?|ed|ing|ions?|ors?)$/)
    if (verb) return `${verb[1]}-` // a format is no formation
    for (const [end, own] of [[/([vlc]i)sions?$/, "$1d"], [/(..v)ersions?$/, "$1ert"], [/([aeiou])nsions?$/, "$1nd"]])
      if (word.length > 6 && /^[a-z]+$/.test(word) && end.test(word)) return word.replace(end, own)
    return stem(word)
  }

  // What stands on every second page, as "kernel" does here, tells little of what is asked.
  const rare = (docs, many, share) => many ? Math.log(1 + docs / many) * (1.05 - Math.min(share, 1)) ** 2 : 0

  const single = word => word.replace(/(?<=..)s$/, "")

  // Whether one letter more, less or other, or two that changed places, make one word of the other
  const near = (a, b) => {
    if (Math.abs(a.length - b.length) > 1) return false
    let i = 0, end = 0
    while (i < a.length && a[i] === b[i]) i++
    while (end < Math.min(a.length, b.length) - i && a.at(-1 - end) === b.at(-1 - end)) end++
    const [left, right] = [a.slice(i, a.length - end), b.slice(i, b.length - end)]
    return left.length <= 1 && right.length <= 1 || left.length === 2 && left === [...right].reverse().join("")
  }

  // How many letters two words are apart
  const apart = (a, b) => {
    let above = [...Array(b.length + 1).keys()]
    for (let i = 0; i < a.length; i++) {
      const row = [i + 1]
      for (let j = 0; j < b.length; j++) row.push(Math.min(row[j] + 1, above[j + 1] + 1, above[j] + (a[i] !== b[j])))
      above = row
    }
    return above.at(-1)
  }

  // ------------------------------------------------------------ the index

  const open = async data => {
    const rest = resting()
    ASKING = new Set(data.asking.split(" "))
    let last = ""
    data = { ...data, terms: data.terms.split(" ").map(told => last = last.slice(0, parseInt(told[0], 36)) + told.slice(1)) }
    data.docs.forEach((doc, n) => { if (doc[1] === 0) doc[1] = data.docs[n - 1][1] })
    const heads = new Map()
    const titles = new Map()
    const titled = text => { // the stems of a title: those that say something, and all; and in order
      if (!titles.has(text)) {
        const all = split(text), own = all.filter(word => !ASKING.has(word))
        titles.set(text, [new Set((own.length ? own : all).map(stem)), new Set(all), all.map(stem)])
      }
      return titles.get(text)
    }
    data.docs.forEach(([page], doc) => { if (!heads.has(page)) heads.set(page, doc) })
    const lower = word => { // the first term that does not come before the word
      let low = 0, high = data.terms.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (data.terms[middle] < word) low = middle + 1
        else high = middle
      }
      return low
    }
    const known = new Map()
    const postings = at => { // [doc, weight, doc, weight, ...]
      if (!known.has(at)) {
        const list = []
        let doc = 0
        for (const [, delta, weight] of data.postings[at].matchAll(/([0-9a-z]*)([A-Z])/g)) {
          doc += parseInt(delta || "1", 36)
          list.push(doc, weight.charCodeAt(0) - 64)
        }
        known.set(at, list)
      }
      return known.get(at)
    }
    // Names of two words or three: together they tell what neither does alone.
    const named = new Set()
    for (const [, title, , names] of data.pages)
      for (const name of [title, ...names]) {
        const own = split(name).map(single)
        if (own.length > 1 && own.length < 4) named.add(own.join(" "))
      }
    const pairs = [...named].map(name => name.split(" ")).filter(name => name.length === 2)
    const own = new Set(data.pages.map(([, title]) => title.toLowerCase()))
    const has = word => { const at = lower(word); return data.terms[at] === word ? at : -1 }
    const families = new Map() // the terms of each, but those with its stem
    for (const [n, term] of data.terms.entries()) {
      if (n % 1000 === 999) await rest()
      if (!/(?:ate[sd]?|ating|ators?|ions?)$/.test(term)) continue // the fewest have one
      const own = family(term)
      if (own === stem(term)) continue
      if (!families.has(own)) families.set(own, [])
      families.get(own).push(n)
    }
    // What pages are called: their titles, other names and the parts of the site that they stand in;
    // a section has its own title besides
    const called = new Field(data.pages.length), wanted = new Field(data.pages.length)
    const ofPage = data.pages.map(([location, title, , names]) =>
      [...new Set([title, ...names, ...location.split("/").slice(0, -2)].flatMap(split).map(stem))])
    for (const [doc, [page, , title]] of data.docs.entries()) { // before the first key
      if (doc % 100 === 99) await rest()
      ofPage[page].forEach(root => called.add(root, page, doc, true))
      titled(title)[2].forEach(root => called.add(root, page, doc, doc === heads.get(page)))
    }
    // What people type to find a doc: the phrases that have a stem, and the stems of each
    const typed = []
    const typedWith = new Map()
    let at = 0
    for (const packed of data.asked) {
      await rest()
      const [delta, phrases] = packed.split(" ")
      at += parseInt(delta, 36)
      for (const phrase of phrases.split(",")) {
        const terms = phrase.split(".").map(number => parseInt(number, 36))
        const roots = new Map(terms.map(n => [stem(data.terms[n]), n]))
        for (const root of roots.keys()) {
          if (!typedWith.has(root)) typedWith.set(root, [])
          typedWith.get(root).push(typed.length)
          wanted.add(root, data.docs[at][0], at, true)
        }
        typed.push({ doc: at, roots, said: [...roots.keys()] })
      }
    }
    const rarities = new Map()
    const rarity = n => { // of a term, by the length of its postings: near enough
      if (!rarities.has(n)) rarities.set(n, rare(data.docs.length, data.postings[n].length / 2.3, data.postings[n].length / 6 / data.pages.length))
      return rarities.get(n)
    }
    return { ...data, heads, titled, own, called, wanted, named, pairs, typed, typedWith, rarity, lower, postings, has, families, hits: new Map(), texts: new Map() }
  }

  // Words of one kind, by their stems: the docs and the pages that have each. Here a word is as rare as
  // it is among words of its kind: "metal" stands on every second page, and in few titles.
  class Field {
    docs = new Map()
    pages = new Map()
    constructor(many) { this.many = many }
    add(root, page, doc, ofPage) {
      if (!this.docs.has(root)) [this.docs, this.pages].forEach(known => known.set(root, new Set()))
      this.docs.get(root).add(doc)
      if (ofPage) this.pages.get(root).add(page)
    }
    rare(root) { return Math.log(1 + this.many / (this.pages.get(root)?.size || 0.7)) }
    // For each place with one of the words of a question, the share of the question that it has
    share(words, places) {
      const share = new Map(), worth = words.map(one => this.rare(stem(one.word)))
      const total = worth.reduce((sum, one) => sum + one, 0)
      words.forEach((one, n) => {
        const best = new Map(), own = stem(one.word)
        const hit = (root, closeness) => places.get(root)?.forEach(place => {
          if (closeness > (best.get(place) ?? 0)) best.set(place, closeness)
        })
        one.roots.forEach(root => hit(root, root === own ? 1 : 0.7))
        one.others.forEach(root => hit(root, 0.6))
        for (const [place, closeness] of best) share.set(place, (share.get(place) ?? 0) + closeness * worth[n] / total)
      })
      return share
    }
  }

  // How many words two texts have in one order, one after the other
  const run = (a, b) => {
    let most = 0
    for (let i = 0; i < a.length; i++)
      for (let j = 0; j < b.length; j++) {
        let n = 0
        while (i + n < a.length && a[i + n] === b[j + n]) n++
        if (n > most) most = n
      }
    return most
  }

  // What each doc is worth for the terms that a word may mean, and the words that were found
  class Found {
    scores = new Map()
    shown = new Set()
    others = new Set() // the words of synonyms
    sure = 0 // docs of the word itself: how rare it is
    add(list, closeness, term) {
      for (let i = 0; i < list.length; i += 2) {
        const score = list[i + 1] * closeness
        if (score > (this.scores.get(list[i]) ?? 0)) this.scores.set(list[i], score)
      }
      if (list.length) this.shown.add(term)
      if (closeness >= 0.8) this.sure = Math.max(this.sure, list.length / 2)
    }
    copy() {
      const other = new Found()
      other.scores = new Map(this.scores)
      other.shown = new Set(this.shown)
      return Object.assign(other, { sure: this.sure, best: this.best })
    }
    addAll(other, closeness) {
      for (const [doc, score] of other.scores)
        if (score * closeness > (this.scores.get(doc) ?? 0)) this.scores.set(doc, score * closeness)
      other.shown.forEach(term => this.others.add(term))
    }
  }

  const hits = (data, word, begun) => { // begun: how near the beginning of a longer word is
    const key = `${begun} ${word}`
    if (!data.hits.has(key)) data.hits.set(key, meant(data, word, begun))
    return data.hits.get(key).copy()
  }
  const meant = (data, word, begun) => {
    const found = new Found(), root = stem(word), { terms } = data
    let best = "", most = 0
    for (let at = data.lower(root); at < terms.length && terms[at].startsWith(root); at++) {
      const term = terms[at]
      let closeness = 0
      if (term === word) closeness = 1
      else if (term.length <= root.length + 5 && stem(term) === root) closeness = 0.85
      else if (term.startsWith(word) && !/^\d+$/.test(word)) closeness = begun * word.length / term.length // 1080 begins no 108000
      if (!closeness) continue
      const list = data.postings(at)
      found.add(list, closeness, term)
      if (term.startsWith(word) && list.length * closeness > most) [best, most] = [term, list.length * closeness]
    }
    found.best = best
    const own = family(word), kin = [...data.families.get(own) ?? []]
    for (let at = data.lower(own); at < terms.length && terms[at].startsWith(own); at++) if (stem(terms[at]) === own) kin.push(at)
    for (const at of kin) if (stem(terms[at]) !== root) found.add(data.postings(at), KIN, terms[at])
    return found
  }
  const KIN = 0.7 // how near a noun is to its verb

  const halves = (data, word) => { // of two words that were written as one
    let best = null, most = 0
    for (let i = 3; i <= word.length - 3; i++) {
      const two = [word.slice(0, i), word.slice(i)], at = two.map(half => data.has(half))
      if (at.includes(-1)) continue
      const rarer = Math.min(...at.map(n => data.postings(n).length))
      if (rarer > most) [best, most] = [two, rarer]
    }
    return best
  }

  const mistyped = (data, word) => { // the terms with one letter wrong, or with such a beginning
    const found = new Found()
    const close = []
    for (let at = 0; at < data.terms.length; at++) {
      const term = data.terms[at]
      if (term.length < word.length - 1 || term[0] !== word[0] && term[1] !== word[1]) continue
      if (/\d/.test(term)) continue
      if (near(word, term)) close.push([at, 0.6])
      else if (term.length > word.length && [0, 1].some(more => near(word, term.slice(0, word.length + more)))) close.push([at, 0.3 * word.length / term.length])
    }
    close.sort((a, b) => b[1] - a[1]).slice(0, 12).forEach(([at, closeness]) => found.add(data.postings(at), closeness, data.terms[at]))
    return found
  }

  const content = words => words.filter(word => !ASKING.has(word))

  // The sides of a question that sets two things or three side by side, each as its words; none where it
  // does not
  const SIDES = [
    [/(?:difference|differences|compare|comparison|разница|отличие)(?: between| of| между)? (.+)/i, /,? (?:and|vs\.?|versus|with|to|from|и|от) |, /i],
    [/(.+)/, / (?:vs\.?|versus) /i],
    [/(.+)/, / (?:or|или) /i],
    [/(.+)/, / (?:отличается от|отличаются от|compared (?:to|with)) /i],
    [/отлича[её]тся (.+)/i, / от /i],
  ]
  const sidesOf = question => {
    for (const [form, between] of SIDES) {
      const parts = question.match(form)?.[1].split(between) ?? []
      const sides = parts.map(part => new Set(content(split(part)).map(stem)))
      if (sides.length < 2 || sides.length > 4 || sides.some(side => !side.size || side.size > 4)) continue
      // What all share, as memory in "shared memory or global memory", tells none from the others
      const own = sides.map((side, n) => new Set([...side].filter(root => !sides.every((other, m) => m === n || other.has(root)))))
      if (own.every(side => side.size)) return own
    }
    return null
  }

  // Whether a title, or what people type, has both of two words
  const together = (data, ...two) => {
    const [a, b] = two.map(stem)
    const both = known => [...known.get(a) ?? []].some(one => known.get(b)?.has(one))
    return both(data.called.docs) || both(data.wanted.docs)
  }

  // [word, what it found] for each word of a question
  const asked = (data, question) => {
    // 97 % and 286 ms are the asker's own figures; in a message that is pasted whole, so is 20.00 GiB
    const figure = split(question).length < 10 ? /\d+(?:\.\d+)?\s*(?:%|[mu\u00b5]s\b)/g : /\d+(?:\.\d+)?\s*(?:%|[mu\u00b5]s\b|[KMGT]i?B\b)/g
    const bare = split(question.replace(figure, ""))
    const all = bare.length ? bare : split(question)
    const meant = all.filter(word => !ASKING.has(word))
    const list = []
    const last = /[\p{L}\p{N}_]$/u.test(question) ? all.at(-1) : ""
    for (const word of meant.length ? meant : all) {
      if (list.some(([known]) => known === word)) continue
      let found = hits(data, word, word === last ? 0.8 : 0.4)
      // cuda.syncthreads is also what is said of syncthreads alone; shared.array is not of all arrays.
      const end = word.slice(word.lastIndexOf(".") + 1)
      if (end !== word && found.scores.size) {
        const { scores, shown } = hits(data, end, 0)
        if (scores.size < 3 * found.scores.size) {
          found.addAll({ scores, shown: [] }, 0.8)
          shown.forEach(term => found.shown.add(term))
        }
      }
      if (!found.scores.size) {
        const parts = word.split(/[._]+/).filter(Boolean)
        const two = parts.length > 1 ? parts : halves(data, word)
        if (two) {
          two.forEach(part => list.push([part, hits(data, part, 0.4)]))
          continue
        }
        if (word.length > 3 && !/\d/.test(word)) found = mistyped(data, word)
      }
      list.push([word, found])
    }
    for (const [, found] of list) { // by the word itself, before others come in
      found.many = found.sure || found.scores.size
      found.share = new Set([...found.scores.keys()].map(doc => data.docs[doc][0])).size / data.pages.length
    }
    const said = list.map(([word]) => stem(word)) // without asking words, and so is a phrase below
    list.slice(0, -1).forEach(([word, found], n) => { // "sync threads"
      const at = data.has(word + list[n + 1][0])
      if (at >= 0) [found, list[n + 1][1]].forEach(one => one.add(data.postings(at), 0.7, data.terms[at]))
    })
    list.forEach((_, n) => { // "--gpu-memory-utilization", of which a program says gpu_memory_utilization
      for (const length of [2, 3]) {
        const some = list.slice(n, n + length), at = some.length < length ? -1 : data.has(some.map(([word]) => word).join("_"))
        if (at >= 0) some.forEach(([, found]) => found.add(data.postings(at), 0.7, data.terms[at]))
      }
    })
    const plain = list.map(([word]) => single(word))
    // "wrap divergance": words of the site, or near one, that no name has together, where a name has two
    // that differ by a letter
    plain.forEach((word, n) => {
      const next = plain[n + 1]
      if (!next || data.named.has(`${word} ${next}`)) return
      const like = (one, said) => one === said || one.length > 3 && said.length > 3 && one[0] === said[0] && near(one, said)
      // two letters wrong in a long word that stands nowhere, as in "memory colascing"
      const far = (one, said) => said.length > 7 && one[0] === said[0] && data.has(said) < 0 && apart(one, said) < 3
      const pair = data.pairs.find(([one, two]) => (one !== word || two !== next) &&
        (like(one, word) && like(two, next) || one === word && far(two, next) || two === next && far(one, word)))
      // unless the words are said together; one that only begins as a word of the site was not meant
      if (!pair || list.slice(n, n + 2).every(([one]) => data.has(one) >= 0) && together(data, word, next)) return
      pair.forEach((one, i) => {
        const [said, found] = list[n + i], at = data.has(one)
        if (single(said) === one || at < 0) return
        if (data.has(said) < 0) [found.scores, found.shown] = [new Map(), new Set()]
        found.add(data.postings(at), 0.9, one)
      })
    })
    plain.forEach((_, n) => {
      for (const length of [2, 3])
        if (data.named.has(plain.slice(n, n + length).join(" ")) && n + length <= list.length)
          for (let i = n; i < n + length; i++) list[i][1].telling = true
    })
    for (const group of data.synonyms) {
      for (const phrase of group) {
        const roots = content(phrase.split(" ")).map(stem)
        const at = said.findIndex((_, n) => roots.every((root, i) => said[n + i] === root))
        if (at < 0) continue
        for (const other of group) {
          if (other === phrase || CYRILLIC.test(other) && !CYRILLIC.test(phrase)) continue // from Russian, not to it
          const each = content(other.split(" ")).map(word => hits(data, word, 0))
          const both = new Found()
          for (const [doc, score] of each[0].scores)
            if (each.every(one => one.scores.has(doc))) both.scores.set(doc, Math.min(score, ...each.map(one => one.scores.get(doc))))
          each.forEach(one => one.shown.forEach(term => both.shown.add(term)))
          roots.forEach((_, i) => list[at + i][1].addAll(both, 0.5))
        }
        break
      }
    }
    return list.map(([word, found]) => {
      const share = found.share, least = found.telling && !CONTEXT.has(word) ? 1.2 : 0
      const tells = FAINT.has(word) && !found.telling && list.length > 2 ? 0.2 : 1
      const worth = tells * Math.max(least, rare(data.docs.length, found.many || found.scores.size, share))
      return { word, found, rare: worth, share, known: found.scores.size > 0 }
    })
  }

  // How far a title and a question say the same: 1 where each word of one is in the other
  const alike = (data, title, words, total) => {
    const [own, all] = data.titled(title)
    let used = 0, shared = 0
    for (const one of words) {
      let most = 0
      if (all.has(one.word)) most = 1
      else for (const root of own) if (one.roots.has(root)) most = 0.85
      if (!most) for (const root of own) if (one.others.has(root)) most = 0.6
      used += most * one.rare
    }
    if (!used) return 0
    for (const root of own) if (words.some(one => one.roots.has(root))) shared++
    const whole = own.size > 1 && shared === own.size ? 0.5 : 0 // the question holds all of a name
    return Math.max(whole, (shared / own.size) * (used / total))
  }

  // For each doc that people find by typing something, how near the question is to that: 1 where both
  // have the same words, and the share of each that the other has; and the most of these on each page
  const typing = (data, words, total) => {
    const said = new Map() // by the number of a phrase, which of its stems each word is, and how nearly
    words.forEach((one, n) => {
      const hit = (root, closeness) => {
        for (const phrase of data.typedWith.get(root) ?? []) {
          if (!said.has(phrase)) said.set(phrase, { roots: new Map(), words: new Float64Array(words.length) })
          const { roots, words: used } = said.get(phrase)
          if (closeness > (roots.get(root) ?? 0)) roots.set(root, closeness)
          if (closeness > used[n]) used[n] = closeness
        }
      }
      const own = stem(one.word)
      one.roots.forEach(root => hit(root, root === own ? 1 : 0.7))
      one.others.forEach(root => hit(root, 0.6))
    })
    const near = { at: new Map(), on: new Map() }
    for (const [phrase, { roots, words: used }] of said) {
      const { doc, roots: all } = data.typed[phrase]
      let asked = 0, shared = 0, whole = 0
      words.forEach((one, n) => { asked += used[n] * one.rare })
      for (const [root, term] of all) {
        const worth = data.rarity(term) + 0.2
        whole += worth
        shared += worth * (roots.get(root) ?? 0)
      }
      const mine = asked / total, its = shared / whole, likeness = mine * its, [page] = data.docs[doc]
      if (likeness > (near.on.get(page) ?? 0)) near.on.set(page, likeness)
      if (likeness > (near.at.get(doc)?.likeness ?? 0)) near.at.set(doc, { likeness, mine, its })
    }
    return near
  }

  // ------------------------------------------------------------ meaning

  // The table has a direction for the stem of each word, as many small numbers: words that ask for the
  // same point the same way. That of a text is the sum of its words'. So a question is near to what says
  // the same in other words, of which it may have none. The table also has a direction for each section
  // that it has read, which was learned from all that leads there.
  const NEAREST = 60 // docs without a word of a question
  const CLOSE = 0.8 // of 2: less is chance
  const COVER = 0.5 // of a question, of which the table knows the words
  const MANY = 6 // names of a page
  const SHARP = 0.07 // how much nearer counts, as in tools/words.py
  const plain = location => location.replace(/(^|\/)index\.html$/, "$1") // of a site that is read from files
  const hash = place => { // an address is ASCII
    let number = 0x811c9dc5
    for (let i = 0; i < place.length; i++) number = Math.imul(number ^ place.charCodeAt(i), 0x01000193) >>> 0
    return number
  }
  const learn = async (data, bytes) => {
    const end = bytes.indexOf(10)
    const [told, many = 0] = new TextDecoder().decode(bytes.subarray(0, end)).split("\t"), stems = told.split(" ")
    const hashes = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4 * many), read = new Map()
    for (let n = 0; n < many; n++) read.set(hashes.getUint32(4 * n, true), n)
    const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + end + 1, bytes.length - end - 1 - 4 * many)
    const size = numbers.length / (stems.length + +many)
    const place = new Map(stems.map((word, n) => [word, n * size]))
    // The sum of words, of length 1, from a place of a list on; whether the table has one of them
    const sum = (all, list, from) => {
      for (const word of new Set(all)) {
        const at = place.get(word)
        if (at >= 0) for (let i = 0; i < size; i++) list[from + i] += numbers[at + i]
      }
      return scale(list, from)
    }
    const scale = (list, from) => {
      let length = 0
      for (let i = from; i < from + size; i++) length += list[i] ** 2
      if (length) for (let i = from; i < from + size; i++) list[i] /= Math.sqrt(length)
      return length > 0
    }
    const roots = text => content(split(text)).flatMap(word => place.has(stem(word)) ? stem(word) : word.split(/[._]+/).map(stem))
    const list = many => new Float32Array(many * size)
    const typed = list(data.typed.length), docs = list(data.docs.length), titles = list(data.docs.length), texts = list(data.docs.length)
    const names = list(data.pages.length * MANY), centers = list(data.pages.length) // of a page what is typed, all together
    for (let n = 0; n < data.docs.length; n++) { // a little at a time: a question does not wait
      if (n % 200 === 199) await new Promise(done => setTimeout(done))
      const [page, , title, text] = data.docs[n], [, name, , others] = data.pages[page]
      sum(roots([name, title, text, ...data.heads.get(page) === n ? others : []].join(" ")), docs, n * size)
      sum(roots(title), titles, n * size)
      sum(roots(text), texts, n * size)
    }
    data.pages.forEach(([, title, , others], page) =>
      [title, ...others].slice(0, MANY).forEach((name, n) => sum(roots(name), names, (page * MANY + n) * size)))
    data.typed.forEach((phrase, n) => {
      sum(phrase.said, typed, n * size)
      const at = data.docs[phrase.doc][0] * size
      for (let i = 0; i < size; i++) centers[at + i] += typed[n * size + i]
    })
    data.pages.forEach((_, page) => scale(centers, page * size))
    // Of each section where the table has it; of one that was written since what its words say
    const learned = list(data.docs.length)
    data.docs.forEach(([page, anchor, , , row], doc) => {
      if (row) return
      const [location] = data.pages[page], at = read.get(hash(plain(location) + (anchor ? `#${anchor}` : "")))
      for (let i = 0; i < size; i++) learned[doc * size + i] = at >= 0 ? numbers[(stems.length + at) * size + i] : docs[doc * size + i]
      scale(learned, doc * size)
    })
    const sections = new Map() // by their places: a row of a table is found by what its section says
    data.docs.forEach(([page, anchor, , , row], doc) => {
      const place = `${page}#${anchor}`
      if (!row && !sections.has(place)) sections.set(place, doc)
    })
    const sectionOf = data.docs.map(([page, anchor]) => sections.get(`${page}#${anchor}`) ?? -1)
    const near = (list, one, n) => {
      let both = 0
      for (let i = 0, at = n * size; i < size; i++) both += list[at + i] * one[i]
      return both
    }
    // For each doc how near a question is to what people type to find it, to what it says, to its title and
    // its text; and the most of these on each page, and how near to its names and to all that is typed.
    // Nothing where the table has too little of the question.
    data.means = every => {
      const one = new Float32Array(size), worth = { all: 0, known: 0 }, said = []
      for (const { word, found, known, rare } of every) {
        const has = root => place.has(root)
        const own = has(stem(word)) ? [stem(word)] : word.split(/[._]+/).map(stem).filter(has)
        const roots = own.length ? own : [...found.shown].map(stem).filter(has).slice(0, 1)
        worth.all += known ? rare : 3
        if (roots.length) worth.known += known ? rare : 3
        said.push(...roots)
      }
      const cover = worth.known / worth.all
      if (!(cover > COVER) || !sum(said, one, 0)) return null
      const typedAt = new Float32Array(data.docs.length), saysAt = new Float32Array(data.docs.length)
      const typedOn = new Float32Array(data.pages.length), saysOn = new Float32Array(data.pages.length)
      data.typed.forEach(({ doc }, n) => {
        const both = near(typed, one, n), page = data.docs[doc][0]
        if (both > typedAt[doc]) typedAt[doc] = both
        if (both > typedOn[page]) typedOn[page] = both
      })
      data.docs.forEach(([page, , , , row], n) => {
        saysAt[n] = near(docs, one, n)
        if (!row && saysAt[n] > saysOn[page]) saysOn[page] = saysAt[n]
      })
      const leadsAt = new Float32Array(data.docs.length), leadsOn = new Float32Array(data.pages.length), share = new Float64Array(data.pages.length)
      let whole = 0
      data.docs.forEach(([page, , , , row], n) => {
        if (row) return
        leadsAt[n] = near(learned, one, n)
        if (leadsAt[n] > leadsOn[page]) leadsOn[page] = leadsAt[n]
        const some = Math.exp((leadsAt[n] - 1) / SHARP)
        whole += some
        share[page] += some
      })
      const both = Float32Array.from(typedAt, (typed, n) => cover * (typed + Math.max(leadsAt[n], saysAt[n]))), least = Math.max(CLOSE, both.slice().sort().at(-NEAREST) ?? 0)
      const nearest = [...both.keys()].filter(doc => both[doc] >= least)
      const named = page => {
        let most = 0
        for (let n = page * MANY; n < (page + 1) * MANY; n++) most = Math.max(most, near(names, one, n))
        return most
      }
      const namedOn = new Map()
      const of = doc => {
        const [page] = data.docs[doc], section = sectionOf[doc]
        if (!namedOn.has(page)) namedOn.set(page, named(page))
        return {
          typedAt: Math.max(0, typedAt[section] ?? 0), saysAt: Math.max(0, saysAt[section] ?? 0), typedOn: typedOn[page], saysOn: saysOn[page],
          leadsAt: leadsAt[section] ?? 0, leadsOn: leadsOn[page], leadsShare: Math.log(share[page] / whole + 0.002), leadsMost: leadsAt[section] === leadsOn[page],
          titleAt: near(titles, one, doc), textAt: near(texts, one, doc), centerOn: near(centers, one, page), namedOn: namedOn.get(page),
        }
      }
      return { of, nearest }
    }
    return data
  }

  // ------------------------------------------------------------ an answer

  // To the first key, at once: the pages that have a word which begins so in their title or in another
  // name, for each word of the question. The whole answer, which takes its time while the index is opened
  // and its code is new, comes in their place.
  const begin = () => {
    const asked = split(last), found = []
    const begins = text => {
      const own = split(text)
      return asked.length && asked.every(word => own.some(one => one.startsWith(word))) ? (own[0].startsWith(asked[0]) ? 2 : 1) / own.length : 0
    }
    pages.pages.forEach(([, title, weight, names], page) => {
      const score = weight * Math.max(2 * begins(title), ...names.map(begins))
      if (score) found.push({ page, score })
    })
    if (!found.length) return
    found.sort((a, b) => b.score - a.score).splice(20)
    const heads = new Map(), marked = marking([...asked])
    pages.docs.forEach((doc, n) => { if (!heads.has(doc[0])) heads.set(doc[0], n) })
    const terms = Object.fromEntries(asked.filter(word => word.length > 1).map(word => [word, true]))
    postMessage({ type: 3, data: { items: found.map(({ page, score }) => {
      const [location, title] = pages.pages[page], text = pages.docs[heads.get(page)]?.[3]
      return [{ location, score, terms, title: marked(title), text: text && `<p>${marked(text)}</p>` }]
    }) } })
  }

  // What makes a result the answer, and how much each is worth. A page with every word somewhere is none
  // for that: it may be a long one. The weights were fitted (listwise, by the logarithm of a share) to the
  // questions of the tests, to the same with six of ten phrases that people type left out, so that
  // these count for what they do for a question that nobody has put there, and to phrases left out.
  const W = {
    sum: 2, own: 1, lacks: -0.8, same: 1.2, typed: 3, typed6: 1.8, held: 2.8, asks: 2.2, called: 3.6, wanted: 3, wantedOn: 1.3, run: 1.7,
    weight: 1, head: 0.6, named: 3, all: 2.3, message: 1.4, errors: 1.6, whatTerm: 1.2, whatLesson: -0.8, versusTerm: 1.1, sidesTitle: 1.5, sidesText: 1, typedAll: 2, install: 2.8, apple: 0.6, notApple: -1.8,
    textRun: 0.6, // of a message
  }
  // And where the table knows the words of the question, by tools/ranking.py, which leaves out what was
  // written for the questions that it asks: those of 30 November 2026, fitted with COVER 0, and again to
  // the table with sections, by what is held out of two folds, near the weights before
  const KNOWING = {
    named: 4, sum: 0.725, own: 0.493, lacks: -0.682, same: 1.37, typed: 0.613, typed6: 3.54, typedAll: 1.45,
    held: 1.03, asks: 1.57, called: 1.81, wanted: 1.82, wantedOn: 0.646, run: 1.8, weight: 0.699, head: -0.25,
    all: 0.842, message: 0.971, errors: 1.11, whatTerm: 2.47, whatLesson: 0.335, versusTerm: -0.252,
    sidesTitle: 0.303, sidesText: 0.927, install: 0.718, apple: 1.18, notApple: -1.68, typedAt: 1.24,
    saysAt: 0.939, typedOn: 0.862, saysOn: 0.532, leadsAt: 2.72, leadsOn: 1.66, leadsShare: 0.219,
    leadsMost: 0.363, titleAt: 0.692, textAt: 1.62, centerOn: 1.8, namedOn: 0.893, titleHas: -0.159,
    pageHas: 0.682, textHas: -0.24, textRun: 0.219, titleLong: -0.316, pageLong: -0.252, titleMore: 0.0518,
    mine: -0.738, its: 0.675, typedOnPage: 0.487, row: -0.288,
  }
  const NEXT = 0.2 // of a page's score: its best section is shown with it
  const enough = score => score / (score + 5) // the tenth mention says little more than the fifth

  // To rate each doc with any word takes longer than a key may: those with the most of a question.
  const MOST = 600
  const promising = words => {
    const sums = new Map()
    for (const { found, rare } of words)
      for (const [doc, score] of found.scores) sums.set(doc, (sums.get(doc) ?? 0) + rare * enough(score))
    if (sums.size <= MOST) return sums.keys()
    const least = Float64Array.from(sums.values()).sort().at(-MOST)
    return [...sums].filter(([, sum]) => sum >= least).map(([doc]) => doc)
  }

  const search = (data, question) => {
    const { docs, pages, heads } = data
    const every = asked(data, question)
    const words = every.filter(one => one.known)
    const pastes = MESSAGE.test(question), means = pastes ? null : data.means?.(every)
    if (!words.length && !means) return { items: [] }
    for (const one of words) {
      one.roots = new Set([one.word, ...one.found.shown].map(stem))
      one.others = new Set([...one.found.others].map(stem))
    }
    // A word of every second page does not decide whether a result has all of them.
    const telling = words.filter(one => one.share < 0.25)
    const deciding = telling.length ? telling : words.length ? [words.reduce((a, b) => b.rare > a.rare ? b : a)] : []
    for (const one of deciding) one.decides = true
    const total = words.reduce((sum, one) => sum + one.rare, 0) || 1, needed = deciding.reduce((sum, one) => sum + one.rare, 0) || 1
    const near = typing(data, words, total)
    const called = data.called.share(words, data.called.docs), wanted = data.wanted.share(words, data.wanted.docs), wantedOn = data.wanted.share(words, data.wanted.pages)
    const inOrder = split(question).map(stem)
    const wholly = new Set(every.map(one => stem(one.word)))
    const kind = Object.fromEntries(Object.entries(KINDS).map(([name, form]) => [name, form.test(question)]))
    const asking = new Set(split(question).filter(word => ASKING.has(word) && !IDLE.has(word)))
    // The id of a measurement: a doc that has it as a whole comes first.
    const ids = question.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+){2,}/g) ?? []
    const measured = new Set(ids.flatMap(id => { const at = data.has(id); return at < 0 ? [] : data.postings(at).filter((_, i) => i % 2 === 0) }))

    // A message that is pasted as it stands in a cell of a row, or in a title such as NAME: MESSAGE.
    // The index has the start of what is long.
    const pasted = question.trim().toLowerCase().replace(/[\s.:]+$/, "")
    const quotes = ([, , title, text, row]) => {
      const parts = title.split(": ")
      if (row) parts.push(...text.split(" · ").map(cell => cell.slice(cell.indexOf(": ") + 2)))
      return (row || parts.length > 1) && parts.some(part => {
        const whole = part.toLowerCase().replace(/[\s.:]+$/, "")
        return whole.endsWith("…") ? whole.length > 30 && pasted.startsWith(whole.slice(0, -1).trim()) : whole === pasted
      })
    }
    const message = pasted.split(/\s+/).length > 2

    const none = new Float64Array(words.length)
    const onPage = new Map() // for each page the best that it has for each word
    for (const [n, { found }] of words.entries())
      for (const [doc, score] of found.scores) {
        const page = docs[doc][0]
        if (!onPage.has(page)) onPage.set(page, new Float64Array(words.length))
        const best = onPage.get(page)
        if (score > best[n]) best[n] = score
      }
    // The share of the question that a name has, where the question has all of the name: less where the
    // name has a longer word, as simdgroup_matrix is for simdgroup
    const holds = title => {
      const [own] = data.titled(title)
      let whole = 1
      for (const root of own) if (!words.some(one => stem(one.word) === root)) {
        if (!words.some(one => one.roots.has(root))) return 0
        whole = 0.85
      }
      return whole * words.reduce((sum, one) => [...own].some(root => one.roots.has(root)) ? sum + one.rare : sum, 0) / total
    }
    const worth = means ? KNOWING : W
    // The shares of a question that a doc's title has, that of its page, and the text that is shown; how
    // long the titles are, and how much of its own the question has not
    const wordsOf = new Map() // of a stem
    words.forEach((one, n) => one.roots.forEach(root => wordsOf.set(root, [...wordsOf.get(root) ?? [], n])))
    const shares = roots => {
      const used = new Set()
      for (const root of roots) wordsOf.get(root)?.forEach(n => used.add(n))
      let sum = 0
      for (const n of used) sum += words[n].rare
      return sum / total
    }
    const onTitle = new Map()
    const tells = doc => {
      const [page, , title, text] = docs[doc], [own] = data.titled(title), [ofPage] = data.titled(pages[page][1])
      if (!data.texts.has(doc)) data.texts.set(doc, split(text).map(stem))
      if (!onTitle.has(page)) onTitle.set(page, shares(ofPage))
      const said = data.texts.get(doc)
      let more = 0
      for (const root of own) if (!wordsOf.has(root)) more++
      const textHas = shares(said)
      return {
        titleHas: shares(own), pageHas: onTitle.get(page), textHas, textRun: textHas ? Math.max(0, run(said, inOrder) - 1) : 0,
        titleLong: Math.log(own.size + 1), pageLong: Math.log(ofPage.size + 1), titleMore: own.size ? more / own.size : 1,
      }
    }
    // Where a question sets things side by side: how much of the one that a doc has least of is in its
    // titles, and in its text
    const sides = sidesOf(question)?.map(side => words.map((_, n) => n).filter(n => side.has(stem(words[n].word))))
    const compares = sides?.every(side => side.length) ? (doc, isHead) => {
      const [page, , title] = docs[doc], own = [title, ...isHead ? pages[page][3] : [pages[page][1]]].map(text => data.titled(text)[0])
      const least = has => Math.min(...sides.map(side => {
        const all = side.reduce((sum, n) => sum + words[n].rare, 0)
        return all ? side.reduce((sum, n) => has(words[n]) ? sum + words[n].rare : sum, 0) / all : 0
      }))
      return {
        sidesTitle: least(({ roots }) => own.some(title => [...roots].some(root => title.has(root)))),
        sidesText: least(({ found }) => found.scores.get(doc) > 0),
      }
    } : null
    const long = words.length >= 7 // as of a message that is pasted
    const rate = doc => {
      const [page, , title, , isRow = 0] = docs[doc], head = heads.get(page), best = onPage.get(page) ?? none, isHead = doc === head
      let sum = 0, here = 0, there = 0, own = 0, lacks = 0
      words.forEach(({ found, rare, decides }, n) => {
        const at = found.scores.get(doc) ?? 0, top = found.scores.get(head) ?? 0
        sum += rare * enough(Math.max(at, 0.8 * top))
        if (at) own += rare
        if (decides && (at || top)) here += rare
        if (decides && best[n]) there += rare
        if (!best[n]) lacks++
      })
      const [location, , weight, names] = pages[page]
      const { likeness: said = 0, mine = 0, its = 0 } = near.at.get(doc) ?? {}
      let same = alike(data, title, words, total), held = isHead ? holds(title) : 0
      if (isHead) for (const other of names) {
        // One word of a long question that is another name of a page, as "VRAM", is not its subject
        // and one that is the title of a page leads to that
        const most = data.own.has(other.toLowerCase()) ? 0.8 : data.titled(other)[0].size > 1 ? 1 : Math.min(1, 2 / words.length)
        same = Math.max(same, Math.min(most, alike(data, other, words, total)))
        held = Math.max(held, Math.min(most, holds(other)))
      }
      // The title of a page, or another name that is no page's title, and nothing else but words that ask
      const whole = ([subject]) => subject.size === wholly.size && [...subject].every(root => wholly.has(root))
      const named = !compares && isHead && asking.size < 3 && (whole(data.titled(title)) || names.some(name => whole(data.titled(name)) && !data.own.has(name.toLowerCase())))
      // A heading that asks as the reader does
      const [, heading] = data.titled(title)
      let asks = 0
      if (asking.size > 1) for (const word of heading) if (asking.has(word)) asks++
      if (asks > 1) {
        for (const { roots } of words) for (const word of heading) if (roots.has(stem(word))) { asks++; break }
        const share = asks / (asking.size + words.length)
        asks = share > 0.6 ? share * Math.sqrt(asks / heading.size) : 0
      } else asks = 0
      const exact = measured.has(doc) || message && (quotes(docs[doc]) || isHead && title.toLowerCase() === pasted)
      const all = weight >= 0.5 && (there / needed > 0.999 || isHead && there / needed > 0.5 && same > 0.999) || exact
      const log = share => Math.log(share + 0.02)
      const together = Math.max(...[title, ...isHead ? names : []].map(text => run(data.titled(text)[2], inOrder)))
      const part = name => location.startsWith(name)
      const { sidesTitle = 0, sidesText = 0 } = compares?.(doc, isHead) ?? {}
      // The name of one side alone says little
      const ofBoth = compares ? 0.5 + 0.5 * sidesTitle : 1
      const has = {
        sum: log(sum / total), own: log(own / total), lacks,
        same: ofBoth * Math.log(1 + 2 * same ** 2), typed: Math.log(1 + 2 * said ** 2), typed6: said ** 6, typedAll: said > 0.97 && !kind.what, held: ofBoth * held, asks: Math.log(1 + 12 * asks),
        called: called.get(doc) ?? 0, wanted: wanted.get(doc) ?? 0, wantedOn: wantedOn.get(page) ?? 0, run: together > 1 ? ofBoth * together / inOrder.length : 0,
        weight: Math.log(weight), head: isHead, named, all: here / needed > 0.999, message: long && all, errors: (long || pastes) && part("errors/"),
        whatTerm: kind.what && isHead && part("glossary/"), whatLesson: kind.what && /^(?:roadmap|patterns)\//.test(location),
        versusTerm: kind.versus && held > 0 && (!compares || sidesText > 0.7) && part("glossary/"), sidesTitle, sidesText, install: kind.install && part("setup/"),
        apple: kind.apple && part("metal/"), notApple: !kind.apple && part("metal/"),
      }
      let points = (exact ? 100 : 0) - (weight < 0.5 ? 20 : 0)
      const more = means ? [means.of(doc), tells(doc), { mine, its, typedOnPage: near.on.get(page) ?? 0, row: isRow }] : pastes ? [{ textRun: tells(doc).textRun }] : []
      for (const some of [has, ...more])
        for (const name in some) points += worth[name] * some[name]
      return { doc, page, score: Math.exp(points) }
    }
    const groups = new Map()
    for (const doc of new Set([...promising(words), ...means?.nearest ?? []])) {
      const page = docs[doc][0]
      if (!groups.has(page)) groups.set(page, [])
      groups.get(page).push(doc)
    }
    const ranked = [...groups].map(([page, known]) => [page, known.map(rate).sort((a, b) => b.score - a.score)])
    ranked.sort(([, [a]], [, [b]]) => b.score - a.score)

    const marks = [...new Set(words.flatMap(({ word, found }) => [word, ...[...found.shown, ...found.others].slice(0, 20)]))]
    const marked = marking(marks.filter(term => term.length > 1))
    const shown = ({ doc, page, score }, whole) => {
      const [, anchor, title, text] = docs[doc], [location, , , names] = pages[page]
      const best = onPage.get(page) ?? none
      // The page that is opened marks these: a letter alone would be marked all over it.
      const terms = {}
      words.forEach(({ word, found }, n) => {
        const there = whole ? best[n] > 0 : found.scores.has(doc)
        const as = found.shown.has(word) || !found.shown.size ? word : [...found.shown][0]
        if (as.length > 1) terms[as] = there
      })
      every.forEach(({ word, known }) => { if (!known && word.length > 1) terms[word] = false })
      const tags = doc === heads.get(page) ? names.filter(name => alike(data, name, words, total) > 0.2) : []
      return {
        location: anchor ? `${location}#${anchor}` : location, score, terms,
        title: marked(title, marks), text: text && `<p>${marked(text, marks)}</p>`,
        ...tags.length && { tags: tags.map(name => marked(name, marks)) },
      }
    }
    const items = ranked.slice(0, 50).map(([page, found]) => {
      const head = heads.get(page)
      const seen = new Set()
      const best = found.filter(({ doc }) => { // of what stands in one place the best alone
        const place = docs[doc][1]
        return !seen.has(place) && seen.add(place)
      }).slice(0, 8)
      const own = found.find(({ doc }) => doc === head)
      if (!best.some(({ doc }) => doc === head)) best.push(own ?? { doc: head, page, score: 0 })
      // The list folds what scores less than its first: a section that nearly leads the page is shown
      const [lead, next] = best
      if (lead.doc === head && next?.score > NEXT * lead.score) best[1] = { ...next, score: lead.score }
      return best.map(one => shown(one, one.doc === head))
    })
    const suggest = every.at(-1)?.found.best
    return { items, ...suggest && { suggest: [suggest] } }
  }

  const escape = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)
  const literal = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const marking = marks => {
    if (!marks.length) return escape
    const all = marks.sort((a, b) => b.length - a.length).map(literal).join("|")
    // A capturing group keeps what it matched: every second piece is a hit.
    const hit = new RegExp(`((?:${all}))`, "i")
    const begins = text => !/[\p{L}\p{N}]$/u.test(text)
    return text => {
      const pieces = text.split(hit)
      return pieces.map((piece, i) => i % 2 && begins(pieces[i - 1]) ? `<mark>${escape(piece)}</mark>` : escape(piece)).join("")
    }
  }

  addEventListener("message", async ({ data: { type, data, woken } }) => {
    if (type === 0) {
      words = data.config.words ?? ""
      if (typeof data.config.index === "string") address = data.config.index
      else {
        index = open(data.config.index)
        if (words) {
          const table = Uint8Array.from(atob(words), letter => letter.charCodeAt(0))
          index = index.then(known => learn(known, table))
        }
      }
      if (!woken) postMessage({ type: 1 })
      else if (address) load().catch(() => {}) // which the first question would await
    } else if (type === 2) {
      last = data.trim() && data
      if (!last) return reply()
      if (pages) begin()
      await load().then(reply, error => {
        console.warn(`search: ${error.message}`)
        postMessage({ type: 3, data: { items: [] } })
      })
    }
  })
})()
