import type { CompileResult } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import type { Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
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
}

/** The maximum number of connections that are printed. */
const MOST_CONNECTIONS = 5

/**
 * Returns warnings about TCP and SCTP connections to addresses of Services if the objects do not contain the endpoint, as
 * complete lines. Rules do not apply to the packets of an existing connection, so such a connection keeps its endpoint.
 */
export function formatStaleConnections(sources: readonly TextSource[], result: CompileResult): readonly string[] {
  const warnings = sources.flatMap(connectionsOf).flatMap((connection) => warningOf(connection, result) ?? [])
  const more = warnings.length - MOST_CONNECTIONS
  return [
    ...warnings.slice(0, MOST_CONNECTIONS),
    ...(more > 0 ? [`warning: … and ${formatCount(more, 'more stale connection')}`] : []),
  ]
}

function connectionsOf({ name, text }: TextSource): readonly Connection[] {
  if (!text.includes('src=')) return []
  return text.split('\n').flatMap((written, index) => {
    const words = written.replace(/^[> \t]+/, '').split(/\s+/)
    const protocol = PROTOCOLS.get((/^ipv[46]$/.test(words[0] ?? '') ? words[2] : words[0]) ?? '')
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
    }
  })
}

/** The protocols of connections. Connections over UDP have commands that delete them. */
const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['tcp', 'TCP'],
  ['sctp', 'SCTP'],
])

/** Returns the values of a field, first that of the original packets, then that of the replies. */
function valuesOf(words: readonly string[], field: string): readonly string[] {
  return words.flatMap((word) => (word.startsWith(field) ? word.slice(field.length) : []))
}

function warningOf(connection: Connection, { families }: CompileResult): string | undefined {
  const { name, line, protocol, source, destination, destinationPort, endpoint } = connection
  const plan = families.find(({ family }) => (family === 'IPv6') === destination.includes(':'))?.plan
  if (plan === undefined) return undefined
  const decision = decide(plan, { origin: 'pod', source, destination, destinationPort, protocol })
  if (decision.kind !== 'endpoints') return undefined
  // An endpoint that is terminating, not ready or on another node keeps its connections.
  const known = plan.services.find(({ id }) => id === decision.servicePort)?.endpoints ?? []
  if (known.some(({ text }) => text === endpoint)) return undefined
  const { namespace, name: service } = decision.servicePort
  return `warning: ${name}:${line}: a connection from ${source} to ${destination}:${destinationPort}/${protocol} stays on ${endpoint}, which is not an endpoint of Service ${namespace}/${service}; it ends when the client connects again`
}
