import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createRecord } from '@kube-rules/compiler/internal/internal/create-record'
import type { IpFamily } from '@kube-rules/types'
import { parseFamilyHeading } from '../dataplane/iptables/parse/read.js'
import type { DumpExtent, DumpSection } from '../dataplane/netfilter/dump-section.js'
import { DUMP_READERS } from './dump-readers.js'

/** The lines of one or more inputs by subsystem, and the lines that belong to no subsystem. */
export interface SplitDumpResult {
  readonly bySubsystem: Readonly<Record<Subsystem, readonly DumpSection[]>>
  readonly unknown: readonly DumpSection[]
}

/** The state of the line splitter within one text. */
interface Cursor {
  readonly source: string
  readonly text: number
  /** The start and number of the current line. */
  start: number
  line: number
  /** The family according to the last heading. */
  family: IpFamily | undefined
}

/** Assigns each line to a subsystem. Blank lines, comments and COMMIT are ignored. */
export function splitDumpText(texts: readonly string[]): SplitDumpResult {
  const bySubsystem = createRecord<Subsystem, DumpSection[]>(SUBSYSTEMS, () => [])
  const unknownSections: DumpSection[] = []
  for (const [text, source] of texts.entries()) {
    const cursor: Cursor = { source, text, start: 0, line: 1, family: undefined }
    while (cursor.start < source.length) {
      const line = source.slice(cursor.start, endOfLine(source, cursor.start))
      const word = line.trim()
      const heading = word.startsWith('#') ? parseFamilyHeading(line) : undefined
      if (heading !== undefined) cursor.family = heading === 'unknown' ? undefined : heading
      if (word === '' || word.startsWith('#') || /^COMMIT(?:\s|$)/.test(word)) {
        nextLine(cursor)
        continue
      }
      const subsystem = subsystemOfLine(line)
      const list = subsystem === undefined ? unknownSections : bySubsystem[subsystem.name]
      list.push(
        subsystem?.end === 'alike'
          ? consumeAlike(cursor, subsystem.name)
          : consumeLines(cursor, subsystem?.end ?? 'line'),
      )
    }
  }
  return { bySubsystem, unknown: unknownSections }
}

function subsystemOfLine(line: string): { readonly name: Subsystem; readonly end: DumpExtent } | undefined {
  for (const name of SUBSYSTEMS) {
    const end = DUMP_READERS[name].begins(line)
    if (end !== undefined) return { name, end }
  }
  return undefined
}

/** Consumes the current line and all following lines up to the end of the group (`end`). */
function consumeLines(cursor: Cursor, end: Exclude<DumpExtent, 'alike'>): DumpSection {
  const { source, text, start, line, family } = cursor
  nextLine(cursor)
  if (end === 'line') return { source: source.slice(start, endOfLine(source, start)), text, line, family }
  while (cursor.start < source.length && !end(source.slice(cursor.start, endOfLine(source, cursor.start)))) {
    nextLine(cursor)
  }
  if (cursor.start < source.length) nextLine(cursor)
  return { source: source.slice(start, cursor.start), text, line, family }
}

/** Consumes the current line and the following lines of the same subsystem. */
function consumeAlike(cursor: Cursor, name: Subsystem): DumpSection {
  const { source, text, start, line, family } = cursor
  let end = start
  do {
    end = endOfLine(source, cursor.start)
    nextLine(cursor)
  } while (cursor.start < source.length && isAlike(source.slice(cursor.start, endOfLine(source, cursor.start)), name))
  return { source: source.slice(start, end), text, line, family }
}

function isAlike(line: string, name: Subsystem): boolean {
  const subsystem = subsystemOfLine(line)
  return subsystem?.name === name && subsystem.end === 'alike'
}

function endOfLine(source: string, start: number): number {
  const newline = source.indexOf('\n', start)
  return newline < 0 ? source.length : newline
}

function nextLine(cursor: Cursor): void {
  cursor.start = endOfLine(cursor.source, cursor.start) + 1
  cursor.line++
}
