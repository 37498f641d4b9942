import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Plan } from './plan.js'

/** The destination of the first packet of a UDP connection, and the source of its replies. */
export interface LiveConnection {
  readonly originalDestination: string
  readonly originalDestinationPort: number
  readonly replySource: string
  readonly replySourcePort: number
}

/**
 * Returns the function that reports whether a UDP connection is stale. It is stale if its destination is a frontend of a
 * UDP service port, and no serving endpoint sends the replies. The connections of a process are never stale.
 *
 * Mirrors `CleanStaleEntries` of kube-proxy since v1.32, and compares ports too, as later versions do.
 */
export function createStaleConnectionCheck(plan: Plan): (connection: LiveConnection) => boolean {
  const serving = new Map<string, Set<string>>()
  for (const { id, endpoints, frontends } of plan.connectionsTaken ? [] : plan.services) {
    if (id.protocol !== 'UDP') continue
    const own = endpoints.flatMap((endpoint) => (endpoint.serving ? [endpoint.text] : []))
    // Node ports have no address, because they apply to any.
    for (const { address = '', port } of frontends) {
      const frontend = joinHostPort(address, port)
      serving.set(frontend, new Set([...(serving.get(frontend) ?? []), ...own]))
    }
  }
  return ({ originalDestination, originalDestinationPort: port, replySource, replySourcePort }) => {
    const reply = joinHostPort(replySource, replySourcePort)
    const frontends = [joinHostPort(originalDestination, port), joinHostPort('', port)]
    return frontends.some((frontend) => serving.get(frontend)?.has(reply) === false)
  }
}
