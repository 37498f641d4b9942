import type { Node, Service, ServicePortSpec } from '@kube-rules/types'
import { joinHostPort, parseIp } from '@kube-rules/types/internal/ip'

/** The objects that a packet text can refer to by name or address. */
export interface NamedObjects {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
}

/**
 * Completes a packet text in a form that users often type: a URL, the arguments of curl, `localhost`, an address
 * without a port, a node port alone or with the name of a Node, `pod` before the address of a pod, or the name of a
 * Service that exists in only one namespace. Returns any other text unchanged.
 */
export function completePacketText(text: string, objects: NamedObjects): string {
  const [, given = '', destination = ''] = /^(.*(?:→|->|=>|\bto\b)\s*)?(.*)$/s.exec(text.trim()) ?? []
  const before = given.replace(/^((?:from\s+)?)pod\s+(?=[\da-f]*[.:])/, '$1')
  const nodePort = completeNodePort(destination, objects.nodes)
  // Node ports are for clients outside the cluster.
  if (nodePort !== undefined) return `${before || 'from outside → '}${nodePort}`
  const completed = completeDestination(destination, objects.services)
  if (completed === destination && before === given) return text
  const origin = before === '' && completed.startsWith('127.') ? 'from node → ' : before
  return `${origin}${completed}`
}

/** Completes a port alone, and a port after the name of a Node. */
function completeNodePort(text: string, nodes: readonly Node[]): string | undefined {
  const [, name, port] = /^(?:([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?):)?(\d{1,5}(?:\/\w+)?)$/.exec(text) ?? []
  if (port === undefined || name === 'node') return undefined
  if (name === undefined) return `node:${port}`
  const node = nodes.find(({ metadata }) => metadata?.name === name)
  const addresses = node?.status?.addresses?.filter(({ address }) => parseIp(address) !== undefined) ?? []
  const address = (addresses.find(({ type }) => type === 'InternalIP') ?? addresses[0])?.address
  return address && `${parseIp(address)?.family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function completeDestination(destination: string, services: readonly Service[]): string {
  const place = withoutUrl(destination.replace(/^(?:curl|wget|nc|telnet)\s+(?:-\S+\s+)*/, '')).replace(
    /^localhost\b/,
    '127.0.0.1',
  )
  const ip = parseIp(place.replace(/^\[(.*)\]$/, '$1'))
  if (ip !== undefined) return completeAddress(ip.text, services)
  return completeName(place, services)
}

/** Removes the scheme and the path from a URL. If the URL has no port, adds the default port of the scheme. */
function withoutUrl(text: string): string {
  const [, scheme, host = ''] = /^(https?):\/\/([^/?#]+)/.exec(text) ?? []
  if (scheme === undefined) return text
  return /:\d+$/.test(host) ? host : `${host}:${scheme === 'https' ? 443 : 80}`
}

function completeAddress(address: string, services: readonly Service[]): string {
  const service = services.find(({ spec, status }) =>
    [
      ...[spec?.clusterIP, ...(spec?.clusterIPs ?? []), ...(spec?.externalIPs ?? [])],
      ...(status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip),
    ].includes(address),
  )
  const [port] = service?.spec?.ports ?? []
  return port === undefined ? address : withProtocol(joinHostPort(address, port.port), port)
}

function completeName(text: string, services: readonly Service[]): string {
  const [, name, rest = ''] = /^(?:(?:svc|services?)\/)?([a-z][a-z0-9-]*)(:\S+)?$/.exec(text) ?? []
  if (name === undefined || name === 'node') return text
  const [service, ...others] = services.filter(({ metadata }) => metadata?.name === name)
  if (service === undefined || others.length > 0) return text
  return `${service.metadata?.namespace ?? 'default'}/${name}${rest}`
}

function withProtocol(text: string, { protocol }: ServicePortSpec): string {
  return protocol === 'UDP' || protocol === 'SCTP' ? `${text}/${protocol.toLowerCase()}` : text
}
