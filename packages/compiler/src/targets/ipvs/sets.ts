import type { IpFamily } from '@kube-rules/types'
import type { Entry, SetDefinition, SetType } from '../../dataplane/ipset/ast.js'

/** The sets of kube-proxy by their IPv4 names. */
export type SetName =
  | 'KUBE-LOOP-BACK'
  | 'KUBE-CLUSTER-IP'
  | 'KUBE-EXTERNAL-IP'
  | 'KUBE-EXTERNAL-IP-LOCAL'
  | 'KUBE-LOAD-BALANCER'
  | 'KUBE-LOAD-BALANCER-FW'
  | 'KUBE-LOAD-BALANCER-LOCAL'
  | 'KUBE-LOAD-BALANCER-SOURCE-IP'
  | 'KUBE-LOAD-BALANCER-SOURCE-CIDR'
  | 'KUBE-NODE-PORT-TCP'
  | 'KUBE-NODE-PORT-LOCAL-TCP'
  | 'KUBE-NODE-PORT-UDP'
  | 'KUBE-NODE-PORT-LOCAL-UDP'
  | 'KUBE-NODE-PORT-SCTP-HASH'
  | 'KUBE-NODE-PORT-LOCAL-SCTP-HASH'
  | 'KUBE-HEALTH-CHECK-NODE-PORT'
  | 'KUBE-IPVS-IPS'

interface SetFacts {
  readonly type: SetType
  readonly comment: string
}

/** All sets in creation order; they always exist. Mirrors `ipsetInfo` of kube-proxy v1.30. */
const SETS: Readonly<Record<SetName, SetFacts>> = {
  'KUBE-LOOP-BACK': {
    type: 'hash:ip,port,ip',
    comment: 'Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose',
  },
  'KUBE-CLUSTER-IP': { type: 'hash:ip,port', comment: 'Kubernetes service cluster ip + port for masquerade purpose' },
  'KUBE-EXTERNAL-IP': {
    type: 'hash:ip,port',
    comment: 'Kubernetes service external ip + port for masquerade and filter purpose',
  },
  'KUBE-EXTERNAL-IP-LOCAL': {
    type: 'hash:ip,port',
    comment: 'Kubernetes service external ip + port with externalTrafficPolicy=local',
  },
  'KUBE-LOAD-BALANCER': { type: 'hash:ip,port', comment: 'Kubernetes service lb portal' },
  'KUBE-LOAD-BALANCER-FW': {
    type: 'hash:ip,port',
    comment: 'Kubernetes service load balancer ip + port for load balancer with sourceRange',
  },
  'KUBE-LOAD-BALANCER-LOCAL': {
    type: 'hash:ip,port',
    comment: 'Kubernetes service load balancer ip + port with externalTrafficPolicy=local',
  },
  'KUBE-LOAD-BALANCER-SOURCE-IP': {
    type: 'hash:ip,port,ip',
    comment: 'Kubernetes service load balancer ip + port + source IP for packet filter purpose',
  },
  'KUBE-LOAD-BALANCER-SOURCE-CIDR': {
    type: 'hash:ip,port,net',
    comment: 'Kubernetes service load balancer ip + port + source cidr for packet filter purpose',
  },
  'KUBE-NODE-PORT-TCP': { type: 'bitmap:port', comment: 'Kubernetes nodeport TCP port for masquerade purpose' },
  'KUBE-NODE-PORT-LOCAL-TCP': {
    type: 'bitmap:port',
    comment: 'Kubernetes nodeport TCP port with externalTrafficPolicy=local',
  },
  'KUBE-NODE-PORT-UDP': { type: 'bitmap:port', comment: 'Kubernetes nodeport UDP port for masquerade purpose' },
  'KUBE-NODE-PORT-LOCAL-UDP': {
    type: 'bitmap:port',
    comment: 'Kubernetes nodeport UDP port with externalTrafficPolicy=local',
  },
  'KUBE-NODE-PORT-SCTP-HASH': {
    type: 'hash:ip,port',
    comment: "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
  },
  'KUBE-NODE-PORT-LOCAL-SCTP-HASH': {
    type: 'hash:ip,port',
    comment: "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
  },
  'KUBE-HEALTH-CHECK-NODE-PORT': { type: 'bitmap:port', comment: 'Kubernetes health check node port' },
  'KUBE-IPVS-IPS': { type: 'hash:ip', comment: 'Addresses on the ipvs interface' },
}

