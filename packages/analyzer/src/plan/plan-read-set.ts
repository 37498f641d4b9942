import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Protocol } from '@kube-rules/types'

/** An address and ports in a plan. */
export interface PlannedDestination {
  readonly address: string
  readonly port?: string | undefined
}

/** The packet fields, except the destination, that a decision about a destination depends on. */
export interface PlanReadSet {
  /** Source addresses and source networks (`10.244.0.0/16`). */
  readonly sources: readonly string[]
  /** Incoming interfaces; a trailing `+` is a wildcard. */
  readonly interfaces: readonly string[]
}

/** Returns all destinations with a decision other than `unmatched` or with a mode limitation. */
export function destinationsOfPlan(plan: Plan): readonly PlannedDestination[] {
  const own = plan.node.addresses.map(({ address }) => address)
  const local = [...own, ...plan.nodePorts.addresses, ...LOOPBACK_ADDRESSES]
  const atNode = (port: number) => local.map((address) => ({ address, port: String(port) }))
  const networks = plan.serviceCIDRs.map((address) => ({ address }))
  return [
    ...networks,
    ...plan.services.flatMap(({ frontends, healthCheckNodePort }) => [
      ...frontends.flatMap(({ address, port }) =>
        address === undefined ? atNode(port) : [{ address, port: String(port) }],
      ),
      ...(healthCheckNodePort === undefined ? [] : atNode(healthCheckNodePort)),
    ]),
  ]
}

/** The loopback addresses that represent all others for node ports. */
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const
const LOOPBACK = ['127.0.0.0/8', ...LOOPBACK_ADDRESSES] as const

/** Returns the sources and interfaces that `decide` compares for packets to a destination. */
export function computePlanReadSet(plan: Plan, address: string, protocol: Protocol, port: number): PlanReadSet {
  const isNode = isNodeAddress(plan.node, address)
  const isMeant = (frontend: Frontend) =>
    frontend.port === port && (frontend.address === address || (frontend.address === undefined && isNode))
  const services = plan.services.filter(({ id, frontends }) => id.protocol === protocol && frontends.some(isMeant))
  if (services.length === 0) return { sources: [], interfaces: [] }
  const { localTrafficDetection } = plan.node
  const sources = [...LOOPBACK, ...plan.node.addresses.map((own) => own.address), ...services.flatMap(sourcesOf)]
  return {
    sources: localTrafficDetection?.kind === 'cidr' ? [...sources, localTrafficDetection.cidr.text] : sources,
    interfaces:
      localTrafficDetection?.kind === 'interface'
        ? [localTrafficDetection.interface]
        : localTrafficDetection?.kind === 'interfacePrefix'
          ? [`${localTrafficDetection.prefix}+`]
          : [],
  }
}

function sourcesOf({ reachable, frontends }: ServicePlan): readonly string[] {
  const ranges = frontends.flatMap(({ allowedSources }) => allowedSources?.ranges ?? [])
  return [
    ...reachable.map(({ ip }) => ip),
    ...frontends.flatMap(({ address }) => address ?? []),
    ...ranges.map(({ text }) => text),
  ]
}
