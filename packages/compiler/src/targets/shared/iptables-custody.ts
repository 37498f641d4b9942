import type { DriftedItems, DriftKind } from '../../dataplane/comparison.js'
import type { Rule, Verdict } from '../../dataplane/iptables/ast.js'
import type { IptablesCustody, IptablesItem } from '../../dataplane/iptables/compare/table-pair.js'
import { chainOfId } from '../../dataplane/iptables/resources.js'
import { sameValue } from '../../patch/resource.js'
import { isProxyChain, isServicePortChainOfAnyAge, isSharedWithKubelet, looksLikeKubeProxy } from './kube-chains.js'
import { MARK_MASQ_CHAIN } from './mark.js'

/** What is kube-proxy's among chains and rules, in whichever mode; which chains these are each mode says itself. */
export function iptablesCustody(isOurs: (chain: string) => boolean): IptablesCustody {
  return {
    isOurs: (id) => isOurs(chainOfId(id).chain),
    isShared: (id) => isSharedWithKubelet(chainOfId(id).chain),
    isStrange: (id) => looksLikeKubeProxy(chainOfId(id).chain),
    reasonOf,
  }
}

function reasonOf(kind: DriftKind, { wanted, found }: DriftedItems<IptablesItem>): string {
  if (kind === 'misplaced') return found?.kind === 'chain' ? movedReason(found.chain) : MISPLACED_REASON
  if (wanted?.kind === 'rule' && found?.kind === 'rule') return changedReason(wanted.rule, found.rule)
  if (wanted !== undefined) return wanted.kind === 'rule' ? MISSING[roleOf(wanted.rule)] : MISSING_CHAIN_REASON
  if (found?.kind === 'rule') return EXTRA[roleOf(found.rule)]
  const note = found?.holder === undefined ? '' : `; it cannot be removed, because ${found.holder} leads to it`
  return `a chain that kube-proxy would have removed${note}`
}

const MISPLACED_REASON = 'the rule is there, but at another place: others decide before it, or it before others'

function movedReason(chain: string): string {
  return `the rule is there, but in ${chain}, where another version of kube-proxy may have it`
}

const MISSING_CHAIN_REASON = 'the chain is missing with all its rules'

/** What a rule is there for. */
type Role = 'dispatch' | 'endpoint' | 'masquerade' | 'rewrite' | 'proxy' | 'refusal' | 'jump' | 'other'

const MISSING: Readonly<Record<Role, string>> = {
  dispatch: 'packets do not get to the chain of the service port',
  endpoint: 'an endpoint does not get its share of the connections',
  masquerade: 'packets keep a source address to which replies may not come back this way',
  rewrite: 'packets for an endpoint are not sent to its address',
  proxy: 'packets do not get to the process that takes the connections of the service port',
  refusal: 'packets that should be refused are not',
  jump: 'packets pass by a chain that they should go through',
  other: 'a rule is missing',
}

const EXTRA: Readonly<Record<Role, string>> = {
  dispatch: 'packets get to a chain of a service port that should not',
  endpoint: 'connections go to an endpoint that should not get them from here',
  masquerade: 'packets lose their source address that should keep it',
  rewrite: 'packets are sent to an address that they are not for',
  proxy: 'packets get to a process that should not take them',
  refusal: 'packets are refused that should not be',
  jump: 'packets go through a chain that they should pass by',
  other: 'a rule that kube-proxy would not write',
}

/** What is the matter with a rule that says something else than it should. */
function changedReason(wanted: Rule, found: Rule): string {
  if (!sameValue(wanted.verdict, found.verdict)) {
    return `packets go to ${destinationOf(found.verdict)} where they should go to ${destinationOf(wanted.verdict)}`
  }
  if (sameValue(without(wanted, 'comment'), without(found, 'comment'))) return 'only the comment is another'
  if (sameValue(without(wanted, 'statistic'), without(found, 'statistic'))) {
    return `the share is ${shareOf(found)} where it should be ${shareOf(wanted)}`
  }
  return `the rule is for other packets than it should be; ${MISSING[roleOf(wanted)]}`
}

function roleOf({ chain, verdict }: Rule): Role {
  switch (verdict?.kind) {
    case 'jump':
    case 'goto':
      if (verdict.chain.startsWith('KUBE-SEP-')) return 'endpoint'
      if (isServicePortChainOfAnyAge(verdict.chain)) return 'dispatch'
      return verdict.chain === MARK_MASQ_CHAIN ? 'masquerade' : 'jump'
    case 'masquerade':
      return 'masquerade'
    case 'mark':
      return chain === MARK_MASQ_CHAIN ? 'masquerade' : 'other'
    case 'redirect':
      return 'proxy'
    case 'dnat':
      return isProxyChain(chain) ? 'proxy' : 'rewrite'
    case 'reject':
    case 'drop':
      return 'refusal'
    default:
      return 'other'
  }
}

function destinationOf(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'the next rule'
  switch (verdict.kind) {
    case 'jump':
    case 'goto':
      return verdict.chain
    case 'dnat':
      return verdict.destination
    case 'redirect':
      return `port ${verdict.port} of the node`
    case 'unknown':
      return verdict.words.slice(1).join(' ')
    default:
      return verdict.kind.toUpperCase()
  }
}

function without({ matches }: Rule, kind: 'comment' | 'statistic'): Rule['matches'] {
  return matches.filter((match) => match.kind !== kind)
}

function shareOf({ matches }: Rule): string {
  const share = matches.find((match) => match.kind === 'statistic')
  return share?.kind === 'statistic' ? share.probability : 'everything'
}
