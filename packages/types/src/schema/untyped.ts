import type { Diagnostic, ObjectReference } from '../diagnostic.js'
import { escapeControlCharacters } from '../escape-control-characters.js'

/** Reports whether a value is an object and not a list, as Kubernetes objects are. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the own field of an object; undefined if the object has no such field. Ignores inherited fields such as
 * `constructor`.
 */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

/** Returns the field if it is a non-empty text; otherwise undefined. */
export function nonEmptyStringOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** The reference for diagnostics about a KubeProxyConfiguration, which has no metadata. */
export const CONFIGURATION_REFERENCE: ObjectReference = { kind: 'KubeProxyConfiguration', name: 'config' }

/**
 * The reference for diagnostics about a host description. A host description has no metadata, like a
 * KubeProxyConfiguration.
 */
export const HOST_REFERENCE: ObjectReference = { kind: 'Host', name: 'host' }

/** Returns the reference for diagnostics about any object; `name` is empty if it has none. */
export function referenceOf(kind: string, value: unknown): ObjectReference {
  if (kind === CONFIGURATION_REFERENCE.kind) return CONFIGURATION_REFERENCE
  if (kind === HOST_REFERENCE.kind) return HOST_REFERENCE
  const metadata = fieldOf(value, 'metadata')
  return { kind, namespace: nonEmptyStringOf(metadata, 'namespace'), name: nonEmptyStringOf(metadata, 'name') ?? '' }
}

/** Returns the diagnostic for a value that throws when it is read: the value has a getter, or is a revoked proxy. */
export function createUnreadableDiagnostic(object: ObjectReference, path?: string | undefined): Diagnostic {
  const message = 'a field throws an error when it is read'
  return { severity: 'error', code: 'invalidType', object, path, message, expected: 'plain data' }
}

/** Formats any value for a message, on one short line. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string')
    return escapeControlCharacters(JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value))
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
