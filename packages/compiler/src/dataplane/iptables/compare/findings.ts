import type { IpFamily } from '@kube-rules/types'
import { type Comparison, type Finding, NOTHING_FOUND } from '../../comparison.js'
import type { Rule } from '../ast.js'
import { canonicalRule } from '../canonical.js'
import { printRule } from '../print/print.js'
import { chainId, chainResource } from '../resources.js'
import type { ChainRule } from './align-chain.js'
import type { RuleDifference } from './compare-rules.js'
import type { IptablesItem, TablePair } from './table-pair.js'

/** Creates a drift item for a rule. `ownerOf` returns the owner of an unexpected rule. */
export function ruleFinding<Live extends ChainRule>(
  { custody, family }: TablePair,
  place: string,
  difference: RuleDifference<Live>,
  ownerOf: (found: Live) => string,
): Finding {
  const { kind } = difference
  const { wanted, found } = sidesOf(difference)
  return {
    owner: kind === 'extra' ? ownerOf(difference.found) : difference.wanted.owner,
    place,
    kind,
    ...(wanted && { wanted: ruleText(wanted, family) }),
    ...(found && { found: ruleText(found, family) }),
    reason: custody.reasonOf(kind, { wanted: wanted && itemOf(wanted), found: found && itemOf(found) }),
  }
}

/** Returns the expected and the actual rule. */
function sidesOf(difference: RuleDifference<ChainRule>): { readonly wanted?: Rule; readonly found?: Rule } {
  switch (difference.kind) {
    case 'missing':
      return { wanted: difference.wanted.rule }
    case 'extra':
      return { found: difference.found.rule }
    case 'changed':
      return { wanted: difference.wanted.rule, found: difference.found.rule }
    case 'misplaced':
      return { wanted: difference.wanted.rule, found: difference.wanted.rule }
  }
}

function itemOf(rule: Rule): IptablesItem {
  return { kind: 'rule', rule }
}

/** Reports a missing chain; the rules are in normal form. */
export function missingChain(
  { wanted, family, custody }: TablePair,
  { name, owner, rules }: { readonly name: string; readonly owner: string; readonly rules: readonly Rule[] },
): Comparison {
  const finding: Finding = {
    owner,
    place: chainId(wanted.name, name),
    kind: 'missing',
    wanted: chainText(name, rules, family),
    reason: custody.reasonOf('missing', { wanted: { kind: 'chain', chain: name } }),
  }
  return { ...NOTHING_FOUND, findings: [finding], pairs: [{ after: chainResource(wanted.name, name, rules) }] }
}

/**
 * Reports an unexpected chain of ours. A chain with a `holder`, a foreign chain that jumps to it, can only be flushed.
 */
export function staleChain(
  { wanted, family, custody, liveOwners }: TablePair,
  chain: string,
  live: readonly Rule[],
  holder: string | undefined,
): Comparison {
  const rules = live.map((rule) => canonicalRule(rule, family))
  const finding: Finding = {
    owner: liveOwners().chains.get(chain) ?? '',
    place: chainId(wanted.name, chain),
    kind: 'extra',
    found: chainText(chain, rules, family),
    reason: custody.reasonOf('extra', { found: { kind: 'chain', chain, holder } }),
  }
  const before = chainResource(wanted.name, chain, rules)
  const after = holder === undefined ? undefined : chainResource(wanted.name, chain, [])
  return { ...NOTHING_FOUND, findings: [finding], pairs: [{ before, after }] }
}

/** Formats the text as iptables-save does. */
function ruleText(rule: Rule, family: IpFamily): string {
  return printRule(rule, 'save', family)
}

/** Formats the text as iptables-save does. */
function chainText(chain: string, rules: readonly Rule[], family: IpFamily): string {
  return [`:${chain} - [0:0]`, ...rules.map((rule) => ruleText(rule, family))].join('\n')
}
