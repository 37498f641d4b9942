import type {
  DiagnosticsError,
  EndpointSlice,
  Endpoints,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'
import { isOneOf } from '../internal/is-one-of.js'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { describeValue } from '../model/reading/diagnostic-collector.js'
import { formatObjectKey, referenceOf } from '../model/reading/metadata.js'
import { itemsOfArgument, type ObjectList } from '../model/reading/object-list.js'
import { isObject } from '../model/reading/read-field.js'
import type { TrackedObject, TrackedObjectKind } from './tracker-types.js'

/** The objects of a tracker. They are not validated here, because `compile` reports all problems. */
export interface TrackedObjects {
  /** Adds, replaces or removes an object. Returns false if this has no effect. `kind` overrides the kind of the object. */
  change(object: unknown, kind: TrackedObjectKind | undefined, isGone: boolean): boolean
  /** Replaces all objects of a kind. */
  replace(kind: TrackedObjectKind, items: ObjectList<TrackedObject>): void
  /** Returns the objects as input of `compile`. `configuration` is used if there is no KubeProxyConfiguration object. */
  input(configuration: KubeProxyConfiguration | undefined): TrackedInput
}

/** The objects of a tracker, as input of `compile`. */
export interface TrackedInput {
  readonly services: Iterable<Service>
  readonly endpointSlices: Iterable<EndpointSlice>
  readonly endpoints: Iterable<Endpoints>
  readonly nodes: readonly Node[]
  readonly serviceCIDRs: Iterable<ServiceCIDR>
  readonly configuration: KubeProxyConfiguration | undefined
}

export function createTrackedObjects(): TrackedObjects {
  const objects: { readonly [Kind in TrackedObjectKind]: Map<string, unknown> } = {
    Service: new Map(),
    EndpointSlice: new Map(),
    Endpoints: new Map(),
    Node: new Map(),
    ServiceCIDR: new Map(),
    KubeProxyConfiguration: new Map(),
  }
  return {
    change: (object, known, isGone) => {
      const kind = readKind(object, known)
      if (kind === undefined || isOfOtherGroup(kind, object)) return false
      const key = keyOf(object, kind)
      if (isGone) {
        if (typeof object === 'string' && !objects[kind].has(key)) throw createNameError(object, kind)
        return objects[kind].delete(key)
      }
      const isHeld = objects[kind].get(key) === object
      objects[kind].set(key, isHeld ? anotherObject(object) : object)
      return true
    },
    replace: (kind, items) => {
      if (!isTrackedKind(kind))
        throw createArgumentTypeError('kind', kind, 'tracked', undefined, TRACKED_KINDS.join(', '))
      const listed = Array.from(itemsOfArgument('items', kind, items))
      objects[kind].clear()
      for (const object of listed) objects[kind].set(keyInList(object, kind), object)
    },
    input: (configuration) => {
      const listOf = <T>(kind: TrackedObjectKind) => objects[kind].values() as Iterable<T>
      const configurations = objects.KubeProxyConfiguration as Map<string, KubeProxyConfiguration>
      const tracked = configurations.get('') ?? [...configurations.values()][0]
      return {
        services: listOf('Service'),
        endpointSlices: listOf('EndpointSlice'),
        endpoints: listOf('Endpoints'),
        nodes: [...listOf<Node>('Node')],
        serviceCIDRs: listOf('ServiceCIDR'),
        configuration: tracked ?? configuration,
      }
    },
  }
}

/** Copies an object. The copy is not identical to the object, so the object is treated as changed. */
function anotherObject(object: unknown): unknown {
  return isObject(object) ? { ...object } : object
}

const TRACKED_KINDS: readonly TrackedObjectKind[] = [
  'Service',
  'EndpointSlice',
  'Endpoints',
  'Node',
  'ServiceCIDR',
  'KubeProxyConfiguration',
]

/**
 * Returns the kind of an object: `known`, or the kind in the object. Undefined if rules do not depend on this kind.
 * Throws if `known` is not a text, as with arguments in the wrong order, and for a misspelled kind.
 */
function readKind(object: unknown, known: unknown): TrackedObjectKind | undefined {
  const kind = known ?? requiredKindOf(object)
  if (typeof kind !== 'string') throw createArgumentTypeError('kind', kind, 'a kind', undefined, KINDS_AFTER_OBJECT)
  if (isTrackedKind(kind)) return kind
  checkSpelling(kind, object)
  return undefined
}

const KINDS_AFTER_OBJECT = `${TRACKED_KINDS.join(', ')}; the first argument is the object`

/** Creates the error for a name in place of the object to delete. */
function createNameError(name: string, kind: TrackedObjectKind): DiagnosticsError {
  const expected = `the ${kind}, or an object with its metadata.namespace and metadata.name`
  return createArgumentTypeError('object', name, 'an object', undefined, expected)
}

function isTrackedKind(kind: unknown): kind is TrackedObjectKind {
  return typeof kind === 'string' && isOneOf(TRACKED_KINDS, kind)
}

/**
 * Throws for a kind that is similar to a tracked kind, such as `services`, and for a list of a tracked kind. The
 * `apiVersion` of another API group makes such a kind valid.
 */
function checkSpelling(kind: string, object: unknown): void {
  const listed = TRACKED_KINDS.find((each) => kind === `${each}List`)
  const meant = listed ?? findClosestWord(kind, TRACKED_KINDS)
  if (meant === undefined || isOfOtherGroup(meant, object)) return
  if (listed !== undefined) throw createArgumentError('kind', `${kind} is a list`, `a ${meant}; replace takes lists`)
  throw createArgumentError('kind', `${describeValue(kind)} is not a kind`, meant)
}

/** Returns the kind of an object. Throws for an object without a kind, which would otherwise be lost silently. */
function requiredKindOf(object: unknown): string {
  const kind = isObject(object) ? object.kind : undefined
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

/**
 * Returns the key of an object in a list of a kind. An object of another API group has a key of its own: `compile`
 * reports it, and it does not replace an object of the same name.
 */
function keyInList(object: unknown, kind: TrackedObjectKind): string {
  const key = keyOf(object, kind)
  return isOfOtherGroup(kind, object) ? `other API group: ${key}` : key
}
