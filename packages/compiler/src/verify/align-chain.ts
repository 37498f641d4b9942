import type { Rule } from '../dataplane/iptables/ast.js'

/** A rule in its normal form. */
export interface Line {
  readonly rule: Rule
  /** As iptables-save prints it. */
  readonly text: string
  /** The service port whose rule it is; empty for a rule of none. */
  readonly owner: string
  /** The rules among which it has its place; empty for those that are of no service port. */
  readonly group: string
}

/**
 * What a chain has to hold, in the order nearest to what it holds.
 *
 * kube-proxy visits service ports in random order, so those may follow one another in any: the rules of each keep the order
 * in which they are wanted, and rules of none stay before or after those of service ports. Two rules with one text are as
 * good as one another. A rule that is missing comes next to its neighbour of the same owner.
 */
export function alignChain(wanted: readonly Line[], live: readonly Line[]): readonly Line[] {
  const sections = sectionsOf(wanted)
  const present = presentBySection(wanted, live, sections)
  return sections.flatMap((section, index) => alignSection(wanted, section, present[index] ?? []))
}

/** Rules of service ports, or of none, that follow one another. */
interface Section {
  readonly from: number
  readonly to: number
}

function sectionsOf(wanted: readonly Line[]): readonly Section[] {
  const sections: Section[] = []
  let from = 0
  for (let at = 1; at <= wanted.length; at++) {
    if (at < wanted.length && (groupAt(wanted, at) === '') === (groupAt(wanted, from) === '')) continue
    sections.push({ from, to: at })
    from = at
  }
  return wanted.length === 0 ? [] : sections
}

/** The places in `wanted` of the rules that are there, in the order in which they stand there, by section. */
function presentBySection(
  wanted: readonly Line[],
  live: readonly Line[],
  sections: readonly Section[],
): readonly (readonly number[])[] {
  const places = new Map<string, number[]>()
  for (let at = wanted.length - 1; at >= 0; at--) pushTo(places, wanted[at]?.text ?? '', at)
  const present = sections.map((): number[] => [])
  for (const { text } of live) {
    const place = places.get(text)?.pop()
    if (place !== undefined) present[sections.findIndex(({ to }) => place < to)]?.push(place)
  }
  return present
}

function alignSection(wanted: readonly Line[], { from, to }: Section, present: readonly number[]): readonly Line[] {
  const ordered = inGroupOrder(wanted, present)
  const isPresent = new Set(present)
  const first = new Map<string, number>()
  for (const place of ordered) if (!first.has(groupAt(wanted, place))) first.set(groupAt(wanted, place), place)
  const before = new Map<number, number[]>()
  const behind = new Map<number, number[]>()
  const last: number[] = []
  const neighbours = new Map<string, number>()
  for (let place = from; place < to; place++) {
    const group = groupAt(wanted, place)
    const neighbour = neighbours.get(group)
    if (isPresent.has(place)) neighbours.set(group, place)
    else if (neighbour !== undefined) pushTo(behind, neighbour, place)
    else if (first.has(group)) pushTo(before, first.get(group) as number, place)
    else last.push(place)
  }
  const places = ordered.flatMap((place) => [...(before.get(place) ?? []), place, ...(behind.get(place) ?? [])])
  return [...places, ...last].map((place) => wanted[place] as Line)
}

/** The same places, those of each group in ascending order where some of that group stood. */
function inGroupOrder(wanted: readonly Line[], present: readonly number[]): readonly number[] {
  const byGroup = new Map<string, number[]>()
  for (const place of present) pushTo(byGroup, groupAt(wanted, place), place)
  for (const places of byGroup.values()) places.sort((a, b) => b - a)
  return present.map((place) => byGroup.get(groupAt(wanted, place))?.pop() as number)
}

function groupAt(wanted: readonly Line[], place: number): string {
  return wanted[place]?.group ?? ''
}

function pushTo<Key>(lists: Map<Key, number[]>, key: Key, item: number): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [item])
  else known.push(item)
}
