import type { ObjectReference } from '@kube-rules/types'
import { type Fields, isObject } from './read-field.js'

const EXCLUDING_LABELS = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless']

/**
 * Whether kube-proxy does not watch an object with this metadata: one of two labels exists, whatever its value.
 * Mirrors the label selector of `ProxyServer.Run` (v1.30).
 */
export function isExcludedByLabel(metadata: Fields): boolean {
  const labels = metadata.labels
  return isObject(labels) && EXCLUDING_LABELS.some((label) => Object.hasOwn(labels, label))
}

/** How diagnostics name an object. Parts that are missing or no text are left out; `name` is empty then. */
export function referenceOf(kind: string, object: unknown): ObjectReference {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const name = typeof metadata.name === 'string' ? metadata.name : ''
  return { kind, namespace: typeof metadata.namespace === 'string' ? metadata.namespace : undefined, name }
}

/** `namespace/name`. */
export function objectKey(object: ObjectReference): string {
  // In one piece: maps that are looked up by it would keep the pieces, too.
  return [object.namespace, object.name].join('/')
}

/** What objects without a name are kept by, all of them together. */
export const NAMELESS = ''

/** What an object is kept by: its `namespace/name`. */
export function readingKey(object: ObjectReference): string {
  return object.name === '' ? NAMELESS : objectKey(object)
}
