import {
  type AddressTemplateLookup,
  createExampleSource,
  createSourceContext,
  createVerifiedTemplateLookup,
  ORIGINS,
} from '@kube-rules/analyzer/explain'
import type { Plan } from '@kube-rules/compiler/plan'
import type { ExplainedFamily } from '../explain/explained-node.js'
import { claimsOf, countClaims } from './check-cache.js'

type ServicePlan = Plan['services'][number]

/**
 * Creates a function that returns the class of a service port on a verified node. Packets to two service ports of one
 * class arrive alike: their rules and plans differ only in addresses, node ports and names, and neither drift nor a rule
 * of another program mentions these. Returns undefined for a service port without class: one that shares an address and a
 * port with another one, or has drift, or has an address or node port in drift or in a rule of another program, or a port
 * that is a node port of any service port. A service port with node ports has no class either if any service port has a
 * frontend at an address of the node, because packets to node ports then match its rules, too.
 */
export function createServiceClassifier(
  family: ExplainedFamily,
  plan: Plan,
): (service: ServicePlan) => string | undefined {
  const { state, compiled, traceContext, report } = family
  if (compiled === undefined || plan.connectionsTaken) return () => undefined
  const templateAt = createVerifiedTemplateLookup(state, compiled, traceContext, report?.drift)
  const facts = createSourceContext(state, traceContext, plan)
  const sources = new Set(ORIGINS.map((origin) => createExampleSource(origin, facts)?.source))
  const own = new Set(plan.node.addresses.map(({ address }) => address))
  const claims = countClaims(plan, own)
  const nodePorts = new Set(plan.services.flatMap(nodePortsOf))
  const isAtNode = plan.services.some(({ frontends }) => frontends.some(({ address = '' }) => own.has(address)))
  return (service) => {
    const isShared = claimsOf(service, own).some((claim) => (claims.get(claim) ?? 0) > 1)
    const isBesideNodePort = portsOf(service).some((port) => nodePorts.has(port))
    if (isShared || isBesideNodePort || (isAtNode && nodePortsOf(service).length > 0)) return undefined
    return classOf(service, templateAt, sources)
  }
}

/** Returns the ports that packets to any address of the node may match. */
function nodePortsOf({ frontends, unservedNodePort, healthCheckNodePort }: ServicePlan): readonly number[] {
  const served = frontends.flatMap(({ address, port }) => (address === undefined ? port : []))
  return [...served, unservedNodePort ?? [], healthCheckNodePort ?? []].flat()
}

/** Returns the ports of frontends with an address, and of endpoints. */
function portsOf({ frontends, endpoints }: ServicePlan): readonly number[] {
  const served = frontends.flatMap(({ address, port }) => (address === undefined ? [] : port))
  return [...served, ...endpoints.map(({ port }) => port)]
}

function classOf(
  service: ServicePlan,
  templateAt: AddressTemplateLookup,
  sources: ReadonlySet<string | undefined>,
): string | undefined {
  const { id, frontends, pools, affinitySeconds, localClauses, unservedNodePort } = service
  const [first] = frontends
  const template = first?.address === undefined ? undefined : templateAt(first.address)
  if (template === undefined || template.addresses.some((address) => sources.has(address))) return undefined
  const numbers = new Map<string | number, number>([
    ...template.addresses.map((address, index) => [address, index] as const),
    ...template.nodePorts.map((port, index) => [port, index] as const),
  ])
  const places = [...frontends.map(({ address, port }) => address ?? port), ...service.reachable.map(({ ip }) => ip)]
  const numbered = places.map((place) => numbers.get(place))
  if (numbered.includes(undefined)) return undefined
  const shapes = frontends.map(({ address, port, ...rest }) => [address === undefined ? 'node port' : port, rest])
  const poolShapes = [pools.cluster, pools.local].map((pool) => pool.map(({ ip, port }) => [numbers.get(ip), port]))
  const others = [affinitySeconds, localClauses, unservedNodePort]
  return JSON.stringify([template.key, id.protocol, numbered, shapes, poolShapes, others])
}
