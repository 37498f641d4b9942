import { keepUsedFields, type WatchedKind } from '@kube-rules/proxy-kit'
import { getFieldAt, getListAt, getStringAt } from '@kube-rules/types/internal/manifests/manifest-objects'
import { findProxyConfiguration } from './proxy-configuration.js'
import { findProxyPod, versionOfPod } from './proxy-pods.js'
import type { TextSource } from './text-source.js'

/** A request for objects of a live cluster. */
export interface ClusterQuery {
  /** The objects for messages: `Services`. */
  readonly name: string
  /** The arguments of kubectl. */
  readonly args: readonly string[]
  /** Whether rules cannot be computed without these objects. */
  readonly isRequired: boolean
}

const ALL = ['-A', '-o', 'json']
const SYSTEM = ['-n', 'kube-system', '-o', 'json']

/** The requests for the objects of a cluster. They only read, and none of them reads Secrets. */
export const CLUSTER_QUERIES = {
  services: { name: 'Services', args: ['get', 'services', ...ALL], isRequired: true },
  slices: { name: 'EndpointSlices', args: ['get', 'endpointslices.discovery.k8s.io', ...ALL], isRequired: true },
  nodes: { name: 'Nodes', args: ['get', 'nodes', '-o', 'json'], isRequired: true },
  serviceCIDRs: {
    name: 'ServiceCIDRs',
    args: ['get', 'servicecidrs.networking.k8s.io', '-o', 'json'],
    isRequired: false,
  },
  kubeadm: {
    name: 'ConfigMap kube-proxy',
    args: ['get', 'configmap', 'kube-proxy', '--ignore-not-found', ...SYSTEM],
    isRequired: false,
  },
  eks: {
    name: 'ConfigMap kube-proxy-config',
    args: ['get', 'configmap', 'kube-proxy-config', '--ignore-not-found', ...SYSTEM],
    isRequired: false,
  },
  pods: {
    name: 'Pods of kube-proxy',
    args: ['get', 'pods', '-l', 'k8s-app=kube-proxy', ...SYSTEM],
    isRequired: false,
  },
  staticPods: {
    name: 'static Pods of kube-proxy',
    args: ['get', 'pods', '-l', 'component=kube-proxy', ...SYSTEM],
    isRequired: false,
  },
} as const satisfies Readonly<Record<string, ClusterQuery>>

/** The parsed output of each request; undefined if the request failed or found nothing. */
export type ClusterAnswers = { readonly [Name in keyof typeof CLUSTER_QUERIES]?: unknown }

/**
 * Creates a source of objects from the output of kubectl: the objects without fields that affect no rules, and the
 * configuration of kube-proxy on a node. `nodeName` defaults to the first Node by name.
 */
export function createClusterSource(
  answers: ClusterAnswers,
  nodeName: string | undefined,
): { readonly source: TextSource; readonly notes: readonly string[] } {
  const nodes = getListAt(answers.nodes, 'items')
  const name = nodeName ?? nodes.flatMap((node) => getStringAt(node, 'metadata', 'name') ?? []).sort()[0]
  const pods = [...getListAt(answers.pods, 'items'), ...getListAt(answers.staticPods, 'items')]
  const configMaps = [answers.kubeadm, answers.eks].filter((answer) => answer !== undefined)
  const { configuration, note } = findProxyConfiguration({ nodes, nodeName: name, pods, configMaps })
  const items = [
    ...getListAt(answers.services, 'items').map((item) => strip(item, 'v1', 'Service')),
    ...getListAt(answers.slices, 'items').map((item) => strip(item, 'discovery.k8s.io/v1', 'EndpointSlice')),
    ...nodes.map((item) => strip(withProxyVersion(item, pods), 'v1', 'Node')),
    ...getListAt(answers.serviceCIDRs, 'items').map((item) => strip(item, 'networking.k8s.io/v1', 'ServiceCIDR')),
    ...(configuration === undefined ? [] : [configuration]),
  ]
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  return { source: { name: 'the cluster', text }, notes: [note] }
}

/** Replaces the version that a Node reports by the version of the image of its kube-proxy, if there is a Pod. */
function withProxyVersion(node: unknown, pods: readonly unknown[]): object {
  const version = versionOfPod(findProxyPod(pods, getStringAt(node, 'metadata', 'name')))
  const status = getFieldAt(node, 'status')
  if (version === undefined) return Object(node)
  const nodeInfo = { ...Object(getFieldAt(status, 'nodeInfo')), kubeProxyVersion: version }
  return { ...Object(node), status: { ...Object(status), nodeInfo } }
}

/** Keeps the fields that rules or diagnoses depend on, and adds the kind of list items. */
function strip(item: unknown, apiVersion: string, kind: WatchedKind['kind']): object {
  const { metadata, endpoints } = Object(item)
  const annotations = Object(getFieldAt(metadata, 'annotations'))
  const used = keepUsedFields(kind, { ...Object(item), metadata: { ...Object(metadata), annotations } })
  // Diagnoses name the Pods of endpoints.
  return { apiVersion, kind, ...used, ...(endpoints !== undefined && { endpoints }) }
}
