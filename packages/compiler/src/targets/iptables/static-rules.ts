import type { Match, Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import type { KernelSettings } from '../../plan/kernel-settings.js'
import type { PlanHeader } from '../../plan/plan.js'
import { LOCALNET_FIREWALL_CHAIN, MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import {
  createForwardAcceptRules,
  createMarkMasqRules,
  createPostroutingRules,
  FORWARD_CHAIN,
  MARK_MASQ_CHAIN,
  POSTROUTING_CHAIN,
} from '../shared/mark.js'
import {
  createCommentMatch,
  createDestinationAddressMatch,
  createSourceAddressMatch,
  TO_LOCAL_MATCH,
} from '../shared/match.js'
import { EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN, PROXY_FIREWALL_CHAIN, SERVICES_CHAIN } from './chain-names.js'
import { hasFilterChain } from './legacy-jumps.js'

const LOCALNET = '127.0.0.0/8'
const NODE_PORTS_COMMENT = createCommentMatch(
  'kubernetes service nodeports; NOTE: this must be the last rule in this chain',
)

/** The static chains of the filter table, in print order. */
export const FILTER_CHAINS: ReadonlySet<string> = new Set([
  SERVICES_CHAIN,
  EXTERNAL_SERVICES_CHAIN,
  FORWARD_CHAIN,
  NODE_PORTS_CHAIN,
  PROXY_FIREWALL_CHAIN,
])

/** The static chains of the nat table. */
export const NAT_CHAINS: ReadonlySet<string> = new Set([
  SERVICES_CHAIN,
  NODE_PORTS_CHAIN,
  POSTROUTING_CHAIN,
  MARK_MASQ_CHAIN,
])

/**
 * Returns the first block of the filter table: its static chains, and the rule that protects 127.0.0.0/8
 * (CVE-2020-8558).
 */
export function createLeadingFilterBlock(plan: PlanHeader): RuleBlock {
  const { features } = plan.kernel
  const chains = [...FILTER_CHAINS].filter((chain) => hasFilterChain(chain, features))
  if (!plan.localhostNodePorts || !features.localnetGuard) return { owner: '', chains, rules: [] }
  return { owner: '', chains: [...chains, LOCALNET_FIREWALL_CHAIN], rules: [localnetGuard()] }
}

/**
 * Returns the last block of the filter table: the KUBE-FORWARD rules, which accept marked packets and packets of
 * tracked connections.
 */
export function createTrailingFilterBlock(plan: PlanHeader): RuleBlock {
  const { conntrackTcpBeLiberal, features } = plan.kernel
  const isForwarded = conntrackTcpBeLiberal && features.liberalTcpForwarded
  const dropInvalid = isForwarded || !features.dropsInvalid ? [] : [dropInvalidRule(plan.kernel)]
  return { owner: '', chains: [], rules: [...dropInvalid, ...createForwardAcceptRules(plan)] }
}

export function createLeadingNatBlock(kernel: KernelSettings): RuleBlock {
  return {
    owner: '',
    chains: kernel.features.markDropEnsured ? [...NAT_CHAINS, MARK_DROP_CHAIN] : [...NAT_CHAINS],
    rules: [...createPostroutingRules(kernel), ...createMarkMasqRules(kernel)],
  }
}

/** Returns the last rules of KUBE-SERVICES. They send packets to addresses that serve node ports to KUBE-NODEPORTS. */
export function createTrailingNatBlock(plan: PlanHeader): RuleBlock {
  return { owner: '', chains: [], rules: nodePortMatches(plan).map(nodePortsRule) }
}

function nodePortsRule(matches: readonly Match[]): Rule {
  return {
    chain: SERVICES_CHAIN,
    matches: [NODE_PORTS_COMMENT, ...matches],
    target: { kind: 'jump', chain: NODE_PORTS_CHAIN },
  }
}

function nodePortMatches(plan: PlanHeader): readonly (readonly Match[])[] {
  const { all, addresses } = plan.nodePorts
  if (!all) return addresses.map((address) => [createDestinationAddressMatch(address)])
  if (plan.kernel.features.loopbackAlwaysServed) return [[TO_LOCAL_MATCH]]
  if (plan.family === 'IPv6') return [[TO_LOCAL_MATCH, createDestinationAddressMatch('::1/128', true)]]
  return plan.localhostNodePorts
    ? [[TO_LOCAL_MATCH]]
    : [[TO_LOCAL_MATCH, createDestinationAddressMatch(LOCALNET, true)]]
}

/**
 * Returns the guard against CVE-2020-8558: if route_localnet is enabled, only the node itself may open connections to
 * 127.0.0.0/8.
 */
function localnetGuard(): Rule {
  return {
    chain: LOCALNET_FIREWALL_CHAIN,
    matches: [
      createCommentMatch('block incoming localnet connections'),
      createDestinationAddressMatch(LOCALNET),
      createSourceAddressMatch(LOCALNET, true),
      { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED', 'DNAT'], negated: true },
    ],
    target: { kind: 'drop' },
  }
}

function dropInvalidRule({ nfacctCounters }: KernelSettings): Rule {
  const invalid: Match = { kind: 'conntrack', states: ['INVALID'], negated: false }
  const counter: Match = { kind: 'nfacct', name: 'ct_state_invalid_dropped_pkts' }
  return {
    chain: FORWARD_CHAIN,
    matches: nfacctCounters ? [invalid, counter] : [invalid],
    target: { kind: 'drop' },
  }
}
