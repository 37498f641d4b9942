import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { FormattedPath } from './results.js'

const ORIGINS: Readonly<Record<Packet['origin'], string>> = { pod: 'a pod', node: 'the node', outside: 'outside' }

/**
 * Describes the result for a packet in one sentence:
 * `A TCP packet from outside to 192.168.0.41:30080 goes to one of 3 endpoints of default/web:http/TCP, each with 1/3, with the node's address as its source.`
 */
export function describeResult(packet: Packet, paths: readonly FormattedPath[], servicePort: string): string {
  const { protocol, origin, destination, destinationPort } = packet
  const what = `A ${protocol} packet from ${ORIGINS[origin]} to ${joinHostPort(destination, destinationPort)}`
  const parts = endsOf(paths, servicePort)
  return `${what} ${parts.length === 0 ? 'has no outcome' : parts.join(', or ')}.`
}

function endsOf(paths: readonly FormattedPath[], servicePort: string): readonly string[] {
  const delivered = paths.filter(({ kind }) => kind === 'delivered')
  const others = new Set(paths.filter(({ kind }) => kind !== 'delivered').map(otherEnd))
  return [...(delivered.length === 0 ? [] : [describeDelivery(delivered, servicePort)]), ...others]
}

function describeDelivery(paths: readonly FormattedPath[], servicePort: string): string {
  const endpoints = new Set(paths.map(({ endpoint }) => endpoint))
  const weights = new Set(paths.map(({ weight }) => weight))
  const [weight] = weights
  const whose = servicePort === '' ? '' : ` of ${servicePort}`
  const where =
    endpoints.size === 1
      ? `${[...endpoints].join()}${servicePort === '' ? '' : `, the endpoint${whose}`}`
      : `one of ${endpoints.size} endpoints${whose}`
  const each =
    endpoints.size > 1 && weights.size === 1 && endpoints.size === paths.length ? `, each with ${weight}` : ''
  return `goes to ${where}${each}${formatSource(paths)}`
}

function formatSource(paths: readonly FormattedPath[]): string {
  const changed = paths.filter(({ masqueraded }) => masqueraded).length
  if (changed === 0) return ', with its own source address'
  return changed === paths.length
    ? ', with the node’s address as its source'
    : ', on some paths with the node’s address as its source'
}

function otherEnd({ kind, outcome }: FormattedPath): string {
  switch (kind) {
    case 'rejected':
      return 'is rejected'
    case 'dropped':
      return 'is silently dropped'
    case 'unmatched':
      return 'is not handled by kube-proxy: no Service has this address and port'
    case 'proxy':
      return `goes ${outcome}`
    default:
      return outcome
  }
}
