import type { IpFamily } from '@kube-rules/types'
import { joinHostPort, parseIp } from '@kube-rules/types/internal/ip'
import type { Features } from '../configuration/features.js'
import { addError, addTypeError, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import { isAbsent, isObject, isText } from '../reading/read-field.js'
import { type Endpoint, type EndpointHints, NO_HINTS } from './endpoint.js'
import { checkEndpointAddress, isCanonicalAddressOfFamily } from './endpoint-address.js'

// A cluster may have 100,000 endpoints, so the paths of diagnostics are built only if there is a problem.

/** The context that the endpoints of one slice share. It is created once per slice. */
export interface EndpointSliceContext {
  readonly port: number
  readonly family: IpFamily
  readonly nodeName: string
  readonly features: Features
}

/** Reads `endpoints[index]` of a slice for one port of the slice. The result is usable only if no error was reported. */
export function readSliceEndpoint(
  collector: DiagnosticCollector,
  index: number,
  item: unknown,
  { port, family, nodeName, features }: EndpointSliceContext,
): Endpoint | undefined {
  if (!isObject(item)) {
    addTypeError(collector, `endpoints[${index}]`, item, 'an endpoint', 'an object')
    return undefined
  }
  const conditions = isAbsent(item.conditions) ? ABSENT : item.conditions
  if (!isObject(conditions)) {
    const path = `endpoints[${index}].conditions`
    addTypeError(collector, path, conditions, 'an object')
    return undefined
  }
  const ip = readFirstAddress(collector, index, item.addresses, family)
  const topology = features.endpointTopology ? readTopology(collector, index, item.topology) : NO_TOPOLOGY
  const on = readNodeName(collector, index, item.nodeName) || (topology.get(HOSTNAME) ?? '')
  const endpoint = {
    ip,
    port,
    text: joinHostPort(ip, port),
    ready: readCondition(collector, index, 'ready', conditions.ready, true),
    serving: readCondition(collector, index, 'serving', conditions.serving, true),
    terminating: readCondition(collector, index, 'terminating', conditions.terminating, false),
    nodeName: on,
    local: on !== '' && on === nodeName,
    hints: readHints(collector, index, item.hints, features),
  }
  return features.topologyKeys ? { ...endpoint, topology: topologyOf(topology, on, item.zone) } : endpoint
}

const ABSENT = Object.freeze({})

/** Reads the first address of an endpoint; kube-proxy ignores the other addresses. */
function readFirstAddress(collector: DiagnosticCollector, index: number, addresses: unknown, family: IpFamily): string {
  const written: unknown = Array.isArray(addresses) ? addresses[0] : undefined
  if (isAbsent(written)) {
    addError(collector, 'missingField', `endpoints[${index}].addresses`, 'the endpoint has no address', 'a list of one')
    return ''
  }
  const address = parseIp(written)
  if (address === undefined || !isCanonicalAddressOfFamily(address, written, family)) {
    checkEndpointAddress(collector, `endpoints[${index}].addresses[0]`, written, address, family)
  }
  return address?.text ?? ''
}

function readCondition(
  collector: DiagnosticCollector,
  index: number,
  name: string,
  value: unknown,
  absent: boolean,
): boolean {
  if (typeof value === 'boolean') return value
  if (!isAbsent(value)) {
    const path = `endpoints[${index}].conditions.${name}`
    addTypeError(collector, path, value, 'true or false')
  }
  return absent
}

/** Reads the node name; empty if it is absent. */
function readNodeName(collector: DiagnosticCollector, index: number, value: unknown): string {
  if (typeof value === 'string') return value
  if (!isAbsent(value)) {
    addTypeError(collector, `endpoints[${index}].nodeName`, value, 'text')
  }
  return ''
}

/** Reads `endpoints[index].hints`. Node hints are ignored if the version does not support them. */
function readHints(collector: DiagnosticCollector, index: number, value: unknown, features: Features): EndpointHints {
  if (isAbsent(value)) return NO_HINTS
  if (isObject(value)) {
    const zones = readNames(collector, index, 'forZones', value.forZones)
    return {
      zones,
      nodes: features.nodeHints ? readNames(collector, index, 'forNodes', value.forNodes) : NO_HINTS.zones,
    }
  }
  addTypeError(collector, `endpoints[${index}].hints`, value, 'an object')
  return NO_HINTS
}

function readNames(collector: DiagnosticCollector, index: number, field: string, value: unknown): readonly string[] {
  if (isAbsent(value)) return NO_HINTS.zones
  const names = Array.isArray(value) ? value.map(nameOf) : [undefined]
  if (names.every(isText)) return names.length === 0 ? NO_HINTS.zones : names
  const path = `endpoints[${index}].hints.${field}`
  addTypeError(collector, path, value, 'a list of names', 'a list of objects with a name')
  return NO_HINTS.zones
}

function nameOf(item: unknown): unknown {
  return isObject(item) ? item.name : undefined
}

const HOSTNAME = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'
const NO_TOPOLOGY: ReadonlyMap<string, string> = new Map()

/** Reads `endpoints[index].topology` of `discovery.k8s.io/v1beta1`: labels of the node of the endpoint. */
function readTopology(collector: DiagnosticCollector, index: number, value: unknown): ReadonlyMap<string, string> {
  if (isAbsent(value)) return NO_TOPOLOGY
  const labels = isObject(value) ? Object.entries(value) : [['', undefined] as const]
  if (labels.every((label): label is [string, string] => isText(label[1]))) return new Map(labels)
  const path = `endpoints[${index}].topology`
  addTypeError(collector, path, value, 'a map of texts', 'labels of a node')
  return NO_TOPOLOGY
}

/**
 * Adds the node name and the zone of an endpoint as labels, because newer slices have these values in separate fields.
 * Mirrors the conversion in the API server.
 */
function topologyOf(
  topology: ReadonlyMap<string, string>,
  nodeName: string,
  zone: unknown,
): ReadonlyMap<string, string> {
  const fields = [
    ...(nodeName === '' ? [] : [[HOSTNAME, nodeName] as const]),
    ...(isText(zone) ? [[ZONE, zone] as const] : []),
  ]
  return new Map([...fields, ...topology])
}
