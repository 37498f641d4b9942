import type { IpFamily } from '@kube-rules/types'
import type { Entry, SetDefinition, SetType } from '../../dataplane/ipset/ast.js'
import { createRecord, keysOf } from '../../internal/create-record.js'
import type { Features } from '../../model/configuration/features.js'

/** The names of the kube-proxy sets. The names are those of the IPv4 sets. */
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
  | 'KUBE-NODE-PORT-SCTP'
  | 'KUBE-NODE-PORT-LOCAL-SCTP'
  | 'KUBE-NODE-PORT-SCTP-HASH'
  | 'KUBE-NODE-PORT-LOCAL-SCTP-HASH'
  | 'KUBE-HEALTH-CHECK-NODE-PORT'
  | 'KUBE-IPVS-IPS'

interface SetFacts {
  readonly type: SetType
  readonly comment: string
  /** Reports whether a version has the set. This function is absent if every version has the set. */
  readonly isIn?: (features: Features) => boolean
}

/**
 * All sets in their creation order. The sets of a version exist even if they are empty. Mirrors `ipsetInfo` of
 * kube-proxy.
 */
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
    isIn: ({ localExternalIPSet }) => localExternalIPSet,
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
  'KUBE-NODE-PORT-SCTP': {
    type: 'bitmap:port',
    comment: 'Kubernetes nodeport SCTP port for masquerade purpose',
    isIn: ({ sctpNodePortsByAddress }) => !sctpNodePortsByAddress,
  },
  'KUBE-NODE-PORT-LOCAL-SCTP': {
    type: 'bitmap:port',
    comment: 'Kubernetes nodeport SCTP port with externalTrafficPolicy=local',
    isIn: ({ sctpNodePortsByAddress }) => !sctpNodePortsByAddress,
  },
  'KUBE-NODE-PORT-SCTP-HASH': {
    type: 'hash:ip,port',
    comment: "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
    isIn: ({ sctpNodePortsByAddress }) => sctpNodePortsByAddress,
  },
  'KUBE-NODE-PORT-LOCAL-SCTP-HASH': {
    type: 'hash:ip,port',
    comment: "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
    isIn: ({ sctpNodePortsByAddress }) => sctpNodePortsByAddress,
  },
  'KUBE-HEALTH-CHECK-NODE-PORT': {
    type: 'bitmap:port',
    comment: 'Kubernetes health check node port',
    isIn: ({ healthChecksAccepted }) => healthChecksAccepted,
  },
  'KUBE-IPVS-IPS': {
    type: 'hash:ip',
    comment: 'Addresses on the ipvs interface',
    isIn: ({ accessFilter }) => accessFilter,
  },
}

/** The names of all sets, in the creation order of kube-proxy. */
export const SET_NAMES: readonly SetName[] = keysOf(SETS)

/** A bit mask that represents some of the sets. Bit n represents the nth name in `SET_NAMES`. */
export type SetMask = number

const BITS = createRecord<SetName, SetMask>(SET_NAMES, (_, place) => 1 << place)

/** Returns the sets that contain at least one of these entries. */
export function createSetMask(entries: readonly Pick<SetEntry, 'set'>[]): SetMask {
  let mask = 0
  for (const { set } of entries) mask |= BITS[set]
  return mask
}

export function setsOfMask(mask: SetMask): ReadonlySet<SetName> {
  return new Set(SET_NAMES.filter((name) => (mask & BITS[name]) !== 0))
}

/** The longest set name that ipset accepts. */
const MAX_SET_NAME = 31

/**
 * Returns the name of a set in the kernel. Without `features`, returns the name in the newest version. Mirrors
 * `NewIPSet` of kube-proxy v1.30, which truncates IPv6 names.
 */
export function kernelSetNameOf(name: SetName, family: IpFamily, features?: Features): string {
  const isPrefixed = family === 'IPv6' && features?.ipv6SetNames !== false
  return isPrefixed ? name.replace('KUBE-', 'KUBE-6-').slice(0, MAX_SET_NAME) : name
}

/** Returns the comment of rules that use the set. */
export function commentOfSet(name: SetName): string {
  return SETS[name].comment
}

/** An entry that a service port claims in a set. */
export interface SetEntry {
  readonly set: SetName
  readonly entry: Entry
}

/** The maximum number of entries of a hash set. */
export const MAX_ENTRIES = 65536

/** A set definition with a known type, which the syntax tree can represent. */
export type KnownSetDefinition = Exclude<SetDefinition, { readonly type: 'unknown' }>

/**
 * Returns the definition of a set in the kernel, always as the same object. Without `features`, returns the definition
 * in the newest version.
 */
export function ipsetDefinitionOf(name: SetName, family: IpFamily, features?: Features): KnownSetDefinition {
  return definitionsIn(family, features)[name]
}

/**
 * Returns the sets of a family, in the creation order of kube-proxy. Without `features`, returns the sets of all
 * versions, with the names of the newest version.
 */
export function listIpsetDefinitions(family: IpFamily, features?: Features): readonly KnownSetDefinition[] {
  const definitions = definitionsIn(family, features)
  const names = features === undefined ? SET_NAMES : setNames(features)
  return names.map((name) => definitions[name])
}

function setNames(features: Features): readonly SetName[] {
  return SET_NAMES.filter((name) => SETS[name].isIn?.(features) ?? true)
}

type Definitions = Readonly<Record<SetName, KnownSetDefinition>>

function definitionsIn(family: IpFamily, features: Features | undefined): Definitions {
  return family === 'IPv6' && features?.ipv6SetNames === false ? UNPREFIXED_IPV6 : DEFINITIONS[family]
}

const DEFINITIONS: Readonly<Record<IpFamily, Definitions>> = {
  IPv4: definitions('IPv4', kernelSetNameOf),
  IPv6: definitions('IPv6', kernelSetNameOf),
}

const UNPREFIXED_IPV6: Definitions = definitions('IPv6', (name) => name)

function definitions(family: IpFamily, nameOf: (name: SetName, family: IpFamily) => string): Definitions {
  return createRecord(SET_NAMES, (name) => definition(SETS[name].type, nameOf(name, family), family))
}

function definition(type: SetType, name: string, family: IpFamily): KnownSetDefinition {
  if (type === 'bitmap:port') return { type, name, firstPort: 0, lastPort: 65535 }
  return { type, name, family: family === 'IPv4' ? 'inet' : 'inet6', hashsize: 1024, maxelem: MAX_ENTRIES }
}

/** A set in ipvs mode. */
export interface IpvsModeSet {
  /** The kernel name. */
  readonly name: string
  /** The type of the set. */
  readonly type: SetType
  /** The purpose of the set, in the wording of the comments in kube-proxy rules. */
  readonly comment: string
}

/** Returns the sets of one family with their purposes, in the creation order of kube-proxy. */
export function listSetsWithComments(family: IpFamily, features: Features): readonly IpvsModeSet[] {
  return setNames(features).map((name) => {
    const { type, comment } = SETS[name]
    return { name: kernelSetNameOf(name, family, features), type, comment }
  })
}
