import type { VirtualServerProtocol } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'

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
