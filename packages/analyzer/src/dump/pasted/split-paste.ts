import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createRecord } from '@kube-rules/compiler/internal/internal/create-record'
import type { IpFamily } from '@kube-rules/types'
import type { LineContinuation, PastedCommand, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { DUMP_READERS } from '../dump-readers.js'
import { cleanLine, isMarkdownFence, isOmissionMarker, isTruncatedLine } from './clean-line.js'
import { hasPrompt, isUnknownCommand, parsePastedCommand, toAppendLine } from './command-line.js'
import { PASTE_READERS } from './paste-readers.js'
import { type OriginalLine, splitLines } from './split-lines.js'

/** The lines of one or more excerpts, by subsystem. */
export interface SplitPasteResult {
  readonly lines: Readonly<Record<Subsystem, readonly PastedLine[]>>
  /** Text that no tool prints: words of the author. */
  readonly strange: readonly PastedLine[]
  /** Removed lines of a diff. */
  readonly removed: readonly PastedLine[]
  /** Remarks after lines. */
  readonly remarks: readonly PastedLine[]
}

/** The state of the splitter within one text. */
interface Cursor {
  readonly lines: Record<Subsystem, PastedLine[]>
  readonly strange: PastedLine[]
  readonly removed: PastedLine[]
  readonly remarks: PastedLine[]
  /** Whether a command that modifies a state (`iptables -A …`) is parsed as the line that it adds. */
  readonly takesChanges: boolean
  command: PastedCommand | undefined
  family: IpFamily | undefined
  open: { readonly name: Subsystem; readonly isContinued: LineContinuation } | undefined
}

/**
 * Assigns each line to a subsystem; a continuation belongs to the subsystem of the preceding lines. With
 * `takesChanges`, a modifying command (`iptables -A …`) is parsed as the line that it adds.
 */
export function splitPaste(texts: readonly string[], takesChanges = false): SplitPasteResult {
  const lines = createRecord<Subsystem, PastedLine[]>(SUBSYSTEMS, () => [])
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
      command: undefined,
      family: undefined,
      open: undefined,
    }
    const written = splitLines(source)
    for (const line of written) consumeLine(cursor, line, text)
    closeAll(cursor, { text, line: written.reduce((_, { line }) => line, 1) })
  }
  return { lines, strange, removed, remarks }
}

type Place = Pick<PastedLine, 'text' | 'line'>

function consumeLine(cursor: Cursor, taken: OriginalLine, text: number): undefined {
  const clean = cleanLine(taken.source)
  const end = remarkAt(cursor, clean.source)
  const source = end === undefined ? clean.source : clean.source.slice(0, end).trimEnd()
  const line: PastedLine = {
    text,
    line: taken.line,
    kind: 'line',
    source,
    isCut: isTruncatedLine(source),
    column: taken.before + clean.before + 1,
    written: taken.written,
    command: cursor.command,
    family: cursor.family,
  }
  if (taken.isRemoved) {
    cursor.removed.push(line)
    return
  }
  if (end !== undefined) return consumeWithRemark(cursor, line, clean.source.slice(end))
  if (source === '') {
    continuePath(cursor, { ...line, kind: 'blank' })
    return
  }
  if (isMarkdownFence(source)) return closeAll(cursor, line)
  if (isOmissionMarker(source)) return leftOut(cursor, line)
  if (source.startsWith('#') && consumeHeading(cursor, source)) return
  const command = parsePastedCommand(source)
  if (command !== undefined) return parseCommand(cursor, command, line)
  if (isHunk(source)) return leftOut(cursor, line)
  if (hasPrompt(source)) return consumeOtherCommand(cursor, line)
  const other = beginsOther(cursor, source)
  if (other === undefined && continuePath(cursor, line)) return
  if (other !== undefined) {
    cursor.open = other
    cursor.lines[other.name].push(line)
    return
  }
  if (isUnknownCommand(source)) return consumeOtherCommand(cursor, line)
  if (!source.startsWith('#')) cursor.strange.push(line)
}

/** Adds the line to the subsystem of the preceding lines if the line continues them. Reports whether the line was added. */
function continuePath(cursor: Cursor, line: PastedLine): boolean {
  const { open } = cursor
  const isContinued = open?.isContinued(line.source)
  if (open === undefined || isContinued === undefined) return false
  cursor.open = { name: open.name, isContinued }
  cursor.lines[open.name].push(line)
  return true
}

/** Returns the position of a remark in a line that continues the current subsystem; undefined without remark. */
function remarkAt({ open }: Cursor, source: string): number | undefined {
  const at = open && PASTE_READERS[open.name].remarkAt?.(source)
  return at === undefined || open?.isContinued(source.slice(0, at)) === undefined ? undefined : at
}

/** Adds a line with a remark to the current subsystem. Such a line is not a command, even if its remark resembles one. */
function consumeWithRemark(cursor: Cursor, line: PastedLine, remark: string): undefined {
  continuePath(cursor, line)
  cursor.remarks.push({ ...line, source: remark })
  if (isOmissionMarker(remark)) leftOut(cursor, line)
}

/**
 * Returns the subsystem of the content that starts at this line. Undefined if no content starts, or if the line
 * continues the current subsystem.
 */
function beginsOther({ open, command }: Cursor, source: string): Cursor['open'] {
  for (const name of SUBSYSTEMS) {
    const isContinued = PASTE_READERS[name].begins(source, command)
    if (isContinued !== undefined)
      return name === open?.name && open.isContinued(source) !== undefined ? undefined : { name, isContinued }
  }
  return undefined
}

/** Records an omission: adds a gap to the lines of every subsystem. */
function leftOut({ lines, command }: Cursor, line: PastedLine): undefined {
  for (const name of SUBSYSTEMS) lines[name].push({ ...line, kind: 'gap', command })
}

/**
 * Consumes a comment line that declares a property of the following lines, such as their family. Reports whether the
 * line was consumed.
 */
function consumeHeading(cursor: Cursor, source: string): boolean {
  for (const name of SUBSYSTEMS) {
    const heading = DUMP_READERS[name].headingOf?.(source)
    if (heading === undefined) continue
    cursor.family = heading === 'unknown' ? undefined : heading
    return true
  }
  return /^#\s*Warning: ip6?tables-legacy tables present/.test(source)
}

/** Reports whether a line is a diff hunk header; lines between hunks are missing. */
function isHunk(source: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(source)
}

/** Processes a command, which ends the preceding output. */
function parseCommand(cursor: Cursor, command: PastedCommand, line: PastedLine): undefined {
  const change = cursor.takesChanges ? toAppendLine(command, line.source) : undefined
  const other = change === undefined ? undefined : beginsOther({ ...cursor, open: undefined, command }, change)
  if (change !== undefined && other !== undefined) {
    if (other.name !== cursor.open?.name) closeAll(cursor, line)
    cursor.open = other
    // The filter `cut` marks the result as partial, because the state may have had content before the command.
    cursor.lines[other.name].push({ ...line, source: change, command: { ...command, filter: 'cut' } })
    return
  }
  closeAll(cursor, line)
  cursor.command = command
  cursor.family = undefined
}

/** Processes a command of another program; its output belongs to no subsystem. */
function consumeOtherCommand(cursor: Cursor, place: Place): undefined {
  closeAll(cursor, place)
  cursor.command = undefined
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
      command: cursor.command,
      family: cursor.family,
    })
  }
  cursor.open = undefined
  cursor.family = undefined
}
