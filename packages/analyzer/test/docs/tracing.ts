import { explain, type Packet, parseDump, trace } from '@kube-rules/analyzer'
import { annotateOwners, printExplanation, traceContextFor } from '@kube-rules/analyzer/explain'
import { compile } from '@kube-rules/compiler'

const service = {
  metadata: { namespace: 'default', name: 'web' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
}
const slice = {
  metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
}
const result = compile({ services: [service], endpointSlices: [slice] }, { mode: 'iptables', families: ['IPv4'] })

const packet: Packet = {
  origin: 'pod',
  protocol: 'TCP',
  source: '10.244.1.9',
  destination: '10.96.0.10',
  destinationPort: 80,
}

/** Explains the path of a packet through the compiled rules. */
export function compiledPath(): string {
  return result.families
    .map(({ state, plan }) => printExplanation(explain(state, packet, { plan, ...traceContextFor(plan) })))
    .join('')
}

/**
 * Traces a packet through the rules of a live node: the output of iptables-save, ipset save and ipvsadm -Sn, one after
 * another.
 */
export function livePath(text: string): readonly string[] {
  const dump = parseDump(text)
  if (!dump.ok) return dump.problems.map(({ line, message }) => `${line}: ${message}`)
  const paths = trace(annotateOwners(dump.value.IPv4), packet, { addresses: ['192.168.0.2'] })
  return paths.map(({ weight, outcome }) => `${weight} ${outcome.kind}`)
}
