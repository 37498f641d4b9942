import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createRecord } from '@kube-rules/compiler/internal/internal/create-record'
import type { PastedLine } from '../../dataplane/netfilter/pasted.js'
import { cleanLine, isOmissionMarker, isTruncatedLine } from './clean-line.js'
import { applyLineRules } from './line-rules.js'
import { addIfContinued, endOutput, type PasteCursor, recordOmission, type SplitPasteResult } from './paste-cursor.js'
import { PASTE_READERS } from './paste-readers.js'
import { type OriginalLine, splitLines } from './split-lines.js'

/**
 * Assigns each line to a subsystem; a continuation belongs to the subsystem of the preceding lines. With
 * `takesChanges`, a modifying command (`iptables -A …`) is parsed as the line that it adds.
 */
export function splitPaste(texts: readonly string[], takesChanges = false): SplitPasteResult {
  const lines = createRecord<Subsystem, PastedLine[]>(SUBSYSTEMS, () => [])
  const split: SplitPasteResult = { lines, strange: [], others: new Map(), broken: [], removed: [], remarks: [] }
  for (const [text, source] of texts.entries()) {
    const cursor: PasteCursor = {
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
    endOutput(cursor, { text, line: written.reduce((_, { line }) => line, 1) })
  }
  return split
}

function consumeLine(cursor: PasteCursor, original: OriginalLine, text: number): void {
  const clean = cleanLine(original.source)
  const end = remarkAt(cursor, clean.source)
  const source = end === undefined ? clean.source : clean.source.slice(0, end).trimEnd()
  const line: PastedLine = {
    text,
    line: original.line,
    kind: 'line',
    source,
    isCut: original.isCut || isTruncatedLine(source),
    column: original.before + clean.before + 1,
    written: original.written,
    command: cursor.command,
    family: cursor.family,
  }
  if ((original.isJoined || original.isCut) && cursor.broken.at(-1)?.text !== text) cursor.broken.push(line)
  if (original.isRemoved) cursor.removed.push(line)
  else if (end !== undefined) addWithRemark(cursor, line, clean.source.slice(end))
  else applyLineRules(cursor, line)
}

/** Returns the position of a remark in a line that continues the current subsystem; undefined without remark. */
function remarkAt({ open }: PasteCursor, source: string): number | undefined {
  const at = open && PASTE_READERS[open.name].remarkAt?.(source)
  return at === undefined || open?.isContinued(source.slice(0, at)) === undefined ? undefined : at
}

/** Adds a line with a remark to the current subsystem. Such a line is not a command, even if its remark resembles one. */
function addWithRemark(cursor: PasteCursor, line: PastedLine, remark: string): void {
  addIfContinued(cursor, line)
  cursor.remarks.push({ ...line, source: remark })
  if (isOmissionMarker(remark)) recordOmission(cursor, line)
}
