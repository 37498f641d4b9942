import type { VirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../../explain/format-list.js'
import { dependsOnMissingRules } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { isCertain } from '../certainty.js'
import type { Diagnosis } from '../diagnosis.js'
import { createDiagnosisRule, type PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { findServiceOfRules } from '../service-of-packet.js'
import { formatPacketsAtStart, RESTART_TEXT } from './words.js'

/** Diagnoses a packet to a virtual server that cannot send it to a real server, from the rules alone. */
export function diagnoseVirtualServer(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const server = findServer(facts)
  if (server === undefined || dependsOnMissingRules([path])) return undefined
  if (path.outcome.kind === 'unmatched') return unboundAddressDiagnosis(path, server, facts)
  const step = path.steps.at(-1)
  if (path.outcome.kind !== 'rejected' || step?.table !== 'ipvs') return undefined
  const may = isCertain(path, facts) ? 'are' : 'may be'
  const { object } = serviceOf(server, facts)
  const stopped = server.realServers.map(({ address, port }) => joinHostPort(address, port))
  const cause = 'a virtual server without a real server that accepts connections rejects packets'
  return {
    code: stopped.length === 0 ? 'emptyVirtualServer' : 'weightZero',
    summary: `${formatPacketsAtStart(facts)} ${may} rejected: ${
      stopped.length === 0
        ? 'their virtual server has no real servers'
        : `all real servers of their virtual server have weight 0 (${formatList(stopped)})`
    }`,
    cause:
      (stopped.length === 0
        ? `${cause}; kube-proxy on this node knows no usable endpoint of ${object}`
        : `${cause}; kube-proxy sets the weight of an endpoint to 0 when it disappears, and knows no other endpoint of ${object}`) +
      describeExpected(facts),
    steps: [
      { text: 'List the endpoints of the Service with kubectl', command: 'kubectl get endpointslices -A' },
      { text: `If a ready endpoint is not among the real servers, ${RESTART_TEXT}` },
    ],
    object,
    ...createDiagnosisRule(step),
  }
}

/** Returns `; the objects define dropped (the traffic policy is Local, and …)`. Empty without objects. */
function describeExpected({ reason }: PacketDiagnosisContext): string {
  return reason?.expectedOutcome === undefined
    ? ''
    : `; the objects define ${reason.expectedOutcome} (${reason.reason})`
}

function findServer({ packet, state }: PacketDiagnosisContext): VirtualServer | undefined {
  const { destination, destinationPort, protocol } = packet
  return state.ipvs?.virtualServers.find(
    ({ address, port, protocol: of }) => address === destination && port === destinationPort && of === protocol,
  )
}

function serviceOf(
  { address, port, protocol }: VirtualServer,
  facts: PacketDiagnosisContext,
): { readonly object: string } {
  return findServiceOfRules(facts) ?? { object: `the Service at ${formatDestination({ address, port, protocol })}` }
}

/**
 * Diagnoses a packet to a virtual server with an address that the node does not have. A path without assumptions shows
 * that the addresses of kube-ipvs0 and of the node are known.
 */
function unboundAddressDiagnosis(
  { assumptions }: TracePath,
  server: VirtualServer,
  facts: PacketDiagnosisContext,
): Diagnosis | undefined {
  const { address, port, protocol } = server
  if (assumptions.length > 0) return undefined
  const place = formatDestination({ address, port, protocol })
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} do not reach their virtual server: ${address} is missing on interface kube-ipvs0`,
    cause: `ipvs handles packets that arrive for addresses of the node, and kube-proxy adds the address of each virtual server to kube-ipvs0; another program may have deleted it`,
    steps: [{ text: `Let kube-proxy add the address: ${RESTART_TEXT}` }],
    object: serviceOf(server, facts).object,
    rule: place,
    ruleStatus: 'a virtual server of ipvs, without its address on kube-ipvs0',
  }
}
