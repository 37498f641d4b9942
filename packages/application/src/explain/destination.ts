import type { IpFamily, Protocol } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import { UsageError } from '../messages/errors.js'

/** The destination of the packets to explain. */
export type Destination = AddressDestination | ServiceDestination | HostDestination

export interface AddressDestination {
  /** The address. Absent for the destination `node:PORT`. */
  readonly address?: string | undefined
  readonly family?: IpFamily | undefined
  readonly port: number
  readonly protocol: Protocol
}

export interface ServiceDestination {
  /** The namespace. If absent, the only Service with the name is meant. */
  readonly namespace?: string | undefined
  readonly name: string
  /** The name or number of a port of the Service. If absent, all ports are meant. */
  readonly port?: string | undefined
  /** The protocol. If absent, every protocol is meant. */
  readonly protocol?: Protocol | undefined
}

/** The host name of a load balancer. */
export interface HostDestination {
  readonly host: string
  readonly port?: string | undefined
}

/**
 * Parses an address and port (`10.96.0.10:53/udp`, `[fd00::1]:443`, `node:30080`) or the name of a Service
 * (`default/web`, `default/web:http`, `web.default:80`, `web:80`, `svc/web`). `namespace` is the default namespace of the
 * Service. Any other name with dots is the host name of a load balancer (`lb.example.com:80`).
 *
 * @throws UsageError for anything else.
 */
export function parseDestination(text: string, namespace: string | undefined): Destination {
  const destination = readPlace(text) ?? readServiceName(text, namespace) ?? readHost(text)
  if (destination !== undefined) return destination
  throw new UsageError(
    `${text} is not a valid destination; expected ADDRESS:PORT or ADDRESS:PORT/PROTOCOL, such as 10.96.0.10:53/udp, ` +
      'or a Service, such as default/web or default/web:http',
  )
}

function readPlace(text: string): AddressDestination | undefined {
  const [, bracketed, plain, portText, protocolText = 'tcp'] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})(?:\/([a-z]+))?$/i.exec(text) ?? []
  const protocol = PROTOCOLS_BY_NAME.get(protocolText.toLowerCase())
  const port = Number(portText)
  if (protocol === undefined || !(port >= 1 && port <= 65535)) return undefined
  if (plain === 'node') return { port, protocol }
  const ip = parseIp(bracketed ?? plain ?? '')
  if (ip === undefined || (ip.family === 'IPv6') !== (bracketed !== undefined)) return undefined
  return { address: ip.text, family: ip.family, port, protocol }
}

function readHost(text: string): HostDestination | undefined {
  const [, host, port] = /^([a-z0-9][-a-z0-9]*(?:\.[-a-z0-9]+)*\.[a-z][-a-z0-9]*)(?::(\d{1,5}))?$/i.exec(text) ?? []
  return host === undefined ? undefined : { host: host.toLowerCase(), port }
}

/**
 * A DNS label, which may begin with a digit. The name of a Service begins with a letter, so it cannot be confused with
 * an address.
 */
const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const NAME = '[a-z](?:[-a-z0-9]*[a-z0-9])?'

const SERVICE = new RegExp(
  `^(?:(?:svc|services?)/(${NAME})|(${LABEL})/(${NAME})|(${NAME})\\.(${LABEL})(?:\\.svc(?:\\.${LABEL})*)?|(${NAME}))` +
    `(?::(${LABEL}))?(?:/(tcp|udp|sctp|TCP|UDP|SCTP))?$`,
)

function readServiceName(text: string, namespace: string | undefined): ServiceDestination | undefined {
  const [match, ofKind, before, behind, label, after, bare, port, protocol = ''] = SERVICE.exec(text) ?? []
  const name = ofKind ?? behind ?? label ?? bare
  if (match === undefined || name === undefined) return undefined
  const own = before ?? after ?? namespace ?? (ofKind === undefined ? undefined : 'default')
  return { namespace: own, name, port, protocol: PROTOCOLS_BY_NAME.get(protocol.toLowerCase()) }
}
