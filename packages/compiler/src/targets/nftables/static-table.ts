import type { BaseChain, Chain, NamedCounter, Rule, Statement, Table } from '../../dataplane/nftables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import {
  createDestinationAddressSelector,
  createJumpStatement,
  createLocalAddressMatch,
  createLocalTrafficDetectionMatch,
  createMatch,
  createNamedSetOperand,
  createSourceAddressSelector,
  createValueOperand,
  DESTINATION_PORT_SELECTOR,
  FAMILY_KEYWORDS,
  L4_PROTOCOL_SELECTOR,
} from './statements.js'
import {
  CLUSTER_IPS_CHECK_CHAIN,
  CLUSTER_IPS_SET,
  FIREWALL_CHECK_CHAIN,
  FIREWALL_IPS_MAP,
  HAIRPIN_CONNECTIONS_SET,
  LOCALHOST_REJECT_CHAINS,
  LOCALHOST_REJECT_COUNTERS,
  LOCALHOST_REJECT_PORTS_MAP,
  MARK_CHAIN,
  MASQUERADING_CHAIN,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  NODE_PORT_ENDPOINTS_CHECK_CHAIN,
  NODE_PORT_IPS_SET,
  REJECT_CHAIN,
  SERVICE_ENDPOINTS_CHECK_CHAIN,
  SERVICE_IPS_MAP,
  SERVICE_NODE_PORTS_MAP,
  SERVICES_CHAIN,
  tableKeyOfFamily,
} from './static-names.js'
import { createStaticSets } from './static-sets.js'

/**
 * Returns the static part of the table. Chains and sets have their creation order. Mirrors `setupNFTables` of the
 * nftables proxier.
 */
export function createStaticTable(header: PlanHeader): Table {
  return {
    ...tableKeyOfFamily(header.family),
    comment: 'rules for kube-proxy',
    chains: [...baseChains(header), ...checkChains(header), ...loopbackChains(header)],
    sets: createStaticSets(header),
    objects: header.rejectedLocalhostNodePorts.map(
      (protocol): NamedCounter => ({
        kind: 'counter',
        name: LOCALHOST_REJECT_COUNTERS[protocol],
        packets: 0,
        bytes: 0,
      }),
    ),
  }
}

export interface BaseChainHook {
  readonly name: string
  readonly base: BaseChain
  /** The chains that the hook jumps to. Filter hooks jump only for the first packet of a connection. */
  readonly jumps: readonly string[]
}

/**
 * Returns a base chain of type filter. Depending on its hook and priority, it sees incoming, forwarded or outgoing
 * packets, before or after DNAT.
 */
function filterHook(name: string, hook: string, priority: number, ...jumps: readonly string[]): BaseChainHook {
  return { name, base: { type: 'filter', hook, priority }, jumps }
}

function natHook(hook: string, priority: number, chain: string): BaseChainHook {
  return { name: `nat-${hook}`, base: { type: 'nat', hook, priority }, jumps: [chain] }
}

export const NAT_HOOKS: readonly BaseChainHook[] = [
  natHook('prerouting', -100, SERVICES_CHAIN),
  natHook('output', -100, SERVICES_CHAIN),
  natHook('postrouting', 100, MASQUERADING_CHAIN),
]

/** The filter hooks up to 1.33. All filter chains except one run before DNAT. */
const EARLY_HOOKS: readonly BaseChainHook[] = [
  filterHook('filter-prerouting', 'prerouting', -110, FIREWALL_CHECK_CHAIN),
  filterHook('filter-input', 'input', -110, NODE_PORT_ENDPOINTS_CHECK_CHAIN, SERVICE_ENDPOINTS_CHECK_CHAIN),
  filterHook('filter-forward', 'forward', -110, SERVICE_ENDPOINTS_CHECK_CHAIN, CLUSTER_IPS_CHECK_CHAIN),
  filterHook('filter-output', 'output', -110, SERVICE_ENDPOINTS_CHECK_CHAIN, FIREWALL_CHECK_CHAIN),
  filterHook('filter-output-post-dnat', 'output', -90, CLUSTER_IPS_CHECK_CHAIN),
  ...NAT_HOOKS,
]

