import type { EndpointSlice, Endpoints, Service, ServiceSpec, SliceEndpoint } from '@kube-rules/types'
import fc from 'fast-check'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { clusters } from '../../../testing/src/arbitraries/clusters.js'
import { anyOf, oneOf } from '../../../testing/src/arbitraries/weighted.js'
import { type Case, cases, understoodCluster } from './clusters.js'
import { deepFreeze } from './compiled.js'

// Generates sequences of inputs with the changes that a controller sees: objects appear, change and disappear, lists
// are replaced, and occasionally an object is invalid. Three of four steps change rules; the remaining steps must have
// no effect. `properties/generators.test.ts` counts them.

type Kind = 'services' | 'endpointSlices' | 'endpoints'
/** Changes a cluster. New objects come from the cluster `donor`. */
export type Edit = (cluster: Cluster, donor: Cluster) => Cluster

/** Successive inputs, and the common options to compile them with. Everything is frozen. */
export interface History {
  readonly inputs: readonly Cluster[]
  readonly options: Case['options']
}

type Item = Service | EndpointSlice | Endpoints
type List = readonly Item[]

const KINDS: readonly Kind[] = ['services', 'endpointSlices', 'endpoints']
const kinds = oneOf<Kind>([8, 'services'], [8, 'endpointSlices'], [1, 'endpoints'])

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

/** Selects the object at an index: among those that affect rules, except for every eighth index. */
function targetIn(cluster: Cluster, list: List, place: number): Item | undefined {
  const used = place % 8 === 7 ? [] : list.filter((item) => isUsed(cluster, item))
  const from = used.length > 0 ? used : list
  return from[at(from, place)]
}

/** Reports whether an object affects rules, by a simple check. */
function isUsed({ services, endpointSlices }: Cluster, item: Item): boolean {
  if ('spec' in item) return isServed(item)
  const service = 'addressType' in item ? item.metadata?.labels?.[SERVICE_NAME] : item.metadata?.name
  const namespace = item.metadata?.namespace
  const own = services.filter(({ metadata }) => metadata?.namespace === namespace && metadata?.name === service)
  if ('addressType' in item) return own.some((each) => isServed(each) && hasFamily(each, item.addressType))
  const isOfSame = ({ metadata }: EndpointSlice) =>
    metadata?.namespace === namespace && metadata?.labels?.[SERVICE_NAME] === service
  return own.some(isServed) && !endpointSlices.some(isOfSame)
}

const SERVICE_NAME = 'kubernetes.io/service-name'
const LEFT_ALONE = ['service.kubernetes.io/headless', 'service.kubernetes.io/service-proxy-name']

function isServed({ metadata, spec }: Service): boolean {
  const isOwned = LEFT_ALONE.every((label) => metadata?.labels?.[label] === undefined)
  return isOwned && spec?.type !== 'ExternalName' && (spec?.clusterIP ?? 'None') !== 'None'
}

function hasFamily({ spec }: Service, family: string | null | undefined): boolean {
  const [clusterIP = '', families] = [spec?.clusterIP ?? '', spec?.ipFamilies]
  return families?.some((each) => each === family) ?? clusterIP.includes(':') === (family === 'IPv6')
}

/** Adds an object of another cluster, or replaces the object with the same name. */
const puts: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20)).map(([kind, place]) => (cluster, donor) => {
  const item = targetIn(kind === 'services' ? donor : cluster, donor[kind], place)
  return item === undefined ? cluster : withList(cluster, kind, (list) => upserted(list, item))
})

const removals: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20)).map(
  ([kind, place]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => list.filter((item) => item !== targetIn(cluster, list, place))),
)

/** Replaces an object by an equal one, as a heartbeat does. */
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
          list.map((slice) => (slice === targetIn(cluster, list, place) ? relabelled(slice, service) : slice)),
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

/** Replaces the object at an index by another object with the same name. */
function changed<T extends Item>(
  cluster: Cluster,
  list: readonly T[],
  place: number,
  change: (item: T) => T,
): readonly T[] {
  const target = targetIn(cluster, list, place)
  return list.map((item) => (item === target ? change(item) : item))
}

type EndpointEdit = (endpoints: readonly SliceEndpoint[], which: number, family: string) => readonly SliceEndpoint[]

function becoming(fields: Partial<SliceEndpoint>): EndpointEdit {
  return (endpoints, which) =>
    endpoints.map((each, index) => (index === at(endpoints, which) ? { ...each, ...fields } : each))
}

/** Adds a new pod. */
const starts: EndpointEdit = (endpoints, which, family) => {
  const address = `${family === 'IPv6' ? 'fd00:244:1::' : '10.244.1.'}${which + 20}`
  return [...endpoints, { addresses: [address], conditions: { ready: true }, nodeName: 'node-1' }]
}

const ends: EndpointEdit = (endpoints, which) => endpoints.filter((_, index) => index !== at(endpoints, which))

