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
 * class arrive alike: their rules and plans differ only in addresses and names, and neither drift nor a rule of another
 * program mentions these addresses. Returns undefined for a service port without class: one that shares an address and a
 * port with another one, or has node ports or drift, or has an address in drift or in a rule of another program.
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
  return (service) => {
    const isShared = claimsOf(service, own).some((claim) => (claims.get(claim) ?? 0) > 1)
    return isShared ? undefined : classOf(service, templateAt, sources)
  }
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
  const numbers = new Map(template.addresses.map((address, index) => [address, index]))
  const places = [...frontends.map(({ address = '' }) => address), ...service.reachable.map(({ ip }) => ip)]
  const numbered = places.map((address) => numbers.get(address))
  if (numbered.includes(undefined)) return undefined
  const shapes = frontends.map(({ address: _, ...rest }) => rest)
  const poolShapes = [pools.cluster, pools.local].map((pool) => pool.map(({ ip, port }) => [numbers.get(ip), port]))
  const others = [affinitySeconds, localClauses, unservedNodePort]
  return JSON.stringify([template.key, id.protocol, numbered, shapes, poolShapes, others])
}
