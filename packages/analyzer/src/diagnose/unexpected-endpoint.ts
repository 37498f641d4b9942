import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { isCertain } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import type { EndpointOrigin } from './endpoint-origin.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findEndpointStep,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { isShellSafeName } from './remedies.js'

/** An endpoint that is no pod of the namespace of its Service. */
interface UnexpectedEndpoint {
  /** `Pod bank/db-0, which is in another namespace`. */
  readonly identity: string
  readonly effect: string
  readonly steps: readonly DiagnosisStep[]
}

/**
 * Reports a packet that may reach an endpoint that is no pod of the namespace of its Service: a pod of another
 * namespace, an address of a node, or the cluster IP of a Service. Every author of EndpointSlices in the namespace can
 * add such an endpoint.
 */
export function diagnoseUnexpectedEndpoint({ packet, paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected?.decision.kind !== 'endpoints') return undefined
  const { candidates, servicePort } = expected.decision
  const pathsByAddress = groupItems(paths, ({ outcome }) => (outcome.kind === 'delivered' ? outcome.address : ''))
  const clusterIps = indexClusterIps(expected.plan)
  for (const { endpoint } of candidates) {
    const [path] = pathsByAddress.get(endpoint.ip) ?? []
    const step = path && findEndpointStep(path)
    const origin = expected.originOf(servicePort, endpoint)
    const found = origin && identifyEndpoint(endpoint, origin, clusterIps.get(endpoint.ip), { servicePort, expected })
    if (path === undefined || step === undefined || origin === undefined || found === undefined) continue
    return {
      code: 'unexpectedEndpoint',
      summary: prefixWithNode(
        expected.plan,
        `${formatPackets(packet)} ${isCertain(path, { paths }) ? '' : 'may '}reach ${joinHostPort(endpoint.ip, endpoint.port)}, ${found.identity}`,
      ),
      cause: `EndpointSlice ${origin.slice} of ${formatService(servicePort)} lists ${endpoint.ip}; ${found.effect}`,
      steps: found.steps,
      object: formatService(servicePort),
      ...createDiagnosisRule(step),
    }
  }
  return undefined
}

/** Returns the service ports by their cluster IPs; of several, one of them. */
function indexClusterIps({ services }: Plan): ReadonlyMap<string, ServicePortId> {
  const byAddress = new Map<string, ServicePortId>()
  for (const { id, frontends } of services) {
    for (const { kind, address } of frontends)
      if (kind === 'clusterIP' && address !== undefined) byAddress.set(address, id)
  }
  return byAddress
}

/** Describes an endpoint of a service port. `claimant` is a service port with the cluster IP of the endpoint. */
function identifyEndpoint(
  { ip }: Endpoint,
  origin: EndpointOrigin,
  claimant: ServicePortId | undefined,
  about: { readonly servicePort: ServicePortId; readonly expected: ExpectedHandling },
): UnexpectedEndpoint | undefined {
  const { servicePort: service, expected } = about
  const { plan, otherNodeWith } = expected
  if (claimant !== undefined) return describeClusterIp(formatService(claimant), origin, service)
  const isOwn = plan.node.addresses.some(({ address }) => address === ip)
  const node = isOwn ? plan.node.name : otherNodeWith(ip)
  const details = node === undefined ? describePod(origin, service) : describeNode(node, origin, service)
  return details && { ...details, steps: removeSteps(ip, origin, service) }
}

function describeClusterIp(other: string, origin: EndpointOrigin, service: ServicePortId): UnexpectedEndpoint {
  return {
    identity: `the cluster IP of ${other}, and no pod`,
    effect: `a node changes the destination of a connection only once, so the packets do not reach the endpoints of ${other}`,
    steps: [
      {
        text: `List the endpoints of ${other} instead of its cluster IP, or let clients use ${other}; with kubectl`,
        command: formatSliceCommand(service, origin, 'edit'),
      },
    ],
  }
}

type Details = Omit<UnexpectedEndpoint, 'steps'>

/**
 * Describes an address of a Node. Pods in the network of their node have its address too, as has the API server. The
 * controller of EndpointSlices refers to the pod; manifests by hand often leave out this reference.
 */
function describeNode(node: string, origin: EndpointOrigin, service: ServicePortId): Details | undefined {
  if (origin.isOfObject || (service.namespace === 'default' && service.name === 'kubernetes')) return undefined
  const what = 'the packets reach what listens on the node, and network policies of pods do not apply'
  return {
    identity: `an address of Node ${node}, and ${origin.mayBeManaged ? 'maybe ' : ''}no pod`,
    effect: `it refers to no pod, so ${origin.mayBeManaged ? 'unless a pod with hostNetwork is there, ' : ''}${what}`,
  }
}

function describePod({ pod }: EndpointOrigin, { namespace }: ServicePortId): Details | undefined {
  if (pod === undefined || pod.namespace === namespace) return undefined
  return {
    identity: `Pod ${pod.namespace}/${pod.name}, which is in another namespace`,
    effect: `clients of the Service reach this pod unless a network policy of namespace ${pod.namespace} prevents it`,
  }
}

/** Returns a command about an EndpointSlice. Undefined if a name would need quotes. */
function formatSliceCommand({ namespace }: ServicePortId, { slice }: EndpointOrigin, verb: string): string | undefined {
  return isShellSafeName(namespace) && isShellSafeName(slice)
    ? `kubectl -n ${namespace} ${verb} endpointslice ${slice}`
    : undefined
}

function removeSteps(address: string, origin: EndpointOrigin, service: ServicePortId): readonly DiagnosisStep[] {
  const show = formatSliceCommand(service, origin, 'get')
  return [
    {
      text: 'Find out who wrote the EndpointSlice, and whether the endpoint is intended; with kubectl',
      command: show && `${show} -o yaml --show-managed-fields`,
    },
    {
      text: `If it is not intended, remove ${address} from EndpointSlice ${origin.slice} with kubectl`,
      command: formatSliceCommand(service, origin, 'edit'),
      change: { kind: 'removeEndpoint', namespace: service.namespace, slice: origin.slice, address },
    },
  ]
}
