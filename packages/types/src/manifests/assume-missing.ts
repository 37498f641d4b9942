import { createArgumentError, DiagnosticsError } from '../diagnostic.js'
import type { EndpointSlice } from '../kubernetes/endpoint-slice.js'
import type { Endpoints } from '../kubernetes/endpoints.js'
import type { Node } from '../kubernetes/node.js'
import type { Service } from '../kubernetes/service.js'
import { describeValue, fieldOf, isObject } from '../schema/untyped.js'
import {
  allocatePods,
  assumeEndpoints,
  findServicesWithEndpoints,
  type PodAssumptionInputs,
} from './assume-endpoints.js'
import { assumeNode } from './assume-node.js'
import { allocateForServices, assumeService, namespacedNameOf } from './assume-services.js'
import type { AssumedValue } from './assumed-value.js'
import { collectManifestObjects, getFieldAt, getStringAt, isOfKind } from './manifest-objects.js'
import { findWorkloads } from './workloads.js'

/** The objects of a cluster that rules are computed from. */
export interface AssumableObjects {
  /** The Services; those without a cluster IP get one. */
  readonly services: readonly Service[]
  /** The EndpointSlices. A Service with one, or with an Endpoints object, gets no assumed endpoints. */
  readonly endpointSlices: readonly EndpointSlice[]
  /** The Endpoints objects. */
  readonly endpoints: readonly Endpoints[]
  /** The Nodes; pods are assumed on them. */
  readonly nodes: readonly Node[]
}

/** The objects of one version of a cluster. */
export interface AssumableCluster<Objects extends AssumableObjects = AssumableObjects> {
  /** The objects that rules are computed from, such as the result of `parseManifests` for the documents. */
  readonly objects: Objects
  /**
   * The parsed documents with objects of all kinds, as a YAML parser returns them. Deployments and other objects with a
   * pod template determine the endpoints.
   */
  readonly documents: readonly unknown[]
  /** The namespace of objects that do not specify a namespace. Default: `default`. */
  readonly namespace?: string | undefined
}

/** Options of `assumeMissing`. */
export interface AssumeMissingOptions {
  /** The name of the node that rules are computed for. Default: the name of the only Node, else `node-1`. */
  readonly nodeName?: string | undefined
  /** Whether the addresses of the node are known from another source. Default: false. */
  readonly hasHost?: boolean | undefined
  /**
   * Another version of the cluster. The values for both versions are allocated together, so that an object has the same
   * values in both versions.
   */
  readonly alongside?: AssumableCluster | undefined
}

/** Objects completed with assumed values, and these values. */
export interface AssumedObjects<Objects extends AssumableObjects = AssumableObjects> {
  /** The objects, with all fields of the input. */
  readonly objects: Objects
  /** The values that are not in the input: first those of the node, then those of namespaces, Services and endpoints. */
  readonly assumed: readonly AssumedValue[]
}

/**
 * Adds what an API server, the controllers of a cluster and a cloud provider would add to manifests: namespaces,
 * addresses of the node, cluster IPs, node ports, load-balancer IPs, and EndpointSlices for the pods that Services
 * select. Keeps the values of the input.
 *
 * Every value depends only on the name of its object, so the values are the same in each call, and a new object changes
 * the values of other objects only if hashes collide. Addresses are from networks for tests and documentation.
 *
 * @throws DiagnosticsError (`invalidValue`) if the networks do not have enough addresses, or if a workload has too many
 * replicas.
 *
 * @example
 * ```ts
 * const metadata = { name: 'web' }
 * const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] }
 * const documents = [{ apiVersion: 'v1', kind: 'Service', metadata, spec }]
 * const manifests = parseManifests(documents, { namespace: 'default' })
 * const { objects, assumed } = assumeMissing({ objects: manifests, documents })
 * assumed.map(({ kind }) => kind) // => ['node', 'node', 'namespace', 'clusterIP', 'endpoint', 'endpoint']
 * objects.services[0].spec.clusterIP.startsWith('198.18.') // => true
 * ```
 */
export function assumeMissing<Objects extends AssumableObjects>(
  cluster: AssumableCluster<Objects>,
  options: AssumeMissingOptions = {},
): AssumedObjects<Objects> {
  try {
    checkCluster('cluster', cluster)
    checkOptions(options)
    return completeObjects(cluster, options)
  } catch (error) {
    if (error instanceof DiagnosticsError) throw error
    throw createArgumentError('cluster', 'an object is not valid', 'objects as parseManifests returns them')
  }
}

function completeObjects<Objects extends AssumableObjects>(
  cluster: AssumableCluster<Objects>,
  { nodeName, hasHost = false, alongside }: AssumeMissingOptions,
): AssumedObjects<Objects> {
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
      ...cluster.objects,
      services: services.map(({ service }) => service),
      endpointSlices: [...endpointSlices, ...missing.flatMap(({ slices }) => slices)],
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

const LISTS = ['services', 'endpointSlices', 'endpoints', 'nodes'] as const

function checkCluster(name: string, cluster: unknown): void {
  const [objects, documents, namespace] = ['objects', 'documents', 'namespace'].map((field) => fieldOf(cluster, field))
  if (!Array.isArray(documents)) throw createArgumentError(name, 'no documents', 'a list of documents', 'documents')
  if (namespace !== undefined && typeof namespace !== 'string') {
    throw createArgumentError(name, `${describeValue(namespace)} is not a text`, 'a text', 'namespace')
  }
  for (const field of LISTS) {
    const list = fieldOf(objects, field)
    if (Array.isArray(list) && list.every(isObject)) continue
    throw createArgumentError(name, 'no list of objects', 'the result of parseManifests', `objects.${field}`)
  }
}

function checkOptions(options: unknown): void {
  const expected = 'an object with nodeName, hasHost and alongside'
  if (!isObject(options)) throw createArgumentError('options', `${describeValue(options)} is not ${expected}`, expected)
  for (const [field, type] of Object.entries({ nodeName: 'string', hasHost: 'boolean' })) {
    const value = fieldOf(options, field)
    if (value === undefined || typeof value === type) continue
    throw createArgumentError('options', `${describeValue(value)} is not a ${type}`, `a ${type}`, field)
  }
  const alongside = fieldOf(options, 'alongside')
  if (alongside !== undefined) checkCluster('options.alongside', alongside)
}

function podSourcesOf(
  { objects, documents, namespace = DEFAULT_NAMESPACE }: AssumableCluster,
  nodeNames: readonly string[],
): PodAssumptionInputs {
  return {
    services: objects.services,
    workloads: findWorkloads(collectManifestObjects(documents), namespace),
    nodeNames,
  }
}

/** The namespace of objects without one, unless the user chooses another. */
export const DEFAULT_NAMESPACE = 'default'

/** Returns an assumed value for each Service without a namespace. The value is the default namespace. */
function namespacesOf({ documents, namespace = DEFAULT_NAMESPACE }: AssumableCluster): readonly AssumedValue[] {
  // Any other namespace is a choice of the user, so it is not an assumption.
  if (namespace !== DEFAULT_NAMESPACE) return []
  const unnamespaced = collectManifestObjects(documents).filter(
    (object) => isOfKind(object, 'Service') && !getFieldAt(object.value, 'metadata', 'namespace'),
  )
  return unnamespaced.map(({ value }) => ({
    object: { kind: 'Service', namespace, name: getStringAt(value, 'metadata', 'name') ?? '' },
    kind: 'namespace',
    path: 'metadata.namespace',
    value: namespace,
  }))
}
