import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { FormattedPath } from '../engine/results.js'

/** The effect of one table or other hook handler on a packet. */
export interface PathStage {
  /** The hook and table, such as `PREROUTING nat`. */
  readonly name: string
  readonly steps: readonly PathStageStep[]
  /** The addresses of the incoming packet: `198.51.100.1 → 192.168.0.41:30080`. */
  readonly source: string
  readonly destination: string
  /** Whether this hook handler rewrites the source address. */
  readonly changesSource: boolean
  readonly changesDestination: boolean
}

export interface PathStageStep {
  /** The chain, such as `KUBE-SERVICES`; empty if the hook handler has no chains. */
  readonly chain: string
  readonly verdict: string
  /** The rule text. */
  readonly text: string
  readonly comment: string
  readonly owner: string
  /** The share of packets on this path after a random choice: `1/3`. */
  readonly share: string
}

/** Converts a path to a row of hook handlers, with the addresses of the packet at each hook handler. */
export function createPathStages(
  packet: Packet,
  path: FormattedPath,
  all: readonly FormattedPath[],
): readonly PathStage[] {
  const groups = groupsOf(path)
  const destinationChange = path.endpoint === '' ? -1 : lastIndexWhere(groups, changes('destination'))
  const sourceChange = path.masqueraded ? lastIndexWhere(groups, changes('source')) : -1
  const first = { source: packet.source, destination: joinHostPort(packet.destination, packet.destinationPort) }
  const fork = findFork(path, all)
  let count = 0
  return groups.map((steps, index) => {
    const before = count
    count += steps.length
    const isBehind = destinationChange >= 0 && index > destinationChange
    return {
      name: `${steps[0]?.hook} ${steps[0]?.table.replace(/^(?:ip|nf)tables /, '')}`,
      steps: steps.map(({ chain, target, text, comment, servicePort }, at) => ({
        chain,
        verdict: target,
        text,
        comment,
        owner: servicePort,
        share: before + at === fork ? path.weight : '',
      })),
      source: sourceChange >= 0 && index > sourceChange ? MASQUERADED_SOURCE : first.source,
      destination: isBehind ? path.endpoint : first.destination,
      changesSource: index === sourceChange,
      changesDestination: index === destinationChange,
    }
  })
}

/** The source of a masqueraded packet; the exact address depends on the outgoing interface. */
export const MASQUERADED_SOURCE = 'the node'

type Steps = FormattedPath['steps']

function groupsOf({ steps }: FormattedPath): readonly Steps[] {
  const groups: Steps[number][][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && last[0].hook === step.hook && last[0].table === step.table) last.push(step)
    else groups.push([step])
  }
  return groups
}

function changes(what: 'destination' | 'source'): (steps: Steps) => boolean {
  return (steps) => steps.some((step) => step.rewrites === what)
}

/** Returns the index of the first step that differs from another path. Returns -1 if there is only one path. */
export function findFork(path: FormattedPath, all: readonly FormattedPath[]): number {
  const others = all.filter((other) => other !== path)
  if (others.length === 0 || path.weight === '1') return -1
  return path.steps.findIndex(({ text, hook }, at) =>
    others.some((other) => other.steps[at]?.text !== text || other.steps[at]?.hook !== hook),
  )
}

/** Maximum number of other branches with their own line. */
const MOST_BRANCHES = 2

/** Returns a line for each branch that a packet can take instead of the path: `or 1/3: 10.244.1.5:8080`. */
export function listOtherBranches(path: FormattedPath, all: readonly FormattedPath[]): readonly string[] {
  if (findFork(path, all) < 0) return []
  const others = all.filter((other) => other !== path && other.conditions.length === 0)
  const lines = others
    .slice(0, MOST_BRANCHES)
    .map(({ weight, endpoint, outcome }) => `or ${weight}: ${endpoint || outcome}`)
  const more = others.length - lines.length
  return more === 0 ? lines : [...lines, `or ${more} more`]
}

function lastIndexWhere<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  return items.reduce((last, item, index) => (fits(item) ? index : last), -1)
}
