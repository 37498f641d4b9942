import type { IpFamily } from '@kube-rules/types'
import type { IptablesState, Rule, Table } from './ast.js'
import { canonicalRule } from './canonical.js'
import { printMatch } from './matches/matches.js'
import { plainWord } from './quote.js'
import type { Style } from './style.js'
import { printVerdict } from './verdicts/verdicts.js'

/** Pieces of text are joined in portions of about this many: fewer would be slow, more would live long. */
const PORTION = 1000

/**
 * The text kube-proxy v1.30 feeds to `iptables-restore --noflush --counters` (`syncProxyRules` of its iptables and ipvs
 * proxiers): the tables in their order, in each all chain lines and then all rules. Jumps from built-in chains and
 * policies are not part of it. Throws where a value cannot be written without changing the meaning of the text, which
 * states made by the compiler or by the parser never cause.
 */
export function printRestore(state: IptablesState): string {
  const portions: string[] = []
  for (const table of state.tables) pushTable(portions, table, state.family)
  return portions.join('')
}

function pushTable(portions: string[], { name, blocks }: Table, family: IpFamily): void {
  portions.push(`*${name}\n`)
  for (const { chains } of blocks) portions.push(printChainLines(chains))
  for (const { rules } of blocks) portions.push(printRuleLines(rules, 'restore', family))
  portions.push('COMMIT\n')
}

function printChainLines(chains: readonly string[]): string {
  let text = ''
  for (const chain of chains) text += `:${plainWord(chain)} - [0:0]\n`
  return text
}

/** One `-A` line for each rule. */
export function printRuleLines(rules: readonly Rule[], style: Style, family: IpFamily): string {
  const portions: string[] = []
  let pieces: string[] = []
  let chain: string | undefined
  let start = ''
  for (const rule of rules) {
    // Rules of one chain stand together.
    if (rule.chain !== chain) {
      chain = rule.chain
      start = startOf(chain)
    }
    pushRule(pieces, start, rule, style, family)
    pieces.push('\n')
    if (pieces.length > PORTION) {
      portions.push(pieces.join(''))
      pieces = []
    }
  }
  portions.push(pieces.join(''))
  return portions.length === 1 ? (portions[0] as string) : portions.join('')
}

/** One `-A` line without its newline; the style `save` prints the normal form of the rule. */
export function printRule(rule: Rule, style: Style, family: IpFamily): string {
  const pieces: string[] = []
  pushRule(pieces, startOf(rule.chain), rule, style, family)
  return pieces.join('')
}

function startOf(chain: string): string {
  return `-A ${plainWord(chain)}`
}

function pushRule(pieces: string[], start: string, rule: Rule, style: Style, family: IpFamily): void {
  const { matches, verdict } = style === 'save' ? canonicalRule(rule, family) : rule
  pieces.push(start)
  for (const match of matches) pieces.push(' ', printMatch(match, style, family))
  if (verdict !== undefined) pieces.push(' ', printVerdict(verdict, style))
}
