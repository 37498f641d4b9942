import { formatReference, type Packet } from '@kube-rules/types'
import type { Step } from '../dataplane/netfilter/branch.js'
import { destinationText } from '../dataplane/netfilter/destination-text.js'
import type { Explanation } from '../explain/explain.js'
import type { Decision } from '../plan/decide.js'
import type { Plan } from '../plan/plan.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { ServicePortId } from '../services/service-port.js'

/** What answers about a packet are made of. */
export interface PacketFacts extends Explanation {
  /** What should happen, and what the plan decides about the packet; absent where there are no objects. */
  readonly wanted?: Wanted | undefined
}

export interface Wanted {
  readonly plan: Plan
  readonly decision: Decision
  readonly healthChecks: readonly HealthCheckNodePort[]
}

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'made on the node',
  outside: 'from outside',
}

/** `Packets from outside to 10.0.0.1:80/TCP`. */
export function packetsText({ origin, destination: address, destinationPort: port, protocol }: Packet): string {
  return `Packets ${ORIGINS[origin]} to ${destinationText({ address, port, protocol })}`
}

/** `Service default/web`. */
export function serviceText({ namespace, name }: ServicePortId): string {
  return formatReference({ kind: 'Service', namespace, name })
}

/** `filter: -A KUBE-SERVICES …`: where a rule stands, and what it says. */
export function ruleText({ by, text }: Step): string {
  return `${by.replace('iptables ', '')}: ${text}`
}

/** The last rule that applied on the only way; undefined where ways differ in it. */
export function decidingStep({ ways: [way, ...others] }: Explanation): Step | undefined {
  return others.length === 0 ? way?.steps.at(-1) : undefined
}
