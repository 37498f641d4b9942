import { history, historyKeymap } from '@codemirror/commands'
import { searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, type Extension, Text } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view'
import type { Problem } from '../engine/answers.js'
import { KEYS } from './keys.js'
import { type LineOwners, lineOwners, ownerEvents, setLit, setMarked, setOwners } from './line-owners.js'
import { problemMarks, setProblems } from './problem-marks.js'
import { look } from './theme.js'
import { RULES, wordColours, YAML } from './word-colours.js'

export interface EditorOptions {
  readonly parent: HTMLElement
  readonly label: string
  /** What stands there while it is empty. */
  readonly hint: string
  readonly language: 'yaml' | 'rules'
  /** Called with the text after each change by hand; without it the text cannot be changed. */
  readonly onChange?: (text: string) => void
  readonly onLook: (ports: readonly number[]) => void
  readonly onChoose: (ports: readonly number[]) => void
}

/** An editor, or with text that cannot be changed a view of it. Lines are counted from 0. */
export interface Editor {
  readonly view: EditorView
  /** Puts a text in the place of the one that is there, and says whose its lines are; the part that stays is not touched. */
  setText(text: string, owners?: LineOwners): void
  setOwners(owners: LineOwners): void
  light(ports: ReadonlySet<number>): void
  mark(lines: ReadonlySet<number>): void
  showProblems(problems: readonly Problem[]): void
  /** Scrolls to a line, if it is not to be seen. */
  reveal(line: number): void
  readonly wrap: (wraps: boolean) => void
}

/** Of a change that the page itself makes. */
const fromPage = Annotation.define<boolean>()

export function createEditor({ parent, label, hint, language, onChange, onLook, onChoose }: EditorOptions): Editor {
  const wrapping = new Compartment()
  /** The text that is there. */
  let current = ''
  const extensions: Extension = [
    lineNumbers(),
    ...(onChange ? [problemMarks(), history()] : [EditorState.readOnly.of(true)]),
    lineOwners(),
    drawSelection(),
    highlightActiveLine(),
    wordColours(language === 'yaml' ? YAML : RULES),
    look,
    wrapping.of([]),
    placeholder(hint),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
    ownerEvents({ onLook, onChoose }),
    keymap.of([
      ...KEYS,
      ...historyKeymap,
      ...searchKeymap.filter(({ key }) => onChange !== undefined || key !== 'Mod-Alt-g'),
    ]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((each) => each.annotation(fromPage))) return
      current = update.state.doc.toString()
      onChange?.(current)
    }),
  ]
  const view = new EditorView({
    state: EditorState.create({ doc: '', extensions: [extensions, EditorState.lineSeparator.of('\n')] }),
    parent,
  })
  return {
    view,
    setText: (text, owners) => {
      const effects = owners === undefined ? [] : [setOwners.of(owners)]
      if (text === current && owners === undefined) return
      const changes = text === current ? [] : [changeTo(current, text)]
      current = text
      view.dispatch({ changes, effects, annotations: fromPage.of(true) })
    },
    setOwners: (owners) => view.dispatch({ effects: setOwners.of(owners) }),
    light: (ports) => view.dispatch({ effects: setLit.of(ports) }),
    mark: (lines) => view.dispatch({ effects: setMarked.of(lines) }),
    showProblems: (problems) => view.dispatch({ effects: setProblems.of(problems) }),
    reveal: (line) => {
      const { doc } = view.state
      const at = doc.line(Math.min(Math.max(line + 1, 1), doc.lines)).from
      view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    },
    wrap: (wraps) => view.dispatch({ effects: wrapping.reconfigure(wraps ? EditorView.lineWrapping : []) }),
  }
}

/** The change that takes a text to another: what is between their common beginning and end. */
function changeTo(before: string, text: string): { readonly from: number; readonly to: number; readonly insert: Text } {
  const most = Math.min(before.length, text.length)
  const start = lengthWhile(most, (from, to) => before.slice(from, to) === text.slice(from, to))
  const [last, lastAfter] = [before.length, text.length]
  const end = lengthWhile(
    most - start,
    (from, to) => before.slice(last - to, last - from) === text.slice(lastAfter - to, lastAfter - from),
  )
  return { from: start, to: before.length - end, insert: Text.of(text.slice(start, text.length - end).split('\n')) }
}

/** How far something holds, up to a limit: piece by piece, of the first in which it does not hold character by character. */
function lengthWhile(limit: number, holds: (from: number, to: number) => boolean): number {
  let length = 0
  for (const step of [PIECE, 1]) {
    while (length + step <= limit && holds(length, length + step)) length += step
  }
  return length
}

const PIECE = 4096
