import type { Chain, NamedSet, Rule, Statement, Table } from '../../dataplane/nftables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import {
  ALLOWED_SOURCES,
  CLUSTER_IPS,
  FIREWALL_CHECK,
  FIREWALL_IPS,
  GUARDED_IPS,
  NO_ENDPOINT_NODE_PORTS,
  NO_ENDPOINT_SERVICES,
  tableOf,
} from './fixed-names.js'
import {
  chainsOfHooks,
  fixedSets,
  helperChains,
  IS_NEW,
  lookUpAddress,
  lookUpPort,
  NAT_HOOKS,
  natChains,
  nodePortsOnly,
  toNodePort,
} from './fixed-table.js'
import {
  DESTINATION_PORT,
  destinationAddress,
  FAMILY_NAMES,
  jump,
  L4_PROTOCOL,
  match,
  named,
  sourceAddress,
  value,
} from './statements.js'

const ENDPOINTS_CHECK = 'endpoints-check'
const FIREWALL_ALLOW_CHECK = 'firewall-allow-check'
const FORWARD = 'forward'

/**
 * Returns the static part of the table of kube-proxy v1.29, whose nftables mode was the first: a chain for all destinations without
 * endpoints, source ranges in two sets, and no check of cluster IPs. Its successor is in `fixed-table`. Mirrors `setupNFTables` of
 * the nftables proxier of kube-proxy v1.29.
 */
export function alphaTable(frame: PlanHeader): Table {
  return {
    ...tableOf(frame.family),
    comment: 'rules for kube-proxy',
    chains: [
      ...filterChains(),
      ...chainsOfHooks(NAT_HOOKS),
      ...checkChains(frame),
      ...natChains(frame),
      ...helperChains(frame),
    ],
    sets: sets(frame),
    objects: [],
  }
}

/** Returns the filters. They run before DNAT only at the output hook. */
function filterChains(): readonly Chain[] {
  const check = (chain: string): Rule => ({ statements: [IS_NEW, jump(chain)] })
  const filter = (hook: string, rules: readonly Rule[]): Chain => ({
    name: `filter-${hook}`,
    base: { type: 'filter', hook, priority: -101 },
    rules,
  })
  const checks = [check(ENDPOINTS_CHECK), check(FIREWALL_CHECK)]
  return [
    filter('input', checks),
    filter('forward', [check(ENDPOINTS_CHECK), { statements: [jump(FORWARD)] }, check(FIREWALL_CHECK)]),
    filter('output', checks),
  ]
}

function checkChains(frame: PlanHeader): readonly Chain[] {
  const destination = [destinationAddress(frame.family), L4_PROTOCOL, DESTINATION_PORT]
  const toGuarded = match(destination, named(GUARDED_IPS))
  const isAllowed = match([...destination, sourceAddress(frame.family)], named(ALLOWED_SOURCES))
  return [
    {
      name: ENDPOINTS_CHECK,
      rules: [
        lookUpAddress(frame, NO_ENDPOINT_SERVICES),
        { statements: [...nodePortsOnly(frame), ...toNodePort(frame), ...lookUpPort(NO_ENDPOINT_NODE_PORTS)] },
      ],
    },
    { name: FIREWALL_CHECK, rules: [{ statements: [toGuarded, jump(FIREWALL_ALLOW_CHECK)] }] },
    { name: FIREWALL_ALLOW_CHECK, rules: [{ statements: [isAllowed, { kind: 'return' }] }, { statements: [DROP] }] },
    { name: FORWARD, rules: frame.kernel.conntrackTcpBeLiberal ? [] : [{ statements: [IS_INVALID, DROP] }] },
  ]
}

const DROP: Statement = { kind: 'drop' }
const IS_INVALID: Statement = match([{ kind: 'ct', key: 'state' }], value('invalid'))

function sets(frame: PlanHeader): readonly NamedSet[] {
  const { addressType } = FAMILY_NAMES[frame.family]
  const guarded = [addressType, 'inet_proto', 'inet_service']
  return [
    ...fixedSets(frame).filter(({ name }) => name !== CLUSTER_IPS && name !== FIREWALL_IPS),
    {
      ...{ kind: 'set', name: GUARDED_IPS, key: { kind: 'type', types: guarded } },
      ...{ comment: 'destinations that are subject to LoadBalancerSourceRanges', elements: [] },
    },
    {
      ...{ kind: 'set', name: ALLOWED_SOURCES, key: { kind: 'type', types: [...guarded, addressType] } },
      ...{ flags: ['interval'], comment: 'destinations+sources that are allowed by LoadBalancerSourceRanges' },
      elements: [],
    },
  ]
}
