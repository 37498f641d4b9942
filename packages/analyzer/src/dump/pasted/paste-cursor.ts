import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IpFamily } from '@kube-rules/types'
import type { LineContinuation, PastedCommand, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { PASTE_READERS } from './paste-readers.js'

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
export interface PasteCursor extends SplitPasteResult {
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

/** Adds a line to a subsystem. Lines that could not be read before it are in another output. */
export function addLine(cursor: PasteCursor, name: Subsystem, line: PastedLine): void {
  cursor.unread = []
  cursor.isSeparated = false
  cursor.lines[name].push(line)
}

/**
 * Adds the lines that could not be read to the open output. At the end of the output, lines after a blank line are words
 * of the author; any other line may have been a part of the output.
 */
function addUnread(cursor: PasteCursor, isAtEnd = false): void {
  const { open, unread, isSeparated } = cursor
  cursor.unread = []
  if (open !== undefined && !(isAtEnd && isSeparated)) cursor.lines[open.name].push(...unread)
}

/** Adds the line to the subsystem of the preceding lines if the line continues them. Reports whether the line was added. */
export function addIfContinued(cursor: PasteCursor, line: PastedLine): boolean {
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

/**
 * Returns the subsystem of the content that starts at this line. Undefined if no content starts, or if the line
 * continues the current subsystem.
 */
export function findOtherOutput({ open, command }: PasteCursor, source: string): PasteCursor['open'] {
  for (const name of SUBSYSTEMS) {
    const isContinued = PASTE_READERS[name].begins(source, command)
    // Each first line of a subsystem also continues it.
    if (isContinued !== undefined) return name === open?.name ? undefined : { name, isContinued }
  }
  return undefined
}

/** Records an omission: adds a gap to the lines of every subsystem. The missing lines may declare another family. */
export function recordOmission(cursor: PasteCursor, line: PastedLine): void {
  const { lines, command } = cursor
  cursor.family = undefined
  for (const name of SUBSYSTEMS) lines[name].push({ ...line, kind: 'gap', command })
}

/** The position of a line in the texts. */
export type LinePosition = Pick<PastedLine, 'text' | 'line'>

/** Ends the open output at a position. */
export function endOutput(cursor: PasteCursor, { text, line }: LinePosition): void {
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
