import type { ObjectReference } from '@kube-rules/types'
import { type Fields, isObject } from './read-field.js'

const EXCLUDING_LABELS = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless']

/**
 * Reports whether kube-proxy does not watch an object with this metadata, because one of two labels exists with any
 * value. Mirrors the label selector of `ProxyServer.Run` (v1.30).
 */
export function isExcludedByLabel(metadata: Fields): boolean {
  const labels = metadata.labels
  return isObject(labels) && EXCLUDING_LABELS.some((label) => Object.hasOwn(labels, label))
}

/**
 * Returns the reference of an object for diagnostics. Missing and non-text fields are left out; `name` is empty in that
 * case.
 */
export function referenceOf(kind: string, object: unknown): ObjectReference {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const name = typeof metadata.name === 'string' ? metadata.name : ''
  return { kind, namespace: typeof metadata.namespace === 'string' ? metadata.namespace : undefined, name }
}

/** Formats `namespace/name`. */
export function objectKey(object: ObjectReference): string {
  // Joined instead of concatenated, because maps with the key would retain the pieces of a concatenation.
  return [object.namespace, object.name].join('/')
}

/** The shared key of all objects without a name. */
export const NAMELESS = ''

/** Returns the cache key of an object: its `namespace/name`. */
export function readingKey(object: ObjectReference): string {
  return object.name === '' ? NAMELESS : objectKey(object)
}
