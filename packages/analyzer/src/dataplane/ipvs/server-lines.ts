import type { IpvsState, VirtualServerProtocol } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { findServerOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import { formatRealServer } from '@kube-rules/compiler/internal/dataplane/ipvs/format-server'
import { formatRealServerLine, formatVirtualServerLine } from '@kube-rules/compiler/internal/dataplane/ipvs/print'
import { formatVirtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'
import { toRealServerCommand, toVirtualServerCommand } from './pasted/listing.js'

/** Returns the origin of each printed line, including listings: a virtual server, or a real server. */
export function findLineOrigins(lines: readonly string[], state: IpvsState): readonly LineOrigin[] {
  const owners = memoize(state, findServerOwners)
  const texts = formatServers(state)
  let virtualServer = ''
  return lines.map((line) => {
    const location = serverIdOfLine(line) ?? placeInListing(line, virtualServer)
    const text = location === undefined ? undefined : texts.get(location)
    if (location === undefined || text === undefined) return NO_ORIGIN
    virtualServer = location.split(' ').slice(0, 3).join(' ')
    return { owner: owners.get(virtualServer) ?? '', location, rules: () => [{ location, text: text() }] }
  })
}

/** Returns the line of each server by its id, in the format of trace steps. */
function formatServers({ virtualServers }: IpvsState): ReadonlyMap<string, () => string> {
  return new Map(
    virtualServers.flatMap((server) => {
      const id = formatVirtualServerId(server)
      const realServers = server.realServers.map(
        (each) => [`${id} ${formatRealServer(each)}`, () => formatRealServerLine('-a', server, each)] as const,
      )
      return [[id, () => formatVirtualServerLine('-A', server)] as const, ...realServers]
    }),
  )
}

/**
 * Returns the id of the server on a listing line. If it is a real server, `virtualServer` is the id of the virtual
 * server above it.
 */
function placeInListing(line: string, virtualServer: string): string | undefined {
  const [, realServer] = /^ {2}-> (\S+) /.exec(line) ?? []
  if (realServer !== undefined) return `${virtualServer} ${realServer}`
  const [, protocol, server] = /^([A-Z]+) +(\S+) /.exec(line) ?? []
  return server === undefined ? undefined : `ipvs ${protocol} ${server}`
}

/**
 * Returns the index of the line or listing row that is equivalent to a command in `ipvsadm -Sn` format. Undefined if
 * there is no such line.
 */
export function findLineOfRule(rule: string, lines: readonly string[]): number | undefined {
  if (!/^-[Aa] -/.test(rule)) return undefined
  let server = ''
  const index = lines.findIndex((line) => {
    const own = toVirtualServerCommand(line)
    if (own !== undefined) server = own
    return line === rule || own === rule || (server !== '' && toRealServerCommand(line, server) === rule)
  })
  return index < 0 ? undefined : index
}

const PROTOCOLS: ReadonlyMap<string, VirtualServerProtocol> = new Map([
  ['-t', 'TCP'],
  ['-u', 'UDP'],
  ['--sctp-service', 'SCTP'],
])

/**
 * Returns the id of the virtual or real server that a line in `printRestore` format adds; undefined for any other line.
 */
export function serverIdOfLine(line: string): string | undefined {
  const [, option = '', server = '', realServer] = /^-[Aa] (\S+) (\S+)(?: -r (\S+))?/.exec(line) ?? []
  const protocol = PROTOCOLS.get(option)
  if (protocol === undefined) return undefined
  return ['ipvs', protocol, server, ...(realServer === undefined ? [] : [realServer])].join(' ')
}
