import type { EndpointSlice, Endpoints, Host, KubeProxyConfiguration, Node, Service } from '@kube-rules/types'
import type { CompileOptions, CompileResult } from './compilation/compile-result.js'
import { compile } from './compile.js'
import { diff, type ResultPatch } from './diff.js'
import { objectKey, referenceOf } from './reading/metadata.js'

export interface TrackerOptions extends Omit<CompileOptions, 'previous'> {
  /** For as long as no KubeProxyConfiguration is taken in. */
  readonly configuration?: KubeProxyConfiguration | undefined
  readonly host?: Host | undefined
}

/** An object of a kind that rules depend on. `kind` may be missing where it is said otherwise. */
export type TrackedObject = Service | EndpointSlice | Endpoints | Node | KubeProxyConfiguration

/** The kinds that rules depend on. */
export type TrackedKind = 'Service' | 'EndpointSlice' | 'Endpoints' | 'Node' | 'KubeProxyConfiguration'

/** An event of a watch, as `kubectl get --watch --output-watch-events -o json` prints it. */
export interface WatchEvent {
  /** `ADDED`, `MODIFIED` and `DELETED` count; `BOOKMARK` and `ERROR` change nothing. */
  readonly type: string
  readonly object: unknown
}

export interface Update {
  /** From what the last update led to; from nothing the first time, and after `failed`. */
  readonly patch: ResultPatch
  readonly result: CompileResult
  /** Whether `patch` starts from nothing: `script` it with `ensure`, unless the node is known to be empty. */
  readonly full: boolean
}

/** Follows the objects of a cluster for a controller. It is told of everything and does nothing by itself. */
export interface Tracker {
  /** Takes an event in. False where the object is of a kind that no rules depend on. */
  apply(event: WatchEvent): boolean
  /** Takes an object in, in the place of one with its namespace and name. False as for `apply`. */
  upsert(object: TrackedObject, kind?: TrackedKind): boolean
  /** Takes an object out. False as for `apply`. */
  delete(object: TrackedObject, kind?: TrackedKind): boolean
  /** What all that was taken in since the last time comes to. Throws where `compile` does, and forgets nothing then. */
  sync(): Update
  /** To be called where the last update could not be applied, in part or as a whole: the next one starts from nothing. */
  failed(): void
}

/** A tracker without objects. Bursts of events collapse: only what there is at `sync` counts. */
export function createTracker({ configuration, host, ...options }: TrackerOptions = {}): Tracker {
  const objects: Objects = {
    Service: new Map(),
    EndpointSlice: new Map(),
    Endpoints: new Map(),
    Node: new Map(),
    KubeProxyConfiguration: new Map(),
  }
  let compiled: CompileResult | undefined
  let applied: CompileResult | undefined
  const change = (object: unknown, kind: unknown, isGone: boolean): boolean => {
    if (!isTrackedKind(kind)) return false
    const key = keyOf(object, kind)
    if (isGone) objects[kind].delete(key)
    else objects[kind].set(key, object)
    return true
  }
  return {
    apply: ({ type, object }) => {
      const kind = kindOf(object)
      if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return isTrackedKind(kind)
      return change(object, kind, type === 'DELETED')
    },
    upsert: (object, kind) => change(object, kind ?? kindOf(object), false),
    delete: (object, kind) => change(object, kind ?? kindOf(object), true),
    sync: () => {
      const result = compile(inputOf(objects, configuration, host), { ...options, previous: compiled })
      const update = { patch: diff(applied, result), result, full: applied === undefined }
      compiled = result
      applied = result
      return update
    },
    failed: () => {
      applied = undefined
    },
  }
}

type Objects = { readonly [Kind in TrackedKind]: Map<string, unknown> }

/** What was taken in is looked at by `compile`, which reports whatever is wrong with it. */
function inputOf(objects: Objects, configuration: KubeProxyConfiguration | undefined, host: Host | undefined) {
  const listOf = <T>(kind: TrackedKind) => objects[kind].values() as Iterable<T>
  const [tracked] = [...listOf<KubeProxyConfiguration>('KubeProxyConfiguration')]
  return {
    services: listOf<Service>('Service'),
    endpointSlices: listOf<EndpointSlice>('EndpointSlice'),
    endpoints: listOf<Endpoints>('Endpoints'),
    nodes: listOf<Node>('Node'),
    configuration: tracked ?? configuration,
    host,
  }
}

function isTrackedKind(kind: unknown): kind is TrackedKind {
  return (
    kind === 'Service' ||
    kind === 'EndpointSlice' ||
    kind === 'Endpoints' ||
    kind === 'Node' ||
    kind === 'KubeProxyConfiguration'
  )
}

function kindOf(object: unknown): unknown {
  return (object as { readonly kind?: unknown } | null | undefined)?.kind
}

/**
 * There is one configuration, whatever it is called. Objects without a name share one place: they are invalid, and one
 * report of them is enough.
 */
function keyOf(object: unknown, kind: TrackedKind): string {
  return kind === 'KubeProxyConfiguration' ? '' : objectKey(referenceOf(kind, object))
}
