import type { IpFamily } from '@kube-rules/types'
import type { Rule } from '../ast.js'
import { printRuleLines } from '../print/print.js'
import { plainWord } from '../quote.js'

/** What a commit of one table says: chains that are created or emptied, then rule lines, then chains that are removed. */
export interface Section {
  readonly chains: readonly string[]
  /** Pieces of text, each of whole lines. */
  readonly lines: readonly string[]
  readonly removed: readonly string[]
}

export function joinSections(sections: readonly Section[]): Section {
  return {
    chains: sections.flatMap(({ chains }) => chains),
    lines: sections.flatMap(({ lines }) => lines),
    removed: sections.flatMap(({ removed }) => removed),
  }
}

/** A chain that holds these rules and no others, whether it exists or not. */
export function writtenChain(chain: string, rules: readonly Rule[], family: IpFamily): Section {
  return { chains: [chain], lines: rules.length === 0 ? [] : [printRuleLines(rules, 'restore', family)], removed: [] }
}

/** A chain that nothing refers to any more. It is emptied first: a chain with rules cannot be removed. */
export function removedChain(chain: string): Section {
  return { chains: [chain], lines: [], removed: [chain] }
}

export function linesSection(lines: readonly string[]): Section {
  return { chains: [], lines: lines.map((line) => `${line}\n`), removed: [] }
}

/** The text for `iptables-restore --noflush`, to its COMMIT; nothing where the section says nothing. */
export function printSection(table: string, { chains, lines, removed }: Section): string {
  if (chains.length + lines.length + removed.length === 0) return ''
  const pieces = [`*${table}\n`]
  for (const chain of chains) pieces.push(`:${plainWord(chain)} - [0:0]\n`)
  for (const line of lines) pieces.push(line)
  for (const chain of removed) pieces.push(`-X ${plainWord(chain)}\n`)
  pieces.push('COMMIT\n')
  return pieces.join('')
}

/** How long the section's text is, to compare with others. */
export function lengthOf(section: Section): number {
  return printSection('', section).length
}
