import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { invariant } from '../../internal/invariant.js'
import type { ConntrackEntry, ConntrackEntryFilter } from './ast.js'

/**
 * Returns conntrack arguments to delete these entries: `['-D', '--orig-dst', '10.96.0.10', '-p', 'udp']`. If no entry
 * matches, the tool fails with "0 flow entries have been deleted", which is harmless.
 *
 * Mirrors `ClearEntriesForIP`, `ClearEntriesForPort`, `ClearEntriesForNAT` and `ClearEntriesForPortNAT` of kube-proxy
 * v1.30. Throws if a value cannot be passed to the tool.
 */
export function createDeletionArguments(filter: ConntrackEntryFilter): readonly string[] {
  const protocol = ['-p', protocolWord(filter)]
  const nat = natWords(filter).flatMap((address) => ['--dst-nat', address])
  const options =
    'originalDestination' in filter
      ? ['--orig-dst', toWord(filter), ...nat, ...protocol]
      : [...protocol, '--dport', toWord(filter), ...nat]
  return ['-D', ...options, ...(filter.family === 'IPv6' ? ['-f', 'ipv6'] : [])]
}

/**
 * Returns the arguments for the conntrack tool to delete the UDP entries of all clients with the destination and the
 * reply source of `entry`.
 */
export function createEntryDeletionArguments(entry: ConntrackEntry): readonly string[] {
  const { family, originalDestination, originalDestinationPort, replySource, replySourcePort } = entry
  return [
    ...['-D', '--orig-dst', addressWord(originalDestination, family), '-p', 'udp'],
    ...['--orig-port-dst', portWord(originalDestinationPort), '--reply-src', addressWord(replySource, family)],
    ...['--reply-port-src', portWord(replySourcePort)],
    ...(family === 'IPv6' ? ['-f', 'ipv6'] : []),
  ]
}

/**
 * Formats the filter on one line: `ip udp 10.96.0.10`, `port udp 30053`, `nat udp 10.96.0.10 10.244.2.1` or
 * `portnat udp 30053 10.244.2.1`. Throws if a value cannot be passed to the conntrack tool.
 */
export function formatConntrackFilter(filter: ConntrackEntryFilter): string {
  return [filter.kind, protocolWord(filter), toWord(filter), ...natWords(filter)].join(' ')
}

function protocolWord({ protocol }: ConntrackEntryFilter): string {
  const isKnown = protocol === 'tcp' || protocol === 'udp' || protocol === 'sctp'
  invariant(isKnown, `conntrack does not accept the protocol ${JSON.stringify(protocol)}`)
  return protocol
}

function toWord(filter: ConntrackEntryFilter): string {
  return 'originalDestination' in filter
    ? addressWord(filter.originalDestination, filter.family)
    : portWord(filter.destinationPort)
}

function natWords(filter: ConntrackEntryFilter): readonly string[] {
  return 'natDestination' in filter ? [addressWord(filter.natDestination, filter.family)] : []
}

function addressWord(address: string, family: IpFamily): string {
  const ip = parseIp(address)
  const isCanonical = ip?.text === address && ip.family === family
  invariant(isCanonical, `conntrack does not accept the ${family} address ${JSON.stringify(address)}`)
  return address
}

function portWord(port: number): string {
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65535
  invariant(isPort, `conntrack does not accept the port ${port}`)
  return String(port)
}
