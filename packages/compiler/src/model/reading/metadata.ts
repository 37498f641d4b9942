import type { ObjectReference } from '@kube-rules/types'
import { type Fields, isObject } from './read-field.js'

const PROXY_NAME = 'service.kubernetes.io/service-proxy-name'
const HEADLESS = 'service.kubernetes.io/headless'

/** The features that decide which labels exclude an object. */
interface LabelFeatures {
  readonly headlessLabel: boolean
  readonly oneLabelPerKind: boolean
}

/**
 * Reports whether kube-proxy ignores a Service with this metadata. kube-proxy ignores Services that have a label such
 * as `service-proxy-name`, with any value. Mirrors the label selectors of `ProxyServer.Run` of kube-proxy v1.30 and
 * v1.36.
 */
export function isServiceExcluded(metadata: Fields, { headlessLabel, oneLabelPerKind }: LabelFeatures): boolean {
  return hasLabel(metadata, PROXY_NAME) || (headlessLabel && !oneLabelPerKind && hasLabel(metadata, HEADLESS))
}

/** Reports whether kube-proxy ignores an EndpointSlice or Endpoints object with this metadata. */
export function areEndpointsExcluded(metadata: Fields, { headlessLabel, oneLabelPerKind }: LabelFeatures): boolean {
  return (headlessLabel && hasLabel(metadata, HEADLESS)) || (!oneLabelPerKind && hasLabel(metadata, PROXY_NAME))
}

function hasLabel({ labels }: Fields, label: string): boolean {
  return isObject(labels) && Object.hasOwn(labels, label)
}

/**
 * Returns the reference of an object for diagnostics. Fields that are missing, unreadable or not text are left out.
 * Instead of a missing name, `name` is an empty string.
 */
export function referenceOf(kind: string, object: unknown): ObjectReference {
  try {
    return readReference(kind, object)
  } catch {
    // The object has a getter that throws, or is a proxy that throws.
    return { kind, namespace: undefined, name: '' }
  }
}

function readReference(kind: string, object: unknown): ObjectReference {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const name = typeof metadata.name === 'string' ? metadata.name : ''
  return { kind, namespace: typeof metadata.namespace === 'string' ? metadata.namespace : undefined, name }
}

/** Formats `namespace/name`. */
export function formatObjectKey(object: ObjectReference): string {
  // `join` creates a flat string. A concatenated string retains its pieces, and maps store the key for a long time.
  return [object.namespace, object.name].join('/')
}

/** The shared key of all objects without a name and of objects of another API group. */
export const UNNAMED_KEY = ''

/** Returns the cache key of an object: its `namespace/name`. */
export function cacheKeyOf(object: ObjectReference): string {
  return object.name === '' ? UNNAMED_KEY : formatObjectKey(object)
}
