import type { IpvsState } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { serverOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import { realServerLine, virtualServerLine } from '@kube-rules/compiler/internal/dataplane/ipvs/print'
import { virtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import { realServerText } from '@kube-rules/compiler/internal/dataplane/ipvs/server-text'
import { memo } from '@kube-rules/compiler/internal/internal/memo'
import { type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'
import { placeOfLine } from './place-of-line.js'

/** What each line says that `print` has printed of a state, listings among it: a virtual server, or a real one. */
export function originsOfLines(lines: readonly string[], state: IpvsState): readonly LineOrigin[] {
  const owners = memo(state, serverOwners)
  const texts = serverTexts(state)
  let virtualServer = ''
  return lines.map((line) => {
    const place = placeOfLine(line) ?? placeInListing(line, virtualServer)
    const text = place === undefined ? undefined : texts.get(place)
    if (place === undefined || text === undefined) return NO_ORIGIN
    virtualServer = place.split(' ').slice(0, 3).join(' ')
    return { owner: owners.get(virtualServer) ?? '', place, rules: () => [{ place, text: text() }] }
  })
}

/** The line of each server by its id, as steps tell it. */
function serverTexts({ virtualServers }: IpvsState): ReadonlyMap<string, () => string> {
  return new Map(
    virtualServers.flatMap((server) => {
      const id = virtualServerId(server)
      const realServers = server.realServers.map(
        (each) => [`${id} ${realServerText(each)}`, () => realServerLine('-a', server, each)] as const,
      )
      return [[id, () => virtualServerLine('-A', server)] as const, ...realServers]
    }),
  )
}

/** In a listing each real server stands below its virtual server. */
function placeInListing(line: string, virtualServer: string): string | undefined {
  const [, realServer] = /^ {2}-> (\S+) /.exec(line) ?? []
  if (realServer !== undefined) return `${virtualServer} ${realServer}`
  const [, protocol, server] = /^([A-Z]+) +(\S+) /.exec(line) ?? []
  return server === undefined ? undefined : `ipvs ${protocol} ${server}`
}
