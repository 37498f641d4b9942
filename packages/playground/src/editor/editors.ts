import { history, historyKeymap } from '@codemirror/commands'
import { Annotation, Compartment, EditorState, type Extension, Text } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view'
import type { ObjectProblem } from '../engine/results.js'
import { findTextEdit } from '../text/text-edit.js'
import { createProblemMarksExtension, hasProblemMarks, setProblems } from './create-problem-marks-extension.js'
import { createHoverTooltips } from './hover-tooltips.js'
import { EDITOR_KEYS } from './keys.js'
import {
  createLineOwnersExtension,
  createOwnerEventsExtension,
  type HighlightedLines,
  type LineOwners,
  type OwnerHandlers,
  ownersIn,
  setHighlighted,
  setMarked,
  setOwners,
} from './line-owners.js'
import { createSearchExtension, SEARCH_KEYS } from './search.js'
import { createSyntaxHighlighting, RULE_TOKENS, YAML_TOKENS } from './syntax-highlighting.js'
import { editorTheme } from './theme.js'

export interface EditorOptions extends OwnerHandlers {
  readonly parent: HTMLElement
  readonly label: string
  /** The placeholder of an empty editor. */
  readonly hint: string
  readonly language: 'yaml' | 'rules'
  /** Called with the text after each user edit. Without it the editor is read-only. */
  readonly onChange?: (text: string) => void
}

/** An editor, or a read-only view of a text. Line numbers start at 0. */
export interface Editor {
  readonly view: EditorView
  /**
   * Replaces the text. In an editor, this also clears the undo history. In a read-only view, it also sets the owners of
   * the lines and leaves the unchanged part of the text untouched. A hidden view changes only when it becomes visible.
   */
  setText(text: string, owners?: LineOwners): void
  /** Shows the owners and problems of the lines. Does nothing if the same owners and no problems are shown. */
  annotate(owners: LineOwners, problems: readonly ObjectProblem[]): void
  light(lines: HighlightedLines): void
  mark(lines: ReadonlySet<number>): void
  /** Scrolls to a line if it is not visible. */
  reveal(line: number): void
  /** Moves the cursor to a line, and the focus to the editor. */
  jumpTo(line: number): void
  readonly wrap: (wraps: boolean) => void
}

/** Marks changes by the page, as opposed to changes by the user. */
const fromPage = Annotation.define<boolean>()

export function createEditor({ parent, label, hint, language, onChange, ...handlers }: EditorOptions): Editor {
  const wrapping = new Compartment()
  /** The current text. */
  let current = ''
  const extensions: Extension = [
    lineNumbers(),
    ...(onChange ? [createProblemMarksExtension(), history()] : [EditorState.readOnly.of(true)]),
    createLineOwnersExtension(),
    highlightActiveLine(),
    createSyntaxHighlighting(language === 'yaml' ? YAML_TOKENS : RULE_TOKENS),
    createHoverTooltips(language),
    editorTheme,
    wrapping.of([]),
    placeholder(hint),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
    createOwnerEventsExtension(handlers),
    createSearchExtension(),
    EditorView.scrollHandler.of(() => {
      const isHandled = isMeasuring
      isMeasuring = false
      return isHandled
    }),
    keymap.of([...EDITOR_KEYS, ...historyKeymap, ...SEARCH_KEYS]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((each) => each.annotation(fromPage))) return
      current = update.state.doc.toString()
      onChange?.(current)
    }),
  ]
  const stateOf = (doc: string) =>
    EditorState.create({ doc: Text.of(doc.split('\n')), extensions: [extensions, EditorState.lineSeparator.of('\n')] })
  const view = new EditorView({ state: stateOf(''), parent })
  let isMeasured = false
  /** Whether the next request to scroll only measures the height of the lines. */
  let isMeasuring = false
  /**
   * Measures the height of the lines outside of the window, for paper and for pictures of the whole page. An editor
   * measures its lines when they are in the window, or when it has to scroll.
   */
  function measureLines(): void {
    isMeasured = view.dom.checkVisibility()
    const { top, bottom } = view.dom.getBoundingClientRect()
    if (!isMeasured || (top < innerHeight && bottom > 0)) return
    isMeasuring = true
    view.dispatch({ effects: EditorView.scrollIntoView(0) })
  }
  /**
   * The work to do when a hidden view becomes visible. A hidden view has no viewport, so it would create elements for
   * all changed lines.
   */
  let waiting: { readonly text?: () => void; readonly line?: () => void } = {}
  function whenVisible(work: typeof waiting): void {
    waiting = { ...waiting, ...work }
    if (!view.dom.checkVisibility()) return
    if (!isMeasured) measureLines()
    const { text, line } = waiting
    waiting = {}
    text?.()
    // The heights of the new lines are known after the next frame.
    if (text !== undefined && line !== undefined) requestAnimationFrame(line)
    else line?.()
  }
  new ResizeObserver(() => whenVisible({})).observe(view.dom)
  function replaceText(text: string, owners: LineOwners): void {
    const changes = text === current ? [] : [changeTo(current, text)]
    current = text
    view.dispatch({ changes, effects: setOwners.of(owners), annotations: fromPage.of(true) })
  }
  function startOf(line: number): number {
    const { doc } = view.state
    return doc.line(Math.min(Math.max(line + 1, 1), doc.lines)).from
  }
  /** Scrolls to a line. A jump also moves the cursor and the focus. */
  function goTo(line: number, isJump: boolean): void {
    const scroll = () => {
      if (isJump) {
        view.dispatch({ selection: { anchor: startOf(line) } })
        view.contentDOM.focus({ preventScroll: true })
      }
      // scrollIntoView would also scroll the page.
      const { top, height } = view.lineBlockAt(startOf(line))
      view.scrollDOM.scrollTop = top - (view.scrollDOM.clientHeight - height) / 2
    }
    whenVisible({ line: scroll })
  }
  return {
    view,
    setText: (text, owners) => {
      if (owners !== undefined) whenVisible({ text: () => replaceText(text, owners) })
      else if (text !== current) {
        // Another request is loaded. Undo must not mix its text with the edits of the previous request.
        current = text
        view.setState(stateOf(text))
        measureLines()
      }
    },
    annotate: (owners, problems) => {
      const effects = [
        ...(ownersIn(view.state) === owners ? [] : [setOwners.of(owners)]),
        ...(problems.length === 0 && !hasProblemMarks(view.state) ? [] : [setProblems.of(problems)]),
      ]
      if (effects.length > 0) view.dispatch({ effects })
    },
    light: (lines) => view.dispatch({ effects: setHighlighted.of(lines) }),
    mark: (lines) => view.dispatch({ effects: setMarked.of(lines) }),
    reveal: (line) => goTo(line, false),
    jumpTo: (line) => goTo(line, true),
    wrap: (wraps) => view.dispatch({ effects: wrapping.reconfigure(wraps ? EditorView.lineWrapping : []) }),
  }
}

/** Finds the change from one text to another, for an editor. */
function changeTo(
  before: string,
  after: string,
): { readonly from: number; readonly to: number; readonly insert: Text } {
  const { from, to, insert } = findTextEdit(before, after)
  return { from, to, insert: Text.of(insert.split('\n')) }
}
