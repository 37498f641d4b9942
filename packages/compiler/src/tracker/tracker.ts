import {
  type Diagnostic,
  type EndpointSlice,
  type Endpoints,
  formatDiagnostic,
  type HostFacts,
  type KubeProxyConfiguration,
  type Node,
  type Service,
  type ServiceCIDR,
} from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { checkObject, checkOptions } from '../arguments/check-argument.js'
import { compile } from '../compilation/compile.js'
import type { CompileOptions, CompileResult } from '../compilation/compile-result.js'
import type { Dump } from '../dataplane/node-state.js'
import type { ResultPatch } from '../diff/diff.js'
import { isOneOf } from '../internal/is-one-of.js'
import { findNodeVersion } from '../model/node/node-version.js'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { describeValue } from '../model/reading/diagnostic-collector.js'
import { formatObjectKey, referenceOf } from '../model/reading/metadata.js'
import { itemsOfArgument, type ObjectList } from '../model/reading/object-list.js'
import { isObject } from '../model/reading/read-field.js'
import { readArgument } from '../model/reading/read-safely.js'
import { trackNode } from './track-node.js'

/**
 * Options of `createTracker`. The default of `kubernetesVersion` is the version that the Node reports, if this version
 * supports the mode.
 */
export interface TrackerOptions extends Omit<CompileOptions, 'previous'> {
  /** The configuration that is used until a KubeProxyConfiguration object is received. */
  readonly configuration?: KubeProxyConfiguration | undefined
  /** Facts about the node; see `compile`. */
  readonly host?: HostFacts | undefined
  /** A dump of the node at the start; see `resync`. If it is absent, the state of the node is unknown. */
  readonly actual?: Dump | undefined
}

/** An object of a kind that rules depend on. `kind` may be missing if it is specified separately. */
export type TrackedObject = Service | EndpointSlice | Endpoints | Node | ServiceCIDR | KubeProxyConfiguration

/** The kinds of objects that rules depend on. */
export type TrackedObjectKind =
  | 'Service'
  | 'EndpointSlice'
  | 'Endpoints'
  | 'Node'
  | 'ServiceCIDR'
  | 'KubeProxyConfiguration'

/** A watch event, as printed by `kubectl get --watch --output-watch-events -o json`. */
export interface WatchEvent {
  /**
   * The type of the event. `ADDED`, `MODIFIED` and `DELETED` are applied; `BOOKMARK` and `ERROR` have no effect. Other
   * types are invalid.
   */
  readonly type: string
  /** The object, as sent by the API server. */
  readonly object: unknown
}

/** The result of `sync` of a tracker. */
export interface TrackerUpdate {
  /**
   * The patch to `result`. It usually starts from the result of the last update. After `resync`, it starts from the
   * dump. At the first call and after `markFailed`, it starts from an unknown state. The field `start` of the patch
   * describes this state for the commands.
   */
  readonly patch: ResultPatch
  /** The result of `compile` for the current objects. */
  readonly result: CompileResult
  /** Whether `patch` starts from a dump or from an unknown state, and not from the result of the last update. */
  readonly full: boolean
  /**
   * Whether unreferenced rules of kube-proxy with unknown names may remain after the update. Only `resync` with a dump
   * removes these rules.
   */
  readonly mayHaveLeftovers: boolean
  /** The diagnostics of `result` that the result of the last call did not have, for a log. */
  readonly newDiagnostics: readonly Diagnostic[]
}

/** Tracks the objects of a cluster for a controller. A tracker is passive: the caller reports all events. */
export interface Tracker {
  /**
   * Applies a watch event. Returns false if the event has no effect: rules do not depend on the kind, a deleted object
   * was unknown, or the event is a `BOOKMARK` or an `ERROR`. Pass `kind` for objects without a kind, such as the items
   * of API lists. The argument overrides the kind of the object.
   *
   * @throws DiagnosticsError with `invalidArgument` for an object without a kind and for an unknown event type.
   */
  apply(event: WatchEvent, kind?: TrackedObjectKind): boolean
  /**
   * Adds an object, or replaces the object with the same kind, namespace and name. Even the identical object is treated
   * as changed. Returns and throws like `apply`.
   */
  upsert(object: TrackedObject, kind?: TrackedObjectKind): boolean
  /** Removes an object. Returns false if the object is unknown; otherwise returns and throws like `apply`. */
  delete(object: TrackedObject, kind?: TrackedObjectKind): boolean
  /**
   * Applies a relist: `items` are all objects of the kind, and every other tracked object of the kind is removed. If
   * several items have the same namespace and name, the last item is used, like with `upsert`.
   *
   * Throws DiagnosticsError (`invalidArgument`) for an invalid list and for an unknown kind. In this case, nothing is
   * changed.
   */
  replace(kind: TrackedObjectKind, items: ObjectList<TrackedObject>): void
  /**
   * Compiles the current objects and returns the patch since the last call. Throws like `compile`; if `sync` throws,
   * pending changes remain.
   */
  sync(): TrackerUpdate
  /**
   * Sets the state of the node from a dump, as `parseDump` returns it. The next update starts from this state and
   * includes all events until then. The node must not change between the dump and the next update.
   *
   * @throws DiagnosticsError with `invalidArgument` for anything but a complete dump.
   */
  resync(actual: Dump): void
  /**
   * Marks the last update as failed. The next update starts from an unknown state, unless `resync` is called before the
   * update.
   */
  markFailed(): void
}

/**
 * Creates a tracker without objects. A burst of events results in one update, because only the objects at the time of
 * `sync` matter.
 *
 * @example
 * ```ts
 * const tracker = createTracker({ nodeName: 'node-1' })
 * tracker.replace('Node', input.nodes)
 * tracker.upsert(input.services[0], 'Service') // => true
 * tracker.sync().full // => true
 * tracker.sync().patch.families // => []
 * ```
 */
