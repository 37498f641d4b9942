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
}

/** A partition with all changed content in `shared`. */
export interface SeparatedParts extends StatePartition {
  /** The networks and ranges in the changed content. */
  readonly networks: readonly string[]
}

/**
 * Separates the expected parts of a state from those that are not as expected on the node: the parts of owners with
 * drift, and those with a chain that changed content refers to. Packets to the destinations of the remaining parts
 * match changed content only by conditions that are the same for all of them, or by networks.
 *
 * Returns undefined if drift may affect some of the other parts only: it is about a whole set, or a rule between
 * those of several owners matches packets to any destination.
 */
export function separateChangedParts(
  { shared, parts }: StatePartition,
  { drift, foreign, family }: ChangedContent,
): SeparatedParts | undefined {
  const items = drift.flatMap((group) => group.drift)
  const byName = new Map(parts.flatMap((part) => part.names.map((name) => [name, part] as const)))
  if (items.some((item) => isOfContainer(item) || isBetweenOwners(item, byName, family))) return undefined
  const owners = new Set(drift.map(({ servicePort }) => servicePort))
  const changed = new Set(parts.filter((part) => part.owners.some((owner) => owners.has(owner))))
  const content = [foreign, items.map(linesOf), ...Array.from(changed, ({ value }) => value())]
  const networks: string[] = []
  for (const each of content) {
    const template = normalizeTemplate(each, family)
    networks.push(...template.networks)
    for (const word of template.text.split(/[\s"]+/)) {
      const part = byName.get(word)
      if (part === undefined || changed.has(part)) continue
      changed.add(part)
      content.push(part.value())
    }
  }
  return { shared: [...shared, ...content], parts: parts.filter((part) => !changed.has(part)), networks }
}

/** Reports whether drift is about a whole set or table, so that its lines do not show everything that differs. */
function isOfContainer({ part }: Drift): boolean {
  return part.kind === 'set' || part.kind === 'table' || part.kind === 'object'
}

/**
 * Reports whether an unexpected rule is between the rules of several owners, and does not match a single destination.
 * Packets to owners before and after this rule differ.
 */
function isBetweenOwners({ part }: Drift, byName: ReadonlyMap<string, OwnerSlice>, family: IpFamily): boolean {
  if (part.kind !== 'rule' || part.found === undefined || byName.has(part.chain)) return false
  return !part.found.destination?.endsWith(`/${hostPrefixLengthOf(family)}`)
}

/** Returns the lines of a drift item, and its place. */
function linesOf({ part, location, expected = '', found = '' }: Drift): readonly string[] {
  return ['chain' in part ? part.chain : location, ...expected.split('\n'), ...found.split('\n')]
}
