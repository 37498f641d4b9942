import { type IpFamily, type Protocol, parseIp } from '@kube-rules/types'
import { UsageError } from '../messages/errors.js'

/** Where the packets that are to be explained go. */
export type Destination = Place | ServiceName

export interface Place {
  /** Absent for `node`. */
  readonly address?: string | undefined
  readonly family?: IpFamily | undefined
  readonly port: number
  readonly protocol: Protocol
}

export interface ServiceName {
  readonly namespace: string
  readonly name: string
  /** The name or the number of one of its ports; absent: all of them. */
  readonly port?: string | undefined
  /** Absent: any. */
  readonly protocol?: Protocol | undefined
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' }

/**
 * Reads an address and port (`10.96.0.10:53/udp`, `[fd00::1]:443`, `node:30080`) or the name of a Service (`default/web`,
 * `default/web:http`, `web.default:80`, `svc/web`), which is in `namespace` where it says no other.
 *
 * @throws UsageError for anything else.
 */
export function readDestination(text: string, namespace: string | undefined): Destination {
  const destination = readPlace(text) ?? readServiceName(text, namespace)
  if (destination !== undefined) return destination
  throw new UsageError(
    `${text} is no destination; expected ADDRESS:PORT or ADDRESS:PORT/PROTOCOL, such as 10.96.0.10:53/udp, ` +
      'or a Service, such as default/web or default/web:http',
  )
}

function readPlace(text: string): Place | undefined {
  const [, bracketed, plain, portText, protocolText = 'tcp'] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})(?:\/([a-z]+))?$/i.exec(text) ?? []
  const protocol = PROTOCOLS[protocolText.toLowerCase()]
  const port = Number(portText)
  if (protocol === undefined || !(port >= 1 && port <= 65535)) return undefined
  if (plain === 'node') return { port, protocol }
  const ip = parseIp(bracketed ?? plain ?? '')
  if (ip === undefined || (ip.family === 'IPv6') !== (bracketed !== undefined)) return undefined
  return { address: ip.text, family: ip.family, port, protocol }
}

/** A label of DNS; those of Services begin with a letter, so that none is taken for an address. */
const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const NAME = '[a-z](?:[-a-z0-9]*[a-z0-9])?'

const SERVICE = new RegExp(
  `^(?:(?:svc|services?)/(${NAME})|(${LABEL})/(${NAME})|(${NAME})\\.(${LABEL})(?:\\.svc(?:\\.${LABEL})*)?|(${NAME}))` +
    `(?::(${LABEL}))?(?:/(tcp|udp|sctp|TCP|UDP|SCTP))?$`,
)

function readServiceName(text: string, namespace: string | undefined): ServiceName | undefined {
  const [found, ofKind, before, behind, label, after, bare, port, protocol = ''] = SERVICE.exec(text) ?? []
  const name = ofKind ?? behind ?? label ?? bare
  // A word alone may be anything, unless its namespace is told.
  if (found === undefined || name === undefined || (bare !== undefined && namespace === undefined)) return undefined
  const own = before ?? after ?? namespace ?? 'default'
  return { namespace: own, name, port, protocol: PROTOCOLS[protocol.toLowerCase()] }
}
