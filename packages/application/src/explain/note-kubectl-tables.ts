import { isUndetermined } from '@kube-rules/analyzer/explain'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { TextSource } from '../cluster/text-source.js'
import { type EndpointsRow, type KubectlTables, readKubectlTables, type ServiceRow } from '../dump/kubectl-tables.js'
import type { DiagnosedPacket } from './diagnosed-packet.js'

/**
 * Compares the outcomes of packets with the tables of `kubectl get` that were pasted beside the rules. Returns a note
 * for each difference. A table shows neither traffic policies nor nodes, so it is no reason for a diagnosis.
 */
export function noteKubectlTables(
  explanations: readonly DiagnosedPacket[],
  sources: readonly TextSource[],
): readonly string[] {
  const read = sources.map(({ text }) => readKubectlTables(text))
  const tables: KubectlTables = {
    services: read.flatMap(({ services }) => services),
    endpoints: read.flatMap(({ endpoints }) => endpoints),
  }
  const [explanation] = explanations
  const service = explanation && tables.services.find((row) => isDestination(row, explanation))
  if (service === undefined) return []
  const rows = tables.endpoints.filter((row) => row.service === service.name && isSameNamespace(row, service))
  if (rows.length === 0) return []
  const notes = rows.some(({ endpoints }) => endpoints.length > 0)
    ? compareEndpoints(service, rows, explanations)
    : [describeNoEndpoints(service)]
  return notes.map((note) => `note: ${note}`)
}

function isDestination({ addresses, ports }: ServiceRow, { packet }: DiagnosedPacket): boolean {
  const own = ports.filter(({ protocol }) => protocol === packet.protocol)
  return (
    (addresses.includes(packet.destination) && own.some(({ port }) => port === packet.destinationPort)) ||
    own.some(({ nodePort }) => nodePort === packet.destinationPort)
  )
}

function isSameNamespace(row: EndpointsRow, service: ServiceRow): boolean {
  return row.namespace === undefined || service.namespace === undefined || row.namespace === service.namespace
}

function describeNoEndpoints(service: ServiceRow): string {
  const cause =
    service.selector === undefined
      ? 'no ready pod matches its selector, or it has none'
      : service.selector.startsWith('<')
        ? 'it has no selector, so its EndpointSlices have to be created by another program'
        : `no ready pod matches its selector ${service.selector}`
  return `kubectl get lists no endpoint of ${formatService(service)}: ${cause}`
}

function compareEndpoints(
  service: ServiceRow,
  rows: readonly EndpointsRow[],
  explanations: readonly DiagnosedPacket[],
): readonly string[] {
  const listed = new Set(rows.flatMap(({ endpoints }) => endpoints))
  const reached = new Set(
    explanations.flatMap(({ paths }) =>
      paths.flatMap(({ outcome }) =>
        outcome.kind === 'delivered' ? [joinHostPort(outcome.address, outcome.port)] : [],
      ),
    ),
  )
  // Without any outcome, the dump shows nothing about the endpoints.
  const isUnknown = reached.size === 0 && explanations.some(({ paths }) => isUndetermined(paths))
  const unreached = isUnknown ? [] : [...listed].filter((endpoint) => !reached.has(endpoint))
  const unlisted = rows.every(({ isComplete }) => isComplete)
    ? [...reached].filter((endpoint) => !listed.has(endpoint))
    : []
  return [
    ...(unreached.length === 0
      ? []
      : [
          `kubectl get lists ${formatEndpoints(unreached)} of ${formatService(service)}, but no rule in the dump sends these packets there (normal with a traffic policy of Local if the pods run on other nodes)`,
        ]),
    ...(unlisted.length === 0
      ? []
      : [
          `rules send these packets to ${unlisted.join(', ')}, which kubectl get does not list for ${formatService(service)}`,
        ]),
  ]
}

function formatEndpoints(endpoints: readonly string[]): string {
  return `${endpoints.length === 1 ? 'endpoint' : 'endpoints'} ${endpoints.join(', ')}`
}

function formatService({ namespace, name }: ServiceRow): string {
  return `Service ${namespace === undefined ? name : `${namespace}/${name}`}`
}
