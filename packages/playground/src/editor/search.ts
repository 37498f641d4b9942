import { EditorSelection, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  type Command,
  Decoration,
  type DecorationSet,
  type EditorView,
  type KeyBinding,
  type Panel,
  showPanel,
  ViewPlugin,
} from '@codemirror/view'
import { createButton, createElement } from '../dom/create-element.js'

interface Search {
  readonly isOpen: boolean
  /** In lower case. */
  readonly text: string
}

const setSearch = StateEffect.define<Partial<Search>>()

const searchField = StateField.define<Search>({
  create: () => ({ isOpen: false, text: '' }),
  update: (value, { effects }) => {
    const changes = effects.flatMap((effect) => (effect.is(setSearch) ? [effect.value] : []))
    return changes.length === 0 ? value : Object.assign({}, value, ...changes)
  },
  provide: (field) => showPanel.from(field, ({ isOpen }) => (isOpen ? createSearchPanel : null)),
})

/** Turns ASCII letters to lower case. Other letters may get another length, which would move all positions after them. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The keys of a search, in an editor and in its panel. */
export const SEARCH_KEYS: readonly KeyBinding[] = [
  { key: 'Mod-f', run: openSearch },
  { key: 'F3', run: find(1), shift: find(-1), preventDefault: true },
  { key: 'Mod-g', run: find(1), shift: find(-1), preventDefault: true },
  { key: 'Escape', run: closeSearch },
]

/** Creates a panel that finds a text in the whole editor, which the search of the browser only finds in the window. */
export function createSearchExtension(): Extension {
  return [searchField, createMatchMarks()]
}

function openSearch(view: EditorView): boolean {
  const { from, to } = view.state.selection.main
  const selected = fold(view.state.sliceDoc(from, to))
  const text = selected === '' || selected.includes('\n') ? view.state.field(searchField).text : selected
  view.dispatch({ effects: setSearch.of({ isOpen: true, text }) })
  const input = view.dom.querySelector<HTMLInputElement>('.search input')
  if (input !== null && fold(input.value) !== text) input.value = text
  input?.select()
  return true
}

function closeSearch(view: EditorView): boolean {
  if (!view.state.field(searchField).isOpen) return false
  view.dispatch({ effects: setSearch.of({ isOpen: false }) })
  view.focus()
  return true
}

/** Selects the next or the previous match. After the last match, the search continues with the first. */
function find(step: 1 | -1): Command {
  return (view) => {
    const { text } = view.state.field(searchField)
    if (text === '') return openSearch(view)
    const doc = fold(view.state.doc.toString())
    const { from, to } = view.state.selection.main
    const found = step > 0 ? doc.indexOf(text, to) : from === 0 ? -1 : doc.lastIndexOf(text, from - 1)
    const start = found >= 0 ? found : step > 0 ? doc.indexOf(text) : doc.lastIndexOf(text)
    if (start < 0) return true
    const selection = EditorSelection.single(start, start + text.length)
    view.dispatch({ selection, scrollIntoView: true, userEvent: 'select.search' })
    return true
  }
}

function createSearchPanel(view: EditorView): Panel {
  const { text } = view.state.field(searchField)
  const input = createElement('input', {
    type: 'text',
    value: text,
    'aria-label': 'Search in the editor',
    oninput: () => view.dispatch({ effects: setSearch.of({ text: fold(input.value) }) }),
  })
  const button = (label: string, content: string, command: Command) =>
    createButton(content, () => command(view), { 'aria-label': label, title: label })
  const dom = createElement(
    'div',
    {
      class: 'search',
      onkeydown: (event: KeyboardEvent) => {
        const isNext = event.key === 'F3' || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'g')
        if (event.key === 'Escape') closeSearch(view)
        else if (isNext || (event.key === 'Enter' && event.target === input)) find(event.shiftKey ? -1 : 1)(view)
        else return
        event.preventDefault()
        event.stopPropagation()
      },
    },
    input,
    button('Previous match', '↑', find(-1)),
    button('Next match', '↓', find(1)),
    button('Close the search', '×', closeSearch),
  )
  return { dom }
}

/** Marks the matches in the window. */
function createMatchMarks(): Extension {
  const mark = Decoration.mark({ class: 'match' })
  const marksOf = ({ state, visibleRanges }: EditorView): DecorationSet => {
    const { isOpen, text } = state.field(searchField)
    if (!isOpen || text === '') return Decoration.none
    const marks = visibleRanges.flatMap(({ from, to }) => {
      const shown = fold(state.sliceDoc(from, to))
      const found = []
      for (let at = shown.indexOf(text); at >= 0; at = shown.indexOf(text, at + text.length))
        found.push(mark.range(from + at, from + at + text.length))
      return found
    })
    return Decoration.set(marks)
  }
  return ViewPlugin.define(
    (view) => {
      const plugin = {
        marks: marksOf(view),
        update: ({ view: updated }: { readonly view: EditorView }) => {
          plugin.marks = marksOf(updated)
        },
      }
      return plugin
    },
    { decorations: ({ marks }) => marks },
  )
}
