import type { ObjectReference } from '../diagnostic.js'

/** An object that is no list: what a Kubernetes object can be. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own field; undefined where it has none, inherited ones such as `constructor` included. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

/** The field where it holds text that is not empty. */
export function textOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** How diagnostics name a KubeProxyConfiguration, which has no metadata. */
export const CONFIGURATION: ObjectReference = { kind: 'KubeProxyConfiguration', name: 'config' }

/** How diagnostics name the description of a host, which has none either. */
export const HOST: ObjectReference = { kind: 'Host', name: 'host' }

/** How diagnostics name an object of any content; `name` is empty where it has none. */
export function referenceOf(kind: string, value: unknown): ObjectReference {
  if (kind === CONFIGURATION.kind) return CONFIGURATION
  if (kind === HOST.kind) return HOST
  const metadata = fieldOf(value, 'metadata')
  return { kind, namespace: textOf(metadata, 'namespace'), name: textOf(metadata, 'name') ?? '' }
}

/** A value as a message shows it: one short line, whatever the value is. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
