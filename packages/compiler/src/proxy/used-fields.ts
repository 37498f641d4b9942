import type { WatchedKind } from './watched-kinds.js'

/** The annotations that rules or metrics use. */
const ANNOTATIONS = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'service.kubernetes.io/topology-aware-hints',
  'service.kubernetes.io/topology-mode',
]

type Fields = Readonly<Record<string, unknown>>

interface WatchedObject {
  readonly metadata: Fields & { readonly annotations?: Fields }
  readonly spec?: unknown
  readonly status?: Fields
  readonly endpoints?: readonly Fields[]
}

/**
 * Returns an object with only the fields that rules or a proxy depend on. It takes a third of the memory, and does not
 * differ after an update of another field, such as the heartbeat of a Node.
 *
 * @example
 * ```ts
 * keepUsedFields('Node', { metadata: { name: 'node-1', uid: '1' }, status: { conditions: [] } })
 * // => { metadata: { name: 'node-1', annotations: {} }, status: {} }
 * ```
 */
export function keepUsedFields(kind: WatchedKind['kind'], object: object): object {
  const { metadata, spec, status, ...rest } = object as WatchedObject
  const { name, namespace, labels, annotations = {}, deletionTimestamp } = metadata
  const used = ANNOTATIONS.flatMap((key) => (key in annotations ? [[key, annotations[key]]] : []))
  return {
    ...(kind === 'EndpointSlice' && { ...rest, endpoints: rest.endpoints?.map(withoutTarget) }),
    metadata: { name, namespace, labels, annotations: Object.fromEntries(used), deletionTimestamp },
    ...(spec !== undefined && { spec }),
    ...(status && {
      status: { loadBalancer: status.loadBalancer, addresses: status.addresses, nodeInfo: status.nodeInfo },
    }),
  }
}

function withoutTarget({ targetRef: _, ...endpoint }: Fields): Fields {
  return endpoint
}
