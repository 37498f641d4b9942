import { type IpFamily, type Origin, type Protocol, parseIp } from '@kube-rules/types'

/** What the packet box asks for. */
export interface PacketText {
  /** One of the origins, or the address the packet comes from. */
  readonly from: Origin | { readonly address: string; readonly family: IpFamily }
  readonly to: AddressText | ServiceText
}

/** `10.96.0.10:53/udp`; without an address: a port of the node. */
export interface AddressText {
  readonly address?: string | undefined
  readonly family?: IpFamily | undefined
  readonly port: number
  readonly protocol: Protocol
}

/** `default/web:http`; without a port: the first. */
export interface ServiceText {
  readonly service: string
  readonly port?: string | undefined
  readonly protocol?: Protocol | undefined
}

/** What a text of the packet box is, or what is wrong with it in one line. */
export type ReadPacket =
  | { readonly ok: true; readonly value: PacketText }
  | { readonly ok: false; readonly problem: string }

const ARROW = /\s*(?:→|->|=>|\bto\b)\s*/
const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** Reads `from pod → 10.96.0.10:53/udp`; `->` does for the arrow, and without `from` the packet is a pod's. */
export function readPacket(text: string): ReadPacket {
  const [first = '', second, ...more] = text.trim().split(ARROW)
  if (more.length > 0) return problem('more than one arrow')
  const from = second === undefined ? 'pod' : readFrom(first.replace(/^from\s+/, ''))
  const target = second ?? first
  if (target === '') return problem('where to? for example from pod → 10.96.0.10:53/udp')
  if (from === undefined) return problem(`${first}: expected from pod, from node, from outside or from an address`)
  const to = readAddress(target) ?? readService(target)
  if (to === undefined) {
    return problem(`${target}: expected an address and port such as 10.96.0.10:53/udp, node:30080, or a Service such as default/web:http`)
  }
  return { ok: true, value: { from, to } }
}

/** The inverse of `readPacket`. */
export function packetText({ from, to }: PacketText): string {
  return `from ${typeof from === 'string' ? from : from.address} → ${'service' in to ? serviceText(to) : addressText(to)}`
}

/** The text with another origin, whatever its destination is. */
export function withOrigin(text: string, origin: Origin): string {
  const target = text.trim().split(ARROW).at(-1) ?? ''
  return `from ${origin} → ${target}`
}

function problem(text: string): ReadPacket {
  return { ok: false, problem: text }
}

function readFrom(text: string): PacketText['from'] | undefined {
  const origin = ORIGINS.find((each) => each === text)
  if (origin !== undefined) return origin
  const ip = parseIp(text.replace(/^\[(.*)\]$/, '$1'))
  return ip && { address: ip.text, family: ip.family }
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' }

function readAddress(text: string): AddressText | undefined {
  const [, bracketed, plain, portText, protocolText = 'tcp'] =
    /^(?:\[([^\]]*)\]|([^:[\]/]*)):(\d{1,5})(?:\/([a-z]+))?$/i.exec(text) ?? []
  const protocol = PROTOCOLS[protocolText.toLowerCase()]
  const port = Number(portText)
  if (protocol === undefined || !(port >= 1 && port <= 65535)) return undefined
  if (plain === 'node') return { port, protocol }
  const ip = parseIp(bracketed ?? plain ?? '')
  if (ip === undefined || (ip.family === 'IPv6') !== (bracketed !== undefined)) return undefined
  return { address: ip.text, family: ip.family, port, protocol }
}

function addressText({ address, family, port, protocol }: AddressText): string {
  const host = address === undefined ? 'node' : family === 'IPv6' ? `[${address}]` : address
  return `${host}:${port}/${protocol.toLowerCase()}`
}

const NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const SERVICE = new RegExp(`^(?:svc/)?(${NAME}/${NAME})(?::(${NAME}))?(?:/(tcp|udp|sctp))?$`, 'i')

function readService(text: string): ServiceText | undefined {
  const [, service, port, protocol = ''] = SERVICE.exec(text) ?? []
  return service === undefined ? undefined : { service, port, protocol: PROTOCOLS[protocol.toLowerCase()] }
}

function serviceText({ service, port, protocol }: ServiceText): string {
  return `${service}${port === undefined ? '' : `:${port}`}${protocol === undefined ? '' : `/${protocol.toLowerCase()}`}`
}
