import * as commands from '@codemirror/commands'
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  findClusterBreak,
  type StateCommand,
} from '@codemirror/state'
import type { Command, KeyBinding } from '@codemirror/view'

/**
 * The usual keys that move the cursor, select (with Shift) and delete. The default key table is not used, because it
 * requires a language mode. Tab leaves the editor. Ctrl-] and Ctrl-[ change the indentation.
 */
export const EDITOR_KEYS: readonly KeyBinding[] = [
  moving('ArrowLeft', commands.cursorCharLeft, commands.selectCharLeft),
  moving('ArrowRight', commands.cursorCharRight, commands.selectCharRight),
  moving('ArrowUp', commands.cursorLineUp, commands.selectLineUp),
  moving('ArrowDown', commands.cursorLineDown, commands.selectLineDown),
  moving('Mod-ArrowLeft', commands.cursorGroupLeft, commands.selectGroupLeft, 'Alt-ArrowLeft'),
  moving('Mod-ArrowRight', commands.cursorGroupRight, commands.selectGroupRight, 'Alt-ArrowRight'),
  moving('PageUp', commands.cursorPageUp, commands.selectPageUp),
  moving('PageDown', commands.cursorPageDown, commands.selectPageDown),
  moving('Home', commands.cursorLineBoundaryBackward, commands.selectLineBoundaryBackward, 'Cmd-ArrowLeft'),
  moving('End', commands.cursorLineBoundaryForward, commands.selectLineBoundaryForward, 'Cmd-ArrowRight'),
  moving('Mod-Home', commands.cursorDocStart, commands.selectDocStart, 'Cmd-ArrowUp'),
  moving('Mod-End', commands.cursorDocEnd, commands.selectDocEnd, 'Cmd-ArrowDown'),
  { key: 'Mod-a', run: commands.selectAll },
  { key: 'Enter', run: newLine, shift: newLine },
  { key: 'Backspace', run: deleteBy(-1), shift: deleteBy(-1), preventDefault: true },
  { key: 'Delete', run: deleteBy(1), preventDefault: true },
  { key: 'Mod-Backspace', mac: 'Alt-Backspace', run: commands.deleteGroupBackward, preventDefault: true },
  { key: 'Mod-Delete', mac: 'Alt-Delete', run: commands.deleteGroupForward, preventDefault: true },
  { key: 'Mod-]', run: indented(({ from }) => ({ from, insert: UNIT })) },
  { key: 'Mod-[', run: indented(({ from, text }) => ({ from, to: from + blanksOf(text, UNIT.length) })) },
]

const UNIT = '  '

function moving(key: string, run: Command, shift: Command, mac: string = key): KeyBinding {
  return { key, mac, run, shift, preventDefault: true }
}

/** Inserts a line with the current indentation. After the start of a block, the new line is indented further. */
function newLine({ state, dispatch }: Parameters<StateCommand>[0]): boolean {
  if (state.readOnly) return false
  const change = state.changeByRange(({ from, to }) => {
    const line = state.doc.lineAt(from)
    const before = line.text.slice(0, from - line.from)
    const insert = `\n${before.slice(0, blanksOf(before, before.length))}${/:\s*$/.test(before) ? UNIT : ''}`
    return { changes: { from, to, insert }, range: EditorSelection.cursor(from + insert.length) }
  })
  dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }))
  return true
}

/**
 * Deletes the selection, or the character before or after the cursor. A line break counts as one character. A letter
 * with its accents also counts as one character.
 */
function deleteBy(step: -1 | 1): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false
    const change = state.changeByRange(({ from, to, empty }) => {
      const other = empty ? characterAt(state.doc, from, step) : to
      const [start, end] = [Math.min(from, other), Math.max(from, other)]
      return { changes: { from: start, to: end }, range: EditorSelection.cursor(start) }
    })
    if (!change.changes.empty) dispatch(state.update(change, { scrollIntoView: true, userEvent: 'delete' }))
    return true
  }
}

function characterAt(doc: EditorState['doc'], at: number, step: -1 | 1): number {
  const { from, to, text } = doc.lineAt(at)
  if (at === (step > 0 ? to : from)) return Math.min(Math.max(at + step, 0), doc.length)
  return from + findClusterBreak(text, at - from, step > 0)
}

type Line = ReturnType<EditorState['doc']['lineAt']>

/** Changes the selected lines. */
function indented(changeOf: (line: Line) => ChangeSpec): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false
    const lines = new Map<number, Line>()
    for (const { from, to } of state.selection.ranges) {
      for (let at = from; at <= to; at = state.doc.lineAt(at).to + 1)
        lines.set(state.doc.lineAt(at).from, state.doc.lineAt(at))
    }
    dispatch(state.update({ changes: Array.from(lines.values(), changeOf), userEvent: 'input.indent' }))
    return true
  }
}

/** Counts the leading spaces of a text, up to a limit. */
function blanksOf(text: string, most: number): number {
  return Math.min(most, text.length - text.trimStart().length)
}
