import { type IpFamily, type Protocol, parseIp } from '@kube-rules/types'
import { UsageError } from '../../errors.js'

export interface Destination {
  /** Absent for `node`. */
  readonly address?: string | undefined
  readonly family?: IpFamily | undefined
  readonly port: number
  readonly protocol: Protocol
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' }

/**
 * Reads `10.96.0.10:53/udp`, `[fd00::1]:443` or `node:30080`.
 *
 * @throws UsageError for anything else.
 */
export function readDestination(text: string): Destination {
  const [, bracketed, plain, portText, protocolText = 'tcp'] =
    /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})(?:\/([a-z]+))?$/i.exec(text) ?? []
  const protocol = PROTOCOLS[protocolText.toLowerCase()]
  const port = Number(portText)
  if (protocol === undefined || !(port >= 1 && port <= 65535)) refuse(text)
  if (plain === 'node') return { port, protocol }
  const ip = parseIp(bracketed ?? plain ?? '')
  if (ip === undefined || (ip.family === 'IPv6') !== (bracketed !== undefined)) refuse(text)
  return { address: ip.text, family: ip.family, port, protocol }
}

function refuse(text: string): never {
  throw new UsageError(
    `${text} is no destination; expected ADDRESS:PORT or ADDRESS:PORT/PROTOCOL, such as 10.96.0.10:53/udp`,
  )
}
