import { formatReference, type ObjectReference } from '../diagnostic.js'
import type { IpFamily } from '../ip.js'
import { joinHostPort } from '../ip.js'
import type { EndpointSlice } from '../kubernetes/endpoint-slice.js'
import type { Endpoints } from '../kubernetes/endpoints.js'
import type { Service, ServicePortSpec } from '../kubernetes/service.js'
import { allocateFromPool } from './allocate-from-pool.js'
import { ipFamiliesOf } from './assume-services.js'
import type { AssumedValue } from './assumed-value.js'
import { getFieldAt } from './manifest-objects.js'
import { ASSUMED_POD_IP_RANGES, CONTAINER_PORT_POOL, createAddressPool } from './pools.js'
import { type LabelSelector, matchesLabelSelector, readLabelSelector, type Workload } from './workloads.js'

const SERVICE_NAME = 'kubernetes.io/service-name'

/** The pods of a cluster, as far as its manifests define them. */
export interface PodAssumptionInputs {
  readonly services: readonly Service[]
  readonly workloads: readonly Workload[]
  /** The names of the nodes that pods run on, at least two. */
  readonly nodeNames: readonly string[]
}

/** A pod, as a source of endpoints. */
interface Pod {
  readonly key: string
  readonly nodeName: string
  /** The workload that the pod belongs to. Absent if the input has no workload in the namespace of the Service. */
  readonly workload: Workload | undefined
}

/** The allocated addresses and container ports, by the keys of pods and port names. */
export interface AllocatedPods {
  readonly podIPs: Readonly<Record<IpFamily, ReadonlyMap<string, string>>>
  readonly containerPorts: ReadonlyMap<string, string>
}

/** The number of pods that a selector is assumed to select if the input has no workload in its namespace. */
const UNKNOWN_REPLICAS = 2

/** Allocates addresses for the pods of all given clusters, and numbers for the named ports that no container declares. */
export function allocatePods(clusters: readonly PodAssumptionInputs[]): AllocatedPods {
  const keys = clusters.flatMap((cluster) =>
    cluster.services.flatMap((service) => podsOf(service, cluster).map(({ key }) => key)),
  )
  const names = clusters.flatMap(({ services }) => services.flatMap(namedTargetPorts))
  return {
    podIPs: {
      IPv4: allocateFromPool(keys, createAddressPool('pod addresses', ASSUMED_POD_IP_RANGES, 'IPv4')),
      IPv6: allocateFromPool(keys, createAddressPool('pod addresses', ASSUMED_POD_IP_RANGES, 'IPv6')),
    },
    containerPorts: allocateFromPool(names, CONTAINER_PORT_POOL),
  }
}

/**
 * Returns the pods that a Service selects from the workloads in its namespace. The pods are spread over the nodes in
 * turn. If the input has no workload in the namespace, the selector is assumed to select two pods.
 */
function podsOf(service: Service, { workloads, nodeNames }: PodAssumptionInputs): readonly Pod[] {
  const selector = readLabelSelector(service)
  const namespace = service.metadata?.namespace ?? ''
  if (selector === undefined) return []
  if (!workloads.some(({ object }) => object.namespace === namespace))
    return spread(selectorKey(namespace, selector), UNKNOWN_REPLICAS, nodeNames, undefined)
  return selectWorkloads(service, workloads).flatMap((workload) => {
    const { object, replicas } = workload
    return spread(formatReference(object), replicas === 'perNode' ? nodeNames.length : replicas, nodeNames, workload)
  })
}

/** Returns the workloads in the namespace of a Service whose pods have the labels of its selector. */
function selectWorkloads(service: Service, workloads: readonly Workload[]): readonly Workload[] {
  const selector = readLabelSelector(service)
  const namespace = service.metadata?.namespace ?? ''
  if (selector === undefined) return []
  return workloads.filter(
    ({ object, labels }) => object.namespace === namespace && matchesLabelSelector(selector, labels),
  )
}

/** Explains why a Service with a selector has no pods. Each selected workload is scaled to zero. */
function reasonForNoPods(service: Service, { workloads }: PodAssumptionInputs): string {
  const names = selectWorkloads(service, workloads).map(({ object }) => formatReference(object))
  if (names.length === 0) return 'no workload in the input has the labels of the selector'
  return `${names.join(' and ')} ${names.length === 1 ? 'has' : 'have'} 0 replicas`
}

function selectorKey(namespace: string, selector: LabelSelector): string {
  return `${namespace} ${JSON.stringify(selector)}`
}

