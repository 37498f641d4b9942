import type { IpFamily } from '@kube-rules/types'
import type { IptablesState, Rule, Table } from '../ast.js'
import { canonicalizeRule } from '../canonical.js'
import { getBlockRules } from '../lazy-block.js'
import { printMatch } from '../matches/matches.js'
import { checkPlainWord } from '../quote.js'
import { printTarget } from '../targets/targets.js'
import type { RuleFormat } from './rule-format.js'

/**
 * Prints the same input for `iptables-restore --noflush --counters` as the iptables and ipvs proxiers of kube-proxy
 * v1.30 (`syncProxyRules`). Each table has all chain lines, followed by all rules. Jumps from built-in chains and
 * policies are not included. Throws if a value would change the meaning of the output, which is impossible for states
 * from the compiler or the parser.
 */
export function printRestore(state: IptablesState): string {
  const portions: string[] = []
  for (const table of state.tables) pushTable(portions, table, state.family)
  return portions.join('')
}

function pushTable(portions: string[], { name, blocks }: Table, family: IpFamily): void {
  portions.push(`*${name}\n`)
  pushTexts(portions, blocks, ({ chains }) => printChainLines(chains))
  pushTexts(portions, blocks, (block) => printRuleLines(getBlockRules(block), 'restore', family))
  portions.push('COMMIT\n')
}

/** Appends the printed items to `portions` in large chunks, because the garbage collector does not copy long strings. */
function pushTexts<Item>(portions: string[], items: readonly Item[], print: (item: Item) => string): void {
  for (let start = 0; start < items.length; start += TOGETHER) {
    portions.push(
      items
        .slice(start, start + TOGETHER)
        .map(print)
        .join(''),
    )
  }
}

const TOGETHER = 100

function printChainLines(chains: readonly string[]): string {
  let text = ''
  for (const chain of chains) text += `${printChainDeclaration(chain)}\n`
  return text
}

/** Formats the line that creates a chain, without its newline. */
export function printChainDeclaration(chain: string): string {
  return `:${checkPlainWord(chain)} - [0:0]`
}

/** Prints one `-A` line per rule. */
export function printRuleLines(rules: readonly Rule[], style: RuleFormat, family: IpFamily): string {
  let text = ''
  let chain: string | undefined
  let start = ''
  for (const rule of rules) {
    // Rules of one chain are adjacent, so they reuse the start of the line.
    if (rule.chain !== chain) {
      chain = rule.chain
      start = startOf(chain)
    }
    text += `${lineOf(start, rule, style, family)}\n`
  }
  return text
}

/** Formats one `-A` line without a newline. The style `save` prints the normal form of the rule. */
export function printRule(rule: Rule, style: RuleFormat, family: IpFamily): string {
  return lineOf(startOf(rule.chain), rule, style, family)
}

function lineOf(start: string, rule: Rule, style: RuleFormat, family: IpFamily): string {
  const { matches, target } = style === 'save' ? canonicalizeRule(rule, family) : rule
  let line = start
  for (const match of matches) line += ` ${printMatch(match, style, family)}`
  return target === undefined ? line : `${line} ${printTarget(target, style)}`
}

function startOf(chain: string): string {
  return `-A ${checkPlainWord(chain)}`
}
