import type { Fragment } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'
import { resourcesOf } from '@kube-rules/compiler/internal/dataplane/node-resources'
import {
  type NodeState,
  SUBSYSTEMS,
  type Subsystem,
  subsystemsIn,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { RESOURCE_FORMS } from '@kube-rules/compiler/internal/dataplane/resource-forms'
import type { IpFamily } from '@kube-rules/types'
import { canBeAsked } from '../../dataplane/all-asked.js'
import type { Coverage, PastedReader } from '../../dataplane/netfilter/pasted.js'
import { PASTE_READERS } from './paste-readers.js'

/** What a paste covers of one family, by language. */
export type Covered = Readonly<Partial<Record<Subsystem, Coverage>>>

/** A state, and what of it is all there. */
export interface CoveredState {
  readonly state: NodeState
  readonly covered: Covered
  /** Whether the thing with an id is one that kube-proxy makes. */
  readonly isOurs: (id: string) => boolean
}

/**
 * What a state lacks that was put together of these; undefined where it is all that a node holds: whoever has all of a language of
 * which all may be asked at once is taken to have nothing else where nothing else was given and rules name nothing else of kube-proxy.
 */
export function fragmentOf({ state, covered, isOurs }: CoveredState): Fragment | undefined {
  const all = SUBSYSTEMS.flatMap((name) => covered[name] ?? [])
  const shownInPart = all.flatMap((each) => each.shownInPart)
  const isOfAll = SUBSYSTEMS.some((name) => covered[name]?.isWhole && canBeAsked(name))
  const lacksNamed = isOfAll && namesWhatIsMissing(state, isOurs)
  if (shownInPart.length === 0 && isOfAll && !lacksNamed && all.every(({ isWhole }) => isWhole)) return undefined
  // Whoever lacks what rules name has not asked for everything: tables that are not there may be some of it.
  const whole = lacksNamed ? [] : SUBSYSTEMS.filter((name) => covered[name]?.isWhole === true)
  const parts = all.flatMap(({ whole, empty = [] }) => (lacksNamed ? whole.filter((id) => !empty.includes(id)) : whole))
  const ids = [...whole, ...parts]
  return shownInPart.length === 0 ? { whole: ids } : { whole: ids, shownInPart }
}

/** Whether rules match a set of kube-proxy and no sets were given, so that other things of its mode are missing, too. */
function namesWhatIsMissing(state: NodeState, isOurs: (id: string) => boolean): boolean {
  const given = subsystemsIn(state)
  for (const { refs } of resourcesOf(state).values()) {
    for (const ref of refs) if (!given.some((name) => RESOURCE_FORMS[name].owns(ref)) && isOurs(ref)) return true
  }
  return false
}

/** What a text covers that has nothing but what the tools print. Of a paste with anything else in it that has to be told. */
export function coverageOfDump(state: NodeState): Covered {
  const covered = SUBSYSTEMS.flatMap((name) =>
    state[name] === undefined ? [] : [[name, coverageOfSubsystem(name, state)] as const],
  )
  return Object.fromEntries(covered)
}

function coverageOfSubsystem(name: Subsystem, state: NodeState): Coverage {
  const reader: PastedReader<unknown> = PASTE_READERS[name]
  return reader.coverageOfDump?.(state[name]) ?? { isWhole: true, whole: [], shownInPart: [] }
}

/** What was given, for people: `table nat of iptables, chain nat/KUBE-SERVICES`. */
export function fragmentText(family: IpFamily, { whole }: Fragment): string {
  const names: readonly string[] = SUBSYSTEMS
  const languages = whole.filter((id) => names.includes(id))
  const tables = whole.filter((id) => !names.includes(id) && !id.includes('/') && !id.includes(' '))
  const others = whole.length - languages.length - tables.length
  const parts = [
    ...languages.map((name) => `all of ${name}`),
    ...tables.map((table) => `table ${table}`),
    ...(others === 0 ? [] : [`${others} whole ${others === 1 ? 'chain, set or server' : 'chains, sets or servers'}`]),
  ]
  const given = parts.length === 0 ? 'nothing whole' : parts.join(', ')
  return `of ${family} a part of what the node holds was given (${given}): what is missing is not known`
}
