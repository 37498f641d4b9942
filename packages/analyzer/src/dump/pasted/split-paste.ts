import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createRecord } from '@kube-rules/compiler/internal/internal/create-record'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import type { IpFamily } from '@kube-rules/types'
import { parseFamilyHeading } from '../../dataplane/iptables/parse/read.js'
import type { LineContinuation, PastedCommand, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { cleanLine, isMarkdownFence, isOmissionMarker, isTruncatedLine } from './clean-line.js'
import { hasPrompt, isUnknownCommand, parsePastedCommand, toAppendLine } from './command-line.js'
import { findOtherTool } from './other-output.js'
import { PASTE_READERS } from './paste-readers.js'
import { type OriginalLine, splitLines } from './split-lines.js'

/** The lines of one or more excerpts. */
export interface SplitPasteResult {
  /** The lines of the tools, by subsystem. */
  readonly lines: Readonly<Record<Subsystem, PastedLine[]>>
  /** Text that no tool prints: words of the author. */
  readonly strange: PastedLine[]
  /** Lines of tools that print no rules, such as `conntrack -L`, by tool. */
  readonly others: Map<string, PastedLine[]>
  /** The first line of each text that was broken or cut in one column. */
  readonly broken: PastedLine[]
  /** Removed lines of a diff. */
  readonly removed: PastedLine[]
  /** Remarks after lines. */
  readonly remarks: PastedLine[]
}

/** The state of the splitter within one text, with the result for all texts. */
interface Cursor extends SplitPasteResult {
  /** Whether a command that modifies a state (`iptables -A …`) is parsed as the line that it adds. */
  readonly takesChanges: boolean
  command: PastedCommand | undefined
  family: IpFamily | undefined
  open: { readonly name: Subsystem; readonly isContinued: LineContinuation } | undefined
  /** Lines after the open output that could not be read, in order. */
  unread: PastedLine[]
  /** Whether a blank line separates `unread` from the output, or would separate the next line from it. */
  isSeparated: boolean
}

/**
 * Assigns each line to a subsystem; a continuation belongs to the subsystem of the preceding lines. With
 * `takesChanges`, a modifying command (`iptables -A …`) is parsed as the line that it adds.
 */
export function splitPaste(texts: readonly string[], takesChanges = false): SplitPasteResult {
  const lines = createRecord<Subsystem, PastedLine[]>(SUBSYSTEMS, () => [])
  const split: SplitPasteResult = { lines, strange: [], others: new Map(), broken: [], removed: [], remarks: [] }
  for (const [text, source] of texts.entries()) {
    const cursor: Cursor = {
      ...split,
      takesChanges,
      command: undefined,
      family: undefined,
      open: undefined,
      unread: [],
      isSeparated: false,
    }
    const written = splitLines(source)
    for (const line of written) consumeLine(cursor, line, text)
    closeAll(cursor, { text, line: written.reduce((_, { line }) => line, 1) })
  }
  return split
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
    isCut: taken.isCut || isTruncatedLine(source),
    column: taken.before + clean.before + 1,
    written: taken.written,
    command: cursor.command,
    family: cursor.family,
  }
  if ((taken.isJoined || taken.isCut) && cursor.broken.at(-1)?.text !== text) cursor.broken.push(line)
  if (taken.isRemoved) {
    cursor.removed.push(line)
    return
  }
  if (end !== undefined) return consumeWithRemark(cursor, line, clean.source.slice(end))
  if (source === '') {
    if (cursor.unread.length === 0) cursor.isSeparated = true
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
    addLine(cursor, other.name, line)
    return
  }
  if (isUnknownCommand(source)) return consumeOtherCommand(cursor, line)
  if (source.startsWith('#')) return
  const tool = findOtherTool(source)
  if (tool !== undefined) {
    addToGroup(cursor.others, tool, line)
    return consumeOtherCommand(cursor, line)
  }
  cursor.strange.push(line)
  if (cursor.open !== undefined && !isLabel(source)) cursor.unread.push({ ...line, kind: 'unread' })
}

/** Reports whether a line is a label that a script prints between outputs: `== KUBE-SVC-XPGD46QRK7WJZT7O`. */
function isLabel(source: string): boolean {
  return /^(?:={2,}|-{3,}|#{2,})/.test(source)
}

/** Adds a line to a subsystem. Lines that could not be read before it are in another output. */
function addLine(cursor: Cursor, name: Subsystem, line: PastedLine): undefined {
  cursor.unread = []
  cursor.isSeparated = false
  cursor.lines[name].push(line)
}

/**
 * Adds the lines that could not be read to the open output. At the end of the output, lines after a blank line are words
 * of the author; any other line may have been a part of the output.
 */
function addUnread(cursor: Cursor, isAtEnd = false): undefined {
  const { open, unread, isSeparated } = cursor
  cursor.unread = []
  if (open !== undefined && !(isAtEnd && isSeparated)) cursor.lines[open.name].push(...unread)
}

/** Adds the line to the subsystem of the preceding lines if the line continues them. Reports whether the line was added. */
function continuePath(cursor: Cursor, line: PastedLine): boolean {
  const { open } = cursor
  const isContinued = open?.isContinued(line.source)
  if (open === undefined || isContinued === undefined) return false
  if (line.kind === 'blank' && cursor.unread.length > 0) return true
  addUnread(cursor)
  cursor.open = { name: open.name, isContinued }
  if (line.kind === 'blank') cursor.lines[open.name].push(line)
  else addLine(cursor, open.name, line)
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
    // Each first line of a subsystem also continues it.
    if (isContinued !== undefined) return name === open?.name ? undefined : { name, isContinued }
  }
  return undefined
}

/** Records an omission: adds a gap to the lines of every subsystem. The missing lines may declare another family. */
function leftOut(cursor: Cursor, line: PastedLine): undefined {
  const { lines, command } = cursor
  cursor.family = undefined
  for (const name of SUBSYSTEMS) lines[name].push({ ...line, kind: 'gap', command })
}

/**
 * Consumes a comment line that declares a property of the following lines, such as their family. Reports whether the
 * line was consumed.
 */
function consumeHeading(cursor: Cursor, source: string): boolean {
  const heading = parseFamilyHeading(source)
  if (heading !== undefined) cursor.family = heading === 'unknown' ? undefined : heading
  return heading !== undefined || /^#\s*Warning: ip6?tables-legacy tables present/.test(source)
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
    addLine(cursor, other.name, { ...line, source: change, command: { ...command, filter: 'cut' } })
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
  addUnread(cursor, true)
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
