import { type Diagnostic, type Endpoints, IP_FAMILIES, type IpFamily, type Protocol } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { familyOf, joinHostPort, parseIp } from '@kube-rules/types/internal/ip'
import type { Features } from '../configuration/features.js'
import { createUnusedObject } from '../reading/api-groups.js'
import { addTypeError, createDiagnosticCollector, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import { areEndpointsExcluded, cacheKeyOf, referenceOf } from '../reading/metadata.js'
import {
  type Fields,
  isObject,
  readList,
  readObject,
  readPort,
  readProtocol,
  readString,
} from '../reading/read-field.js'
import { readSafely } from '../reading/read-safely.js'
import { type Endpoint, NO_HINTS, withPort } from './endpoint.js'
import { checkEndpointAddress } from './endpoint-address.js'
import type { EndpointsReadResult, PortEndpoints } from './endpoints-by-port.js'
import type { ModelContext } from './model-context.js'

/** An Endpoints object and its Service, before the endpoints are read. */
export interface EndpointsHeader {
  /** The cache key (`cacheKeyOf`). */
  readonly key: string
  /** The original object, for identity comparison. */
  readonly original: unknown
  /** The fields of the object; absent if a label excludes it, or if it is invalid. */
  readonly fields: Fields | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the identity of an Endpoints object. An Endpoints object has the namespace and name of its Service. */
export function readEndpointsHeader(endpoints: Endpoints, features: Features): EndpointsHeader {
  if (isOfOtherGroup('Endpoints', endpoints))
    return { ...createUnusedObject('Endpoints', endpoints), fields: undefined }
  const findings = createDiagnosticCollector(referenceOf('Endpoints', endpoints))
  const fields = readSafely(findings, () => readFields(findings, endpoints, features), undefined)
  return {
    key: cacheKeyOf(findings.object),
    original: endpoints,
    fields: findings.errors > 0 ? undefined : fields,
    diagnostics: findings.diagnostics,
  }
}

function readFields(findings: DiagnosticCollector, object: unknown, features: Features): Fields | undefined {
  if (!isObject(object)) {
    addTypeError(findings, '', object, 'an Endpoints object', 'an object')
  }
  const fields = isObject(object) ? object : {}
  const metadata = readObject(findings, 'metadata', fields.metadata)
  return areEndpointsExcluded(metadata, features) ? undefined : fields
}

/**
 * Reads the endpoints that an Endpoints object contributes to the ports of its Service, in both families. Mirrors two
 * implementations: kube-proxy v1.30 with the slices that the EndpointSliceMirroring controller creates for the object,
 * and `endpointsToEndpointsMap` of kube-proxy v1.18.
 */
export function readLegacyEndpoints(head: EndpointsHeader, context: ModelContext): EndpointsReadResult {
  const findings = createDiagnosticCollector(referenceOf('Endpoints', head.original))
  const read = () =>
    readList(findings, 'subsets', head.fields?.subsets).flatMap((subset, index) =>
      readSubset(findings, `subsets[${index}]`, subset, context),
    )
  return { portEndpoints: readSafely(findings, read, []), diagnostics: findings.diagnostics }
}

function readSubset(
  findings: DiagnosticCollector,
  path: string,
  item: unknown,
  context: ModelContext,
): PortEndpoints[] {
  if (!isObject(item)) {
    addTypeError(findings, path, item, 'a subset', 'an object')
    return []
  }
  const endpoints = [
    ...readAddressList(findings, `${path}.addresses`, item.addresses, true, context),
    ...readAddressList(findings, `${path}.notReadyAddresses`, item.notReadyAddresses, false, context),
  ].filter(({ ready }) => ready || context.features.notReadyEndpoints)
  const ports = readSubsetPorts(findings, `${path}.ports`, item.ports)
  return ports.flatMap((port) => IP_FAMILIES.map((family) => portEndpointsOf(port, endpoints, family)))
}

function portEndpointsOf(port: SubsetPort, endpoints: readonly Endpoint[], family: IpFamily): PortEndpoints {
  const own = endpoints.filter((endpoint) => familyOf(endpoint.ip) === family)
  return {
    family,
    portName: port.portName,
    protocol: port.protocol,
    endpoints: own.map((endpoint) => withPort(endpoint, port.port)),
  }
}

interface SubsetPort {
  readonly portName: string
  readonly protocol: Protocol
  readonly port: number
}

function readSubsetPorts(findings: DiagnosticCollector, path: string, value: unknown): readonly SubsetPort[] {
  const items = readList(findings, path, value)
  return items.flatMap((item, index) => readSubsetPort(findings, `${path}[${index}]`, item))
}

function readSubsetPort(findings: DiagnosticCollector, path: string, item: unknown): readonly SubsetPort[] {
  const errors = findings.errors
  const fields = readObject(findings, path, item)
  const port = {
    portName: readString(findings, `${path}.name`, fields.name),
    protocol: readProtocol(findings, `${path}.protocol`, fields.protocol),
    port: readPort(findings, `${path}.port`, fields.port),
  }
  return findings.errors === errors ? [port] : []
}

/** Reads the endpoints of one address list of a subset. Each endpoint has the placeholder port 0. */
function readAddressList(
  findings: DiagnosticCollector,
  path: string,
  value: unknown,
  ready: boolean,
  context: ModelContext,
): readonly Endpoint[] {
  const items = readList(findings, path, value)
  return items.flatMap((item, index) => readSubsetAddress(findings, `${path}[${index}]`, item, ready, context))
}

function readSubsetAddress(
  findings: DiagnosticCollector,
  path: string,
  item: unknown,
  ready: boolean,
  context: ModelContext,
): readonly Endpoint[] {
  const errors = findings.errors
  const fields = readObject(findings, path, item)
  const ip = readIp(findings, `${path}.ip`, fields.ip)
  const nodeName = readString(findings, `${path}.nodeName`, fields.nodeName)
  if (findings.errors > errors) return []
  return [
    {
      ip,
      port: 0,
      text: joinHostPort(ip, 0),
      ready,
      serving: ready,
      terminating: false,
      nodeName,
      local: nodeName !== '' && nodeName === context.nodeName,
      hints: NO_HINTS,
    },
  ]
}

function readIp(findings: DiagnosticCollector, path: string, written: unknown): string {
  const address = parseIp(written)
  checkEndpointAddress(findings, path, written, address, address?.family ?? 'IPv4')
  return address?.text ?? ''
}
