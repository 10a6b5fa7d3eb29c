// Quizzes and exercises. Without this script the answers fold open, and all hints are there.
(() => {
  const { read, change, all } = lockstep
  const reasons = form => all(".quiz__why li", form)

  const draw = () => {
    const { quiz, hints, solved, par } = read()
    const forms = all("form.quiz")
    let answered = 0, first = 0
    forms.forEach(form => {
      const why = reasons(form), said = form.querySelector(".quiz__said")
      const tried = (quiz[form.dataset.quiz] ?? []).filter(n => n < why.length)
      const now = why[tried.at(-1)]
      answered += !!now
      first += !!why[tried[0]]?.matches(".right")
      form.classList.toggle("is-answered", !!now)
      all(".quiz__answer", form).forEach((label, n) => {
        label.classList.toggle("is-right", tried.includes(n) && why[n].matches(".right"))
        label.classList.toggle("is-wrong", tried.includes(n) && why[n].matches(".wrong"))
      })
      // What has not changed is left alone, or it would be read out again.
      const shown = tried.join()
      if (said.dataset.shown === shown) return
      said.dataset.shown = shown
      if (!now) return said.replaceChildren()
      const [, ...explanation] = [...now.cloneNode(true).childNodes].filter(node => node.tagName)
      const verdict = document.createElement("strong")
      verdict.textContent = now.matches(".right") ? "Right." : "Not so."
      said.replaceChildren(verdict, ...explanation)
      said.className = `quiz__said ${now.className}`
    })
    all(".score").forEach(score => {
      score.hidden = !answered
      const text = `${answered} of ${forms.length} answered, ${first} right at the first try.`
      if (score.firstChild.textContent !== text) score.firstChild.textContent = text
    })
    all(".exercise").forEach(exercise => {
      const key = exercise.dataset.exercise
      // A hint shows when the one before it has been opened.
      all(".hint", exercise).forEach((hint, n) => hint.classList.toggle("is-waiting", n > (hints[key] ?? 0)))
      exercise.querySelector("[data-solved]").checked = key in solved
      const graded = exercise.previousElementSibling
      if (graded?.dataset.graded) {
        graded.classList.toggle("is-solved", key in solved)
        graded.classList.toggle("is-par", key in par)
      }
    })
    const puzzles = all("[data-puzzle]:not([data-puzzle=''])")
    puzzles.forEach(node => {
      const key = node.dataset.puzzle
      node.textContent = key in par ? "✓ par" : key in solved ? "✓ solved" : ""
    })
    const done = puzzles.filter(node => node.textContent).length
    all("[data-puzzle='']").forEach(node => {
      node.textContent = done ? `${done} of ${puzzles.length} solved` : ""
    })
  }

  document.addEventListener("submit", event => {
    const form = event.target.closest("form.quiz")
    if (!form) return
    event.preventDefault()
    const picked = form.elements.answer.value
    if (!picked) return form.querySelector(".quiz__said").replaceChildren("Choose an answer first.")
    change(({ quiz }) => {
      const tried = (quiz[form.dataset.quiz] ??= [])
      if (tried.at(-1) !== +picked && tried.length < 19) tried.push(+picked)
    })
    draw()
  })
  document.addEventListener("click", ({ target }) => {
    if (!target.matches?.(".score button")) return
    const forms = all("form.quiz")
    change(({ quiz }) => forms.forEach(form => { delete quiz[form.dataset.quiz]; form.reset() }))
    draw()
    forms[0].elements.answer[0].focus()
  })
  document.addEventListener("toggle", ({ target }) => {
    const exercise = target.open && target.matches(".hint") && target.closest(".exercise")
    if (!exercise) return
    const opened = all(".hint", exercise).indexOf(target) + 1, key = exercise.dataset.exercise
    change(({ hints }) => { hints[key] = Math.max(opened, hints[key] ?? 0) })
    draw()
  }, true) // it does not bubble
  document.addEventListener("lockstep", draw)
  document$.subscribe(() => {
    draw()
    const { quiz } = read()
    all("form.quiz").forEach(form => {
      const last = form.elements.answer[quiz[form.dataset.quiz]?.at(-1)]
      if (last) last.checked = true
    })
  })
})()
