import {
  type Diagnostic,
  type DiagnosticCode,
  IPVS_DEVICE,
  joinHostPort,
  type ObjectReference,
} from '@kube-rules/types'
import { compact } from '../internal/compact.js'
import type { NodeFacts } from '../node/node-facts.js'
import type { ServicePort, ServicePortId } from './service-port.js'

/** One address, or node port, on which a service port wants to be reached. */
export interface AddressClaim {
  readonly id: ServicePortId
  readonly path: string
  /** `10.0.0.1:80/TCP` or `node port 30080/TCP`: claims with one key are in conflict. */
  readonly key: string
}

/** What one service port claims. */
export function claimsOf(servicePort: ServicePort): readonly AddressClaim[] {
  const { id, port, nodePort } = servicePort
  const claims: AddressClaim[] = []
  forEachAddress(servicePort, (path, address) => {
    claims.push({ id, path, key: `${joinHostPort(address, port)}/${id.protocol}` })
  })
  if (nodePort !== 0) claims.push({ id, path: 'spec.ports', key: `node port ${nodePort}/${id.protocol}` })
  return compact(claims)
}

/**
 * A warning for every address and port, and every node port, that an earlier service port of the family has with the
 * same protocol. Packets to it reach only one of the two. `claims` are those of one service port after the other.
 */
export function findAddressConflicts(claims: Iterable<readonly AddressClaim[]>): readonly Diagnostic[] {
  const holders = new Map<string, ServicePortId>()
  const conflicts: Diagnostic[] = []
  for (const ofServicePort of claims) {
    for (const claim of ofServicePort) {
      const holder = holders.get(claim.key)
      if (holder === undefined) holders.set(claim.key, claim.id)
      else if (holder !== claim.id) conflicts.push(addressConflict(claim, holder))
    }
  }
  return conflicts
}

/** Which service port has each key, where no two have one. It changes with the service ports. */
export type Holders = Map<string, ServicePortId>

/** Those of claims of which no two are in conflict. */
export function holdersOf(claims: Iterable<readonly AddressClaim[]>): Holders {
  const holders: Holders = new Map()
  for (const ofServicePort of claims) for (const { key, id } of ofServicePort) holders.set(key, id)
  return holders
}

/**
 * Takes the claims of `removed` from the holders and gives them those of `added`. False where one of these is in conflict:
 * then several hold it, and the holders are of no use any more.
 */
export function exchangeClaims(
  holders: Holders,
  removed: Iterable<readonly AddressClaim[]>,
  added: Iterable<readonly AddressClaim[]>,
): boolean {
  for (const ofServicePort of removed) for (const { key } of ofServicePort) holders.delete(key)
  for (const ofServicePort of added) {
    for (const { key, id } of ofServicePort) {
      if ((holders.get(key) ?? id) !== id) return false
      holders.set(key, id)
    }
  }
  return true
}

/** The addresses that the node has by itself: those of Services are on its ipvs device, too. */
export function nodeAddressSet({ addresses }: NodeFacts): ReadonlySet<string> {
  return new Set(addresses.flatMap((each) => (each.interface === IPVS_DEVICE ? [] : [each.address])))
}

/**
 * A warning for every cluster IP, external IP and load-balancer IP of a service port that is one of `nodeAddresses`
 * (canonical): traffic to that port of the node itself goes to the Service.
 */
export function findNodeAddressConflicts(
  servicePort: ServicePort,
  nodeAddresses: ReadonlySet<string>,
): readonly Diagnostic[] {
  const conflicts: Diagnostic[] = []
  forEachAddress(servicePort, (path, address) => {
    if (nodeAddresses.has(address)) conflicts.push(nodeAddressConflict(servicePort, path, address))
  })
  return compact(conflicts)
}

function forEachAddress(servicePort: ServicePort, visit: (path: string, address: string) => void): void {
  visit('spec.clusterIP', servicePort.clusterIP)
  for (const address of servicePort.externalIPs) visit('spec.externalIPs', address)
  for (const address of servicePort.loadBalancerIPs) visit('status.loadBalancer.ingress', address)
}

function addressConflict({ id, path, key }: AddressClaim, holder: ServicePortId): Diagnostic {
  const message = `${id.text} claims ${key.replace('/', ' ')}, which ${holder.text} has too`
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
