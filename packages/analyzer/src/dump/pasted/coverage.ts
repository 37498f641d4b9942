import type { StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { resourcesOf } from '@kube-rules/compiler/internal/dataplane/node-resources'
import {
  type Dump,
  type NodeState,
  presentSubsystemsOf,
  SUBSYSTEMS,
  type Subsystem,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { SUBSYSTEM_RESOURCES } from '@kube-rules/compiler/internal/dataplane/resource-conversions'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { canBeFullyDumped } from '../../dataplane/fully-dumped.js'
import type { PasteReader, SubsystemCoverage } from '../../dataplane/netfilter/pasted.js'
import { PASTE_READERS } from './paste-readers.js'

/** The coverage of an excerpt for one family, by subsystem. */
export type CoverageBySubsystem = Readonly<Partial<Record<Subsystem, SubsystemCoverage>>>

/** A state with its coverage. */
export interface StateWithCoverage {
  readonly state: NodeState
  readonly covered: CoverageBySubsystem
  /** Reports whether kube-proxy creates the resource with an id. */
  readonly isOwned: (id: string) => boolean
}

/**
 * Returns the fragment of a state with this coverage. Undefined if the state is complete. A state is complete under
 * three conditions: a subsystem that one command can dump is complete, nothing is partial, and no rule refers to a
 * missing resource of kube-proxy.
 */
export function computeIncompleteCoverage({ state, covered, isOwned }: StateWithCoverage): StateCoverage | undefined {
  const all = SUBSYSTEMS.flatMap((name) => covered[name] ?? [])
  const truncated = all.flatMap((each) => each.truncated)
  const isOfAll = SUBSYSTEMS.some((name) => covered[name]?.isComplete && canBeFullyDumped(name))
  const lacksReferenced = isOfAll && (refersToMissingResource(state, isOwned) || lacksVirtualServers(state, isOwned))
  if (truncated.length === 0 && isOfAll && !lacksReferenced && all.every(({ isComplete }) => isComplete))
    return undefined
  // If rules refer to a missing resource, the dump is incomplete. Therefore, no subsystem counts as complete, and a
  // table without content does not count as empty.
  const whole = lacksReferenced ? [] : SUBSYSTEMS.filter((name) => covered[name]?.isComplete === true)
  const parts = all.flatMap(({ complete, empty = [] }) =>
    lacksReferenced ? complete.filter((id) => !empty.includes(id)) : complete,
  )
  const ids = [...whole, ...parts]
  return truncated.length === 0 ? { complete: ids } : { complete: ids, truncated }
}

/**
 * Reports whether rules refer to a resource of kube-proxy, such as an ipset, in a subsystem that the dump does not
 * contain. If so, further content of the mode is missing.
 */
function refersToMissingResource(state: NodeState, isOwned: (id: string) => boolean): boolean {
  const subsystems = presentSubsystemsOf(state)
  for (const { refs } of resourcesOf(state).values()) {
    for (const ref of refs)
      if (!subsystems.some((name) => SUBSYSTEM_RESOURCES[name].owns(ref)) && isOwned(ref)) return true
  }
  return false
}

/** Reports whether sets or addresses of kube-proxy show that the node has virtual servers, which the dump does not contain. */
function lacksVirtualServers(state: NodeState, isOwned: (id: string) => boolean): boolean {
  if (state.ipvs !== undefined || (state.ipset === undefined && state.addresses === undefined)) return false
  return [...resourcesOf(state).keys()].some(
    (id) => (SUBSYSTEM_RESOURCES.ipset.owns(id) || SUBSYSTEM_RESOURCES.addresses.owns(id)) && isOwned(id),
  )
}

/**
 * Returns the coverage of an input that contains only tool output. For an excerpt, the lenient reader determines the
 * coverage.
 */
export function coverageOfDump(state: NodeState): CoverageBySubsystem {
  const covered = SUBSYSTEMS.flatMap((name) =>
    state[name] === undefined ? [] : [[name, coverageOfSubsystem(name, state)] as const],
  )
  return Object.fromEntries(covered)
}

/** Reports whether a strictly parsed dump contains text that no tool prints. */
export function hasUnreadLines(dump: Dump): boolean {
  return IP_FAMILIES.some((family) =>
    presentSubsystemsOf(dump[family]).some((name) => {
      const reader: PasteReader<unknown> = PASTE_READERS[name]
      return reader.hasUnreadLines?.(dump[family][name]) === true
    }),
  )
}

function coverageOfSubsystem(name: Subsystem, state: NodeState): SubsystemCoverage {
  const reader: PasteReader<unknown> = PASTE_READERS[name]
  return reader.coverageOfDump?.(state[name]) ?? { isComplete: true, complete: [], truncated: [] }
}

/** Describes a fragment: `table nat of iptables, chain nat/KUBE-SERVICES`. */
export function formatCoverage(family: IpFamily, { complete }: StateCoverage): string {
  const names: readonly string[] = SUBSYSTEMS
  const subsystems = complete.filter((id) => names.includes(id))
  const tables = complete.filter((id) => !names.includes(id) && !id.includes('/') && !id.includes(' '))
  const others = complete.length - subsystems.length - tables.length
  const parts = [
    ...subsystems.map((name) => `all of ${name}`),
    ...tables.map((table) => `table ${table}`),
    ...(others === 0 ? [] : [`${others} whole ${others === 1 ? 'chain, set or server' : 'chains, sets or servers'}`]),
  ]
  const content = parts.length === 0 ? 'nothing whole' : parts.join(', ')
  return `the dump has only a part of the ${family} rules (${content}): the rest is unknown`
}
