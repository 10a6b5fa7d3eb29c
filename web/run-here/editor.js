// The editor: CodeMirror with Python, findings below their lines, counts beside them, the current line.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { pythonLanguage } from "@codemirror/lang-python"
import { HighlightStyle, LanguageSupport, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language"
import { EditorState, StateEffect, StateField, RangeSet } from "@codemirror/state"
import { Decoration, EditorView, GutterMarker, WidgetType, drawSelection, gutter, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"

// The colours of the site's code blocks.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--md-code-hl-keyword-color)" },
  { tag: [tags.definition(tags.function(tags.variableName)), tags.function(tags.definition(tags.variableName))], color: "var(--md-code-hl-function-color)" },
  { tag: [tags.string, tags.docString], color: "var(--md-code-hl-string-color)" },
  { tag: tags.number, color: "var(--md-code-hl-number-color)" },
  { tag: [tags.bool, tags.null], color: "var(--md-code-hl-constant-color)" },
  { tag: tags.comment, color: "var(--md-code-hl-comment-color)" },
  { tag: [tags.meta, tags.annotation], color: "var(--md-code-hl-special-color)" },
  { tag: [tags.operator, tags.punctuation], color: "var(--md-code-hl-operator-color)" },
])

// A sentence with `code` in it, as nodes.
export const prose = text =>
  text.split("`").map((part, k) => {
    if (k % 2 === 0) return part
    const code = document.createElement("code")
    code.textContent = part
    return code
  })

const setNotes = StateEffect.define()
const setCounts = StateEffect.define()
const setCurrent = StateEffect.define()

class Note extends WidgetType {
  constructor(note) {
    super()
    this.note = note
  }
  eq(other) {
    return other.note === this.note
  }
  toDOM() {
    const node = document.createElement("div") // without margins: the editor measures it
    node.className = "rh-note"
    const text = document.createElement("div")
    text.setAttribute("role", "note")
    text.append(...prose(this.note.text))
    node.append(text)
    return node
  }
}

// Findings and errors: the text of the line underlined, the sentence below it. They go when the code is edited.
const notes = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    if (transaction.docChanged) value = Decoration.none
    for (const effect of transaction.effects)
      if (effect.is(setNotes)) {
        const doc = transaction.state.doc
        const made = []
        for (const note of effect.value) {
          if (!(note.line >= 1 && note.line <= doc.lines)) continue
          const line = doc.line(note.line)
          const from = line.from + line.text.search(/\S|$/)
          if (from < line.to) made.push(Decoration.mark({ class: `rh-mark rh-mark--${note.level}` }).range(from, line.to))
          made.push(Decoration.line({ class: "rh-noted" }).range(line.from))
          made.push(Decoration.widget({ widget: new Note(note), block: true, side: 1 }).range(line.to))
        }
        value = Decoration.set(made, true)
      }
    return value
  },
  provide: field => EditorView.decorations.from(field),
})

const current = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    if (transaction.docChanged) value = Decoration.none
    for (const effect of transaction.effects)
      if (effect.is(setCurrent)) {
        const doc = transaction.state.doc
        const number = effect.value
        value = number >= 1 && number <= doc.lines ? Decoration.set([Decoration.line({ class: "rh-current" }).range(doc.line(number).from)]) : Decoration.none
      }
    return value
  },
  provide: field => EditorView.decorations.from(field),
})

class Count extends GutterMarker {
  constructor(count) {
    super()
    this.count = count
  }
  eq(other) {
    return other.count.title === this.count.title
  }
  toDOM() {
    const node = document.createElement("span")
    node.className = this.count.bad ? "rh-count rh-count--bad" : "rh-count"
    for (const [kind, text] of this.count.parts) {
      const part = document.createElement("span")
      part.className = `rh-count__${kind}`
      part.textContent = text
      node.append(part)
    }
    node.title = this.count.title
    return node
  }
}

const counts = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    if (transaction.docChanged) value = RangeSet.empty
    for (const effect of transaction.effects)
      if (effect.is(setCounts)) {
        const doc = transaction.state.doc
        const made = effect.value
          .filter(count => count.line >= 1 && count.line <= doc.lines)
          .map(count => new Count(count).range(doc.line(count.line).from))
        value = RangeSet.of(made, true)
      }
    return value
  },
})

export class Editor {
  // `run` is called for Ctrl+Enter, `changed` when the code is edited.
  constructor(parent, { run, changed }) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          gutter({ class: "rh-counts", side: "after", markers: view => view.state.field(counts) }),
          history(),
          drawSelection(),
          indentUnit.of("    "),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          EditorView.lineWrapping, // nothing is cut at the column's edge
          new LanguageSupport(pythonLanguage),
          syntaxHighlighting(colours),
          notes,
          current,
          counts,
          keymap.of([
            { key: "Mod-Enter", run: () => (run(), true) },
            ...historyKeymap,
            // Escape closes the panel, and Tab leaves the editor.
            ...defaultKeymap.filter(binding => binding.key !== "Escape"),
          ]),
          EditorView.contentAttributes.of({ "aria-label": "Program", tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
          EditorView.updateListener.of(update => update.docChanged && changed()),
        ],
      }),
    })
  }

  get code() {
    return this.view.state.doc.toString()
  }

  set code(text) {
    if (text === this.code) return
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, scrollIntoView: false })
  }

  lineText(number) {
    const doc = this.view.state.doc
    return number >= 1 && number <= doc.lines ? doc.line(number).text.trim() : ""
  }

  notes(list) {
    this.view.dispatch({ effects: setNotes.of(list) })
  }

  counts(list) {
    this.view.dispatch({ effects: setCounts.of(list) })
  }

  // Mark the line that is being run, and bring it into sight.
  current(number, scroll = true) {
    const effects = [setCurrent.of(number)]
    const doc = this.view.state.doc
    if (scroll && number >= 1 && number <= doc.lines)
      effects.push(EditorView.scrollIntoView(doc.line(number).from, { y: "nearest", yMargin: 90 }))
    this.view.dispatch({ effects })
  }

  show(number) {
    const doc = this.view.state.doc
    if (number >= 1 && number <= doc.lines)
      this.view.dispatch({ effects: EditorView.scrollIntoView(doc.line(number).from, { y: "center" }) })
  }

  focus() {
    this.view.focus()
  }

  destroy() {
    this.view.destroy()
  }
}
