import type { KubeProxyConfiguration } from '@kube-rules/types'
import fc from 'fast-check'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { createTracker, type TrackedKind, type Tracker } from '../../../src/tracker/tracker.js'
import { type Cluster, cases, clusters } from '../../support/clusters.js'
import { type Edit, edits } from '../../support/edits.js'
import { understood } from '../../support/generators/nodes.js'

// A cluster in which something happens, event by event, and the controller of one of its nodes.

/** What there is, and how the node is to express it. */
export interface Situation {
  readonly cluster: Cluster
  readonly mode: ProxyMode
  readonly kubernetesVersion: string
}

/** The clusters that objects come from, and the changes, always the same ones for a seed. */
interface Events {
  readonly start: Cluster
  readonly edits: readonly Edit[]
  readonly donors: readonly Cluster[]
}

/** So many changes take their objects from one cluster. */
const EDITS_OF_DONOR = 25

export function eventsOf(count: number, seed: number): Events {
  const [start] = fc.sample(cases, { numRuns: 1, seed })
  if (start === undefined) throw new Error('no cluster')
  return {
    start: start.cluster,
    edits: fc.sample(edits, { numRuns: count, seed }),
    donors: fc.sample(clusters, { numRuns: Math.ceil(count / EDITS_OF_DONOR), seed: seed + 1 }),
  }
}

export function changed(cluster: Cluster, { edits: list, donors }: Events, index: number): Cluster {
  const donor = donors[Math.floor(index / EDITS_OF_DONOR)] ?? cluster
  return list[index]?.(cluster, donor) ?? cluster
}

const LISTS = {
  Service: 'services',
  EndpointSlice: 'endpointSlices',
  Endpoints: 'endpoints',
  Node: 'nodes',
  ServiceCIDR: 'serviceCIDRs',
} as const

type ListedKind = keyof typeof LISTS
const KINDS = Object.keys(LISTS) as readonly ListedKind[]

/** A controller that starts: it knows all objects and nothing about the node. */
export function startTracker(situation: Situation): Tracker {
  const { cluster, kubernetesVersion } = situation
  // Disables the nfacct counters, because they would have to exist in advance.
  const host = { ...cluster.host, nfacctCounters: false }
  const tracker = createTracker({ nodeName: 'node-1', kubernetesVersion, host })
  for (const kind of KINDS) tracker.replace(kind, cluster[LISTS[kind]])
  tracker.upsert(configurationOf(situation), 'KubeProxyConfiguration')
  return tracker
}

/** Passes on what is different now, as watches do. */
export function follow(tracker: Tracker, previous: Situation, next: Situation): void {
  for (const kind of KINDS) followList(tracker, kind, previous.cluster[LISTS[kind]], next.cluster[LISTS[kind]])
  if (previous.cluster.configuration === next.cluster.configuration && previous.mode === next.mode) return
  tracker.upsert(configurationOf(next), 'KubeProxyConfiguration')
}

type Item = { readonly metadata?: { readonly namespace?: unknown; readonly name?: unknown } | null | undefined }

function followList(tracker: Tracker, kind: TrackedKind, previous: readonly Item[], next: readonly Item[]): void {
  if (previous === next) return
  const known = new Set(previous)
  const names = new Set(next.map(nameOf))
  for (const item of previous) if (!names.has(nameOf(item))) tracker.delete(item as object, kind)
  for (const item of next) if (!known.has(item)) tracker.upsert(item as object, kind)
}

function nameOf({ metadata }: Item): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

/** The one of the cluster, as far as kube-proxy of the version understands it and a kernel can load it. */
function configurationOf({ cluster, mode, kubernetesVersion }: Situation): KubeProxyConfiguration {
  const configuration = understood(cluster.configuration, { mode, kubernetesVersion })
  // Before 1.35 mode nftables has interfaces looked up when rules are loaded: none of these is there.
  const looksUp = ['BridgeInterface', 'InterfaceNamePrefix'].includes(String(configuration.detectLocalMode))
  const detection = mode === 'nftables' && kubernetesVersion < '1.35' && looksUp ? { detectLocalMode: 'NodeCIDR' } : {}
  return { ...configuration, ...detection, mode }
}
