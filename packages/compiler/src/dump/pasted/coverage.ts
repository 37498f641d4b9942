import type { IpFamily } from '@kube-rules/types'
import { languageNames, languageOf, languagesIn } from '../../dataplane/language-of.js'
import type { LanguageName, NodeState } from '../../dataplane/languages.js'
import type { Fragment } from '../../dataplane/netfilter/fragment.js'
import type { Coverage } from '../../dataplane/netfilter/pasted.js'
import { resourcesOf } from '../../dataplane/node-resources.js'

/** What a paste covers of one family, by language. */
export type Covered = Readonly<Partial<Record<LanguageName, Coverage>>>

/** A state, and what of it is all there. */
export interface CoveredState {
  readonly state: NodeState
  readonly covered: Covered
  /** Whether the thing with an id is one that kube-proxy makes. */
  readonly isOurs: (id: string) => boolean
}

/**
 * What a state lacks that was put together of these; undefined where it is all that a node holds: whoever has all tables of
 * iptables, or of nftables, is taken to have nothing else where nothing else was given and rules name nothing else of
 * kube-proxy.
 */
export function fragmentOf({ state, covered, isOurs }: CoveredState): Fragment | undefined {
  const all = languageNames().flatMap((name) => covered[name] ?? [])
  const shownInPart = all.flatMap((each) => each.shownInPart)
  const isOfAll = covered.iptables?.isWhole === true || covered.nftables?.isWhole === true
  const lacksNamed = isOfAll && namesWhatIsMissing(state, isOurs)
  if (shownInPart.length === 0 && isOfAll && !lacksNamed && all.every(({ isWhole }) => isWhole)) return undefined
  // Whoever lacks what rules name has not asked for everything: tables that are not there may be some of it.
  const whole = lacksNamed ? [] : languageNames().filter((name) => covered[name]?.isWhole === true)
  const parts = all.flatMap((each) => each.whole).filter((id) => !lacksNamed || !isAbsentTable(id, state))
  const ids = [...whole, ...parts]
  return shownInPart.length === 0 ? { whole: ids } : { whole: ids, shownInPart }
}

/** Whether rules match a set of kube-proxy and no sets were given, so that other things of its mode are missing, too. */
function namesWhatIsMissing(state: NodeState, isOurs: (id: string) => boolean): boolean {
  const given = languagesIn(state)
  for (const { refs } of resourcesOf(state).values()) {
    for (const ref of refs) if (!given.some((name) => languageOf(name).owns(ref)) && isOurs(ref)) return true
  }
  return false
}

function isAbsentTable(id: string, { iptables }: NodeState): boolean {
  return /^[a-z]+$/.test(id) && !iptables?.tables.some(({ name }) => name === id)
}

/**
 * What a text covers that has nothing but what the tools print: whoever has both tables in which kube-proxy decides has dumped
 * them all. Of a paste with anything else in it that has to be told.
 */
export function coverageOfDump(state: NodeState): Covered {
  const covered = languageNames().flatMap((name) =>
    state[name] === undefined ? [] : [[name, coverageOfLanguage(name, state)] as const],
  )
  return Object.fromEntries(covered)
}

function coverageOfLanguage(name: LanguageName, { iptables }: NodeState): Coverage {
  if (name !== 'iptables') return { isWhole: true, whole: [], shownInPart: [] }
  const tables: readonly string[] = (iptables?.tables ?? []).map((table) => table.name)
  return { isWhole: tables.includes('nat') && tables.includes('filter'), whole: tables, shownInPart: [] }
}

/** What was given, for people: `table nat of iptables, chain nat/KUBE-SERVICES`. */
export function fragmentText(family: IpFamily, { whole }: Fragment): string {
  const names: readonly string[] = languageNames()
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
