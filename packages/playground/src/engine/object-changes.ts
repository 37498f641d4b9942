import type { Cluster } from '@kube-rules/application/cluster'
import { type EndpointSlice, type Endpoints, formatReference, type SliceEndpoint } from '@kube-rules/types'
import { type Field, listFields } from './list-fields.js'

/** A changed field of an object. */
export interface ObjectChange {
  /** The object in messages: `Service default/web`. Endpoints belong to their Service. */
  readonly object: string
  /** The change: `endpoint 10.0.0.5 removed`, `spec.ports[http].port: 80 → 81`. */
  readonly text: string
  readonly isLost: boolean
}

/** Returns the changed fields of all objects, object by object. */
export function findObjectChanges(before: Cluster, after: Cluster): readonly ObjectChange[] {
  const [left, right] = [objectsOf(before), objectsOf(after)]
  const [old, current] = [fieldsByObject(left, right), fieldsByObject(right, left)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((object) => {
    return changesOf(object, old.get(object), current.get(object))
  })
}

/** An object, its name in messages, and its fields. */
interface KnownObject {
  readonly original: object
  readonly name: string
  readonly fields: () => readonly Field[]
}

function objectsOf({ services, endpointSlices, endpoints, nodes, configuration }: Cluster): readonly KnownObject[] {
  return [
    ...services.map((original) => ({
      original,
      name: nameOf('Service', original),
      fields: (): readonly Field[] => [['', ''], ...listFields({ spec: original.spec, status: original.status }, '')],
    })),
    ...endpointSlices.map((original) => ({
      original,
      name: nameOf('Service', original, original.metadata?.labels?.['kubernetes.io/service-name']),
      fields: () => sliceFields(original),
    })),
    ...endpoints.map((original) => ({
      original,
      name: nameOf('Service', original),
      fields: () => endpointsFields(original),
    })),
    ...nodes.map((original) => ({
      original,
      name: nameOf('Node', original),
      fields: (): readonly Field[] => [['', ''], ...listFields({ spec: original.spec, status: original.status }, '')],
    })),
    ...(configuration === undefined
      ? []
      : [{ original: configuration, name: 'KubeProxyConfiguration', fields: () => listFields(configuration, '') }]),
  ]
}

type Named = Pick<EndpointSlice, 'metadata'>

function nameOf(kind: string, { metadata }: Named, name = metadata?.name): string {
  return formatReference({ kind, namespace: metadata?.namespace ?? undefined, name: name ?? '' })
}

function sliceFields({ endpoints, ports }: EndpointSlice): readonly Field[] {
  return [
    ...(endpoints ?? []).map((endpoint): Field => [`endpoint ${endpoint.addresses[0]}`, describeEndpoint(endpoint)]),
    ...listFields(ports, 'endpoint ports'),
  ]
}

function describeEndpoint({ conditions, nodeName, hints }: SliceEndpoint): string {
  const { ready = true, serving = ready, terminating = false } = conditions ?? {}
  const state = ready === false ? (serving === true ? 'serving' : 'not ready') : 'ready'
  const zones = listFields(hints, 'hints').map(([name, value]) => ` ${name} ${value}`.trimEnd())
  return `${state}${terminating === true ? ', terminating' : ''}${nodeName ? ` on ${nodeName}` : ''}${zones.join('')}`
}

function endpointsFields({ subsets }: Endpoints): readonly Field[] {
  return (subsets ?? []).flatMap(({ addresses, notReadyAddresses, ports }): readonly Field[] => [
    ...(addresses ?? []).map(({ ip }): Field => [`endpoint ${ip}`, 'ready']),
    ...(notReadyAddresses ?? []).map(({ ip }): Field => [`endpoint ${ip}`, 'not ready']),
    ...listFields(ports, 'endpoint ports'),
  ])
}

/** Collects the fields of changed objects: those that are not the identical object in the other version. */
function fieldsByObject(
  objects: readonly KnownObject[],
  others: readonly KnownObject[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const same = new Set(others.map(({ original }) => original))
  const found = new Map<string, Map<string, string>>()
  for (const { original, name, fields } of objects) {
    if (same.has(original)) continue
    const existing = found.get(name) ?? new Map<string, string>()
    for (const [field, value] of fields()) existing.set(field, value)
    found.set(name, existing)
  }
  return found
}

const NONE: ReadonlyMap<string, string> = new Map()

function changesOf(
  object: string,
  before: ReadonlyMap<string, string> = NONE,
  after: ReadonlyMap<string, string> = NONE,
): readonly ObjectChange[] {
  // An entry with an empty field name stands for the object itself.
  if (before.has('') !== after.has('')) {
    const isLost = before.has('')
    return [{ object, text: isLost ? 'removed' : 'added', isLost }]
  }
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field): readonly ObjectChange[] => {
    const [old, current] = [before.get(field), after.get(field)]
    if (old === current) return []
    if (current === undefined) return [{ object, text: `${withValue(field, old)} removed`, isLost: true }]
    if (old === undefined) return [{ object, text: `${withValue(field, current)} added`, isLost: false }]
    return [{ object, text: `${field}: ${old} → ${current}`, isLost: false }]
  })
}

/** Returns a field with its value, except for endpoints, whose address is enough. */
function withValue(field: string, value = ''): string {
  return value === '' || field.startsWith('endpoint ') ? field : `${field}: ${value}`
}