const HOOKS: readonly BaseChainHook[] = [
  filterHook('filter-prerouting-pre-dnat', 'prerouting', -110, FIREWALL_CHECK_CHAIN),
  filterHook('filter-output-pre-dnat', 'output', -110, FIREWALL_CHECK_CHAIN),
  filterHook('filter-input', 'input', 0, NODE_PORT_ENDPOINTS_CHECK_CHAIN, SERVICE_ENDPOINTS_CHECK_CHAIN),
  filterHook('filter-forward', 'forward', 0, SERVICE_ENDPOINTS_CHECK_CHAIN, CLUSTER_IPS_CHECK_CHAIN),
  filterHook('filter-output', 'output', 0, SERVICE_ENDPOINTS_CHECK_CHAIN, CLUSTER_IPS_CHECK_CHAIN),
  ...NAT_HOOKS,
]

export const NEW_CONNECTION_MATCH: Statement = createMatch([{ kind: 'ct', key: 'state' }], createValueOperand('new'))

function baseChains({ kernel }: PlanHeader): readonly Chain[] {
  return createChainsOfHooks(kernel.features.earlyFilters ? EARLY_HOOKS : HOOKS)
}

export function createChainsOfHooks(hooks: readonly BaseChainHook[]): readonly Chain[] {
  return hooks.map(({ name, base, jumps }) => ({
    name,
    base,
    rules: jumps.map((chain) => ({
      statements:
        base.type === 'nat' ? [createJumpStatement(chain)] : [NEW_CONNECTION_MATCH, createJumpStatement(chain)],
    })),
  }))
}

function checkChains(header: PlanHeader): readonly Chain[] {
  return [
    {
      name: NODE_PORT_ENDPOINTS_CHECK_CHAIN,
      rules: [
        {
          statements: [
            ...createNodePortAddressMatches(header),
            ...createPortLookupStatements(NO_ENDPOINT_NODE_PORTS_MAP),
          ],
        },
        ...loopbackCheck(header),
      ],
    },
    { name: SERVICE_ENDPOINTS_CHECK_CHAIN, rules: [createAddressLookupRule(header, NO_ENDPOINT_SERVICES_MAP)] },
    { name: FIREWALL_CHECK_CHAIN, rules: [createAddressLookupRule(header, FIREWALL_IPS_MAP)] },
    ...createNatHookChains(header),
    { name: CLUSTER_IPS_CHECK_CHAIN, rules: clusterIPsCheck(header) },
    ...createHelperChains(header),
  ]
}

/** Returns the chains of the nat hooks. */
export function createNatHookChains(header: PlanHeader): readonly Chain[] {
  return [
    {
      name: SERVICES_CHAIN,
      rules: [
        ...clusterIPMasquerade(header),
        createAddressLookupRule(header, SERVICE_IPS_MAP),
        {
          statements: [
            ...createLocalAddressMatches(header),
            ...createNodePortAddressMatches(header),
            ...createPortLookupStatements(SERVICE_NODE_PORTS_MAP),
          ],
        },
      ],
    },
    {
      name: MASQUERADING_CHAIN,
      rules: header.kernel.features.squashedEndpoints ? masquerading(header) : oldMasquerading(header),
    },
  ]
}

/** Returns the chains that are reached only from other chains and maps. */
export function createHelperChains({ kernel }: PlanHeader): readonly Chain[] {
  return [
    ...(kernel.features.squashedEndpoints
      ? []
      : [{ name: MARK_CHAIN, rules: [{ statements: [markSet('or', kernel.masqueradeMark)] }] }]),
    {
      name: REJECT_CHAIN,
      comment: 'helper for @no-endpoint-services / @no-endpoint-nodeports',
      rules: [{ statements: [{ kind: 'reject' }] }],
    },
  ]
}

/** Returns the rule that looks up node ports on loopback addresses. Returns no rule if no node ports are rejected. */
function loopbackCheck({ family, rejectedLocalhostNodePorts }: PlanHeader): readonly Rule[] {
  if (rejectedLocalhostNodePorts.length === 0) return []
  const toLoopback = createMatch(
    [createDestinationAddressSelector(family)],
    createValueOperand(FAMILY_KEYWORDS[family].loopback),
  )
  return [{ statements: [toLoopback, ...createPortLookupStatements(LOCALHOST_REJECT_PORTS_MAP)] }]
}

/** Returns one chain per protocol, so that rejected packets are counted per protocol. */
function loopbackChains({ rejectedLocalhostNodePorts }: PlanHeader): readonly Chain[] {
  return rejectedLocalhostNodePorts.map((protocol) => ({
    name: LOCALHOST_REJECT_CHAINS[protocol],
    rules: [{ statements: [{ kind: 'namedCounter', name: LOCALHOST_REJECT_COUNTERS[protocol] }, { kind: 'reject' }] }],
  }))
}

