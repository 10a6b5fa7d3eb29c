// The filters of the map and of the library come with the pages that have them.
(() => {
  const here = document.currentScript.src
  const filters = { "form.map-filter": "map.js", "form.library-filter": "library.js" }
  document$.subscribe(() => {
    for (const [form, script] of Object.entries(filters))
      if (document.querySelector(form)) import(new URL(script, here))
  })
})()
