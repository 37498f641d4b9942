import { kept, sameValue } from '../diff/resource.js'
import { differingItems, itemsOf, replaceItems } from '../internal/chunked-list.js'
import { replacementsIn } from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { planFrame } from '../plan/plan-service.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import { servicePortText } from '../services/service-port-text.js'
import {
  byRecord,
  type Exchange,
  exchangeIn,
  type FamilySession,
  type FamilyWithoutPorts,
  type LoweredPort,
  lowerPort,
  withExchange,
} from './family-session.js'
import type { PortRecord } from './service-record.js'

/** Service ports that are lowered otherwise than on another node, with what, and to what. */
export interface LoweredPorts {
  readonly lowering: unknown
  /** Each takes the place of the same service port of the other node. */
  readonly exchange: Exchange
}

/**
 * What is lowered otherwise on another node than that of `base`, where `ports` are the service ports with another record.
 * Where one of them is `known`, that is taken.
 */
export function forkPorts(
  base: FamilySession,
  node: NodeOfFamily,
  ports: readonly PortRecord[],
  known: LoweredPorts | undefined,
): LoweredPorts {
  const { mode, result } = base
  const lowering = kept(mode.lowering(planFrame(node.family, node, result.plan.endpointCount)), base.lowering)
  const isKnown = known !== undefined && sameValue(known.lowering, lowering)
  const knownPorts = isKnown ? known.exchange.ports.flatMap(({ added }) => added) : []
  const knownByRecord = new Map(knownPorts.map((port) => [port.record, port]))
  const records = lowering === base.lowering ? ports : withOthers(base, ports, lowering)
  const lowered = records.map((record) => knownByRecord.get(record) ?? lowerPort(mode, record, node, lowering, base))
  return { lowering, exchange: exchangeIn(base, replacementsIn(base.ports, lowered, lowered, byRecord)) }
}

/**
 * The same from a later session of the other node (`base`, before it `from`), in which these service ports have the same
 * records; undefined where it has to be found out anew.
 */
export function rebasePorts(
  from: FamilySession,
  base: FamilySession,
  node: NodeOfFamily,
  known: LoweredPorts,
): LoweredPorts | undefined {
  if (!isLoweredAsBefore(from, base, node, known)) return undefined
  if (from.layout === base.layout) return known
  const ports = known.exchange.ports.flatMap(({ added }) => added)
  return { ...known, exchange: exchangeIn(base, replacementsIn(base.ports, ports, ports, byRecord)) }
}

/** Whether no other service ports than before are lowered otherwise than on the other node. */
function isLoweredAsBefore(
  from: FamilySession,
  base: FamilySession,
  node: NodeOfFamily,
  { lowering }: LoweredPorts,
): boolean {
  if (from.lowering !== base.lowering) return false
  if (lowering === base.lowering) return true
  const { mode, result } = base
  const isSame = ({ record: { plan } }: LoweredPort) => mode.isSamePart(plan, base.lowering, plan, lowering)
  const { before, after } = differingItems(from.ports, base.ports)
  const now = mode.lowering(planFrame(node.family, node, result.plan.endpointCount))
  return sameValue(now, lowering) && before.every(isSame) && after.every(isSame)
}

/** The family on another node than that of `base`, where these service ports are lowered otherwise. */
export function forkFamily(
  base: FamilySession,
  node: NodeOfFamily,
  { lowering, exchange }: LoweredPorts,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
): FamilyWithoutPorts {
  const frame = planFrame(node.family, node, base.result.plan.endpointCount)
  return withExchange(base, { node, frame, lowering, claims: base.claims }, exchange, healthCheckNodePorts)
}

/** The service ports of that family, which are in the places of those of `base`. */
export function portsWith(base: FamilySession, { exchange }: LoweredPorts): Pick<FamilySession, 'ports' | 'layout'> {
  return { ports: replaceItems(base.ports, exchange.ports), layout: base.layout }
}

/** Some service ports, and all others whose part another lowering changes. */
function withOthers(base: FamilySession, ports: readonly PortRecord[], lowering: unknown): readonly PortRecord[] {
  const { mode } = base
  const others: PortRecord[] = []
  for (const { record } of itemsOf(base.ports)) {
    if (!mode.isSamePart(record.plan, base.lowering, record.plan, lowering)) others.push(record)
  }
  const texts = new Set(ports.map(({ plan }) => servicePortText(plan.id)))
  return [...ports, ...others.filter(({ plan }) => !texts.has(servicePortText(plan.id)))]
}
