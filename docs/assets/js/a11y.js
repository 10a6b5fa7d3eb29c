// Names and tab stops that Material 9.8.1 leaves out. The page reads well without this script.
(() => {
  const name = (selector, label) =>
    document.querySelectorAll(selector).forEach((node, i, all) =>
      node.setAttribute("aria-label", all.length > 1 ? `${label} ${i + 1}` : label))

  const mend = () => {
    name(".md-search", "Search")
    name("nav.md-nav--primary", "Site")
    name(".md-code__nav", "Code block")
    // The label of a section with an index page is an icon, and names nothing.
    document.querySelectorAll("nav.md-nav[aria-labelledby]").forEach(nav => {
      const title = nav.querySelector(":scope > .md-nav__title")
      if (!title) return
      nav.removeAttribute("aria-labelledby")
      nav.setAttribute("aria-label", `Pages of ${title.textContent.trim()}`)
    })
    // What scrolls sideways must be reachable by keyboard.
    for (const [selector, what] of [[".md-typeset__scrollwrap", "Table"], [".plot", "Picture"]])
      document.querySelectorAll(selector).forEach((node, i) => {
        if (node.scrollWidth > node.clientWidth) {
          node.tabIndex = 0
          node.setAttribute("role", "region")
          node.setAttribute("aria-label", `${what} ${i + 1}, scrolls sideways`)
        }
      })
  }

  // Material draws some of its parts after the page is there.
  document$.subscribe(() => { mend(); setTimeout(mend, 300) })
})()
