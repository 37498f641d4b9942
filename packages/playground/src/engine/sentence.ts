import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { FormattedPath } from './results.js'

const ORIGINS: Readonly<Record<Packet['origin'], string>> = { pod: 'a pod', node: 'the node', outside: 'outside' }

/** The Service of a packet, and its session affinity. */
export interface SentenceContext {
  readonly servicePort: string
  /** The duration of the session affinity; undefined without session affinity. */
  readonly affinitySeconds?: number | undefined
}

/**
 * Describes the result for a packet in one sentence:
 * `A TCP packet from outside to 192.168.0.41:30080 goes to one of 3 endpoints of default/web:http/TCP, each with 1/3, with the node's address as its source.`
 */
export function describeResult(
  packet: Packet,
  paths: readonly FormattedPath[],
  { servicePort, affinitySeconds }: SentenceContext,
): string {
  const { protocol, origin, destination, destinationPort } = packet
  const what = `A ${protocol} packet from ${ORIGINS[origin]} to ${joinHostPort(destination, destinationPort)}`
  const affinity =
    affinitySeconds !== undefined && paths.length > 1 && paths.some(({ kind }) => kind === 'delivered')
      ? `. For ${affinitySeconds} s, later connections of the same client go to the same endpoint`
      : ''
  return `${what} ${describeEnds(paths, servicePort)}${affinity}.`
}

/**
 * Describes the outcomes as clauses: `goes to 10.244.1.5:8080, or is rejected`. If unknown facts decide between several
 * outcomes, the loss of the packet is first: `may be silently dropped, or may go to 10.244.1.5:8080`.
 */
export function describeEnds(paths: readonly FormattedPath[], servicePort: string): string {
  const delivered = paths.filter(({ kind }) => kind === 'delivered')
  const deliveries = delivered.length === 0 ? [] : [describeDelivery(delivered, servicePort)]
  const losses = [...new Set(paths.filter(({ kind }) => kind !== 'delivered').map(otherEnd))]
  const known = new Set(paths.map(({ kind }) => kind).filter((kind) => kind !== 'unknown'))
  const isUncertain = known.size > 1 && paths.some(({ conditions }) => conditions.length > 0)
  const ends = isUncertain ? [...losses, ...deliveries].map(asPossibility) : [...deliveries, ...losses]
  return ends.length === 0 ? 'has no outcome' : ends.join(', or ')
}

/** Turns `is rejected` into `may be rejected`. */
function asPossibility(end: string): string {
  return end
    .replace(/^is not /, 'may not be ')
    .replace(/^is /, 'may be ')
    .replace(/^goes /, 'may go ')
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
