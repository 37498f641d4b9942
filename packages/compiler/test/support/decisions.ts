import type { Cidr, Packet } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import type { FamilySettings } from '../../src/model/configuration/settings.js'
import type { NodeFacts } from '../../src/model/node/node-facts.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Decision } from '../../src/plan/decide.js'
import type { Plan } from '../../src/plan/plan.js'
import { buildPlan } from './build-plan.js'
import { model, nodeFacts, settings } from './model-builder.js'

export interface Configuration {
  readonly node?: Partial<NodeFacts>
  readonly settings?: Partial<FamilySettings>
}

/** Builds the plan of these service ports on the node of the model builder. */
export function planOf(servicePorts: readonly ServicePort[], configuration: Configuration = {}): Plan {
  return buildPlan(
    model({ node: nodeFacts(configuration.node), settings: settings(configuration.settings), servicePorts }),
  )
}

export function cidr(text: string): Cidr {
  const parsed = parseCidr(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}

/** Builds a TCP packet from a source to `ADDRESS:PORT`, with overrides. */
export function packet(source: string, to: string, fields: Partial<Packet> = {}): Packet {
  const [destination = '', port] = to.split(':')
  return { origin: 'outside', protocol: 'TCP', source, destination, destinationPort: Number(port), ...fields }
}

/**
 * Summarizes a decision as `10.180.0.1 10.180.1.1* policy`: the candidates, with an asterisk if masqueraded, or the
 * rejection; and the reason.
 */
export function summary(decision: Decision): string {
  if (decision.kind === 'unmatched') return 'unmatched'
  if (decision.kind === 'healthCheck') return `healthCheck ${decision.servicePort.text}`
  if (decision.kind !== 'endpoints') return `${decision.kind} ${decision.reason}`
  const candidates = decision.candidates.map(({ endpoint: { ip }, masquerade }) => (masquerade ? `${ip}*` : ip))
  return [...candidates, decision.reason].join(' ')
}
