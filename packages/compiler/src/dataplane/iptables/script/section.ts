import type { IpFamily } from '@kube-rules/types'
import type { Rule } from '../ast.js'
import { printRuleLines } from '../print/print.js'
import { checkPlainWord } from '../quote.js'

/** The content of a commit of one table: chains to create or flush, then rule lines, then chains to remove. */
export interface RestoreSection {
  readonly chains: readonly string[]
  /** Pieces of text that consist of complete lines. */
  readonly lines: readonly string[]
  readonly removed: readonly string[]
}

export function joinSections(sections: readonly RestoreSection[]): RestoreSection {
  return {
    chains: sections.flatMap(({ chains }) => chains),
    lines: sections.flatMap(({ lines }) => lines),
    removed: sections.flatMap(({ removed }) => removed),
  }
}

/** Returns a section that creates a chain, or flushes an existing chain, and appends exactly these rules. */
export function createReplacementSection(chain: string, rules: readonly Rule[], family: IpFamily): RestoreSection {
  return { chains: [chain], lines: rules.length === 0 ? [] : [printRuleLines(rules, 'restore', family)], removed: [] }
}

/**
 * Returns a section that removes an unreferenced chain. The section flushes the chain first, because a chain with rules
 * cannot be removed.
 */
export function createRemovalSection(chain: string): RestoreSection {
  return { chains: [chain], lines: [], removed: [chain] }
}

export function createLinesSection(lines: readonly string[]): RestoreSection {
  return { chains: [], lines: lines.map((line) => `${line}\n`), removed: [] }
}

/**
 * Prints the input for `iptables-restore --noflush`, including its COMMIT line. For an empty section, the output is
 * empty.
 */
export function printSection(table: string, { chains, lines, removed }: RestoreSection): string {
  if (chains.length + lines.length + removed.length === 0) return ''
  const pieces = [`*${table}\n`]
  for (const chain of chains) pieces.push(`:${checkPlainWord(chain)} - [0:0]\n`)
  for (const line of lines) pieces.push(line)
  for (const chain of removed) pieces.push(`-X ${checkPlainWord(chain)}\n`)
  pieces.push('COMMIT\n')
  return pieces.join('')
}

/** Returns the text length of a section, for comparing sections. */
export function sectionLengthOf(section: RestoreSection): number {
  return printSection('', section).length
}
