import type { HostFacts, KubeProxyConfiguration } from '@kube-rules/types'
import type { CompileOptions } from '../compilation/compile-result.js'
import { haveSameItems } from '../internal/have-same-items.js'
import { featuresOf } from '../model/configuration/features.js'
import { isSupportedVersion, newestVersionOf, parseProxyMode, parseVersion } from '../model/configuration/versions.js'
import { findNodeVersion } from '../model/node/node-version.js'
import { readNode, selectNode } from '../model/node/parsed-node.js'
import { isObject } from '../model/reading/read-field.js'
import type { TrackedInput } from './tracked-objects.js'

/** The facts of the Node that kube-proxy keeps while it runs. */
export interface NodeStart {
  readonly name: string
  /** The configuration of the process. A process with another configuration is a new one. */
  readonly configuration: KubeProxyConfiguration | undefined
  /** The version of the process; absent if the newest version is emulated. */
  readonly version: string | undefined
  /** The addresses; empty until the Node has one. */
  readonly addresses: readonly string[]
  /** The pod networks; empty until the Node has one. */
  readonly podCIDRs: readonly string[]
  /** The zone of the Node, or the zone of a deleted Node if the version keeps it; empty if there is none. */
  readonly zone: string
  /** Whether kube-proxy starts again and waits for an address of the Node. */
  readonly isWaiting: boolean
}

/** The options that select the Node, the mode and the version. */
export type StartOptions = Pick<CompileOptions, 'nodeName' | 'mode' | 'kubernetesVersion'>

/**
 * Returns the facts of the Node that kube-proxy uses for these objects, if it used `before` until now. A change of the
 * name, of the configuration or of the version is a new start, and so is a change of the Node, if the version starts
 * again for it. Facts that the Node does not have are kept, because kube-proxy waits for them at its start.
 */
export function updateNodeStart(
  before: NodeStart | undefined,
  { nodes, configuration }: TrackedInput,
  options: StartOptions,
  isReread: boolean,
): NodeStart {
  const hostnameOverride = textOf(configuration?.hostnameOverride)
  const { name, node } = selectNode(nodes, options.nodeName, { hostnameOverride })
  const known = before?.name === name ? before : undefined
  const mode = options.mode ?? textOf(configuration?.mode)
  const version = versionOf(known, nodes, name, mode, options)
  const { keepsZone, restartsForAddresses, restartsForPodNetworks } = featuresOf(
    parseProxyMode(mode),
    parseVersion(version ?? '') ?? newestVersionOf(mode),
    new Map(),
  )
  const { object } = readNode(node)
  const addresses = object.addresses.map(({ text }) => text)
  const podCIDRs = object.podCidrs.map(({ text }) => text)
  const isStart =
    isReread ||
    known === undefined ||
    known.isWaiting ||
    known.configuration !== configuration ||
    known.version !== version ||
    (restartsForAddresses && isChanged(known.addresses, addresses)) ||
    (restartsForPodNetworks && usesPodNetworks(configuration) && isChanged(known.podCIDRs, podCIDRs))
  return {
    ...{ name, configuration, version },
    addresses: factsInUse(known?.addresses, addresses, isStart),
    podCIDRs: factsInUse(known?.podCIDRs, podCIDRs, isStart),
    zone: node === undefined && keepsZone && !isStart ? known.zone : object.zone,
    isWaiting: isStart && addresses.length === 0,
  }
}

/** Adds the facts of a start to the facts about the host, which take precedence. */
export function hostAtStart(
  { addresses, podCIDRs, zone, configuration }: NodeStart,
  host: HostFacts | undefined,
): HostFacts | undefined {
  const facts: HostFacts = {
    ...(addresses.length > 0 && { nodeAddresses: addresses }),
    ...(podCIDRs.length > 0 && usesPodNetworks(configuration) && { podCIDRs }),
    ...(zone !== '' && { zone }),
  }
  // `compile` reports a host that is not an object.
  if (Object.keys(facts).length === 0 || (host !== undefined && !isObject(host))) return host
  return { ...facts, ...host }
}

/** Returns the version of the process. A process keeps its version while the Node is missing or reports none. */
function versionOf(
  known: NodeStart | undefined,
  nodes: TrackedInput['nodes'],
  name: string,
  mode: string,
  { kubernetesVersion }: StartOptions,
): string | undefined {
  if (kubernetesVersion !== undefined) return kubernetesVersion
  const reported = findNodeVersion(nodes, name, undefined, mode)
  if (reported !== undefined) return reported.version
  return known?.version !== undefined && isSupportedVersion(mode, known.version) ? known.version : undefined
}

function factsInUse(known: readonly string[] = [], current: readonly string[], isStart: boolean): readonly string[] {
  if (current.length === 0 || haveSameItems(known, current)) return known
  return isStart || known.length === 0 ? current : known
}

/** Reports whether the Node has other facts than at the start. Facts that it loses, or did not have, are no change. */
function isChanged(known: readonly string[], current: readonly string[]): boolean {
  return known.length > 0 && current.length > 0 && !haveSameItems(known, current)
}

function usesPodNetworks(configuration: KubeProxyConfiguration | undefined): boolean {
  return configuration?.detectLocalMode === 'NodeCIDR'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