/** Generates pod changes: a pod starts, ends, gets ready, drains, moves or has new hints. */
const endpointChanges: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.nat(20),
    fc.nat(5),
    oneOf<EndpointEdit>(
      [8, starts],
      [4, ends],
      [3, becoming({ conditions: { ready: true } })],
      [3, becoming({ conditions: { ready: false, serving: true, terminating: true } })],
      [2, becoming({ conditions: { ready: false, serving: false } })],
      [1, becoming({ nodeName: 'node-2' })],
      [1, becoming({ hints: { forZones: [{ name: 'z2' }] } })],
    ),
  )
  .map(([place, which, change]) => (cluster: Cluster) => ({
    ...cluster,
    endpointSlices: changed(cluster, cluster.endpointSlices, place, (slice) => ({
      ...slice,
      endpoints: change(slice.endpoints ?? [], which, slice.addressType ?? ''),
    })),
  }))

/** Generates an edit of a Service. */
const serviceChanges: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.nat(20),
    oneOf<(spec: ServiceSpec) => ServiceSpec>(
      [2, (spec) => ({ ...spec, internalTrafficPolicy: other(spec.internalTrafficPolicy) })],
      [2, (spec) => ({ ...spec, type: 'LoadBalancer', externalTrafficPolicy: other(spec.externalTrafficPolicy) })],
      [2, (spec) => ({ ...spec, sessionAffinity: spec.sessionAffinity === 'ClientIP' ? 'None' : 'ClientIP' })],
      [3, (spec) => ({ ...spec, externalIPs: spec.externalIPs?.length ? [] : ['192.0.2.1', '2001:db8::1'] })],
      [3, (spec) => ({ ...spec, ports: (spec.ports ?? []).map((port) => ({ ...port, port: (port.port ?? 0) ^ 1 })) })],
      [
        2,
        (spec) => ({ ...spec, ports: (spec.ports ?? []).map((port) => ({ ...port, nodePort: nextNodePort(port) })) }),
      ],
      [1, (spec) => ({ ...spec, loadBalancerSourceRanges: ['192.0.2.0/24', '2001:db8:2::/48'] })],
      [1, (spec) => ({ ...spec, clusterIP: 'None' })],
    ),
  )
  .map(([place, change]) => (cluster: Cluster) => ({
    ...cluster,
    services: changed(cluster, cluster.services, place, (service) => ({
      ...service,
      spec: change(service.spec ?? {}),
    })),
  }))

function other(policy: string | null | undefined): string {
  return policy === 'Local' ? 'Cluster' : 'Local'
}

function nextNodePort({ nodePort }: { readonly nodePort?: number | null | undefined }): number {
  return nodePort ? nodePort + 100 : 30_100
}

/** Single changes. */
export const edits: fc.Arbitrary<Edit> = anyOf(
  [8, puts],
  [5, removals],
  [10, endpointChanges],
  [10, serviceChanges],
  [2, relabels],
  [2, replacements],
  [1, touches],
  [1, relistings],
  [1, reversals],
  [1, nothing],
)

/** Generates up to three edits, because a controller sees their combination; one of three affects an unused object. */
const someEdits: fc.Arbitrary<readonly Edit[]> = anyOf<readonly Edit[]>(
  [1, fc.tuple(edits)],
  [3, fc.tuple(edits, edits)],
  [6, fc.tuple(edits, edits, edits)],
)

/** Constant objects, so that several inputs can share one. */
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

/** Generates an additional error in one input. */
const flaws: fc.Arbitrary<Edit> = fc.tuple(kinds, fc.nat(20), fc.nat(20), fc.boolean()).map(
  ([kind, place, to, repeats]) =>
    (cluster: Cluster) =>
      withList(cluster, kind, (list) => {
        const item = repeats && list.length > 0 ? list[at(list, place)] : FLAWED[kind][at(FLAWED[kind], place)]
        const before = to % (list.length + 1)
        return [...list.slice(0, before), item, ...list.slice(before)]
      }),
)

const flawLists: fc.Arbitrary<readonly Edit[]> = anyOf<readonly Edit[]>(
  [4, fc.constant([])],
  [1, fc.array(flaws, { minLength: 1, maxLength: 2 })],
)

const steps = fc.record({ edits: someEdits, donor: fc.nat(2), flaws: flawLists })

export const histories: fc.Arbitrary<History> = fc
  .record({
    start: cases,
    donors: fc.tuple(clusters, clusters, clusters),
    steps: fc.array(steps, { minLength: 2, maxLength: 5 }),
  })
  .map(({ start, donors: others, steps: list }) => {
    const donors = others.map((cluster) => understoodCluster(cluster, start.options))
    const inputs = [start.cluster]
    let cluster = start.cluster
    for (const step of list) {
      const donor = donors[step.donor] ?? cluster
      cluster = step.edits.reduce((edited, edit) => edit(edited, donor), cluster)
      inputs.push(step.flaws.reduce<Cluster>((flawed, flaw) => flaw(flawed, donor), cluster))
    }
    return deepFreeze({ inputs, options: start.options })
  })
