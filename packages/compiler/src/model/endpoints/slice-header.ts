import type { Diagnostic, EndpointSlice, IpFamily } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { parseIp } from '@kube-rules/types/internal/ip'
import { compactList } from '../../internal/compact-list.js'
import type { Features } from '../configuration/features.js'
import { createUnusedObject } from '../reading/api-groups.js'
import {
  addError,
  addInfo,
  addTypeError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { areEndpointsExcluded, cacheKeyOf, referenceOf } from '../reading/metadata.js'
import { type Fields, isAbsent, isObject, readMapEntry, readObject, readString } from '../reading/read-field.js'
import { readSafely } from '../reading/read-safely.js'

/** An EndpointSlice with a known Service and family. */
export interface SliceHeader {
  /** The cache key (`cacheKeyOf`). */
  readonly key: string
  /** The original object, for identity comparison. */
  readonly original: unknown
  /** `namespace/name` of the Service; absent if kube-proxy does not use the slice, or if the slice is invalid. */
  readonly serviceKey: string | undefined
  /** The family; absent for slices of host names. */
  readonly family: IpFamily | undefined
  readonly diagnostics: readonly Diagnostic[]
}

const SERVICE_NAME = 'kubernetes.io/service-name'
/** The path of the label with the name of the Service. */
export const LABEL_PATH = 'metadata.labels[kubernetes.io/service-name]'
const MISSING_LABEL = 'missing, so kube-proxy ignores the slice'

/**
 * Reads the Service and the family of a slice. A slice without the label `kubernetes.io/service-name` has no Service:
 * kube-proxy logs an error and ignores it.
 * Mirrors `endpointSliceCacheKeys` of kube-proxy v1.30.
 */
export function readSliceHeader(slice: EndpointSlice, features: Features): SliceHeader {
  if (isOfOtherGroup('EndpointSlice', slice)) {
    return { ...createUnusedObject('EndpointSlice', slice), serviceKey: undefined, family: undefined }
  }
  const collector = createDiagnosticCollector(referenceOf('EndpointSlice', slice))
  const { key, family } = readSafely(collector, () => readOwner(collector, slice, features), NO_OWNER)
  return {
    key: cacheKeyOf(collector.object),
    original: slice,
    serviceKey: collector.errors > 0 ? undefined : key,
    family,
    diagnostics: compactList(collector.diagnostics),
  }
}

const NO_OWNER = { key: undefined, family: undefined }

function readOwner(
  collector: DiagnosticCollector,
  object: unknown,
  features: Features,
): { readonly key: string | undefined; readonly family: IpFamily | undefined } {
  if (!isObject(object)) {
    addTypeError(collector, '', object, 'an EndpointSlice', 'an object')
  }
  const fields = isObject(object) ? object : {}
  const key = readServiceKey(collector, fields, features)
  return { key, family: key === undefined ? undefined : readFamily(collector, fields, features) }
}

function readServiceKey(collector: DiagnosticCollector, slice: Fields, features: Features): string | undefined {
  const metadata = readObject(collector, 'metadata', slice.metadata)
  if (areEndpointsExcluded(metadata, features)) return undefined
  const labels = readObject(collector, 'metadata.labels', metadata.labels)
  const service = readMapEntry(collector, 'metadata.labels', labels, SERVICE_NAME) ?? ''
  if (service === '') {
    if (collector.errors === 0) addWarning(collector, 'orphanSlice', LABEL_PATH, MISSING_LABEL, 'the name of a Service')
    return undefined
  }
  const namespace = readIdentity(collector, 'metadata.namespace', metadata.namespace)
  readIdentity(collector, 'metadata.name', metadata.name)
  return [namespace, service].join('/')
}

function readIdentity(collector: DiagnosticCollector, path: string, value: unknown): string {
  if (isAbsent(value) || value === '') addError(collector, 'missingField', path, 'slices need a name and a namespace')
  return readString(collector, path, value)
}

function readFamily(collector: DiagnosticCollector, slice: Fields, features: Features): IpFamily | undefined {
  const type = slice.addressType
  if (type === 'IPv4' || type === 'IPv6') return type
  if (type === 'IP' && features.addressTypeIP) return familyOfEndpoints(slice.endpoints)
  if (type === 'FQDN') addInfo(collector, 'otherAddressFamily', 'addressType', 'kube-proxy does not use host names')
  else
    addError(collector, 'invalidValue', 'addressType', `${describeValue(type)} is not an address type`, 'IPv4 or IPv6')
  return undefined
}

/** Returns the family of the first address; IPv4 if the slice has no valid address. */
function familyOfEndpoints(endpoints: unknown): IpFamily {
  const [first]: readonly unknown[] = Array.isArray(endpoints) ? endpoints : []
  const [address]: readonly unknown[] = isObject(first) && Array.isArray(first.addresses) ? first.addresses : []
  return parseIp(address)?.family ?? 'IPv4'
}
