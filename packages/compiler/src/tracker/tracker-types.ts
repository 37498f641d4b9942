import type {
  Diagnostic,
  EndpointSlice,
  Endpoints,
  HostFacts,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'
import type { CommandExecutor, RunResult } from '../commands/run-commands.js'
import type { CommandOptions } from '../commands/to-commands.js'
import type { CompileOptions, CompileResult } from '../compilation/compile-result.js'
import type { Dump } from '../dataplane/node-state.js'
import type { ResultPatch } from '../diff/diff.js'
import type { ObjectList } from '../model/reading/object-list.js'

/** Options of `createTracker`. */
export interface TrackerOptions extends Omit<CompileOptions, 'previous'> {
  /**
   * The configuration that is used until a KubeProxyConfiguration object is received, and again after such an object is
   * deleted. A tracker has one KubeProxyConfiguration: each one that is received replaces the last, whatever its name.
   */
  readonly configuration?: KubeProxyConfiguration | undefined
  /** Facts about the node; see `compile` and `setHost`. */
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

/** Options of `run` of a tracker. */
export interface TrackerRunOptions extends CommandOptions {
  /**
   * Reads the node before the update, and returns a dump as for `resync`. The update starts from the dump. Absent if
   * the update starts from the state after the last update.
   */
  readonly readNode?: (() => Dump | Promise<Dump>) | undefined
}

/** The result of `run` of a tracker: success or the first command that failed, and the update. */
export type TrackerRunResult = RunResult & {
  /** The update, with the result that was compiled. */
  readonly update: TrackerUpdate
}

/** An update of a node, as `sync` and `run` of a tracker return it. */
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
   * Whether rules of kube-proxy with unknown names, or of other modes, may remain after the update. Only `resync` with a
   * dump that has the output of every tool removes these rules.
   */
  readonly mayHaveLeftovers: boolean
  /** The diagnostics of `result` that the result of the last call did not have, for a log. */
  readonly newDiagnostics: readonly Diagnostic[]
}

/** Tracks the objects of a cluster for a controller. A tracker is passive: the caller reports all events. */
export interface Tracker {
  /**
   * Applies a watch event. Returns false if the event has no effect: rules do not depend on the kind, the object has the
   * `apiVersion` of another API group (a Knative Service), a deleted object was unknown, or the event is a `BOOKMARK` or
   * an `ERROR`. Pass `kind` for objects without a kind, such as the items
   * of API lists. The argument overrides the kind of the object.
   *
   * @throws DiagnosticsError with `invalidArgument` for an object without a kind, for a misspelled kind (`services`), for
   * a list, and for an unknown event type.
   */
  apply(event: WatchEvent, kind?: TrackedObjectKind): boolean
  /**
   * Adds an object, or replaces the object with the same kind, namespace and name. Even the identical object is treated
   * as changed. Returns and throws like `apply`.
   */
  upsert(object: TrackedObject, kind?: TrackedObjectKind): boolean
  /**
   * Removes an object. An object with the same `metadata.namespace` and `metadata.name` is enough. Returns false if the
   * object is unknown; otherwise returns and throws like `apply`. Also throws for a name (`'shop/web'`).
   */
  delete(object: TrackedObject, kind?: TrackedObjectKind): boolean
  /**
   * Applies a relist: `items` are all objects of the kind, and every other tracked object of the kind is removed. If
   * several items have the same namespace and name, the last item is used, like with `upsert`.
   *
   * Throws DiagnosticsError (`invalidArgument`) for an invalid list and for an unknown kind. In this case, nothing is
   * changed.
   */
  replace(kind: TrackedObjectKind, items: ObjectList<TrackedObject>): void
  /** Replaces the facts about the node, such as the addresses of its interfaces. */
  setHost(host: HostFacts | undefined): void
  /**
   * Makes the next update use the current addresses and pod networks of the Node, as a new start of kube-proxy does. If
   * the Node has no address, the update after the Node gets one does so.
   *
   * kube-proxy reads these facts at its start, and a tracker keeps them: a change of the Node is only reported
   * (`nodeChanged`), and a Node that loses its addresses or is deleted changes nothing. Like kube-proxy, a tracker takes
   * the facts again if the configuration or the version changes, from 1.37 on if the addresses change, and with
   * `detectLocalMode: NodeCIDR` from 1.23 on if the pod networks change.
   */
  rereadNode(): void
  /**
   * Updates the node: compiles the current objects, and runs the commands of the patch since the last update with
   * `runCommands`. The update counts as applied if all commands succeed, and as failed in every other case. A call
   * waits until the updates of earlier calls have ended, and includes all events until then. The failure of an update
   * has no effect on the calls that wait. `execute` must not wait for another call of `run`.
   *
   * Rejects like `compile`, `toCommands` and `options.readNode`; pending changes then remain.
   */
  run(execute: CommandExecutor, options?: TrackerRunOptions): Promise<TrackerRunResult>
  /**
   * Compiles the current objects and returns the patch since the last update, for callers that execute the commands
   * themselves. Call `markApplied` or `markFailed` after the commands of each patch that is not empty. Prefer `run`,
   * because two updates of one node must not overlap.
   *
   * Throws like `compile`; if `sync` throws, pending changes remain.
   *
   * @throws DiagnosticsError with `unconfirmedUpdate` if the commands of the last update may still be running.
   */
  sync(): TrackerUpdate
  /**
   * Sets the state of the node from a dump, as `parseDump` returns it. The next update starts from this state and
   * includes all events until then. The node must not change between the dump and the next update.
   *
   * @throws DiagnosticsError with `invalidArgument` for anything but a complete dump, and with `unconfirmedUpdate` if
   *   the commands of the last update may still be running.
   */
  resync(actual: Dump): void
  /** Confirms that all commands of the last update of `sync` succeeded. */
  markApplied(): void
  /**
   * Marks the last update as failed. The next update starts from an unknown state, unless `resync` is called before the
   * update, or the update reads the node.
   */
  markFailed(): void
}
