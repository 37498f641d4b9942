import type { Diagnostic, IpFamily, Protocol } from '@kube-rules/types'
import { compareValues } from '../../internal/compare-values.js'
import type { Features } from '../configuration/features.js'
import type { Endpoint } from './endpoint.js'

/** The endpoints of a Service, by port (`formatPortKey`). A port without endpoints has no entry. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>

/**
 * Returns the key of a port for the assignment of endpoints to service ports. The key consists of the name and the
 * protocol; with the feature `endpointsByNameAlone`, of the name alone.
 */
export function formatPortKey(
  port: { readonly portName: string; readonly protocol: string },
  { endpointsByNameAlone }: Pick<Features, 'endpointsByNameAlone'>,
): string {
  return endpointsByNameAlone ? port.portName : `${port.protocol}/${port.portName}`
}

/** Endpoints for one port of a Service, in the order of their source object. */
export interface PortEndpoints {
  readonly family: IpFamily
  readonly portName: string
  readonly protocol: Protocol
  readonly endpoints: readonly Endpoint[]
}

/** The endpoints that one EndpointSlice or Endpoints object contributes to its Service. */
export interface EndpointsReadResult {
  readonly portEndpoints: readonly PortEndpoints[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Merges the endpoints of every port in one family. The contributions of slices or Endpoints objects are given in order
 * of precedence. Mirrors `endpointInfoByServicePort` of kube-proxy v1.30. If `mergesDuplicates` is false, duplicate
 * endpoints remain, like in versions that read Endpoints objects.
 */
export function mergeEndpointsByPort(
  portEndpoints: readonly PortEndpoints[],
  family: IpFamily,
  features: Features,
  mergesDuplicates = true,
): EndpointsByPort {
  const lists = new Map<string, readonly Endpoint[]>()
  for (const port of portEndpoints) {
    if (port.family !== family) continue
    const key = formatPortKey(port, features)
    const list = lists.get(key)
    lists.set(key, list === undefined ? port.endpoints : list.concat(port.endpoints))
  }
  if (!mergesDuplicates) return lists
  const merge = features.endpointsByAddress ? mergeByAddress : mergeEndpoints
  for (const [key, list] of lists) lists.set(key, merge(list, features))
  return lists
}

/**
 * Returns each `ip:port` once, in the byte order of `text`. Of several endpoints with the same text, the first has
 * precedence, unless a later endpoint is preferred. Preferred endpoints are endpoints on this node (v1.30), or
 * endpoints that are not terminating (`runningEndpointWins`).
 */
function mergeEndpoints(endpoints: readonly Endpoint[], features: Features): readonly Endpoint[] {
  if (isAscending(endpoints)) return endpoints
  const merged: Endpoint[] = []
  for (const endpoint of [...endpoints].sort(byText)) {
    const last = merged.at(-1)
    if (last === undefined || last.text !== endpoint.text) merged.push(endpoint)
    else if (isPreferred(endpoint, features)) merged[merged.length - 1] = endpoint
  }
  return merged.slice()
}

function isPreferred(later: Endpoint, features: Features): boolean {
  return features.runningEndpointWins ? !later.terminating : later.local
}

function isAscending(endpoints: readonly Endpoint[]): boolean {
  let previous = ''
  for (const { text } of endpoints) {
    if (text <= previous) return false
    previous = text
  }
  return true
}

function byText(a: Endpoint, b: Endpoint): number {
  return compareValues(a.text, b.text)
}

/**
 * Returns each address once, in the byte order of `text`. Of several endpoints with the same address, the first has
 * precedence, unless a later endpoint is on this node. Mirrors `addEndpointsByIP` of kube-proxy v1.19 to v1.21, where
 * the order of the slices is random.
 */
function mergeByAddress(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const byAddress = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    if (!byAddress.has(endpoint.ip) || endpoint.local) byAddress.set(endpoint.ip, endpoint)
  }
  return Array.from(byAddress.values()).sort(byText)
}
