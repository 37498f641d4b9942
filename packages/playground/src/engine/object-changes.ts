import type { Cluster } from '@kube-rules/application/cluster'
import {
  type EndpointSlice,
  type EndpointSubset,
  formatReference,
  type Node,
  type Service,
  type SliceEndpoint,
} from '@kube-rules/types'
import { describeFieldChanges, type LabeledValues } from './field-changes.js'
import { listLabeledValues } from './list-labeled-values.js'
import { listServiceFields } from './list-service-fields.js'
import { describePortChanges, type NamedPort, toNamedEndpointPort, toNamedServicePort } from './port-changes.js'

/** A changed field of an object. */
export interface ObjectChange {
  /** The object in messages: `Service default/web`. Endpoints belong to the object of their Service. */
  readonly object: string
  /** The change in words: `endpoint 10.0.0.5 removed`, `node port 30080 → 30081`. */
  readonly text: string
}

/** The changed fields of all objects. */
export interface ObjectChanges {
  /** The changes, object by object. */
  readonly changes: readonly ObjectChange[]
  /** The new name of each renamed Service, by its old name. */
  readonly newNames: ReadonlyMap<string, string>
}

/** Returns the changed fields of all objects, object by object. */
export function findObjectChanges(before: Cluster, after: Cluster): ObjectChanges {
  const newNames = findNewNames(before.services, after.services)
  const [left, right] = [objectsOf(before, newNames), objectsOf(after)]
  const [old, current] = [changedObjects(left, right), changedObjects(right, left)]
  const changes = [...new Set([...old.keys(), ...current.keys()])].flatMap((object) =>
    changesOf(old.get(object), current.get(object)).map((text): ObjectChange => ({ object, text })),
  )
  return { changes, newNames }
}

