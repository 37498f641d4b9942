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
  readonly given: object
  readonly name: string
  readonly fields: () => readonly Field[]
}

function objectsOf({ services, endpointSlices, endpoints, nodes, configuration }: Cluster): readonly KnownObject[] {
  return [
    ...services.map((given) => ({
      given,
      name: nameOf('Service', given),
      fields: (): readonly Field[] => [['', ''], ...listFields({ spec: given.spec, status: given.status }, '')],
    })),
    ...endpointSlices.map((given) => ({
      given,
      name: nameOf('Service', given, given.metadata?.labels?.['kubernetes.io/service-name']),
      fields: () => sliceFields(given),
    })),
    ...endpoints.map((given) => ({ given, name: nameOf('Service', given), fields: () => endpointsFields(given) })),
    ...nodes.map((given) => ({
      given,
      name: nameOf('Node', given),
      fields: (): readonly Field[] => [['', ''], ...listFields({ spec: given.spec, status: given.status }, '')],
    })),
    ...(configuration === undefined
      ? []
      : [{ given: configuration, name: 'KubeProxyConfiguration', fields: () => listFields(configuration, '') }]),
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
  const same = new Set(others.map(({ given }) => given))
  const found = new Map<string, Map<string, string>>()
  for (const { given, name, fields } of objects) {
    if (same.has(given)) continue
    const known = found.get(name) ?? new Map<string, string>()
    for (const [field, value] of fields()) known.set(field, value)
    found.set(name, known)
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
