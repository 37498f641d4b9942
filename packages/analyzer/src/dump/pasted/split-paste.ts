import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IpFamily } from '@kube-rules/types'
import type { Asked, GoesOn, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { DUMP_READERS } from '../dump-readers.js'
import { cleanLine, isCutLine, isElision, isFence } from './clean-line.js'
import { changeOf, isOtherCommand, isPrompt, readCommand } from './command-line.js'
import { PASTE_READERS } from './paste-readers.js'
import { type WrittenLine, writtenLines } from './written-lines.js'

/** The lines of one paste or several, by language. */
export interface SplitPaste {
  readonly lines: Readonly<Record<Subsystem, readonly PastedLine[]>>
  /** What no tool prints: words of the poster. */
  readonly strange: readonly PastedLine[]
  /** What a difference of two texts says is gone. */
  readonly removed: readonly PastedLine[]
  /** What stands behind lines and is none of them. */
  readonly remarks: readonly PastedLine[]
}

/** Where a reader of one text is. */
interface Cursor {
  readonly lines: Record<Subsystem, PastedLine[]>
  readonly strange: PastedLine[]
  readonly removed: PastedLine[]
  readonly remarks: PastedLine[]
  /** Commands that change something are lines of what they make. */
  readonly takesChanges: boolean
  asked: Asked | undefined
  family: IpFamily | undefined
  open: { readonly name: Subsystem; readonly goesOn: GoesOn } | undefined
}

/**
 * Asks the languages in turn whose each line is; one that goes on with what its language has begun is of that language. With
 * `takesChanges` a command that adds something (`iptables -A …`) is a line that says so.
 */
export function splitPaste(texts: readonly string[], takesChanges = false): SplitPaste {
  const lines = Object.fromEntries(SUBSYSTEMS.map((name) => [name, [] as PastedLine[]])) as Cursor['lines']
  const strange: PastedLine[] = []
  const removed: PastedLine[] = []
  const remarks: PastedLine[] = []
  for (const [text, source] of texts.entries()) {
    const cursor: Cursor = {
      lines,
      strange,
      removed,
      remarks,
      takesChanges,
      asked: undefined,
      family: undefined,
      open: undefined,
    }
    const written = writtenLines(source)
    for (const line of written) takeLine(cursor, line, text)
    closeAll(cursor, { text, line: written.reduce((_, { line }) => line, 1) })
  }
  return { lines, strange, removed, remarks }
}

type Place = Pick<PastedLine, 'text' | 'line'>

function takeLine(cursor: Cursor, taken: WrittenLine, text: number): undefined {
  const clean = cleanLine(taken.source)
  const end = remarkAt(cursor, clean.source)
  const source = end === undefined ? clean.source : clean.source.slice(0, end).trimEnd()
  const line: PastedLine = {
    text,
    line: taken.line,
    kind: 'line',
    source,
    isCut: isCutLine(source),
    column: taken.before + clean.before + 1,
    written: taken.written,
    asked: cursor.asked,
    family: cursor.family,
  }
  if (taken.isRemoved) {
    cursor.removed.push(line)
    return
  }
  if (end !== undefined) return takeWithRemark(cursor, line, clean.source.slice(end))
  if (source === '') {
    goOn(cursor, { ...line, kind: 'blank' })
    return
  }
  if (isFence(source)) return closeAll(cursor, line)
  if (isElision(source)) return leftOut(cursor, line)
  if (source.startsWith('#') && takeHeading(cursor, source)) return
  const asked = readCommand(source)
  if (asked !== undefined) return takeCommand(cursor, asked, line)
  if (isHunk(source)) return leftOut(cursor, line)
  if (isPrompt(source)) return takeOtherCommand(cursor, line)
  const other = beginsOther(cursor, source)
  if (other === undefined && goOn(cursor, line)) return
  if (other !== undefined) {
    cursor.open = other
    cursor.lines[other.name].push(line)
    return
  }
  if (isOtherCommand(source)) return takeOtherCommand(cursor, line)
  if (!source.startsWith('#')) cursor.strange.push(line)
}

/** Whether the line goes on with what is open, as which it is taken then. */
function goOn(cursor: Cursor, line: PastedLine): boolean {
  const { open } = cursor
  const goesOn = open?.goesOn(line.source)
  if (open === undefined || goesOn === undefined) return false
  cursor.open = { name: open.name, goesOn }
  cursor.lines[open.name].push(line)
  return true
}

/** Where a remark begins behind a line of the language that is open. */
function remarkAt({ open }: Cursor, source: string): number | undefined {
  const at = open && PASTE_READERS[open.name].remarkAt?.(source)
  return at === undefined || open?.goesOn(source.slice(0, at)) === undefined ? undefined : at
}

/** What the language says is a line of its own is no command, whatever the remark names. */
function takeWithRemark(cursor: Cursor, line: PastedLine, remark: string): undefined {
  goOn(cursor, line)
  cursor.remarks.push({ ...line, source: remark })
  if (isElision(remark)) leftOut(cursor, line)
}

/** The language, but for the one that is open, of which the line begins something. */
function beginsOther({ open, asked }: Cursor, source: string): Cursor['open'] {
  for (const name of SUBSYSTEMS) {
    const goesOn = PASTE_READERS[name].begins(source, asked)
    if (goesOn !== undefined)
      return name === open?.name && open.goesOn(source) !== undefined ? undefined : { name, goesOn }
  }
  return undefined
}

/** Whoever comes after it lacks something, too. */
function leftOut({ lines, asked }: Cursor, line: PastedLine): undefined {
  for (const name of SUBSYSTEMS) lines[name].push({ ...line, kind: 'gap', asked })
}

/** Whether a comment line is one that says something of what follows. */
function takeHeading(cursor: Cursor, source: string): boolean {
  for (const name of SUBSYSTEMS) {
    const heading = DUMP_READERS[name].headingOf?.(source)
    if (heading === undefined) continue
    cursor.family = heading === 'unknown' ? undefined : heading
    return true
  }
  return /^#\s*Warning: ip6?tables-legacy tables present/.test(source)
}

/** Between the parts of a difference lines are left out. */
function isHunk(source: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(source)
}

/** What was printed before ends here. */
function takeCommand(cursor: Cursor, asked: Asked, line: PastedLine): undefined {
  const change = cursor.takesChanges ? changeOf(asked, line.source) : undefined
  const other = change === undefined ? undefined : beginsOther({ ...cursor, open: undefined, asked }, change)
  if (change !== undefined && other !== undefined) {
    if (other.name !== cursor.open?.name) closeAll(cursor, line)
    cursor.open = other
    // Of what was there before nobody knows.
    cursor.lines[other.name].push({ ...line, source: change, asked: { ...asked, filter: 'cut' } })
    return
  }
  closeAll(cursor, line)
  cursor.asked = asked
  cursor.family = undefined
}

/** Whatever the command prints, no language is asked for it. */
function takeOtherCommand(cursor: Cursor, place: Place): undefined {
  closeAll(cursor, place)
  cursor.asked = undefined
}

function closeAll(cursor: Cursor, { text, line }: Place): undefined {
  for (const name of SUBSYSTEMS) {
    const last = cursor.lines[name].at(-1)
    if (last === undefined || last.kind === 'end') continue
    cursor.lines[name].push({
      text,
      line,
      kind: 'end',
      source: '',
      column: 1,
      written: '',
      asked: cursor.asked,
      family: cursor.family,
    })
  }
  cursor.open = undefined
  cursor.family = undefined
}