function markSet(operation: 'or' | 'xor', mark: number): Statement {
  return { kind: 'markSet', operation, value: mark }
}

const MASQUERADE: Statement = { kind: 'masquerade', fullyRandom: true }

function oldMasquerading({ kernel: { masqueradeMark: mark } }: PlanHeader): readonly Rule[] {
  return [
    { statements: [{ kind: 'markMatch', mask: mark, operator: '==', value: 0 }, { kind: 'return' }] },
    { statements: [markSet('xor', mark)] },
    { statements: [MASQUERADE] },
  ]
}

function masquerading({ family, kernel: { masqueradeMark: mark } }: PlanHeader): readonly Rule[] {
  const connection = [
    createSourceAddressSelector(family),
    createDestinationAddressSelector(family),
    L4_PROTOCOL_SELECTOR,
    DESTINATION_PORT_SELECTOR,
  ]
  return [
    { statements: [{ kind: 'markMatch', mask: mark, operator: '!=', value: 0 }, markSet('xor', mark), MASQUERADE] },
    {
      statements: [
        createMatch([{ kind: 'ct', key: 'status' }], createValueOperand('dnat')),
        createMatch(connection, createNamedSetOperand(HAIRPIN_CONNECTIONS_SET)),
        MASQUERADE,
      ],
    },
  ]
}

/**
 * Returns one masquerade rule for all cluster IPs. The rule applies to every port; packets to unused ports are rejected
 * later.
 */
function clusterIPMasquerade({ family, node, kernel, clusterIPMasquerade: whose }: PlanHeader): readonly Rule[] {
  if (!kernel.features.squashedEndpoints || whose === 'none') return []
  const toClusterIP = createMatch([createDestinationAddressSelector(family)], createNamedSetOperand(CLUSTER_IPS_SET))
  const mark = markSet('or', kernel.masqueradeMark)
  if (whose === 'all' || node.localTrafficDetection === undefined) {
    return [{ statements: [toClusterIP, mark], comment: 'masquerade all clusterIP traffic' }]
  }
  const fromElsewhere = createLocalTrafficDetectionMatch(
    node.localTrafficDetection,
    family,
    kernel.features.interfacesByName,
    true,
  )
  return [
    { statements: [toClusterIP, fromElsewhere, mark], comment: 'masquerade clusterIP traffic from outside cluster' },
  ]
}

function clusterIPsCheck({ family, serviceCIDRs }: PlanHeader): readonly Rule[] {
  const destination = [createDestinationAddressSelector(family)]
  return [
    {
      statements: [createMatch(destination, createNamedSetOperand(CLUSTER_IPS_SET)), { kind: 'reject' }],
      comment: 'Reject traffic to invalid ports of ClusterIPs',
    },
    ...(serviceCIDRs.length === 0
      ? []
      : [
          {
            statements: [
              createMatch(destination, { kind: 'anonymous', keys: serviceCIDRs }),
              { kind: 'drop' } as const,
            ],
            comment: 'Drop traffic to unallocated ClusterIPs',
          },
        ]),
  ]
}

export function createAddressLookupRule({ family }: PlanHeader, set: string): Rule {
  const key = [createDestinationAddressSelector(family), L4_PROTOCOL_SELECTOR, DESTINATION_PORT_SELECTOR]
  return { statements: [{ kind: 'vmap', key, map: { kind: 'named', set } }] }
}

export function createPortLookupStatements(set: string): readonly Statement[] {
  return [{ kind: 'vmap', key: [L4_PROTOCOL_SELECTOR, DESTINATION_PORT_SELECTOR], map: { kind: 'named', set } }]
}

/** Returns the match statements for packets to an address that serves node ports. */
export function createNodePortAddressMatches({ family, nodePorts }: PlanHeader): readonly Statement[] {
  const destination = [createDestinationAddressSelector(family)]
  return nodePorts.all
    ? [createMatch(destination, createValueOperand(FAMILY_KEYWORDS[family].loopback), '!=')]
    : [createMatch(destination, createNamedSetOperand(NODE_PORT_IPS_SET))]
}

/** Returns a match for packets to local addresses if all addresses of the node serve node ports; otherwise no match. */
export function createLocalAddressMatches({ nodePorts }: PlanHeader): readonly Statement[] {
  return nodePorts.all ? [createLocalAddressMatch('daddr')] : []
}
