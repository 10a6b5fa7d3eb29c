// What few pages have comes with them: the filters of the map and of the library, the button of "My GPU",
// calculators, the schedules of a cache in blocks, figures that move, and the score of the worklog's bets.
(() => {
  const here = new URL("../js/", document.currentScript.src) // from assets/vendor, where this is a part of site.js
  const filters = {
    "form.map-filter": "map.js", "form.library-filter": "library.js", "div.my-gpu": "my-gpu.js",
    "form.plan": "plan.js", "form.ranks": "ranks.js", "figure.schedule": "schedule.js",
    "form.plate, form.tunnel": "live.js",
  }
  document$.subscribe(() => {
    for (const [form, script] of Object.entries(filters))
      if (document.querySelector(form)) import(new URL(script, here))
    // These stand far down on long pages, and come when the reader does.
    for (const [what, script] of Object.entries({ "figure.motion": "motion.js", "div.rungs": "rungs.js" })) {
      const observer = new IntersectionObserver(seen => {
        if (!seen.some(one => one.isIntersecting)) return
        observer.disconnect()
        import(new URL(script, here))
      }, { rootMargin: "900px" })
      document.querySelectorAll(what).forEach(node => observer.observe(node))
    }
  })
})()