function spread(key: string, replicas: number, nodeNames: readonly string[], workload: Workload | undefined) {
  return Array.from({ length: replicas }, (_, index): Pod => {
    return { key: `${key} ${index}`, nodeName: nodeNames[index % nodeNames.length] ?? '', workload }
  })
}

function namedTargetPorts({ spec }: Service): readonly string[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const target = getFieldAt(port, 'targetPort')
    return typeof target === 'string' ? [target] : []
  })
}

/** The assumed slices of a Service. */
export interface AssumedEndpoints {
  readonly slices: readonly EndpointSlice[]
  readonly assumed: readonly AssumedValue[]
}

const NOTHING: AssumedEndpoints = { slices: [], assumed: [] }

/** Returns the assumed EndpointSlices of a Service that has neither EndpointSlices nor an Endpoints object. */
export function assumeEndpoints(
  service: Service,
  cluster: PodAssumptionInputs,
  allocated: AllocatedPods,
): AssumedEndpoints {
  const { spec, metadata } = service
  if (!spec || spec.clusterIP === 'None' || spec.type === 'ExternalName' || readLabelSelector(service) === undefined)
    return NOTHING
  const object = { kind: 'Service', namespace: metadata?.namespace ?? undefined, name: metadata?.name ?? '' }
  const pods = podsOf(service, cluster)
  if (pods.length === 0) {
    const value = reasonForNoPods(service, cluster)
    return { slices: [], assumed: [{ object, kind: 'noEndpoints', path: 'spec.selector', value }] }
  }
  const slices = ipFamiliesOf(service).flatMap((family) => slicesOf(object, spec.ports ?? [], pods, family, allocated))
  return { slices, assumed: slices.flatMap((slice) => assumptionsOf(object, slice)) }
}

function assumptionsOf(object: ObjectReference, { endpoints, ports }: EndpointSlice): readonly AssumedValue[] {
  return (endpoints ?? []).flatMap(({ addresses, nodeName }) =>
    (ports ?? []).map(({ port }) => {
      const value = `${joinHostPort(addresses[0] ?? '', port ?? 0)} on ${nodeName}`
      return { object, kind: 'endpoint' as const, path: 'spec.selector', value }
    }),
  )
}

/** Returns one slice for each group of pods with the same port numbers, like the EndpointSlice controller. */
function slicesOf(
  { namespace, name }: ObjectReference,
  ports: readonly ServicePortSpec[],
  pods: readonly Pod[],
  family: IpFamily,
  { podIPs, containerPorts }: AllocatedPods,
): readonly EndpointSlice[] {
  const groups = new Map<string, { readonly ports: EndpointSlice['ports']; readonly pods: Pod[] }>()
  for (const pod of pods) {
    const slicePorts = ports.flatMap((port) => slicePortOf(port, pod, containerPorts) ?? [])
    const key = JSON.stringify(slicePorts)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ports: slicePorts, pods: [pod] })
    else group.pods.push(pod)
  }
  return [...groups.values()].map((group, index) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: `${name}-assumed-${family.toLowerCase()}${index === 0 ? '' : `-${index + 1}`}`,
      labels: { [SERVICE_NAME]: name },
    },
    addressType: family,
    ports: group.ports,
    endpoints: group.pods.map(({ key, nodeName }) => ({
      addresses: [podIPs[family].get(key) ?? ''],
      conditions: { ready: true },
      nodeName,
    })),
  }))
}

/** Returns the port of a slice; undefined if the Service targets a port name that no container of the pod has. */
function slicePortOf(port: ServicePortSpec, { workload }: Pod, containerPorts: AllocatedPods['containerPorts']) {
  const protocol = port.protocol || 'TCP'
  const target = getFieldAt(port, 'targetPort')
  const number =
    typeof target === 'string' ? namedPort(target, protocol, workload, containerPorts) : target || port.port
  return typeof number === 'number' ? { name: port.name ?? '', protocol, port: number } : undefined
}

function namedPort(
  name: string,
  protocol: string,
  workload: Workload | undefined,
  containerPorts: AllocatedPods['containerPorts'],
): number | undefined {
  if (workload === undefined) return Number(containerPorts.get(name))
  return workload.containerPorts.find((each) => each.name === name && each.protocol === protocol)?.port
}

/** Returns the Services (`namespace/name`) that have slices or Endpoints objects. */
export function findServicesWithEndpoints(
  slices: readonly EndpointSlice[],
  endpoints: readonly Endpoints[],
): ReadonlySet<string> {
  const ofSlices = slices.map(
    ({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.labels?.[SERVICE_NAME] ?? ''}`,
  )
  return new Set([
    ...ofSlices,
    ...endpoints.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`),
  ])
}
