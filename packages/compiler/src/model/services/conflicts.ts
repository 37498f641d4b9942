import type { Diagnostic, DiagnosticCode, ObjectReference } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { compactList } from '../../internal/compact-list.js'
import { type ItemsByKey, replaceKeyedItems } from '../../internal/items-by-key.js'
import type { NodeFacts } from '../node/node-facts.js'
import { compareServicePortIds, type ServicePort, type ServicePortId } from './service-port.js'

/** The claim of a service port to an address and port, or to a node port. Conflicting claims are reported. */
export interface AddressClaim {
  readonly id: ServicePortId
  readonly path: string
  /** The index of the claim among the claims of the service port. */
  readonly place: number
  /** The claimed address or node port: `10.0.0.1:80/TCP` or `node port 30080/TCP`. Claims with the same key conflict. */
  readonly key: string
}

/** Returns the claims of one service port. */
export function addressClaimsOf(servicePort: ServicePort): readonly AddressClaim[] {
  const { id, port, nodePort } = servicePort
  const claims: AddressClaim[] = []
  const claim = (path: string, key: string) => claims.push({ id, path, place: claims.length, key })
  forEachAddress(servicePort, (path, address) => {
    claim(path, [joinHostPort(address, port), id.protocol].join('/'))
  })
  if (nodePort !== 0) claim('spec.ports', `node port ${nodePort}/${id.protocol}`)
  return compactList(claims)
}

/** The claims of all service ports of a family. */
export type AddressClaimsByKey = ItemsByKey<AddressClaim>

/** Removes and adds claims, for example the old and the new claims of a changed service port. */
export function replaceAddressClaims(
  claims: AddressClaimsByKey,
  removed: readonly AddressClaim[],
  added: readonly AddressClaim[],
): AddressClaimsByKey {
  return replaceKeyedItems(claims, removed, added)
}

/**
 * Returns the conflicts between service ports of a family. There is one warning for each claim to an address and port,
 * or to a node port, that an earlier service port also claims with the same protocol. Packets reach only one of the two
 * service ports.
 */
export function findAddressConflicts({ several }: AddressClaimsByKey): readonly Diagnostic[] {
  return Array.from(several.values(), losersOf)
    .flat()
    .sort((a, b) => byPlace(a.claim, b.claim))
    .map(({ claim, holder }) => addressConflict(claim, holder))
}

/** A claim that loses against the claim of another service port, the holder. */
interface Loser {
  readonly claim: AddressClaim
  readonly holder: ServicePortId
}

function losersOf(claims: readonly AddressClaim[]): readonly Loser[] {
  const [first, ...others] = [...claims].sort(byPlace)
  if (first === undefined) return []
  return others.filter(({ id }) => id !== first.id).map((claim) => ({ claim, holder: first.id }))
}

/** Compares claims in the order of service ports, then in the order within a service port. */
function byPlace(a: AddressClaim, b: AddressClaim): number {
  return compareServicePortIds(a.id, b.id) || a.place - b.place
}

/** Returns the addresses of the node, excluding the addresses of its IPVS device, which belong to Services. */
export function nodeAddressesOf({ addresses }: NodeFacts): ReadonlySet<string> {
  return new Set(addresses.flatMap((each) => (each.interface === IPVS_DEVICE ? [] : [each.address])))
}

/**
 * Returns a warning for every cluster IP, external IP and load-balancer IP of a service port that is one of
 * `nodeAddresses` (canonical). Traffic to the node itself on the port of the service port then reaches the Service.
 */
export function findNodeAddressConflicts(
  servicePort: ServicePort,
  nodeAddresses: ReadonlySet<string>,
): readonly Diagnostic[] {
  const conflicts: Diagnostic[] = []
  forEachAddress(servicePort, (path, address) => {
    if (nodeAddresses.has(address)) conflicts.push(nodeAddressConflict(servicePort, path, address))
  })
  return compactList(conflicts)
}

function forEachAddress(servicePort: ServicePort, visit: (path: string, address: string) => void): void {
  visit('spec.clusterIP', servicePort.clusterIP)
  for (const address of servicePort.externalIPs) visit('spec.externalIPs', address)
  for (const address of servicePort.loadBalancerIPs) visit('status.loadBalancer.ingress', address)
}

function addressConflict({ id, path, key }: AddressClaim, holder: ServicePortId): Diagnostic {
  const message = `${id.text} claims ${key.replace('/', ' ')}, which ${holder.text} also claims`
  return warning('addressConflict', id, path, message)
}

function nodeAddressConflict({ id }: ServicePort, path: string, address: string): Diagnostic {
  return warning('nodeAddressConflict', id, path, `${id.text} claims ${address}, which is an address of the node`)
}

function warning(code: DiagnosticCode, id: ServicePortId, path: string, message: string): Diagnostic {
  return { severity: 'warning', code, object: serviceReference(id), path, message }
}

function serviceReference({ namespace, name }: ServicePortId): ObjectReference {
  return { kind: 'Service', namespace, name }
}
