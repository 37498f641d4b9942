import type { Service, ServicePortSpec } from '@kube-rules/types'
import { joinHostPort, parseIp } from '@kube-rules/types/internal/ip'

/**
 * Completes a packet text in a form that users often type: a URL, the arguments of curl, `localhost`, an address
 * without a port, or the name of a Service that exists in only one namespace. Returns any other text unchanged.
 */
export function completePacketText(text: string, services: readonly Service[]): string {
  const [, before = '', destination = ''] = /^(.*(?:→|->|=>|\bto\b)\s*)?(.*)$/s.exec(text.trim()) ?? []
  const completed = completeDestination(destination, services)
  if (completed === destination) return text
  const origin = before === '' && completed.startsWith('127.') ? 'from node → ' : before
  return `${origin}${completed}`
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
  const [, name, rest = ''] = /^([a-z][a-z0-9-]*)(:\S+)?$/.exec(text) ?? []
  if (name === undefined || name === 'node') return text
  const [service, ...others] = services.filter(({ metadata }) => metadata?.name === name)
  if (service === undefined || others.length > 0) return text
  return `${service.metadata?.namespace ?? 'default'}/${name}${rest}`
}

function withProtocol(text: string, { protocol }: ServicePortSpec): string {
  return protocol === 'UDP' || protocol === 'SCTP' ? `${text}/${protocol.toLowerCase()}` : text
}
