import type { DriftedItems, DriftKind } from '../../dataplane/comparison.js'
import type { Rule, Target } from '../../dataplane/iptables/ast.js'
import type { IptablesOwnership, RuleOrChain } from '../../dataplane/iptables/compare/table-pair.js'
import { parseChainId } from '../../dataplane/iptables/resources.js'
import { printTarget } from '../../dataplane/iptables/targets/targets.js'
import { isDeepEqual } from '../../internal/plain-data.js'
import {
  hasKubeProxyName,
  isEndpointChain,
  isServicePortChainOfAnyVersion,
  isSharedChain,
  isUserspaceProxyChain,
} from './kube-chains.js'
import { MARK_MASQ_CHAIN } from './mark.js'

/** Returns the ownership of chains and rules in any mode. `isOwned` determines which chains belong to the mode. */
export function createIptablesResourceOwnership(isOwned: (chain: string, table: string) => boolean): IptablesOwnership {
  return {
    isOwned: (id) => isOwnedId(id, isOwned),
    isShared: isSharedChain,
    isLookalike: (id) => hasKubeProxyName(parseChainId(id).chain),
    reasonOf,
  }
}

function isOwnedId(id: string, isOwned: (chain: string, table: string) => boolean): boolean {
  const { chain, table } = parseChainId(id)
  return isOwned(chain, table)
}

function reasonOf(kind: DriftKind, { expected, found }: DriftedItems<RuleOrChain>): string {
  if (kind === 'misplaced') return found?.kind === 'chain' ? movedReason(found.chain) : MISPLACED_REASON
  if (expected?.kind === 'rule' && found?.kind === 'rule') return changedReason(expected.rule, found.rule)
  if (expected !== undefined) return expected.kind === 'rule' ? MISSING[roleOf(expected.rule)] : MISSING_CHAIN_REASON
  if (found?.kind === 'rule') return EXTRA[roleOf(found.rule)]
  const note = found?.holder === undefined ? '' : `; it cannot be deleted, because ${found.holder} references it`
  return `kube-proxy would have removed this chain${note}`
}

const MISPLACED_REASON = 'the rule exists at a wrong position, so rules are evaluated in the wrong order'

function movedReason(chain: string): string {
  return `the rule exists, but in ${chain}, where another version of kube-proxy may write it`
}

const MISSING_CHAIN_REASON = 'the chain is missing with all its rules'

/** The purpose of a rule. */
type Role = 'dispatch' | 'endpoint' | 'masquerade' | 'rewrite' | 'proxy' | 'rejection' | 'jump' | 'other'

const MISSING: Readonly<Record<Role, string>> = {
  dispatch: 'packets do not reach the chain of the service port',
  endpoint: 'an endpoint does not get its share of the connections',
  masquerade: 'packets that should be masqueraded keep their source address, so replies may bypass the node',
  rewrite: 'packets for an endpoint are not translated to its address',
  proxy: 'packets do not reach the process that accepts the connections of the service port',
  rejection: 'packets that should be rejected are not',
  jump: 'packets do not enter a chain that they should traverse',
  other: 'a rule is missing',
}

const EXTRA: Readonly<Record<Role, string>> = {
  dispatch: 'packets enter the chain of a service port that they should not reach',
  endpoint: 'connections go to an endpoint that should not receive them from this node',
  masquerade: 'packets that should keep their source address are masqueraded',
  rewrite: 'packets are translated to a wrong address',
  proxy: 'packets reach a process that should not accept them',
  rejection: 'packets that reach this rule are rejected or dropped',
  jump: 'packets enter a chain that they should not traverse',
  other: 'kube-proxy would not write this rule',
}

/** Returns the reason for a modified rule. */
function changedReason(expected: Rule, found: Rule): string {
  if (!isDeepEqual(expected.target, found.target)) {
    const [place, right] = [destinationOf(found.target), destinationOf(expected.target)]
    if (place !== right) return `packets go to ${place} instead of ${right}`
    return `the target is ${targetText(found.target)} instead of ${targetText(expected.target)}`
  }
  if (isDeepEqual(without(expected, 'comment'), without(found, 'comment'))) return 'only the comment differs'
  if (isDeepEqual(without(expected, 'statistic'), without(found, 'statistic'))) {
    return `the share is ${shareOf(found)} instead of ${shareOf(expected)}`
  }
  return `the rule matches the wrong packets; ${MISSING[roleOf(expected)]}`
}

function roleOf({ chain, target }: Rule): Role {
  switch (target?.kind) {
    case 'jump':
    case 'goto':
      if (isEndpointChain(target.chain)) return 'endpoint'
      if (isServicePortChainOfAnyVersion(target.chain)) return 'dispatch'
      return target.chain === MARK_MASQ_CHAIN ? 'masquerade' : 'jump'
    case 'masquerade':
      return 'masquerade'
    case 'mark':
      return chain === MARK_MASQ_CHAIN ? 'masquerade' : 'other'
    case 'redirect':
      return 'proxy'
    case 'dnat':
      return isUserspaceProxyChain(chain) ? 'proxy' : 'rewrite'
    case 'reject':
    case 'drop':
      return 'rejection'
    default:
      return 'other'
  }
}

function destinationOf(target: Target | undefined): string {
  if (target === undefined) return 'the next rule'
  switch (target.kind) {
    case 'jump':
    case 'goto':
      return target.chain
    case 'dnat':
      return target.destination
    case 'redirect':
      return `port ${target.port} of the node`
    case 'unknown':
      return target.words.slice(1).join(' ')
    default:
      return target.kind.toUpperCase()
  }
}

function targetText(target: Target | undefined): string {
  return target === undefined ? 'none' : printTarget(target, 'save').replace(/^-j /, '')
}

function without({ matches }: Rule, kind: 'comment' | 'statistic'): Rule['matches'] {
  return matches.filter((match) => match.kind !== kind)
}

function shareOf({ matches }: Rule): string {
  const share = matches.find((match) => match.kind === 'statistic')
  return share?.kind === 'statistic' ? share.probability : 'everything'
}
