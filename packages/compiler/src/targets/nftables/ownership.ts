import type { IpFamily } from '@kube-rules/types'
import {
  type DriftKind,
  type DriftReasons,
  preferExpectedItem,
  type ResourceOwnership,
} from '../../dataplane/comparison.js'
import {
  createTableResource,
  formatTableId,
  type NftablesResourceValue,
  nftablesResourceValueOf,
} from '../../dataplane/nftables/resources.js'
import type { NftablesState } from '../../dataplane/nftables/state.js'
import type { Resource } from '../../patch/resource.js'
import type { ModeOwnership } from '../ownership.js'
import {
  CLUSTER_IPS_SET,
  FIREWALL_IPS_MAP,
  isAffinitySet,
  isServicePortObjectName,
  LOCALHOST_REJECT_PORTS_MAP,
  MARK_CHAIN,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  NODE_PORT_IPS_SET,
  tableKeyOfFamily,
} from './static-names.js'

/** Defines which node resources belong to kube-proxy in `nftables` mode. */
export const nftablesOwnership: ModeOwnership = {
  resources: ({ family }) => ({ nftables: createTableOwnership(family) }),
  isModeSpecific: (id) => TABLES.some((table) => id === table || id.startsWith(`${table} `)),
  staticResources: (family) => [createTableResource(tableKeyOfFamily(family))],
}

const TABLES: readonly string[] = [formatTableId(tableKeyOfFamily('IPv4')), formatTableId(tableKeyOfFamily('IPv6'))]

/**
 * Returns the ownership of the kube-proxy table. Its whole content belongs to kube-proxy, except content that
 * kube-proxy itself leaves in the table. This is: flushed chains of service ports that are not deleted yet,
 * session-affinity entries, and chains of other versions.
 */
export function createTableOwnership(family: IpFamily): ResourceOwnership<NftablesState, Resource> {
  const table = formatTableId(tableKeyOfFamily(family))
  const isOfTable = (id: string) => id === table || id.startsWith(`${table} `)
  return {
    isOwned: (id, value) => isOfTable(id) && !isLeftBehind(nftablesResourceValueOf({ value })),
    isTemporarilyKept: (id, value) => {
      const one: NftablesResourceValue | undefined = nftablesResourceValueOf({ value })
      return isOfTable(id) && one?.kind === 'chain' && isLeftBehind(one)
    },
    reasonOf: (kind, { expected, found }) =>
      reasonOf(kind, nftablesResourceValueOf(preferExpectedItem({ expected, found }))),
  }
}

/** The chains that one version of kube-proxy creates and other versions do not remove. */
const OF_OTHER_VERSIONS: readonly string[] = [
  MARK_CHAIN,
  'filter-prerouting',
  'filter-output-post-dnat',
  'filter-prerouting-pre-dnat',
  'filter-output-pre-dnat',
]

function isLeftBehind(value: NftablesResourceValue | undefined): boolean {
  switch (value?.kind) {
    case 'chain':
      return (
        OF_OTHER_VERSIONS.includes(value.value.name) ||
        (isServicePortObjectName(value.value.name) && value.value.rules.length === 0)
      )
    case 'element':
      return isAffinitySet(value.value.set)
    default:
      return false
  }
}

/**
 * The reasons for deviations, without a reason for misplaced resources: only rules have an order, and a chain is
 * compared with all its rules as a whole.
 */
const REASONS: Readonly<Record<Exclude<NftablesResourceValue['kind'], 'element'>, DriftReasons>> = {
  table: {
    missing: 'the table is missing, so no Service is served',
    extra: 'an unexpected table',
    changed: 'the table has other flags; a dormant table has no effect',
  },
  chain: {
    missing: 'the chain is missing with all its rules',
    extra: 'kube-proxy would have removed this chain',
    changed: 'the chain handles packets differently',
  },
  set: {
    missing: 'the set is missing with all its elements, and rules that use it cannot be loaded',
    extra: 'kube-proxy would have removed this set',
    changed: 'the set has another type, or another timeout',
  },
  object: {
    missing: 'rules that name it cannot be loaded',
    extra: 'kube-proxy would not create this object',
    changed: 'the object has another kind',
  },
}

const DISPATCH_REASONS: DriftReasons = {
  missing: 'packets for this address and port do not reach the chain of the service port',
  extra: 'packets for this address and port should not be translated',
  changed: 'packets for this address and port go to a wrong chain',
}

const REFUSAL_REASONS: DriftReasons = {
  missing: 'packets that should be rejected are not',
  extra: 'packets that should be accepted are rejected',
  changed: 'packets are rejected differently',
}

const FIREWALL_REASONS: DriftReasons = {
  missing: 'clients are not checked against the source ranges',
  extra: 'clients are checked against source ranges that should not apply',
  changed: 'clients are checked against the source ranges of another service port',
}

const MEMBER_REASONS: DriftReasons = {
  missing: 'rules that use the set do not apply to this element',
  extra: 'rules that use the set apply to an unexpected element',
  changed: 'the element has wrong data',
}

/** Sets of addresses in which a missing element has its own effect. */
const MISSING_ADDRESS_REASONS: Readonly<Record<string, string>> = {
  [CLUSTER_IPS_SET]: 'the rules for cluster IPs, such as the rejection of other ports, do not apply to this address',
  [NODE_PORT_IPS_SET]: 'packets to node ports of this address are not translated',
}

/** Maps with rejecting chains. */
const REFUSAL_MAPS: readonly string[] = [
  NO_ENDPOINT_SERVICES_MAP,
  NO_ENDPOINT_NODE_PORTS_MAP,
  LOCALHOST_REJECT_PORTS_MAP,
]

function reasonOf(kind: DriftKind, value: NftablesResourceValue): string {
  // Sets are unordered, and each chain is compared with all its rules. A misplaced resource therefore counts as a
  // changed resource.
  const which = kind === 'misplaced' ? 'changed' : kind
  if (value.kind !== 'element') return REASONS[value.kind][which]
  const { set, element } = value.value
  if (REFUSAL_MAPS.includes(set)) return REFUSAL_REASONS[which]
  if (set === FIREWALL_IPS_MAP) return FIREWALL_REASONS[which]
  if (element.verdict !== undefined) return DISPATCH_REASONS[which]
  return (which === 'missing' ? MISSING_ADDRESS_REASONS[set] : undefined) ?? MEMBER_REASONS[which]
}
