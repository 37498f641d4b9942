import type { Explanation } from '@kube-rules/analyzer'
import type { CompileResult } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import type { Packet, Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import type { TextSource } from '../cluster/text-source.js'
import { formatCount } from '../messages/lines.js'

/** A connection, as `conntrack -L` prints it: its client, the address of the Service, and the endpoint. */
interface Connection {
  readonly name: string
  readonly line: number
  readonly protocol: Protocol
  readonly source: string
  readonly destination: string
  readonly destinationPort: number
  readonly endpoint: string
  /** Whether no reply was seen. */
  readonly isUnreplied: boolean
}

/** The maximum number of connections that are printed. */
const MAX_CONNECTIONS = 5

/**
 * Returns warnings about TCP and SCTP connections to addresses of Services if the objects do not contain the endpoint, as
 * complete lines. Rules do not apply to the packets of an existing connection, so such a connection keeps its endpoint.
 */
export function formatStaleConnections(sources: readonly TextSource[], result: CompileResult): readonly string[] {
  const connections = sources.flatMap(connectionsOf).filter(({ protocol }) => protocol !== 'UDP')
  return firstOf(connections.flatMap((connection) => warningOf(connection, result) ?? []))
}

/**
 * Returns warnings about connections that stay on an address although no rule sends new packets there, as complete lines.
 * Needs no objects.
 */
export function formatConnectionsOfPackets(
  sources: readonly TextSource[],
  explanations: readonly Explanation[],
): readonly string[] {
  const places = new Set(explanations.map(({ packet }) => placeOf(packet)))
  const reached = new Set(explanations.flatMap(({ paths }) => paths.flatMap(({ outcome }) => endpointOf(outcome))))
  if (reached.size === 0) return []
  const stale = sources
    .flatMap(connectionsOf)
    .filter((connection) => places.has(placeOf(connection)) && !reached.has(connection.endpoint))
  return firstOf(
    stale.map((connection) => {
      const { destination, destinationPort, protocol } = connection
      const end =
        protocol === 'UDP'
          ? `to end it, run conntrack -D -p udp --orig-dst ${destination} --orig-port-dst ${destinationPort} on the node`
          : 'it ends when the client connects again'
      return `${startOf(connection)}, but no rule in the dump sends new packets there; ${end}`
    }),
  )
}

/**
 * Describes a connection of texts without rules, if possible one without replies. Undefined if the texts have no
 * connection.
 */
export function describeConnectionsAlone(sources: readonly TextSource[]): string | undefined {
  const connections = sources.flatMap(connectionsOf)
  const connection = connections.find(({ isUnreplied }) => isUnreplied) ?? connections[0]
  if (connection === undefined) return undefined
  const { name, line, source, destination, destinationPort, protocol, endpoint, isUnreplied } = connection
  const way = `${name}:${line}: the connection from ${source} to ${placeOf(connection)}`
  const rest =
    'only rules show where new connections go: add the output of iptables-save, ipvsadm -Sn or nft list ruleset'
  if (endpoint !== joinHostPort(destination, destinationPort)) {
    return `${way} stays on ${endpoint}${isUnreplied ? ', which has not replied' : ''}; ${rest}`
  }
  if (!isUnreplied) return `${way} is not translated to an endpoint; ${rest}`
  const end = `conntrack -D -p ${protocol.toLowerCase()} --orig-dst ${destination} --orig-port-dst ${destinationPort}`
  return `${way} is not translated to an endpoint; if this is the address of a Service, its packets are lost until the entry is deleted: run ${end} on the node; ${rest}`
}

function placeOf({ destination, destinationPort, protocol }: Packet | Connection): string {
  return `${joinHostPort(destination, destinationPort)}/${protocol}`
}

function endpointOf(outcome: Explanation['paths'][number]['outcome']): readonly string[] {
  return outcome.kind === 'delivered' ? [joinHostPort(outcome.address, outcome.port)] : []
}

/** Formats the start of a warning, which describes the connection. */
function startOf(connection: Connection): string {
  const { name, line, source, endpoint } = connection
  return `warning: ${name}:${line}: a connection from ${source} to ${placeOf(connection)} stays on ${endpoint}`
}

function firstOf(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MAX_CONNECTIONS
  return [
    ...warnings.slice(0, MAX_CONNECTIONS),
    ...(more > 0 ? [`warning: … and ${formatCount(more, 'more stale connection')}`] : []),
  ]
}

/** The most words of an entry before its addresses: `ipv4 2 tcp 6 119 SYN_SENT`. */
const LONGEST_START = 6

function connectionsOf({ name, text }: TextSource): readonly Connection[] {
  if (!text.includes('src=')) return []
  return text.split('\n').flatMap((written, index) => {
    const words = written.split(/\s+/)
    const at = words.findIndex((word) => word.startsWith('src='))
    // The line may begin with words of the author, and the entry with a quote.
    const protocol = words
      .slice(Math.max(0, at - LONGEST_START), at)
      .flatMap((word) => PROTOCOLS_BY_NAME.get(word.replace(/^\W+/, '')) ?? [])
      .at(-1)
    const [source, endpoint] = valuesOf(words, 'src=')
    const [destination] = valuesOf(words, 'dst=')
    const [, endpointPort] = valuesOf(words, 'sport=')
    const [destinationPort] = valuesOf(words, 'dport=')
    if (protocol === undefined || source === undefined || destination === undefined || endpoint === undefined) return []
    const place = joinHostPort(endpoint, Number(endpointPort))
    return {
      name,
      line: index + 1,
      protocol,
      source,
      destination,
      destinationPort: Number(destinationPort),
      endpoint: place,
      isUnreplied: words.includes('[UNREPLIED]'),
    }
  })
}

/** Returns the values of a field, first that of the original packets, then that of the replies. */
function valuesOf(words: readonly string[], field: string): readonly string[] {
  return words.flatMap((word) => (word.startsWith(field) ? word.slice(field.length) : []))
}

function warningOf(connection: Connection, { families }: CompileResult): string | undefined {
  const { protocol, source, destination, destinationPort, endpoint } = connection
  const plan = families.find(({ family }) => (family === 'IPv6') === destination.includes(':'))?.plan
  if (plan === undefined) return undefined
  const decision = decide(plan, { origin: 'pod', source, destination, destinationPort, protocol })
  if (decision.kind !== 'endpoints') return undefined
  // An endpoint that is terminating, not ready or on another node keeps its connections.
  const known = plan.services.find(({ id }) => id === decision.servicePort)?.endpoints ?? []
  if (known.some(({ text }) => text === endpoint)) return undefined
  const { namespace, name: service } = decision.servicePort
  return `${startOf(connection)}, which is not an endpoint of Service ${namespace}/${service}; it ends when the client connects again`
}
