import { type Diagnostic, type DiagnosticCode, joinHostPort, type ObjectReference } from '@kube-rules/types'
import type { ServicePort, ServicePortId } from './model.js'

/** One address, or node port, on which a service port wants to be reached. */
interface Claim {
  readonly servicePort: ServicePort
  readonly path: string
  /** `10.0.0.1:80` or `node port 30080`. */
  readonly text: string
}

/**
 * A warning for every address and port, and every node port, that an earlier service port of the family has with the
 * same protocol. Packets to it reach only one of the two.
 */
export function findAddressConflicts(servicePorts: readonly ServicePort[]): readonly Diagnostic[] {
  const holders = new Map<string, ServicePort>()
  const conflicts: Diagnostic[] = []
  for (const servicePort of servicePorts) {
    for (const claim of claimsOf(servicePort)) {
      const key = `${claim.text}/${servicePort.id.protocol}`
      const holder = holders.get(key)
      if (holder === undefined) holders.set(key, servicePort)
      else if (holder !== servicePort) conflicts.push(addressConflict(claim, holder))
    }
  }
  return conflicts
}

/**
 * A warning for every cluster IP, external IP and load-balancer IP that is one of `nodeAddresses` (canonical): traffic
 * to that port of the node itself goes to the Service.
 */
export function findNodeAddressConflicts(
  servicePorts: readonly ServicePort[],
  nodeAddresses: ReadonlySet<string>,
): readonly Diagnostic[] {
  return servicePorts.flatMap((servicePort) =>
    addressesOf(servicePort)
      .filter(({ address }) => nodeAddresses.has(address))
      .map(({ path, address }) => nodeAddressConflict(servicePort, path, address)),
  )
}

interface PathAndAddress {
  readonly path: string
  readonly address: string
}

function addressesOf(servicePort: ServicePort): readonly PathAndAddress[] {
  const { clusterIP, externalIPs, loadBalancerIPs } = servicePort
  return [
    { path: 'spec.clusterIP', address: clusterIP },
    ...externalIPs.map((address) => ({ path: 'spec.externalIPs', address })),
    ...loadBalancerIPs.map((address) => ({ path: 'status.loadBalancer.ingress', address })),
  ]
}

function claimsOf(servicePort: ServicePort): readonly Claim[] {
  const claims = addressesOf(servicePort).map(({ path, address }) => {
    return { servicePort, path, text: joinHostPort(address, servicePort.port) }
  })
  if (servicePort.nodePort === 0) return claims
  return [...claims, { servicePort, path: 'spec.ports', text: `node port ${servicePort.nodePort}` }]
}

function addressConflict({ servicePort, path, text }: Claim, holder: ServicePort): Diagnostic {
  const { protocol } = servicePort.id
  const message = `${servicePort.id.text} claims ${text} ${protocol}, which ${holder.id.text} has too`
  return warning('addressConflict', servicePort.id, path, message)
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
