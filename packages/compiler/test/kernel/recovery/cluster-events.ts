import type { KubeProxyConfiguration } from '@kube-rules/types'
import fc from 'fast-check'
import type { Cluster } from '../../../../testing/src/arbitraries/cluster.js'
import { clusters } from '../../../../testing/src/arbitraries/clusters.js'
import { understood } from '../../../../testing/src/arbitraries/configurations.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import type { TrackedObjectKind, Tracker } from '../../../src/tracker/tracker-types.js'
import { cases } from '../../support/clusters.js'
import { type Edit, edits } from '../../support/edits.js'

// A cluster that changes event by event, and the controller of one of its nodes.

/** The objects of the cluster, and the mode and version of kube-proxy on the node. */
export interface Situation {
  readonly cluster: Cluster
  readonly mode: ProxyMode
  readonly kubernetesVersion: string
}

/**
 * The first cluster, the changes, and the clusters (`donors`) that new objects are taken from. The same seed always
 * produces the same events.
 */
interface Events {
  readonly start: Cluster
  readonly edits: readonly Edit[]
  readonly donors: readonly Cluster[]
}

/** The number of consecutive changes that take their objects from the same donor. */
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

/** Starts a controller, which has all objects, but no information about the rules on the node. */
export function startTracker(situation: Situation): Tracker {
  const { cluster, kubernetesVersion } = situation
  // Disables the nfacct counters, because they would have to exist in advance.
  const host = { ...cluster.host, nfacctCounters: false }
  const tracker = createTracker({ nodeName: 'node-1', kubernetesVersion, host })
  for (const kind of KINDS) tracker.replace(kind, cluster[LISTS[kind]])
  tracker.upsert(configurationOf(situation), 'KubeProxyConfiguration')
  return tracker
}

/** Reports the differences between two situations to the tracker, as watches do. */
export function follow(tracker: Tracker, previous: Situation, next: Situation): void {
  for (const kind of KINDS) followList(tracker, kind, previous.cluster[LISTS[kind]], next.cluster[LISTS[kind]])
  if (previous.cluster.configuration === next.cluster.configuration && previous.mode === next.mode) return
  tracker.upsert(configurationOf(next), 'KubeProxyConfiguration')
}

type Item = { readonly metadata?: { readonly namespace?: unknown; readonly name?: unknown } | null | undefined }

function followList(tracker: Tracker, kind: TrackedObjectKind, previous: readonly Item[], next: readonly Item[]): void {
  if (previous === next) return
  const known = new Set(previous)
  const names = new Set(next.map(nameOf))
  for (const item of previous) if (!names.has(nameOf(item))) tracker.delete(item as object, kind)
  for (const item of next) if (!known.has(item)) tracker.upsert(item as object, kind)
}

function nameOf({ metadata }: Item): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

/**
 * Returns the configuration of the cluster without the fields that this version of kube-proxy does not support, and
 * without an interface match that the kernel could not load.
 */
function configurationOf({ cluster, mode, kubernetesVersion }: Situation): KubeProxyConfiguration {
  const configuration = understood(cluster.configuration, { mode, kubernetesVersion })
  // Before 1.35, rules of nftables mode contain the index of an interface, which nft looks up when it loads the rules.
  // The interfaces of the configuration do not exist on the test node.
  const looksUp = ['BridgeInterface', 'InterfaceNamePrefix'].includes(String(configuration.detectLocalMode))
  const detection = mode === 'nftables' && kubernetesVersion < '1.35' && looksUp ? { detectLocalMode: 'NodeCIDR' } : {}
  return { ...configuration, ...detection, mode }
}
