import type { ApiObject, Receiver, Source } from './reflect.js'

export type ObjectsOfKind = ReadonlyMap<string, ApiObject>

/** Receives notifications about changes that rules may depend on. */
export interface StoreListener {
  onList(kind: string, objects: ObjectsOfKind): void
  onChange(kind: string, object: ApiObject, isGone: boolean): void
}

/**
 * Stores the fields of objects that rules depend on. This takes a third of the memory of whole objects, and updates of
 * other fields, such as the heartbeat of a Node, do not count as changes.
 */
export function createStore(sources: readonly Source[], listener: StoreListener) {
  const kinds = new Map<string, Map<string, ApiObject>>()
  const receiver: Receiver = {
    replace: ({ kind, staysAfterDeletion }, objects) => {
      const before = kinds.get(kind)
      const next = new Map<string, ApiObject>()
      for (const object of objects) {
        const kept = reduce(kind, object)
        const key = keyOf(kept)
        const held = before?.get(key)
        next.set(key, held !== undefined && isSame(held, kept) ? held : kept)
      }
      if (staysAfterDeletion && next.size === 0) for (const [key, held] of before ?? []) next.set(key, asDeleted(held))
      kinds.set(kind, next)
      listener.onList(kind, next)
    },
    apply: ({ kind, staysAfterDeletion }, type, object) => {
      const held = kinds.get(kind)
      if (held === undefined) return
      const isGone = type === 'DELETED'
      const kept = isGone && staysAfterDeletion ? asDeleted(reduce(kind, object)) : reduce(kind, object)
      const key = keyOf(kept)
      const before = held.get(key)
      if (isGone && !staysAfterDeletion) {
        if (held.delete(key)) listener.onChange(kind, kept, true)
      } else if (before === undefined || !isSame(before, kept)) {
        held.set(key, kept)
        listener.onChange(kind, kept, false)
      }
    },
  }
  return {
    receiver,
    /** Reports whether every kind has been listed. Before that, rules of unknown objects would be missing. */
    isComplete: () => sources.every(({ kind }) => kinds.has(kind)),
    kinds: () => [...kinds],
  }
}

export type Store = ReturnType<typeof createStore>

function keyOf({ metadata }: ApiObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

function asDeleted(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: 'deleted' } }
}

/** The annotations that rules or metrics use. */
const ANNOTATIONS = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'service.kubernetes.io/topology-aware-hints',
  'service.kubernetes.io/topology-mode',
]

/** Removes the fields that this program does not read. */
function reduce(kind: string, object: ApiObject): ApiObject {
  const { metadata, spec, status, ...rest } = object as ApiObject & {
    readonly spec?: Readonly<Record<string, unknown>>
    readonly status?: Readonly<Record<string, unknown>>
    readonly endpoints?: readonly Readonly<Record<string, unknown>>[]
  }
  const { name, namespace, labels, annotations, deletionTimestamp } = metadata as ApiObject['metadata'] &
    Readonly<Record<string, unknown>>
  const kept = ANNOTATIONS.flatMap((key) => (annotations?.[key] === undefined ? [] : [[key, annotations[key]]]))
  return {
    ...(kind === 'EndpointSlice' && {
      ...rest,
      endpoints: rest.endpoints?.map(({ targetRef: _, ...endpoint }) => endpoint),
    }),
    metadata: { name, namespace, labels, annotations: Object.fromEntries(kept), ...{ deletionTimestamp } },
    ...(spec && { spec }),
    ...(status && {
      status: { loadBalancer: status.loadBalancer, addresses: status.addresses, nodeInfo: status.nodeInfo },
    }),
  } as ApiObject
}

function isSame(one: ApiObject, other: ApiObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
