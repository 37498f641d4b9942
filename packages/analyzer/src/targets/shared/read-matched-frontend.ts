import type { Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import type { StateFrontend } from '../state-frontend.js'

/**
 * Returns the address and port that a rule matches on as a destination. The address is absent if the rule matches on a
 * network or on no address. Undefined without an individual port.
 */
export function readMatchedFrontend(matches: readonly Match[]): Pick<StateFrontend, 'address' | 'port'> | undefined {
  const port = findMatch(matches, 'destinationPort')
  if (port === undefined || port.first !== port.last) return undefined
  const network = findMatch(matches, 'destination')?.address
  const destination = network === undefined ? undefined : withoutHostPrefix(network)
  return { address: destination?.includes('/') ? undefined : destination, port: port.first }
}

/** Returns the first match of a kind. */
export function findMatch<K extends Match['kind']>(
  matches: readonly Match[],
  kind: K,
): Extract<Match, { kind: K }> | undefined {
  return matches.find((match): match is Extract<Match, { kind: K }> => match.kind === kind)
}
