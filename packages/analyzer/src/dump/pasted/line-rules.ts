import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { parseFamilyHeading } from '../../dataplane/iptables/parse/read.js'
import type { PastedCommand, PastedLine } from '../../dataplane/netfilter/pasted.js'
import { isMarkdownFence, isOmissionMarker } from './clean-line.js'
import { hasPrompt, isUnknownCommand, parsePastedCommand, toAppendLine } from './command-line.js'
import { findOtherTool } from './other-output.js'
import {
  addIfContinued,
  addLine,
  endOutput,
  findOtherOutput,
  type PasteCursor,
  recordOmission,
} from './paste-cursor.js'

/** Consumes a line if the rule applies to it. Reports whether the line was consumed. */
type LineRule = (cursor: PasteCursor, line: PastedLine) => boolean

/**
 * The rules in order of precedence. A line that resembles both a command and output is a command. The first line of
 * output also continues output of the same subsystem, so the start of other output is found before a continuation.
 */
const LINE_RULES: readonly LineRule[] = [
  consumeBlank,
  consumeFence,
  consumeOmission,
  consumeHeading,
  consumeCommand,
  consumeHunk,
  consumePrompt,
  consumeStart,
  addIfContinued,
  consumeUnknownCommand,
  consumeComment,
  consumeOtherTool,
  consumeStrange,
]

/** Applies the first rule that consumes the line. */
export function applyLineRules(cursor: PasteCursor, line: PastedLine): void {
  LINE_RULES.some((consume) => consume(cursor, line))
}

function consumeBlank(cursor: PasteCursor, line: PastedLine): boolean {
  if (line.source !== '') return false
  if (cursor.unread.length === 0) cursor.isSeparated = true
  addIfContinued(cursor, { ...line, kind: 'blank' })
  return true
}

function consumeFence(cursor: PasteCursor, line: PastedLine): boolean {
  if (!isMarkdownFence(line.source)) return false
  endOutput(cursor, line)
  return true
}

function consumeOmission(cursor: PasteCursor, line: PastedLine): boolean {
  if (!isOmissionMarker(line.source)) return false
  recordOmission(cursor, line)
  return true
}

/** Consumes a comment line that declares a property of the following lines, such as their family. */
function consumeHeading(cursor: PasteCursor, { source }: PastedLine): boolean {
  if (!source.startsWith('#')) return false
  const heading = parseFamilyHeading(source)
  if (heading !== undefined) cursor.family = heading === 'unknown' ? undefined : heading
  return heading !== undefined || /^#\s*Warning: ip6?tables-legacy tables present/.test(source)
}

function consumeCommand(cursor: PasteCursor, line: PastedLine): boolean {
  const command = parsePastedCommand(line.source)
  if (command === undefined) return false
  if (!addChange(cursor, command, line)) startOutputOf(cursor, command, line)
  return true
}

/** Adds the line that a command adds to the state, if commands that modify a state are read. */
function addChange(cursor: PasteCursor, command: PastedCommand, line: PastedLine): boolean {
  const change = cursor.takesChanges ? toAppendLine(command, line.source) : undefined
  const output = change === undefined ? undefined : findOtherOutput({ ...cursor, open: undefined, command }, change)
  if (change === undefined || output === undefined) return false
  if (output.name !== cursor.open?.name) endOutput(cursor, line)
  cursor.open = output
  // The filter `cut` marks the result as partial, because the state may have had content before the command.
  addLine(cursor, output.name, { ...line, source: change, command: { ...command, filter: 'cut' } })
  return true
}

/** Ends the preceding output, because the following lines are output of a command; undefined for other programs. */
function startOutputOf(cursor: PasteCursor, command: PastedCommand | undefined, line: PastedLine): void {
  endOutput(cursor, line)
  cursor.command = command
}

/** Consumes a diff hunk header; lines between hunks are missing. */
function consumeHunk(cursor: PasteCursor, line: PastedLine): boolean {
  if (!/^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line.source)) return false
  recordOmission(cursor, line)
  return true
}

function consumePrompt(cursor: PasteCursor, line: PastedLine): boolean {
  if (!hasPrompt(line.source)) return false
  startOutputOf(cursor, undefined, line)
  return true
}

/** Consumes the first line of output of a subsystem other than that of the open output. */
function consumeStart(cursor: PasteCursor, line: PastedLine): boolean {
  const output = findOtherOutput(cursor, line.source)
  if (output === undefined) return false
  cursor.open = output
  addLine(cursor, output.name, line)
  return true
}

function consumeUnknownCommand(cursor: PasteCursor, line: PastedLine): boolean {
  if (!isUnknownCommand(line.source)) return false
  startOutputOf(cursor, undefined, line)
  return true
}

function consumeComment(_: PasteCursor, { source }: PastedLine): boolean {
  return source.startsWith('#')
}

function consumeOtherTool(cursor: PasteCursor, line: PastedLine): boolean {
  const tool = findOtherTool(line.source)
  if (tool === undefined) return false
  addToGroup(cursor.others, tool, line)
  startOutputOf(cursor, undefined, line)
  return true
}

/** Consumes any other line: text of the author, which may be a part of the open output. */
function consumeStrange(cursor: PasteCursor, line: PastedLine): boolean {
  cursor.strange.push(line)
  if (cursor.open !== undefined && !isLabel(line.source)) cursor.unread.push({ ...line, kind: 'unread' })
  return true
}

/** Reports whether a line is a label that a script prints between outputs: `== KUBE-SVC-XPGD46QRK7WJZT7O`. */
function isLabel(source: string): boolean {
  return /^(?:={2,}|-{3,}|#{2,})/.test(source)
}
