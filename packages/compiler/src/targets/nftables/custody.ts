import type { IpFamily } from '@kube-rules/types'
import type { Custody, DriftKind } from '../../dataplane/comparison.js'
import { type NftablesValue, tableId } from '../../dataplane/nftables/resources.js'
import type { NftablesState } from '../../dataplane/nftables/state.js'
import type { Resource } from '../../patch/resource.js'
import {
  FIREWALL_IPS,
  isAffinitySet,
  isServicePortName,
  LOCALHOST_REJECT_PORTS,
  MARK_CHAIN,
  NO_ENDPOINT_NODE_PORTS,
  NO_ENDPOINT_SERVICES,
  tableOf,
} from './fixed-names.js'

/**
 * Everything in the table of kube-proxy, but for what it leaves itself: chains of service ports that it has emptied and not
 * deleted yet, clients that it remembers, and chains of other versions.
 */
export function tableCustody(family: IpFamily): Custody<NftablesState, Resource> {
  const table = tableId(tableOf(family))
  const isOfTable = (id: string) => id === table || id.startsWith(`${table} `)
  return {
    isOurs: (id, value) => isOfTable(id) && !isLeftBehind(value as NftablesValue | undefined),
    isLeftForAWhile: (id, value) =>
      isOfTable(id) && (value as NftablesValue | undefined)?.kind === 'chain' && isLeftBehind(value as NftablesValue),
    reasonOf: (kind, { wanted, found }) => reasonOf(kind, ((wanted ?? found) as Resource).value as NftablesValue),
  }
}

/** Chains that kube-proxy of one version leaves when another one takes its place. */
const OF_OTHER_VERSIONS: readonly string[] = [
  MARK_CHAIN,
  'filter-prerouting',
  'filter-output-post-dnat',
  'filter-prerouting-pre-dnat',
  'filter-output-pre-dnat',
]

function isLeftBehind(value: NftablesValue | undefined): boolean {
  switch (value?.kind) {
    case 'chain':
      return (
        OF_OTHER_VERSIONS.includes(value.value.name) ||
        (isServicePortName(value.value.name) && value.value.rules.length === 0)
      )
    case 'element':
      return isAffinitySet(value.value.set)
    default:
      return false
  }
}

/** Nothing of a table has an order but rules, which are compared as whole chains. */
type Reasons = Readonly<Record<Exclude<DriftKind, 'misplaced'>, string>>

const REASONS: Readonly<Record<Exclude<NftablesValue['kind'], 'element'>, Reasons>> = {
  table: {
    missing: 'the table is missing with everything in it: nothing is served',
    extra: 'a table that nobody wants',
    changed: 'the table has another comment or other flags',
  },
  chain: {
    missing: 'the chain is missing with all its rules',
    extra: 'a chain that kube-proxy would have removed',
    changed: 'the chain does something else with the packets that come to it',
  },
  set: {
    missing: 'the set is missing with all its elements, and rules that look into it cannot be loaded',
    extra: 'a set that kube-proxy would have removed',
    changed: 'the set is of another type, or its elements stay for another time',
  },
  object: {
    missing: 'rules that name it cannot be loaded',
    extra: 'something that kube-proxy would not make',
    changed: 'it is of another kind',
  },
}

const DISPATCH_REASONS: Reasons = {
  missing: 'packets for this address and port do not get to the chain of the service port',
  extra: 'packets for this address and port are sent on, which nobody wants',
  changed: 'packets for this address and port go to another chain than they should',
}

const REFUSAL_REASONS: Reasons = {
  missing: 'packets that should be refused are not',
  extra: 'packets are refused that should not be',
  changed: 'packets are refused in another way than they should be',
}

const FIREWALL_REASONS: Reasons = {
  missing: 'nobody is held against the source ranges',
  extra: 'clients are held against source ranges that should not be',
  changed: 'clients are held against the source ranges of another service port',
}

const MEMBER_REASONS: Reasons = {
  missing: 'rules that look into the set do not apply to this element',
  extra: 'rules that look into the set apply to an element that nobody wants',
  changed: 'the element says something else than it should',
}

/** Maps that lead to a refusal. */
const REFUSAL_MAPS: readonly string[] = [NO_ENDPOINT_SERVICES, NO_ENDPOINT_NODE_PORTS, LOCALHOST_REJECT_PORTS]

function reasonOf(kind: DriftKind, value: NftablesValue): string {
  // Sets have no order, and chains are compared as wholes.
  const which = kind === 'misplaced' ? 'changed' : kind
  if (value.kind !== 'element') return REASONS[value.kind][which]
  const { set, element } = value.value
  if (REFUSAL_MAPS.includes(set)) return REFUSAL_REASONS[which]
  if (set === FIREWALL_IPS) return FIREWALL_REASONS[which]
  return element.verdict === undefined ? MEMBER_REASONS[which] : DISPATCH_REASONS[which]
}
