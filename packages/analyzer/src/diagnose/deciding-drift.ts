import { networkContains } from '@kube-rules/compiler/internal/dataplane/iptables/network'
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
 * Returns the drift that decides about a packet: the first part on its expected path, or else on its actual path, that
 * is missing, wrong or in the wrong place, or else the first unexpected part on its actual path. Undefined if no drift
 * is on a path of the packet.
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
    firstOnPath(wrong, actualChains) ??
    firstOnPath(
      related.filter(({ kind }) => kind === 'extra'),
      actualChains,
    )
  )
}

/** Returns the chains of paths, in the order of the steps: `iptables nat/KUBE-SERVICES`. */
function chainsOf(paths: readonly TracePath[]): readonly string[] {
  return [...new Set(paths.flatMap(({ steps }) => steps.map(({ table, chain }) => `${table}/${chain}`)))]
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

/** Returns the chain of a drift item, with its table; undefined for a set, an element, a server or an address. */
function chainOf({ subsystem, part }: Drift): string | undefined {
  return 'chain' in part ? `${subsystem} ${part.table}/${part.chain}` : undefined
}

/**
 * Reports whether a drift item can affect a packet. A rule for another address or port, and an element or server for
 * another destination, cannot.
 */
function concernsPacket(drift: Drift, { packet, decision }: DriftOfPacket): boolean {
  if (isOnlyComment(drift)) return false
  const { destination, destinationPort: port } = packet
  const { part } = drift
  switch (part.kind) {
    case 'chain':
      return true
    case 'table':
      return drift.kind === 'changed'
    case 'rule': {
      const { destination: network = destination, destinationPort = port } = part.expected ?? part.found ?? {}
      return networkContains(network, destination) && destinationPort === port
    }
    case 'element': {
      const { key } = part
      const isPort = key.includes(String(port)) || key.includes(`${packet.protocol.toLowerCase()}:${port}`)
      if (key.includes(destination)) return isPort || key.at(-1) === destination
      return isPort && 'frontend' in decision && decision.frontend.kind === 'nodePort'
    }
    case 'virtualServer':
    case 'realServer':
      return part.virtualServer === joinHostPort(destination, port)
    case 'address':
      return part.address === destination
    default:
      return false
  }
}

function isOnlyComment({ kind, expected = '', found = '' }: Drift): boolean {
  return kind === 'changed' && withoutComments(expected) === withoutComments(found)
}

export function withoutComments(text: string): string {
  return text.replaceAll(/ -m comment --comment (?:"[^"]*"|\S+)/g, '')
}
