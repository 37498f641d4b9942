import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import type { IpFamily } from '@kube-rules/types'
import { hostPrefixLengthOf } from '@kube-rules/types/internal/cidr'
import type { OwnerSlice, StatePartition } from '../dataplane/netfilter/parts.js'
import type { Drift, DriftGroup } from '../verify/report.js'
import { normalizeTemplate } from './normalized-template.js'

/** The content of a node that is not as expected. */
export interface ChangedContent {
  readonly drift: readonly DriftGroup[]
  /** The content of other programs, as plain data. */
  readonly foreign: unknown
  readonly family: IpFamily
  /** The addresses of the node. They do not connect changed content with parts. */
  readonly addresses: readonly string[] | undefined
}

/** A partition with all changed content in `shared`. */
export interface SeparatedParts extends StatePartition {
  /** The networks and ranges in the changed content. */
  readonly networks: readonly string[]
}

/**
 * Separates the expected parts of a state from those that are not as expected on the node: the parts of owners with
 * drift, and those with a chain, address or node port that changed content refers to. Packets to the destinations of the
 * remaining parts match changed content only by conditions that are the same for all of them, or by networks.
 *
 * Returns undefined if drift may affect some of the other parts only: it is about a whole set, or a rule between
 * those of several owners matches packets to any destination.
 */
export function separateChangedParts(
  { shared, parts }: StatePartition,
  { drift, foreign, family, addresses = [] }: ChangedContent,
): SeparatedParts | undefined {
  const items = drift.flatMap((group) => group.drift)
  const names = new Set(parts.flatMap((part) => part.names))
  if (items.some((item) => isOfContainer(item) || isBetweenOwners(item, names, family))) return undefined
  const byWord = groupByWord(parts, addresses)
  const owners = new Set(drift.map(({ servicePort }) => servicePort))
  const changed = new Set(parts.filter((part) => part.owners.some((owner) => owners.has(owner))))
  const content = [foreign, items.map(linesOf), ...Array.from(changed, ({ value }) => value())]
  const networks: string[] = []
  for (const each of content) {
    const template = normalizeTemplate(each, family)
    networks.push(...template.networks)
    for (const word of [...template.addresses, ...template.text.split(/[\s"]+/), ...numbersIn(template.text)]) {
      for (const part of byWord.get(word) ?? []) {
        if (changed.has(part)) continue
        changed.add(part)
        content.push(part.value())
      }
    }
  }
  return { shared: [...shared, ...content], parts: parts.filter((part) => !changed.has(part)), networks }
}

/** Returns the parts by the chains, addresses and node ports that select them. */
function groupByWord(
  parts: readonly OwnerSlice[],
  excluded: readonly string[],
): ReadonlyMap<string, readonly OwnerSlice[]> {
  const byWord = new Map<string, OwnerSlice[]>()
  for (const part of parts) {
    const words = new Set([...part.names, ...part.destinations, ...part.ports.map(String)])
    for (const word of words) if (!excluded.includes(word)) addToGroup(byWord, word, part)
  }
  return byWord
}

function numbersIn(text: string): readonly string[] {
  return text.match(/\d+/g) ?? []
}

/** Reports whether drift is about a whole set or table, so that its lines do not show everything that differs. */
function isOfContainer({ part }: Drift): boolean {
  return part.kind === 'set' || part.kind === 'table' || part.kind === 'object'
}

/**
 * Reports whether an unexpected rule is between the rules of several owners, and does not match a single destination.
 * Packets to owners before and after this rule differ.
 */
function isBetweenOwners({ part }: Drift, names: ReadonlySet<string>, family: IpFamily): boolean {
  if (part.kind !== 'rule' || part.found === undefined || names.has(part.chain)) return false
  return !part.found.destination?.endsWith(`/${hostPrefixLengthOf(family)}`)
}

/** Returns the lines of a drift item, and its place. */
function linesOf({ part, location, expected = '', found = '' }: Drift): readonly string[] {
  return ['chain' in part ? part.chain : location, ...expected.split('\n'), ...found.split('\n')]
}
