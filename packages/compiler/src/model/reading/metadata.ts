import type { ObjectReference } from '@kube-rules/types'
import { type Fields, isObject } from './read-field.js'

const PROXY_NAME = 'service.kubernetes.io/service-proxy-name'
const HEADLESS = 'service.kubernetes.io/headless'

/**
 * Reports whether kube-proxy does not watch an object with this metadata, because one of two labels exists with any
 * value. Mirrors the label selector of `ProxyServer.Run` (v1.30).
 */
export function isExcludedByLabel(metadata: Fields, { headlessLabel }: { readonly headlessLabel: boolean }): boolean {
  const labels = metadata.labels
  if (!isObject(labels)) return false
  return Object.hasOwn(labels, PROXY_NAME) || (headlessLabel && Object.hasOwn(labels, HEADLESS))
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
export const UNNAMED = ''

/** Returns the cache key of an object: its `namespace/name`. */
export function readingKey(object: ObjectReference): string {
  return object.name === '' ? UNNAMED : objectKey(object)
}
