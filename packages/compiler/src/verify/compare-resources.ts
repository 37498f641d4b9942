import { changesOf, pairsOf } from '../diff/diff.js'
import type { Change } from '../diff/patch.js'
import { type Resource, type Resources, sameValue } from '../diff/resource.js'
import type { Comparison, Finding } from './finding.js'
import type { Drift, DriftLanguage } from './report.js'

/** What people are told about the resources of a language. */
export interface ResourceWords {
  readonly language: DriftLanguage
  /** The resource as its tool is told of it. */
  readonly textOf: (resource: Resource) => string
  readonly missing: (resource: Resource) => string
  readonly extra: (resource: Resource) => string
  readonly changed: (wanted: Resource, found: Resource) => string
  readonly ownerOf: (resource: Resource) => string
  /** What a resource says by itself, without the set it is in. */
  readonly ownValue: (resource: Resource) => unknown
}

/** Compares resources one by one. One whose set or virtual server is missing or too much itself is not told of by itself. */
export function compareResources(live: Resources, wanted: Resources, words: ResourceWords): Comparison {
  const pairs = pairsOf(live, wanted)
  const changes = changesOf(pairs)
  const whole = new Set(changes.flatMap((change) => idOfWhole(change) ?? []))
  const findings = changes.flatMap((change) => {
    const resource = resourceOf(change)
    return resource?.refs.some((id) => whole.has(id)) ? [] : findingsOf(change, words)
  })
  return { findings, pairs, unverified: [] }
}

function resourceOf(change: Change): Resource | undefined {
  return change.kind === 'create' || change.kind === 'delete' ? change.resource : undefined
}

function idOfWhole(change: Change): string | undefined {
  return resourceOf(change)?.id
}

function findingsOf(change: Change, words: ResourceWords): readonly Finding[] {
  const { language, textOf } = words
  const finding = (resource: Resource, drift: Omit<Drift, 'language' | 'place'>): readonly Finding[] => [
    { servicePort: words.ownerOf(resource), drift: { language, place: resource.id, ...drift } },
  ]
  if (change.kind === 'create') {
    const { resource } = change
    return finding(resource, { kind: 'missing', wanted: textOf(resource), reason: words.missing(resource) })
  }
  if (change.kind === 'delete') {
    const { resource } = change
    return finding(resource, { kind: 'extra', found: textOf(resource), reason: words.extra(resource) })
  }
  if (change.kind !== 'update') return []
  const { before, after } = change
  if (sameValue(words.ownValue(before), words.ownValue(after))) return []
  const texts = { wanted: textOf(after), found: textOf(before) }
  return finding(after, { kind: 'changed', ...texts, reason: words.changed(after, before) })
}