/** An object, its name in messages, and its fields. */
interface KnownObject {
  readonly original: object
  readonly name: string
  /** Whether the object exists on its own. An EndpointSlice does not: it is part of its Service. */
  readonly isWhole: boolean
  readonly fields: () => LabeledValues
  readonly ports: readonly NamedPort[]
  /** The ports of its endpoints. */
  readonly endpointPorts: readonly NamedPort[]
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

function objectsOf(
  { services, endpointSlices, endpoints, nodes, configuration, diagnostics }: Cluster,
  newNames = NO_NAMES,
): readonly KnownObject[] {
  const serviceName = (object: Named, name?: string) => {
    const found = nameOf('Service', object, name)
    return newNames.get(found) ?? found
  }
  const unknownFields = (object: Named) => {
    const name = nameOf('Service', object)
    return new Set(
      diagnostics.flatMap(({ code, object: reference, path = '' }) =>
        code === 'unknownField' && formatReference(reference) === name ? [path] : [],
      ),
    )
  }
  const known = (original: object, name: string, fields: () => LabeledValues): KnownObject => ({
    original,
    name,
    isWhole: false,
    fields,
    ports: [],
    endpointPorts: [],
  })
  return [
    ...services.map((each) => ({
      ...known(each, serviceName(each), () => listServiceFields(each, unknownFields(each))),
      isWhole: true,
      ports: (each.spec?.ports ?? []).map(toNamedServicePort),
    })),
    ...endpointSlices.map((each) => ({
      ...known(each, serviceName(each, each.metadata?.labels?.['kubernetes.io/service-name']), () =>
        (each.endpoints ?? []).flatMap(endpointFields),
      ),
      endpointPorts: (each.ports ?? []).map(toNamedEndpointPort),
    })),
    ...endpoints.map((each) => ({
      ...known(each, serviceName(each), () => (each.subsets ?? []).flatMap(subsetFields)),
      endpointPorts: (each.subsets ?? []).flatMap(({ ports }) => (ports ?? []).map(toNamedEndpointPort)),
    })),
    ...nodes.map((each) => ({ ...known(each, nameOf('Node', each), () => nodeFields(each)), isWhole: true })),
    ...(configuration === undefined
      ? []
      : [known(configuration, 'KubeProxyConfiguration', () => listLabeledValues(configuration, ''))]),
  ]
}

type Named = Pick<EndpointSlice, 'metadata'>

function nameOf(kind: string, { metadata }: Named, name = metadata?.name): string {
  return formatReference({ kind, namespace: metadata?.namespace ?? undefined, name: name ?? '' })
}

/** Finds Services that have another name or namespace in the later version, and are equal in every other field. */
function findNewNames(before: readonly Service[], after: readonly Service[]): ReadonlyMap<string, string> {
  const missingIn = (some: readonly Service[], others: readonly Service[]) => {
    const names = new Set(others.map((each) => nameOf('Service', each)))
    return some.filter((each) => !names.has(nameOf('Service', each)))
  }
  const [removed, added] = [missingIn(before, after), missingIn(after, before)]
  const contentOf = ({ spec, status }: Service) => JSON.stringify([spec, status])
  const byContent = new Map(added.map((each) => [contentOf(each), each]))
  return new Map(
    removed.flatMap((each) => {
      const found = byContent.get(contentOf(each))
      byContent.delete(contentOf(each))
      return found === undefined ? [] : [[nameOf('Service', each), nameOf('Service', found)] as const]
    }),
  )
}

function nodeFields({ metadata, spec, status }: Node): LabeledValues {
  return listLabeledValues({ labels: metadata?.labels, ...spec, ...status }, '')
}

function endpointFields({ addresses, conditions, nodeName, hints }: SliceEndpoint): LabeledValues {
  const { ready = true, serving = ready, terminating = false } = conditions ?? {}
  const state = ready === false ? (serving === true ? 'serving' : 'not ready') : 'ready'
  const [address = ''] = addresses
  return [
    ...addressFields(address, `${state}${terminating === true ? ', terminating' : ''}`),
    [`node of ${address}`, nodeName ?? ''],
    ...hintFields(`zone hint of ${address}`, hints?.forZones),
    ...hintFields(`node hint of ${address}`, hints?.forNodes),
  ]
}

/**
 * Lists the hints as fields. The first field is empty and exists even without hints, so that adding the first hint is a
 * change.
 */
function hintFields(label: string, hints: NonNullable<SliceEndpoint['hints']>['forZones']): LabeledValues {
  return [[label, ''], ...(hints ?? []).map(({ name }) => [label, name] as const)]
}

function addressFields(address: string, state: string): LabeledValues {
  return [
    ['endpoint', address],
    [`endpoint ${address}`, state],
  ]
}

function subsetFields({ addresses, notReadyAddresses }: EndpointSubset): LabeledValues {
  return [
    ...(addresses ?? []).flatMap(({ ip }) => addressFields(ip, 'ready')),
    ...(notReadyAddresses ?? []).flatMap(({ ip }) => addressFields(ip, 'not ready')),
  ]
}

/** The collected fields of the changed objects with one name. */
interface ChangedObjects {
  isWhole: boolean
  readonly fields: LabeledValues[number][]
  readonly ports: NamedPort[]
  readonly endpointPorts: NamedPort[]
}

function nothing(): ChangedObjects {
  return { isWhole: false, fields: [], ports: [], endpointPorts: [] }
}

/** Collects the fields of changed objects. An object is unchanged if the other version contains the identical object. */
function changedObjects(
  objects: readonly KnownObject[],
  others: readonly KnownObject[],
): ReadonlyMap<string, ChangedObjects> {
  const same = new Set(others.map(({ original }) => original))
  const found = new Map<string, ChangedObjects>()
  for (const { original, name, isWhole, fields, ports, endpointPorts } of objects) {
    if (same.has(original)) continue
    const existing = found.get(name) ?? nothing()
    existing.isWhole ||= isWhole
    existing.fields.push(...fields())
    existing.ports.push(...ports)
    // Adds each port only once, because all EndpointSlices of a Service usually have the same ports.
    existing.endpointPorts.push(
      ...endpointPorts.filter((port) => !existing.endpointPorts.some(({ name: known }) => known === port.name)),
    )
    found.set(name, existing)
  }
  return found
}

function changesOf(before = nothing(), after = nothing()): readonly string[] {
  if (before.isWhole !== after.isWhole) return [before.isWhole ? 'removed' : 'added']
  const ports = describePortChanges(before.ports, after.ports)
  // If Service ports changed, added or removed endpoint ports are not described separately.
  const endpointPorts = describePortChanges(before.endpointPorts, after.endpointPorts).filter(
    (text) => ports.length === 0 || text.includes('→'),
  )
  return [...new Set([...describeFieldChanges(before.fields, after.fields), ...ports, ...endpointPorts])]
}
