import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { type Case, type Cluster, cases, clusters } from './clusters.js'
import { deepFreeze } from './renderings.js'

// Sequences of inputs, each made from the one before by what a controller sees: objects come, change and go, lists are
// given anew, and now and then something is wrong with them.

type Kind = 'services' | 'endpointSlices' | 'endpoints'
type Change = (cluster: Cluster) => Cluster

/** Inputs one after the other, and the options to compile all of them with. Everything is frozen. */
export interface History {
  readonly inputs: readonly Cluster[]
  readonly options: Case['options']
}

interface Named {
  readonly metadata?: { readonly namespace?: string | undefined; readonly name?: string | undefined } | null | undefined
}

const KINDS: readonly Kind[] = ['services', 'endpointSlices', 'endpoints']
const kinds = fc.constantFrom<Kind>('services', 'endpointSlices', 'endpointSlices', 'endpoints')

function withList<K extends Kind>(
  cluster: Cluster,
  kind: K,
  change: (list: Cluster[K]) => readonly unknown[],
): Cluster {
  return { ...cluster, [kind]: change(cluster[kind]) }
}

function upserted(list: readonly Named[], item: Named): readonly Named[] {
  const at = list.findIndex((each) => nameOf(each) === nameOf(item))
  return at < 0 ? [...list, item] : list.with(at, item)
}

function nameOf({ metadata }: Named): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

function at<T>(list: readonly T[], place: number): number {
  return list.length === 0 ? -1 : place % list.length
}

const puts: fc.Arbitrary<Change> = fc
  .tuple(kinds, clusters, fc.nat(20))
  .map(([kind, donor, place]) => (cluster: Cluster) => {
    const item = donor[kind][at(donor[kind], place)]
    return item === undefined ? cluster : withList(cluster, kind, (list) => upserted(list, item))
  })

const removals: fc.Arbitrary<Change> = fc.tuple(kinds, fc.nat(20)).map(
  ([kind, place]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => list.filter((_, index) => index !== at(list, place))),
)

/** What a heartbeat does: another object that says the same. */
const touches: fc.Arbitrary<Change> = fc.tuple(kinds, fc.nat(20)).map(
  ([kind, place]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) =>
        list.map((item, index) => (index === at(list, place) ? structuredClone(item) : item)),
      ),
)

const relabels: fc.Arbitrary<Change> = fc
  .tuple(fc.nat(20), fc.constantFrom('web', 'web-1', '0db', 'nobody', undefined))
  .map(
    ([place, service]) =>
      (cluster: Cluster) =>
        withList(cluster, 'endpointSlices', (list) =>
          list.map((slice, index) => (index === at(list, place) ? relabelled(slice, service) : slice)),
        ),
  )

function relabelled(slice: EndpointSlice, service: string | undefined): EndpointSlice {
  const labels = service === undefined ? {} : { 'kubernetes.io/service-name': service }
  return { ...slice, metadata: { ...slice.metadata, labels } }
}

const replacements: fc.Arbitrary<Change> = fc
  .tuple(clusters, fc.constantFrom('configuration' as const, 'host' as const, 'nodes' as const))
  .map(([donor, field]) => (cluster: Cluster) => ({ ...cluster, [field]: donor[field] }))

const relistings: fc.Arbitrary<Change> = fc.nat(20).map((shift) => (cluster: Cluster) => {
  const turned = <T>(list: readonly T[]) => [...list.slice(at(list, shift)), ...list.slice(0, at(list, shift))]
  return KINDS.reduce((result, kind) => withList(result, kind, (list) => turned<unknown>(list)), cluster)
})

const reversals: fc.Arbitrary<Change> = fc.constant((cluster: Cluster) =>
  KINDS.reduce((result, kind) => withList(result, kind, (list) => list.toReversed()), cluster),
)

const nothing: fc.Arbitrary<Change> = fc.constant((cluster: Cluster) => ({ ...cluster }))

const changes: fc.Arbitrary<Change> = fc.oneof(
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
const FLAWED = deepFreeze({
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
const flaws: fc.Arbitrary<Change> = fc.tuple(kinds, fc.nat(20), fc.nat(20), fc.boolean()).map(
  ([kind, place, to, repeats]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => {
        const flawed = FLAWED[kind][place % FLAWED[kind].length]
        const item = repeats && list.length > 0 ? list[at(list, place)] : flawed
        return (list as readonly unknown[]).toSpliced(to % (list.length + 1), 0, item)
      }),
)

const steps = fc.record({
  change: changes,
  flaws: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(flaws, { maxLength: 2 })),
})

export const histories: fc.Arbitrary<History> = fc
  .record({ start: cases, steps: fc.array(steps, { minLength: 1, maxLength: 8 }) })
  .map(({ start, steps: list }) => {
    const inputs = [start.cluster]
    let cluster = start.cluster
    for (const step of list) {
      cluster = step.change(cluster)
      inputs.push(step.flaws.reduce((flawed, flaw) => flaw(flawed), cluster))
    }
    return deepFreeze({ inputs, options: start.options })
  })

/** The objects of an input, each with its kind. */
export function objectsOf({
  services,
  endpointSlices,
  endpoints,
}: Cluster): readonly (readonly [string, Service | EndpointSlice | Endpoints])[] {
  return [
    ...services.map((object) => ['Service', object] as const),
    ...endpointSlices.map((object) => ['EndpointSlice', object] as const),
    ...endpoints.map((object) => ['Endpoints', object] as const),
  ]
}