/** Names in the creation order of kube-proxy. */
export const SET_NAMES: readonly SetName[] = Object.keys(SETS) as SetName[]

/** A subset of the sets: bit n is the nth of `SET_NAMES`. */
export type SetMask = number

// The cast is safe: the names are the keys of the record.
const BITS = Object.fromEntries(SET_NAMES.map((name, place) => [name, 1 << place])) as Record<SetName, SetMask>

/** Returns the sets with an entry among these. */
export function setMask(entries: readonly Pick<SetEntry, 'set'>[]): SetMask {
  let mask = 0
  for (const { set } of entries) mask |= BITS[set]
  return mask
}

export function setsOfMask(mask: SetMask): ReadonlySet<SetName> {
  return new Set(SET_NAMES.filter((name) => (mask & BITS[name]) !== 0))
}

/** The longest set name that ipset accepts. */
const MAX_SET_NAME = 31

/** Returns the kernel name of a set. Mirrors `NewIPSet` of kube-proxy v1.30, which truncates IPv6 names. */
export function kernelSetName(name: SetName, family: IpFamily): string {
  return family === 'IPv4' ? name : name.replace('KUBE-', 'KUBE-6-').slice(0, MAX_SET_NAME)
}

/** Returns the comment of rules that use the set. */
export function setComment(name: SetName): string {
  return SETS[name].comment
}

/** A claim for an entry in a set. */
export interface SetEntry {
  readonly set: SetName
  readonly entry: Entry
}

/** The maximum number of entries of a hash set. */
export const MAX_ENTRIES = 65536

/** Sets with types that the tree models. */
export type KnownDefinition = Exclude<SetDefinition, { readonly type: 'unknown' }>

/** Returns the kernel definition of a set, always as the same object. */
export function setDefinition(name: SetName, family: IpFamily): KnownDefinition {
  return DEFINITIONS[family][name]
}

/** Returns all sets of a family, in the creation order of kube-proxy. */
export function setDefinitions(family: IpFamily): readonly KnownDefinition[] {
  return SET_NAMES.map((name) => setDefinition(name, family))
}

const DEFINITIONS: Readonly<Record<IpFamily, Readonly<Record<SetName, KnownDefinition>>>> = {
  IPv4: definitions('IPv4'),
  IPv6: definitions('IPv6'),
}

function definitions(family: IpFamily): Readonly<Record<SetName, KnownDefinition>> {
  // The cast is safe: the names are the keys of the record.
  return Object.fromEntries(SET_NAMES.map((name) => [name, definition(name, family)])) as Record<
    SetName,
    KnownDefinition
  >
}

function definition(setName: SetName, family: IpFamily): KnownDefinition {
  const { type } = SETS[setName]
  const name = kernelSetName(setName, family)
  if (type === 'bitmap:port') return { type, name, firstPort: 0, lastPort: 65535 }
  return { type, name, family: family === 'IPv4' ? 'inet' : 'inet6', hashsize: 1024, maxelem: MAX_ENTRIES }
}

/** A set of mode ipvs. */
export interface IpvsSet {
  /** The kernel name. */
  readonly name: string
  readonly type: SetType
  /** The purpose, as in the comments of kube-proxy rules. */
  readonly comment: string
}

/** Returns the sets of one family, in the creation order of kube-proxy v1.30. */
export function ipvsSets(family: IpFamily): readonly IpvsSet[] {
  return SET_NAMES.map((name) => ({ name: kernelSetName(name, family), ...SETS[name] }))
}
