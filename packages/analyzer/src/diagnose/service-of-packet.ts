import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { StateFrontend } from '../targets/state-frontend.js'
import type { DiagnosedService } from './foreign-rule.js'
import { formatService, type PacketDiagnosisContext } from './packet-diagnosis-context.js'

/**
 * Returns the service port of a packet. The objects determine it, by a frontend or an endpoint. If they do not contain
 * the destination, the rules do. Undefined if neither contain it.
 */
export function findServiceOfPacket(facts: PacketDiagnosisContext): DiagnosedService | undefined {
  const { expected } = facts
  const decided =
    expected !== undefined && 'servicePort' in expected.decision ? expected.decision.servicePort : undefined
  const direct = decided ?? findServiceOfEndpoint(facts)
  if (direct !== undefined) return { ...direct, object: formatService(direct) }
  return findServiceOfRules(facts)
}

/** Returns the service port of a packet that is sent directly to one of its endpoints. */
export function findServiceOfEndpoint({ packet, expected }: PacketDiagnosisContext): ServicePortId | undefined {
  if (expected?.decision.kind !== 'unmatched') return undefined
  const place = joinHostPort(packet.destination, packet.destinationPort)
  return expected.plan.services.find(
    ({ id, endpoints }) => id.protocol === packet.protocol && endpoints.some(({ text }) => text === place),
  )?.id
}

/**
 * Returns the service port that owns a rule on the path, or the rule or virtual server for the destination. If the
 * rules contain no name, returns the destination in place of the name: `10.96.0.1:443/TCP`.
 */
export function findServiceOfRules(facts: PacketDiagnosisContext): DiagnosedService | undefined {
  const owner = facts.paths.flatMap(({ steps }) => steps.map((step) => step.servicePort)).find((each) => each !== '')
  if (owner !== undefined) return parseOwner(owner)
  const frontend = findFrontend(facts)
  if (frontend === undefined || facts.expected !== undefined) return undefined
  return parseOwner(frontend.owner) ?? createUnnamedService(facts)
}

/** Returns the frontend of the rules at the destination of the packet. */
export function findFrontend({ packet, frontends }: PacketDiagnosisContext): StateFrontend | undefined {
  const { protocol, destination, destinationPort } = packet
  return frontends().find(
    (each) => each.protocol === protocol && each.port === destinationPort && each.address === destination,
  )
}

/** Parses the owner of a rule: `default/web:http/TCP`. Undefined for any other text. */
export function parseOwner(owner: string): DiagnosedService | undefined {
  const [, namespace, name] = /^([^/]+)\/([^/:]+)/.exec(owner) ?? []
  if (namespace === undefined || name === undefined) return undefined
  const text = owner.replace(/\/[A-Z]+$/, '')
  return { namespace, name, text, object: formatService({ namespace, name }) }
}

/** Returns a Service that is named by the destination of the packet. */
export function createUnnamedService({ packet }: PacketDiagnosisContext): DiagnosedService {
  const { destination: address, destinationPort: port, protocol } = packet
  const text = formatDestination({ address, port, protocol })
  return { namespace: '', name: '', text, object: `the Service at ${text}` }
}
