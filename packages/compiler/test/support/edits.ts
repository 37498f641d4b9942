import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { type Case, type Cluster, cases, clusters } from './clusters.js'
import { deepFreeze } from './renderings.js'

// Sequences of inputs, each made from the one before by what a controller sees: objects come, change and go, lists are
// given anew, and now and then something is wrong with them.

type Kind = 'services' | 'endpointSlices' | 'endpoints'
/** `donor`: where objects come from. */
type Edit = (cluster: Cluster, donor: Cluster) => Cluster

/** Inputs one after the other, and the options to compile all of them with. Everything is frozen. */
export interface History {
  readonly inputs: readonly Cluster[]
  readonly options: Case['options']
}

type Item = Service | EndpointSlice | Endpoints
type List = readonly Item[]

const KINDS: readonly Kind[] = ['services', 'endpointSlices', 'endpoints']
const kinds = fc.constantFrom<Kind>('services', 'endpointSlices', 'endpointSlices', 'endpoints')

function withList(cluster: Cluster, kind: Kind, change: (list: List) => readonly unknown[]): Cluster {
  return { ...cluster, [kind]: change(cluster[kind]) }
}

function upserted(list: List, item: Item): List {
  const known = list.some((each) => nameOf(each) === nameOf(item))
  return known ? list.map((each) => (nameOf(each) === nameOf(item) ? item : each)) : [...list, item]
}

function nameOf({ metadata }: Item): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

function at(list: readonly unknown[], place: number): number {
  return list.length === 0 ? -1 : place % list.length
}

/** An object of another cluster comes, in the place of one of its name. */
const puts: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20)).map(([kind, place]) => (cluster, donor) => {
  const item = donor[kind][at(donor[kind], place)]
  return item === undefined ? cluster : withList(cluster, kind, (list) => upserted(list, item))
})

const removals: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20)).map(
  ([kind, place]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => list.filter((_, index) => index !== at(list, place))),
)

/** What a heartbeat does: another object that says the same. */
const touches: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20)).map(
  ([kind, place]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) =>
        list.map((item, index) => (index === at(list, place) ? structuredClone(item) : item)),
      ),
)

const relabels: fc.Arbitrary<Edit> = fc
  .tuple(fc.nat(20), fc.constantFrom('web', 'web-1', '0db', 'nobody', undefined))
  .map(
    ([place, service]) =>
      (cluster: Cluster) =>
        withList(cluster, 'endpointSlices', (list) =>
          list.map((slice, index) => (index === at(list, place) ? relabelled(slice, service) : slice)),
        ),
  )

function relabelled(slice: Item, service: string | undefined): Item {
  const labels = service === undefined ? {} : { 'kubernetes.io/service-name': service }
  return { ...slice, metadata: { ...slice.metadata, labels } }
}

const replacements: fc.Arbitrary<Edit> = fc
  .constantFrom('configuration' as const, 'host' as const, 'nodes' as const)
  .map((field) => (cluster, donor) => ({ ...cluster, [field]: donor[field] }))

const relistings: fc.Arbitrary<Edit> = fc.nat(20).map((shift) => (cluster: Cluster) => {
  const turned = (list: List) => [...list.slice(at(list, shift)), ...list.slice(0, at(list, shift))]
  return KINDS.reduce((result, kind) => withList(result, kind, (list) => turned(list)), cluster)
})

const reversals: fc.Arbitrary<Edit> = fc.constant((cluster: Cluster) =>
  KINDS.reduce((result, kind) => withList(result, kind, (list) => [...list].reverse()), cluster),
)

const nothing: fc.Arbitrary<Edit> = fc.constant((cluster: Cluster) => ({ ...cluster }))

const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: puts },
  { weight: 3, arbitrary: removals },
  { weight: 2, arbitrary: touches },
  { weight: 2, arbitrary: relabels },
  { weight: 1, arbitrary: replacements },
  { weight: 1, arbitrary: relistings },
  { weight: 1, arbitrary: reversals },
  { weight: 1, arbitrary: nothing },
)

/** Always the same objects, so that one may be there in several inputs. */
const FLAWED = deepFreeze<Readonly<Record<Kind, readonly unknown[]>>>({
  services: [
    null,
    7,
    {},
    { metadata: { namespace: 'a' } },
    { metadata: { namespace: 'a', labels: { 'service.kubernetes.io/headless': '' } } },
    { metadata: { namespace: 'a', name: 'bad' }, spec: { clusterIP: '10.96.0.9', ports: [{ port: 70_000 }] } },
    { metadata: { namespace: 'a', name: 'web' }, spec: { clusterIP: '10.96.0.8', ports: [{ port: 80 }] } },
    { metadata: { namespace: '__proto__', name: 'constructor' }, spec: {} },
  ],
  endpointSlices: [
    'slice',
    {},
    { metadata: {} },
    { metadata: { namespace: 'a', name: 'loose' }, addressType: 'IPv4' },
    { metadata: { namespace: 'a', labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'IPv4' },
    { metadata: { namespace: 'a', name: 'x', labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'IPv5' },
    { metadata: { namespace: 'a', name: 'x', labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'FQDN' },
    { metadata: { namespace: 'a', name: 'y', labels: { 'kubernetes.io/service-name': 7 } }, addressType: 'IPv4' },
  ],
  endpoints: [
    [],
    { metadata: { namespace: 'b' } },
    { metadata: { namespace: 'a', name: 'web' }, subsets: [{ addresses: [{ ip: 'x' }] }] },
  ],
})

/** What is wrong with one input, on top of everything else. */
const flaws: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20), fc.nat(20), fc.boolean()).map(
  ([kind, place, to, repeats]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => {
        const item = repeats && list.length > 0 ? list[at(list, place)] : FLAWED[kind][at(FLAWED[kind], place)]
        const before = to % (list.length + 1)
        return [...list.slice(0, before), item, ...list.slice(before)]
      }),
)

const flawLists: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(flaws, { maxLength: 2 }) },
)

const steps = fc.record({ edit: edits, donor: fc.nat(2), flaws: flawLists })

export const histories: fc.Arbitrary<History> = fc
  .record({
    start: cases,
    donors: fc.tuple(clusters, clusters, clusters),
    steps: fc.array(steps, { minLength: 2, maxLength: 6 }),
  })
  .map(({ start, donors, steps: list }) => {
    const inputs = [start.cluster]
    let cluster = start.cluster
    for (const step of list) {
      const donor = donors[step.donor] ?? cluster
      cluster = step.edit(cluster, donor)
      inputs.push(step.flaws.reduce<Cluster>((flawed, flaw) => flaw(flawed, donor), cluster))
    }
    return deepFreeze({ inputs, options: start.options })
  })
