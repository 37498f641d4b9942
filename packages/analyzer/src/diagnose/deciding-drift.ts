import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { TracePath } from '../trace/trace-paths.js'
import type { Drift, DriftGroup } from '../verify/report.js'
import type { DriftWithOwner } from './node-diagnosis-context.js'

/** The inputs of `findDecidingDrift`. */
export interface DriftOfPacket {
  readonly packet: Packet
  readonly decision: Decision
  readonly drift: readonly DriftGroup[]
  /** The paths through the rules of the node. */
  readonly paths: readonly TracePath[]
  /** The paths through the rules that kube-proxy would write. */
  readonly compiledPaths: readonly TracePath[]
}

/**
 * Returns the drift that decides about a packet: the first part on its expected path that is missing, wrong or in the
 * wrong place, or else the first unexpected part on its actual path. Undefined if no drift is on a path of the packet.
 */
export function findDecidingDrift(given: DriftOfPacket): DriftWithOwner | undefined {
  const expectedChains = chainsOf(given.compiledPaths)
  const actualChains = chainsOf(given.paths)
  const { decision } = given
  // A packet to another port of a cluster IP belongs to no service port, but elements of its Service may decide.
  const own = 'servicePort' in decision ? formatServicePort(decision.servicePort) : undefined
  const related = given.drift.flatMap(({ servicePort, drift }) =>
    own === undefined || servicePort === own || servicePort === ''
      ? drift.flatMap((each) => (concernsPacket(each, given) ? { ...each, servicePort } : []))
      : [],
  )
  const wrong = related.filter(({ kind }) => kind !== 'extra')
  return (
    firstOnPath(wrong, expectedChains) ??
    firstOnPath(
      related.filter(({ kind }) => kind === 'extra'),
      actualChains,
    )
  )
}

/** Returns the chains of paths, in the order of the steps, with the table for iptables: `nat/KUBE-SERVICES`. */
function chainsOf(paths: readonly TracePath[]): readonly string[] {
  const chains = paths.flatMap(({ steps }) =>
    steps.map(({ table, chain }) => (table.startsWith(IPTABLES) ? `${table.slice(IPTABLES.length)}/${chain}` : chain)),
  )
  return [...new Set(chains)]
}

/** Returns the first item in the order of the chains. Items without a chain, such as servers, come first. */
function firstOnPath(drift: readonly DriftWithOwner[], chains: readonly string[]): DriftWithOwner | undefined {
  const ranked = drift.flatMap((each) => {
    const chain = chainOf(each)
    const rank = chain === undefined ? -1 : chains.indexOf(chain)
    return chain !== undefined && rank < 0 ? [] : [{ each, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank)[0]?.each
}

const IPTABLES = 'iptables '

/** Returns the chain of a drift item; undefined for a set, an element, a server or an address. */
function chainOf({ subsystem, location }: Drift): string | undefined {
  if (subsystem === 'iptables') return location
  return /^nftables \S+ \S+ chain (\S+)/.exec(location)?.[1]
}

/**
 * Reports whether a drift item can affect a packet. A rule for another address or port, and an element or server for
 * another destination, cannot.
 */
function concernsPacket(drift: Drift, { packet, decision }: DriftOfPacket): boolean {
  if (isOnlyComment(drift)) return false
  const { destination, destinationPort: port } = packet
  const text = drift.expected ?? drift.found ?? ''
  if (chainOf(drift) !== undefined) {
    const [, to] = /^-A [^\n]* -d ([^\s/]+)/.exec(text) ?? []
    const [, at] = /^-A [^\n]* --dport (\d+)/.exec(text) ?? []
    return (to ?? destination) === destination && (at ?? String(port)) === String(port)
  }
  const isNodePort = 'frontend' in decision && decision.frontend.kind === 'nodePort'
  const words = drift.location.split(/[ ,]/)
  const place = joinHostPort(destination, port)
  const isPort = words.includes(String(port)) || words.includes(`${packet.protocol.toLowerCase()}:${port}`)
  return (
    words.includes(place) ||
    (words.includes(destination) && (isPort || words.at(-1) === destination || drift.subsystem === 'addresses')) ||
    (isNodePort && isPort)
  )
}

function isOnlyComment({ kind, expected = '', found = '' }: Drift): boolean {
  return kind === 'changed' && withoutComments(expected) === withoutComments(found)
}

export function withoutComments(text: string): string {
  return text.replaceAll(/ -m comment --comment (?:"[^"]*"|\S+)/g, '')
}