export function createTracker(options: TrackerOptions = {}): Tracker {
  checkOptions(options)
  const { configuration, host, actual, ...compileOptions } = options
  const objects: Objects = {
    Service: new Map(),
    EndpointSlice: new Map(),
    Endpoints: new Map(),
    Node: new Map(),
    ServiceCIDR: new Map(),
    KubeProxyConfiguration: new Map(),
  }
  const node = trackNode(actual)
  let compiled: CompileResult | undefined
  const change = (object: unknown, known: TrackedObjectKind | undefined, isGone: boolean): boolean => {
    const kind = known ?? requiredKindOf(object)
    if (!isTrackedKind(kind)) return false
    const key = keyOf(object, kind)
    if (isGone) return objects[kind].delete(key)
    const isHeld = objects[kind].get(key) === object
    objects[kind].set(key, isHeld ? anotherObject(object) : object)
    return true
  }
  return {
    apply: (event, kind) => {
      const { type, object } = checkObject('event', event, 'an event with type and object')
      if (type === 'BOOKMARK' || type === 'ERROR') return false
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
        return readArgument('object', () => change(object, kind, type === 'DELETED'))
      throw createArgumentTypeError('event', type, 'an event type', 'type', EVENT_TYPES)
    },
    upsert: (object, kind) => readArgument('object', () => change(object, kind, false)),
    delete: (object, kind) => readArgument('object', () => change(object, kind, true)),
    replace: (kind, items) => {
      if (!isTrackedKind(kind))
        throw createArgumentTypeError('kind', kind, 'tracked', undefined, TRACKED_KINDS.join(', '))
      const listed = Array.from(itemsOfArgument('items', kind, items))
      objects[kind].clear()
      for (const object of listed) objects[kind].set(keyOf(object, kind), object)
    },
    sync: () => {
      const input = inputOf(objects, configuration, host)
      const {
        nodeName,
        mode,
        kubernetesVersion = versionOfNode(objects, input.configuration, nodeName, mode),
      } = compileOptions
      const result = compile(input, { ...compileOptions, kubernetesVersion, previous: compiled })
      const newDiagnostics = findNewDiagnostics(compiled, result)
      compiled = result
      return { result, newDiagnostics, ...node.updateTo(result) }
    },
    resync: node.resync,
    markFailed: node.markFailed,
  }
}

/** Returns the version that the Node reports. If the name of the Node is given, no other Nodes are read. */
function versionOfNode(
  { Node: nodes }: Objects,
  configuration: KubeProxyConfiguration | undefined,
  nodeName: string | undefined,
  mode: string | undefined,
): string | undefined {
  const own =
    nodeName === undefined ? [...nodes.values()] : [nodes.get(keyOf({ metadata: { name: nodeName } }, 'Node'))]
  return findNodeVersion(own as readonly Node[], nodeName, configuration, mode)?.version
}

function findNewDiagnostics(previous: CompileResult | undefined, next: CompileResult): readonly Diagnostic[] {
  if (previous === undefined) return next.diagnostics
  if (previous.diagnostics === next.diagnostics) return []
  const known = new Set(previous.diagnostics.map(formatDiagnostic))
  return next.diagnostics.filter((diagnostic) => !known.has(formatDiagnostic(diagnostic)))
}

/** Copies an object. The copy is not identical to the object, so the object is treated as changed. */
function anotherObject(object: unknown): unknown {
  return isObject(object) ? { ...object } : object
}

type Objects = { readonly [Kind in TrackedObjectKind]: Map<string, unknown> }

/** Creates the compile input. The objects are not validated here, because `compile` reports all problems. */
function inputOf(objects: Objects, configuration: KubeProxyConfiguration | undefined, host: HostFacts | undefined) {
  const listOf = <T>(kind: TrackedObjectKind) => objects[kind].values() as Iterable<T>
  const [tracked] = [...listOf<KubeProxyConfiguration>('KubeProxyConfiguration')]
  return {
    services: listOf<Service>('Service'),
    endpointSlices: listOf<EndpointSlice>('EndpointSlice'),
    endpoints: listOf<Endpoints>('Endpoints'),
    nodes: listOf<Node>('Node'),
    serviceCIDRs: listOf<ServiceCIDR>('ServiceCIDR'),
    configuration: tracked ?? configuration,
    host,
  }
}

const TRACKED_KINDS: readonly TrackedObjectKind[] = [
  'Service',
  'EndpointSlice',
  'Endpoints',
  'Node',
  'ServiceCIDR',
  'KubeProxyConfiguration',
]

const EVENT_TYPES = 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR'

function isTrackedKind(kind: unknown): kind is TrackedObjectKind {
  return typeof kind === 'string' && isOneOf(TRACKED_KINDS, kind)
}

function kindOf(object: unknown): unknown {
  return isObject(object) ? object.kind : undefined
}

/** Returns the kind of an object. Throws for an object without a kind, which would otherwise be lost silently. */
function requiredKindOf(object: unknown): string {
  const kind = kindOf(object)
  if (typeof kind === 'string' && kind !== '') return kind
  const message = isObject(object) ? 'missing' : `${describeValue(object)} has no kind`
  throw createArgumentError('object', message, 'a kind in the object, or as an argument', 'kind')
}

/**
 * Returns the key of an object. All configurations share one key, whatever their names are. All objects without a name
 * also share one key, because they are invalid and one diagnostic is enough.
 */
function keyOf(object: unknown, kind: TrackedObjectKind): string {
  return kind === 'KubeProxyConfiguration' ? '' : formatObjectKey(referenceOf(kind, object))
}
