import { type NodeState, SUBSYSTEMS } from '@kube-rules/compiler/internal/dataplane/node-state'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import {
  createPasteNote,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteNoteCode,
} from '../../dataplane/netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../dataplane/netfilter/text-problem.js'
import { hasCutColumn } from './broken-lines.js'
import { cleanLine, isOmissionMarker, isTruncatedLine } from './clean-line.js'
import { type CoverageBySubsystem, computeIncompleteCoverage, formatCoverage } from './coverage.js'
import type { SplitPasteResult } from './paste-cursor.js'
import { PASTE_READERS } from './paste-readers.js'
import { splitPaste } from './split-paste.js'

/** The states in an excerpt by family, with problems and assumptions. */
export interface ParsedPaste {
  readonly states: Readonly<Record<IpFamily, NodeState>>
  /** Problems in text order. */
  readonly problems: readonly TextProblem[]
  readonly notes: readonly PasteNote[]
}

/** Parses all tool output in the inputs, of any subsystem. Never throws. */
export function parsePaste(texts: readonly string[], hints: PasteHints): ParsedPaste {
  const printed = readSplit(splitPaste(texts), hints)
  if (holdsSomething(printed) || !texts.some((text) => text.split('\n').some(isChange))) return printed
  // If no state was found, the input may consist of commands that create rules, so it is parsed again as such.
  const made = readSplit(splitPaste(texts, true), hints)
  return holdsSomething(made) ? made : printed
}

/** Reports whether a line contains a command that adds something. */
function isChange(line: string): boolean {
  const tool = line.search(/(?:tables|ipvsadm|ipset)\s/)
  return tool >= 0 && /(?:-[AIa]|create|add)\s/.test(line.slice(tool))
}

function holdsSomething({ states }: ParsedPaste): boolean {
  return IP_FAMILIES.some((family) => SUBSYSTEMS.some((name) => !isEmpty(states[family][name])))
}

function readSplit(split: SplitPasteResult, hints: PasteHints): ParsedPaste {
  const read = SUBSYSTEMS.map((name) => ({ name, ...PASTE_READERS[name].read(split.lines[name], hints) }))
  const stateOf = (family: IpFamily): NodeState => {
    const subsystemStates = read.flatMap(({ name, states }) =>
      states[family] === undefined ? [] : [[name, states[family]]],
    )
    const covered: CoverageBySubsystem = Object.fromEntries(
      read.flatMap(({ name, coverage, states }) =>
        states[family] === undefined || coverage[family] === undefined ? [] : [[name, coverage[family]]],
      ),
    )
    const state: NodeState = { family, ...Object.fromEntries(subsystemStates) }
    const fragment = computeIncompleteCoverage({ state, covered, isOwned: hints.isOwned })
    return { ...state, ...(fragment !== undefined && { coverage: fragment }) }
  }
  const states = { IPv4: stateOf('IPv4'), IPv6: stateOf('IPv6') }
  const problems = read.flatMap((each) => each.problems)
  const notes = [...read.flatMap((each) => each.notes), ...notesOnLines(split), ...notesOnFragments(states)]
  return {
    states,
    problems: problems.sort(inOrderOfText).slice(0, MAX_PROBLEMS),
    notes: [...notes].sort(inOrderOfText).slice(0, MAX_PROBLEMS),
  }
}

function inOrderOfText(a: PastePlace, b: PastePlace): number {
  return a.text - b.text || a.line - b.line
}

type PastePlace = Pick<PasteNote, 'text' | 'line'>

