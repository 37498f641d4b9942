import type { Chain, NamedSet, Rule, Statement, Table } from '../../dataplane/nftables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import {
  createDestinationAddressSelector,
  createJumpStatement,
  createMatch,
  createNamedSetOperand,
  createSourceAddressSelector,
  createValueOperand,
  DESTINATION_PORT_SELECTOR,
  FAMILY_KEYWORDS,
  L4_PROTOCOL_SELECTOR,
} from './statements.js'
import {
  CLUSTER_IPS_SET,
  FIREWALL_ALLOW_SET,
  FIREWALL_CHECK_CHAIN,
  FIREWALL_IPS_MAP,
  FIREWALL_SET,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  tableKeyOfFamily,
} from './static-names.js'
import { createStaticSets } from './static-sets.js'
import {
  createAddressLookupRule,
  createChainsOfHooks,
  createHelperChains,
  createLocalAddressMatches,
  createNatHookChains,
  createNodePortAddressMatches,
  createPortLookupStatements,
  NAT_HOOKS,
  NEW_CONNECTION_MATCH,
} from './static-table.js'

const ENDPOINTS_CHECK = 'endpoints-check'
const FIREWALL_ALLOW_CHECK = 'firewall-allow-check'
const FORWARD = 'forward'

/**
 * Returns the static part of the table in kube-proxy v1.29, the first version with nftables mode. Unlike in newer
 * versions, one chain contains all destinations without endpoints, source ranges are in two sets, and cluster IPs are
 * not checked. `static-table` is the successor of this module. Mirrors `setupNFTables` of the nftables proxier of
 * kube-proxy v1.29.
 */
export function createAlphaStaticTable(header: PlanHeader): Table {
  return {
    ...tableKeyOfFamily(header.family),
    comment: 'rules for kube-proxy',
    chains: [
      ...filterChains(),
      ...createChainsOfHooks(NAT_HOOKS),
      ...checkChains(header),
      ...createNatHookChains(header),
      ...createHelperChains(header),
    ],
    sets: sets(header),
    objects: [],
  }
}

/** Returns the filter chains. Only the filter at the output hook runs before DNAT. */
function filterChains(): readonly Chain[] {
  const check = (chain: string): Rule => ({ statements: [NEW_CONNECTION_MATCH, createJumpStatement(chain)] })
  const filter = (hook: string, rules: readonly Rule[]): Chain => ({
    name: `filter-${hook}`,
    base: { type: 'filter', hook, priority: -101 },
    rules,
  })
  const checks = [check(ENDPOINTS_CHECK), check(FIREWALL_CHECK_CHAIN)]
  return [
    filter('input', checks),
    filter('forward', [
      check(ENDPOINTS_CHECK),
      { statements: [createJumpStatement(FORWARD)] },
      check(FIREWALL_CHECK_CHAIN),
    ]),
    filter('output', checks),
  ]
}

function checkChains(header: PlanHeader): readonly Chain[] {
  const destination = [createDestinationAddressSelector(header.family), L4_PROTOCOL_SELECTOR, DESTINATION_PORT_SELECTOR]
  const toGuarded = createMatch(destination, createNamedSetOperand(FIREWALL_SET))
  const isAllowed = createMatch(
    [...destination, createSourceAddressSelector(header.family)],
    createNamedSetOperand(FIREWALL_ALLOW_SET),
  )
  return [
    {
      name: ENDPOINTS_CHECK,
      rules: [
        createAddressLookupRule(header, NO_ENDPOINT_SERVICES_MAP),
        {
          statements: [
            ...createLocalAddressMatches(header),
            ...createNodePortAddressMatches(header),
            ...createPortLookupStatements(NO_ENDPOINT_NODE_PORTS_MAP),
          ],
        },
      ],
    },
    { name: FIREWALL_CHECK_CHAIN, rules: [{ statements: [toGuarded, createJumpStatement(FIREWALL_ALLOW_CHECK)] }] },
    { name: FIREWALL_ALLOW_CHECK, rules: [{ statements: [isAllowed, { kind: 'return' }] }, { statements: [DROP] }] },
    { name: FORWARD, rules: header.kernel.conntrackTcpBeLiberal ? [] : [{ statements: [IS_INVALID, DROP] }] },
  ]
}

const DROP: Statement = { kind: 'drop' }
const IS_INVALID: Statement = createMatch([{ kind: 'ct', key: 'state' }], createValueOperand('invalid'))

function sets(header: PlanHeader): readonly NamedSet[] {
  const { addressType } = FAMILY_KEYWORDS[header.family]
  const guarded = [addressType, 'inet_proto', 'inet_service']
  return [
    ...createStaticSets(header).filter(({ name }) => name !== CLUSTER_IPS_SET && name !== FIREWALL_IPS_MAP),
    {
      ...{ kind: 'set', name: FIREWALL_SET, key: { kind: 'type', types: guarded } },
      ...{ comment: 'destinations that are subject to LoadBalancerSourceRanges', elements: [] },
    },
    {
      ...{ kind: 'set', name: FIREWALL_ALLOW_SET, key: { kind: 'type', types: [...guarded, addressType] } },
      ...{ flags: ['interval'], comment: 'destinations+sources that are allowed by LoadBalancerSourceRanges' },
      elements: [],
    },
  ]
}
