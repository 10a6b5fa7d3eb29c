// What few pages have comes with them: the filters of the map and of the library, the button of "My GPU",
// calculators, the schedules of a cache in blocks, and figures that move.
(() => {
  const here = document.currentScript.src
  const filters = {
    "form.map-filter": "map.js", "form.library-filter": "library.js", "div.my-gpu": "my-gpu.js",
    "form.plan": "plan.js", "form.ranks": "ranks.js", "figure.schedule": "schedule.js",
    "figure.motion": "motion.js",
    "form.plate, form.tunnel": "live.js",
  }
  document$.subscribe(() => {
    for (const [form, script] of Object.entries(filters))
      if (document.querySelector(form)) import(new URL(script, here))
  })
})()