/** Returns the notes about lines that belong to no subsystem. */
function notesOnLines({ strange, others, broken, removed, remarks }: SplitPasteResult): readonly PasteNote[] {
  return [
    ...notesOnRuns('skippedLines', strange, (lines, first) => `ignored ${lines} that no tool prints: ${quote(first)}`),
    ...Array.from(others).flatMap(([tool, each]) =>
      notesOnRuns('otherOutput', each, (lines) => `${lines} of ${tool}, not of rules`),
    ),
    ...broken.map((line) => {
      const effect = line.isCut === true ? 'the rest of these lines is unknown' : 'they are joined with the next lines'
      return createPasteNote(line, 'brokenLines', `all long lines end in the same column: ${effect}`)
    }),
    ...notesOnRuns('diffRemovedLine', removed, (lines) => `ignored ${lines} that a diff removes`),
    // One note per remark, because the remark may change the meaning of its line.
    ...remarks.map((line) => createPasteNote(line, 'trailingComment', `ignored after the rule: ${quote(line)}`)),
  ]
}

function quote({ source }: PastedLine): string {
  return JSON.stringify(source.length > 40 ? `${source.slice(0, 40)}…` : source)
}

/** Returns one note for consecutive lines. The message depends on their number and on the first line. */
function notesOnRuns(
  code: PasteNoteCode,
  lines: readonly PastedLine[],
  messageOf: (lines: string, first: PastedLine) => string,
): readonly PasteNote[] {
  const runs: { readonly first: PastedLine; last: PastedLine; count: number }[] = []
  for (const line of lines) {
    const run = runs.at(-1)
    if (run !== undefined && run.last.text === line.text && line.line - run.last.line <= 2) {
      run.last = line
      run.count += 1
    } else runs.push({ first: line, last: line, count: 1 })
  }
  return runs.map(({ first, count }) =>
    createPasteNote(first, code, messageOf(count === 1 ? 'a line' : `${count} lines`, first)),
  )
}

/** Returns a note with the coverage of each family with a partial state. */
function notesOnFragments(states: ParsedPaste['states']): readonly PasteNote[] {
  return IP_FAMILIES.flatMap((family) => {
    const { coverage, ...state } = states[family]
    if (coverage === undefined || SUBSYSTEMS.every((name) => isEmpty(state[name]))) return []
    return [{ code: 'fragment' as const, text: 0, line: 1, message: formatCoverage(family, coverage) }]
  })
}

/**
 * Reports whether a state is empty. Subsystems that keep both families together have a state for both families,
 * possibly an empty one.
 */
function isEmpty(state: unknown): boolean {
  return (
    state === undefined || Object.values(state as object).every((value) => Array.isArray(value) && value.length === 0)
  )
}

/**
 * Reports whether an input is visibly incomplete: it marks omissions with `...`, possibly in a comment (`# ...`), its
 * long lines were cut in one column, or a table has too few declarations of chains.
 */
export function hasOmissionMarkers(texts: readonly string[]): boolean {
  return texts.some((text) => {
    const lines = text.split('\n')
    return (
      hasCutColumn(lines) ||
      lacksDeclarations(lines) ||
      lines.some(
        (line) =>
          (!BEGINNING_OF_ROW.test(line) && /[.\u2026<([#]/.test(line) && isOmissionMarker(cleanLine(line).source)) ||
          isTruncatedLine(line.trimEnd()),
      )
    )
  })
}

/** Matches the beginning of lines that are no marker: rules, declarations of chains, and lines of ipset and ipvsadm. */
const BEGINNING_OF_ROW = /^(?:-[Aa] |:\S|\[\d+:\d+\] -A |add |create )/

/**
 * Reports whether lines of a table are missing. `iptables-save` declares all chains of a table, and before their rules.
 * A table without any declaration was written by a person, for `iptables-restore`.
 */
function lacksDeclarations(lines: readonly string[]): boolean {
  let declared = new Set<string>()
  let hasRules = false
  return lines.some((line) => {
    if (line.startsWith('*') || /^COMMIT\b/.test(line)) {
      declared = new Set()
      hasRules = false
      return false
    }
    const chain = /^:(\S+)/.exec(line)?.[1]
    if (chain !== undefined) {
      declared.add(chain)
      return hasRules
    }
    const chainOfRule = /^(?:\[\d+:\d+\]\s*)?-A (\S+)/.exec(line)?.[1]
    hasRules ||= chainOfRule !== undefined
    return chainOfRule !== undefined && declared.size > 0 && !declared.has(chainOfRule)
  })
}
