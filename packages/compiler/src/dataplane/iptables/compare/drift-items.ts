import type { IpFamily } from '@kube-rules/types'
import { type DriftItem, EMPTY_COMPARISON, type StateComparison } from '../../comparison.js'
import type { DriftingRule } from '../../drift-part.js'
import type { Rule } from '../ast.js'
import { canonicalizeRule } from '../canonical.js'
import { jumpTargetOf } from '../chains.js'
import { printRule } from '../print/print.js'
import { createChainResource, formatChainId, parseChainId } from '../resources.js'
import type { ChainRule } from './align-chain.js'
import type { RuleDifference } from './compare-rules.js'
import type { RuleOrChain, TablePair } from './table-pair.js'

/** Creates a drift item for a rule. `ownerOf` returns the owner of an unexpected rule. */
export function createRuleDriftItem<Live extends ChainRule>(
  { ownership, family }: TablePair,
  location: string,
  difference: RuleDifference<Live>,
  ownerOf: (found: Live) => string,
): DriftItem {
  const { kind } = difference
  const { expected, found } = sidesOf(difference)
  return {
    owner: kind === 'extra' ? ownerOf(difference.found) : difference.expected.owner,
    location,
    part: {
      kind: 'rule',
      ...parseChainId(location),
      ...(expected && { expected: toDriftingRule(expected) }),
      ...(found && { found: toDriftingRule(found) }),
    },
    kind,
    ...(expected && { expected: formatRule(expected, family) }),
    ...(found && { found: formatRule(found, family) }),
    reason: ownership.reasonOf(kind, { expected: expected && itemOf(expected), found: found && itemOf(found) }),
  }
}

/** Returns the expected and the actual rule. */
function sidesOf(difference: RuleDifference<ChainRule>): { readonly expected?: Rule; readonly found?: Rule } {
  switch (difference.kind) {
    case 'missing':
      return { expected: difference.expected.rule }
    case 'extra':
      return { found: difference.found.rule }
    case 'changed':
      return { expected: difference.expected.rule, found: difference.found.rule }
    case 'misplaced':
      return { expected: difference.expected.rule, found: difference.expected.rule }
  }
}

function toDriftingRule(rule: Rule): DriftingRule {
  const jumpsTo = jumpTargetOf(rule)
  const to = rule.matches.find((match) => match.kind === 'destination')
  const port = rule.matches.find((match) => match.kind === 'destinationPort')
  return {
    ...(to?.negated === false && { destination: to.address }),
    ...(port?.negated === false && port.first === port.last && { destinationPort: port.first }),
    ...(jumpsTo !== undefined && { jumpsTo }),
  }
}

function itemOf(rule: Rule): RuleOrChain {
  return { kind: 'rule', rule }
}

/** Reports a missing chain. The rules are in normal form. */
export function reportMissingChain(
  { expected, family, ownership }: TablePair,
  { name, owner, rules }: { readonly name: string; readonly owner: string; readonly rules: readonly Rule[] },
): StateComparison {
  const finding: DriftItem = {
    owner,
    location: formatChainId(expected.name, name),
    part: { kind: 'chain', table: expected.name, chain: name },
    kind: 'missing',
    expected: formatChain(name, rules, family),
    reason: ownership.reasonOf('missing', { expected: { kind: 'chain', chain: name } }),
  }
  return {
    ...EMPTY_COMPARISON,
    driftItems: [finding],
    pairs: [{ after: createChainResource(expected.name, name, rules) }],
  }
}

/**
 * Reports an unexpected kube-proxy chain. `holder` is a foreign chain that jumps to the unexpected chain. If there is a
 * holder, the unexpected chain can only be flushed.
 */
export function reportStaleChain(
  { expected, family, ownership, actualOwners }: TablePair,
  chain: string,
  actual: readonly Rule[],
  holder: string | undefined,
): StateComparison {
  const rules = actual.map((rule) => canonicalizeRule(rule, family))
  const finding: DriftItem = {
    owner: actualOwners().chains.get(chain) ?? '',
    location: formatChainId(expected.name, chain),
    part: { kind: 'chain', table: expected.name, chain },
    kind: 'extra',
    found: formatChain(chain, rules, family),
    reason: ownership.reasonOf('extra', { found: { kind: 'chain', chain, holder } }),
  }
  const before = createChainResource(expected.name, chain, rules)
  const after = holder === undefined ? undefined : createChainResource(expected.name, chain, [])
  return { ...EMPTY_COMPARISON, driftItems: [finding], pairs: [{ before, after }] }
}

/** Formats the text like iptables-save. */
function formatRule(rule: Rule, family: IpFamily): string {
  return printRule(rule, 'save', family)
}

/** Formats the text like iptables-save. */
function formatChain(chain: string, rules: readonly Rule[], family: IpFamily): string {
  return [`:${chain} - [0:0]`, ...rules.map((rule) => formatRule(rule, family))].join('\n')
}
