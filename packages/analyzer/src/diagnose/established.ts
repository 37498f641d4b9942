import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { Packet } from '@kube-rules/types'
import { formatList } from '../explain/format-list.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findEndpointStep,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'

/** Reports that packets of existing flows bypass the rules. */
export function diagnoseEstablishedFlow({ packet, paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected === undefined || !('servicePort' in expected.decision)) return undefined
  const step = paths[0] && findEndpointStep(paths[0])
  if (step === undefined) return undefined
  const { servicePort } = expected.decision
  const { destination: address, destinationPort: port, protocol } = packet
  const to = formatDestination({ address, port, protocol })
  return {
    code: 'establishedFlow',
    summary: prefixWithNode(
      expected.plan,
      `clients with an existing flow to ${to} stay on their first pod, even if it was deleted; new clients are not affected`,
    ),
    cause: `conntrack on the node stores that pod for each client of ${formatService(servicePort)}; later packets bypass the rules`,
    steps: protocol === 'UDP' ? conntrackSteps(packet, expected) : [RECONNECT],
    object: formatService(servicePort),
    ...createDiagnosisRule(step, 'for new clients only'),
  }
}

const RECONNECT: DiagnosisStep = {
  text: 'Reconnect the clients; the node needs no repair, and kube-proxy removes entries of UDP clients only',
}

/** Steps that list the conntrack entries and delete them if one is stale: `conntrack -L` and `conntrack -D`. */
function conntrackSteps(
  { destination, destinationPort }: Packet,
  { decision }: ExpectedHandling,
): readonly DiagnosisStep[] {
  const flow = `-p udp --orig-dst ${destination} --orig-port-dst ${destinationPort}`
  const endpoints = 'candidates' in decision ? decision.candidates.map(({ endpoint }) => endpoint.ip) : []
  const stale =
    endpoints.length === 0
      ? 'Entries are stale if their second src= is not an endpoint'
      : `Entries are stale if their second src= is not ${endpoints.length === 1 ? 'the endpoint' : 'one of the endpoints'} ${formatList(endpoints)}`
  return [
    { text: `List the entries as root on each node with such clients. ${stale}`, command: `conntrack -L ${flow}` },
    {
      text: 'If an entry is stale, delete the entries on that node',
      command: `conntrack -D ${flow}`,
      impact: 'the next packet of each client goes to a current endpoint',
    },
  ]
}
