import { DiagnosticsError, formatReference, type ObjectReference } from '../diagnostic.js'
import { getFieldAt, getListAt, getStringAt, type ManifestObject } from './manifest-objects.js'

/** A set of identical pods: the pods of a Deployment or of another object with a pod template, or an individual Pod. */
export interface Workload {
  readonly object: ObjectReference & { readonly namespace: string }
  readonly labels: unknown
  readonly containerPorts: readonly ContainerPort[]
  /** The number of pods; `perNode` for a DaemonSet. */
  readonly replicas: number | 'perNode'
}

export interface ContainerPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
}

/**
 * Finds the workloads among the objects: Pods, and objects of any kind with a pod template. If two workloads have the
 * same name, the last workload counts.
 *
 * @throws DiagnosticsError (`invalidValue`) if a workload has too many replicas.
 */
export function findWorkloads(objects: readonly ManifestObject[], namespace: string): readonly Workload[] {
  const workloads = objects.flatMap(({ kind, value }) => workloadOf(kind, value, namespace) ?? [])
  return [...new Map(workloads.map((workload) => [formatReference(workload.object), workload])).values()]
}

function workloadOf(kind: string, value: object, defaultNamespace: string): Workload | undefined {
  const pod = podOf(kind, value)
  const containers = getListAt(pod, 'spec', 'containers')
  const name = getStringAt(value, 'metadata', 'name')
  if (containers.length === 0 || name === undefined) return undefined
  const object = { kind, namespace: getStringAt(value, 'metadata', 'namespace') ?? defaultNamespace, name }
  return {
    object,
    labels: getFieldAt(pod, 'metadata', 'labels'),
    containerPorts: containers.flatMap((container) =>
      getListAt(container, 'ports').flatMap((port) => portOf(port) ?? []),
    ),
    replicas: replicasOf(kind, value, object),
  }
}

/** Returns a Pod, or the pod template of another object; that of a CronJob is in its job template. */
function podOf(kind: string, value: object): unknown {
  if (kind === 'Pod') return value
  return getFieldAt(value, 'spec', 'template') ?? getFieldAt(value, 'spec', 'jobTemplate', 'spec', 'template')
}

function portOf(value: unknown): ContainerPort | undefined {
  const port = getFieldAt(value, 'containerPort')
  if (typeof port !== 'number') return undefined
  return { name: getStringAt(value, 'name') ?? '', port, protocol: getStringAt(value, 'protocol') ?? 'TCP' }
}

/** Maximum number of pods that are assumed for one workload. */
const MAX_REPLICAS = 5000

function replicasOf(kind: string, value: object, object: ObjectReference): Workload['replicas'] {
  if (kind === 'DaemonSet') return 'perNode'
  const replicas = getFieldAt(value, 'spec', 'replicas')
  if (kind === 'Pod' || typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) return 1
  if (replicas <= MAX_REPLICAS) return replicas
  const message = `${replicas} pods are too many to assume`
  const expected = `at most ${MAX_REPLICAS}`
  throw new DiagnosticsError([
    { severity: 'error', code: 'invalidValue', object, path: 'spec.replicas', message, expected },
  ])
}

/** Reports whether a selector selects pods with these labels. */
export function matchesLabelSelector(selector: LabelSelector, labels: unknown): boolean {
  return selector.every(([name, value]) => getFieldAt(labels, name) === value)
}

/** The labels of a selector, sorted by name. */
export type LabelSelector = readonly (readonly [name: string, value: unknown])[]

/**
 * Returns the selector of a Service; undefined for a Service without a selector, because its endpoints are not pods.
 */
export function readLabelSelector(service: object): LabelSelector | undefined {
  const selector = getFieldAt(service, 'spec', 'selector')
  if (typeof selector !== 'object' || selector === null) return undefined
  const labels = Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1))
  return labels.length === 0 ? undefined : labels
}
