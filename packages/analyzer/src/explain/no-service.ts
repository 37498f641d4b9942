import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, FrontendKind, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet, Protocol } from '@kube-rules/types'
import type { AddressNames } from './address-names.js'
import { formatList } from './format-list.js'

/** Readable names of frontend kinds. */
export const FRONTEND_LABELS: Readonly<Record<FrontendKind, string>> = {
  clusterIP: 'cluster IP',
  externalIP: 'external IP',
  loadBalancer: 'load-balancer IP',
  nodePort: 'node port',
}

/**
 * Explains a destination without Service rules on this node: an address of a Service without this port, a node port of
 * another node, an address that a load balancer serves itself or may have, or an endpoint itself. Returns one sentence
 * without a full stop.
 */
export function explainUnmatchedDestination(packet: Packet, plan: Plan, names: AddressNames): string {
  return (
    otherPortReason(packet, plan) ??
    thisNodeReason(packet, plan) ??
    otherNodeReason(packet, plan, names) ??
    proxiedReason(packet, names) ??
    endpointReason(packet, plan) ??
    `no Service has this address, port and protocol here${hostReason(packet, names)}`
  )
}

interface AtService {
  readonly service: ServicePlan
  readonly frontend: Frontend
}

function frontendsWhere({ services }: Plan, isMeant: (frontend: Frontend) => boolean): readonly AtService[] {
  return services.flatMap((service) =>
    service.frontends.filter(isMeant).map((frontend): AtService => ({ service, frontend })),
  )
}

/** Returns `10.96.0.1 is the cluster IP of default/web, which has 80/TCP and 443/TCP there, not 8080/TCP`. */
function otherPortReason({ destination, destinationPort, protocol }: Packet, plan: Plan): string | undefined {
  const frontends = frontendsWhere(plan, ({ address }) => address === destination)
  const [first] = frontends
  if (first === undefined) return undefined
  const owners = new Set(
    frontends.map(({ service, frontend }) => `${FRONTEND_LABELS[frontend.kind]} of ${serviceName(service)}`),
  )
  const ports = new Set(frontends.map(({ service, frontend }) => formatPort(frontend.port, service.id.protocol)))
  const expected = formatPort(destinationPort, protocol)
  return `${destination} is the ${formatList([...owners])}: it has ${formatList([...ports])} there, not ${expected}`
}

/** Explains a node port that the address of the packet does not serve, or a node port of another protocol. */
function thisNodeReason(packet: Packet, plan: Plan): string | undefined {
  const { destination, destinationPort } = packet
  if (!isNodeAddress(plan.node, destination)) return undefined
  const owners = nodePortOwners(packet, plan)
  const port = formatPort(destinationPort, packet.protocol)
  if (owners !== undefined) return `${owners} on ${formatServedAddresses(plan, destination)}`
  const others = frontendsWhere(plan, ({ kind, port }) => kind === 'nodePort' && port === destinationPort)
  if (others.length === 0) return `${destination} is an address of this node, and no Service has node port ${port}`
  const known = others.map(({ service }) => `${service.id.text} over ${service.id.protocol}`)
  return `${destinationPort} is a node port of ${formatList(known)}, not over ${packet.protocol}`
}

/** Formats the addresses that serve node ports, which depend on the mode and on `nodePortAddresses`. */
function formatServedAddresses({ nodePorts: { all, addresses } }: Plan, other: string): string {
  if (all) return `the addresses of this node other than loopback addresses, not on ${other}`
  return addresses.length === 0
    ? 'no address of this node, because of nodePortAddresses'
    : `${formatList(addresses)} of this node (nodePortAddresses), not on ${other}`
}

/**
 * Returns `node port 30080/TCP of default/web:http is served there by Node node-2: the rules of this node do not match
 * it`.
 */
function otherNodeReason(packet: Packet, plan: Plan, { nodes }: AddressNames): string | undefined {
  const name = nodes.get(packet.destination)
  if (name === undefined) return undefined
  const owners = nodePortOwners(packet, plan)
  if (owners !== undefined) return `${owners} there by Node ${name}: the rules of this node do not match it`
  return `${packet.destination} is an address of Node ${name}: the rules of this node do not match it`
}

/** Returns `203.0.113.9 is the load-balancer IP of shop/web with ipMode Proxy: the load balancer serves it, not this node`. */
function proxiedReason({ destination }: Packet, { proxiedBy }: AddressNames): string | undefined {
  const service = proxiedBy.get(destination)
  return service === undefined
    ? undefined
    : `${destination} is the load-balancer IP of ${service} with ipMode Proxy: packets go to the load balancer, and kube-proxy has no rules for it`
}

/**
 * Returns `; if it is an address of lb.example, the load balancer of shop/web, packets go there, and kube-proxy has no
 * rules for it`. Empty if every load balancer with this port has an address.
 */
function hostReason({ destinationPort }: Packet, { hosts }: AddressNames): string {
  const [first, ...others] = hosts.filter(({ ports }) => ports.has(destinationPort))
  if (first === undefined) return ''
  const balancers =
    others.length === 0
      ? `${first.host}, the load balancer of ${first.service}`
      : `a load balancer with a host name only (of ${formatList([first, ...others].map(({ service }) => service))})`
  return `; if it is an address of ${balancers}, packets go there, and kube-proxy has no rules for it`
}

/** Returns `node port 30080/TCP of default/web:http is served`; undefined if no Service has such a node port. */
function nodePortOwners({ destinationPort, protocol }: Packet, plan: Plan): string | undefined {
  const frontends = frontendsWhere(plan, ({ kind, port }) => kind === 'nodePort' && port === destinationPort)
  const names = frontends.flatMap(({ service: { id } }) => (id.protocol === protocol ? id.text : []))
  return names.length === 0
    ? undefined
    : `node port ${formatPort(destinationPort, protocol)} of ${formatList(names)} is served`
}

/** Returns `10.244.1.1:8080/TCP is an endpoint of default/web:http, reached without its Service`. */
function endpointReason(packet: Packet, { services }: Plan): string | undefined {
  const { destination: address, destinationPort: port, protocol } = packet
  const having = services.filter(({ endpoints }) => endpoints.some(({ ip }) => ip === address))
  if (having.length === 0) return undefined
  const exact = having.filter(
    ({ id, endpoints }) =>
      id.protocol === protocol && endpoints.some((each) => each.ip === address && each.port === port),
  )
  const names = (exact.length > 0 ? exact : having).map(({ id }) => id.text)
  if (exact.length > 0) {
    return `${formatDestination({ address, port, protocol })} is an endpoint of ${formatList(names)}, reached without its Service`
  }
  return `${address} is an endpoint of ${formatList(names)}, and has no port ${formatPort(port, protocol)} there`
}

function serviceName({ id: { namespace, name } }: ServicePlan): string {
  return `${namespace}/${name}`
}

function formatPort(port: number, protocol: Protocol): string {
  return `${port}/${protocol}`
}
