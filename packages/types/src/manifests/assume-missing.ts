import type { EndpointSlice, Endpoints, Node, Service } from '@kube-rules/types'
import {
  allocatePods,
  assumeEndpoints,
  findServicesWithEndpoints,
  type PodAssumptionInputs,
} from './assume-endpoints.js'
import { assumeNode } from './assume-node.js'
import { allocateForServices, assumeService, namespacedNameOf } from './assume-services.js'
import type { AssumedValue } from './assumed-value.js'
import { getFieldAt, getStringAt, isOfKind, type ManifestObject } from './manifest-objects.js'
import { findWorkloads } from './workloads.js'

/** The objects of a cluster that rules are computed from. */
export interface AssumableObjects {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
  readonly nodes: readonly Node[]
}

/** The objects of one version of a cluster. */
export interface AssumableCluster {
  readonly objects: AssumableObjects
  /** The objects of all kinds in the input, unchanged. */
  readonly manifestObjects: readonly ManifestObject[]
  /** The namespace of objects that do not specify a namespace. */
  readonly namespace: string
}

/** The node that rules are computed for. */
export interface AssumeMissingOptions {
  /** The name of the node. Default: the name of the only Node. */
  readonly nodeName?: string | undefined
  /** Whether the addresses of the node are known from another source. */
  readonly hasHost?: boolean | undefined
}

/** Objects completed with assumed values, and these values. */
export interface AssumedObjects {
  readonly objects: AssumableObjects
  readonly assumed: readonly AssumedValue[]
}

/**
 * Adds what an API server, the controllers of a cluster and a cloud provider would add to manifests: namespaces,
 * addresses of the node, cluster IPs, node ports, load-balancer IPs, and EndpointSlices for the pods that Services
 * select. Keeps the values of the input.
 *
 * Every value depends only on the name of its object (`allocate`). `alongside` is another version of the cluster. The
 * values for both versions are allocated together, so that an object has the same values in both versions.
 *
 * @throws InputError if the networks for tests do not have enough addresses.
 */
export function assumeMissing(
  cluster: AssumableCluster,
  alongside: AssumableCluster | undefined,
  { nodeName, hasHost = false }: AssumeMissingOptions = {},
): AssumedObjects {
  const { nodes, nodeNames, assumed } = assumeNode(cluster.objects.nodes, nodeName, hasHost)
  const clusters = alongside === undefined ? [cluster] : [cluster, alongside]
  const numbers = allocateForServices(clusters.flatMap(({ objects }) => objects.services))
  const services = cluster.objects.services.map((service) => assumeService(service, numbers))
  const sources = clusters.map((each) => podSourcesOf(each, nodeNames))
  const pods = allocatePods(sources)
  const { endpointSlices, endpoints } = cluster.objects
  const known = findServicesWithEndpoints(endpointSlices, endpoints)
  const missing = services.flatMap(({ service }) => {
    const [own] = sources
    return own === undefined || known.has(namespacedNameOf(service)) ? [] : [assumeEndpoints(service, own, pods)]
  })
  return {
    objects: {
      services: services.map(({ service }) => service),
      endpointSlices: [...endpointSlices, ...missing.flatMap(({ slices }) => slices)],
      endpoints,
      nodes,
    },
    assumed: [
      ...assumed,
      ...namespacesOf(cluster),
      ...services.flatMap(({ assumed: assumptions }) => assumptions),
      ...missing.flatMap(({ assumed: assumptions }) => assumptions),
    ],
  }
}

function podSourcesOf(
  { objects, manifestObjects, namespace }: AssumableCluster,
  nodeNames: readonly string[],
): PodAssumptionInputs {
  return { services: objects.services, workloads: findWorkloads(manifestObjects, namespace), nodeNames }
}

/** The namespace of objects without one, unless the user chooses another. */
export const DEFAULT_NAMESPACE = 'default'

/** Returns an assumed value for each Service without a namespace. The value is the default namespace. */
function namespacesOf({ manifestObjects, namespace }: AssumableCluster): readonly AssumedValue[] {
  // Any other namespace is a choice of the user, so it is not an assumption.
  if (namespace !== DEFAULT_NAMESPACE) return []
  const unnamespaced = manifestObjects.filter(
    (object) => isOfKind(object, 'Service') && !getFieldAt(object.value, 'metadata', 'namespace'),
  )
  return unnamespaced.map(({ value }) => ({
    object: { kind: 'Service', namespace, name: getStringAt(value, 'metadata', 'name') ?? '' },
    kind: 'namespace',
    path: 'metadata.namespace',
    value: namespace,
  }))
}

/**
 * Reports whether objects are from a live cluster, where every Service with a selector has an EndpointSlice. The samples
 * of the Kubernetes documentation also have EndpointSlices, but neither namespaces nor cluster IPs.
 */
export function isLiveCluster(given: readonly ManifestObject[]): boolean {
  const endpoints = given.filter((object) => isOfKind(object, 'EndpointSlice') || isOfKind(object, 'Endpoints'))
  const services = given.filter((object) => isOfKind(object, 'Service'))
  const isAnyNamespaced = endpoints.some(({ value }) => getStringAt(value, 'metadata', 'namespace') !== undefined)
  return isAnyNamespaced || (endpoints.length > 0 && services.every(({ value }) => hasClusterIP(value)))
}

function hasClusterIP(service: object): boolean {
  return (
    getStringAt(service, 'spec', 'clusterIP') !== undefined || getStringAt(service, 'spec', 'type') === 'ExternalName'
  )
}
