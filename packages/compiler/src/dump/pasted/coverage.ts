import type { IpFamily } from '@kube-rules/types'
import { languageNames } from '../../dataplane/language-of.js'
import type { LanguageName, NodeState } from '../../dataplane/languages.js'
import type { Fragment } from '../../dataplane/netfilter/fragment.js'
import type { Coverage } from '../../dataplane/netfilter/pasted.js'

/** What a paste covers of one family, by language. */
export type Covered = Readonly<Partial<Record<LanguageName, Coverage>>>

/**
 * What a state lacks that was put together of these; undefined where it is all that a node holds: whoever has all tables of
 * iptables, or of nftables, is taken to have nothing else where nothing else was given.
 */
export function fragmentOf(covered: Covered): Fragment | undefined {
  const all = languageNames().flatMap((name) => covered[name] ?? [])
  const whole = languageNames().filter((name) => covered[name]?.isWhole === true)
  const shownInPart = all.flatMap((each) => each.shownInPart)
  const isAll =
    shownInPart.length === 0 &&
    (covered.iptables?.isWhole === true || covered.nftables?.isWhole === true) &&
    all.every(({ isWhole }) => isWhole)
  if (isAll) return undefined
  const ids = [...whole, ...all.flatMap((each) => each.whole)]
  return shownInPart.length === 0 ? { whole: ids } : { whole: ids, shownInPart }
}

/** What a text covers that the tools themselves printed from beginning to end: `iptables-save` prints every table. */
export function coverageOfDump(state: NodeState): Covered {
  const covered = languageNames().flatMap((name) =>
    state[name] === undefined ? [] : [[name, coverageOfLanguage(name, state)] as const],
  )
  return Object.fromEntries(covered)
}

function coverageOfLanguage(name: LanguageName, { iptables }: NodeState): Coverage {
  const tables = name === 'iptables' ? (iptables?.tables ?? []).map((table) => table.name) : []
  const isWhole = name !== 'iptables' || (tables.includes('nat') && tables.includes('filter'))
  return { isWhole, whole: tables, shownInPart: [] }
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
