import type { Diagnostic, IpFamily, Protocol } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import type { Endpoint } from './endpoint.js'

/** The endpoints of the ports of a Service, by `portKey`; absent means none. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>

/**
 * Returns the key of a port, which endpoints and service port share: name and protocol, in old versions the name alone.
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

/** The contribution of one EndpointSlice or Endpoints object to its Service. */
export interface ReadEndpoints {
  readonly portEndpoints: readonly PortEndpoints[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Merges the endpoints of every port in one family, given in order of precedence. Mirrors `endpointInfoByServicePort`
 * of kube-proxy v1.30. Duplicate endpoints of an Endpoints object remain if the version reads Endpoints objects
 * (`mergesDuplicates`).
 */
export function mergeEndpointsByPort(
  portEndpoints: readonly PortEndpoints[],
  family: IpFamily,
  features: Features,
  mergesDuplicates = true,
): EndpointsByPort {
  const lists = new Map<string, Endpoint[]>()
  for (const port of portEndpoints) {
    if (port.family !== family) continue
    const key = formatPortKey(port, features)
    const list = lists.get(key)
    if (list === undefined) lists.set(key, port.endpoints.slice())
    else for (const endpoint of port.endpoints) list.push(endpoint)
  }
  if (!mergesDuplicates) return lists
  const merge = features.endpointsByAddress ? mergeByAddress : mergeEndpoints
  for (const [key, list] of lists) lists.set(key, merge(list, features))
  return lists
}

/**
 * Returns each `ip:port` once, in the byte order of `text`. The first of several has precedence, unless a later one is
 * preferred: one on this node (v1.30), or one that is not terminating (`runningEndpointWins`).
 */
function mergeEndpoints(endpoints: Endpoint[], features: Features): Endpoint[] {
  if (isAscending(endpoints)) return endpoints
  const merged: Endpoint[] = []
  for (const endpoint of endpoints.sort(byText)) {
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
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0
}

/**
 * Returns each address once, in the byte order of `text`. The first of several has precedence, unless a later one is on
 * this node. Mirrors `addEndpointsByIP` of kube-proxy v1.19 to v1.21, which has slices in a random order.
 */
function mergeByAddress(endpoints: readonly Endpoint[]): Endpoint[] {
  const byAddress = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    if (!byAddress.has(endpoint.ip) || endpoint.local) byAddress.set(endpoint.ip, endpoint)
  }
  return Array.from(byAddress.values()).sort(byText)
}
