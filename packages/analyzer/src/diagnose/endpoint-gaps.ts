import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { IpFamily } from '@kube-rules/types'
import { formatList } from '../explain/format-list.js'
import { readSlices, type SliceFields } from './slice-facts.js'

/** The reason why a service port has no endpoints at all. */
export type EndpointGap =
  /** No pod has the labels of the selector (`app=web`; empty if the Service is not among the objects). */
  | { readonly kind: 'noPods'; readonly selector: string }
  /** The pods have no port with the name that the Service uses. `ports` are the ports of the EndpointSlices. */
  | { readonly kind: 'noPort'; readonly slice: string; readonly ports: string }
  /** The Service has no selector, and no EndpointSlice or Endpoints object lists endpoints for it. */
  | { readonly kind: 'noSelector' }
  /** The Service has no selector, and its EndpointSlice contains host names. */
  | { readonly kind: 'hostNames'; readonly slice: string; readonly hosts: string }
  /** The Service has no selector, and its EndpointSlice has no port with the name of the service port. */
  | { readonly kind: 'noSlicePort'; readonly slice: string; readonly ports: string }

/** Finds the reason why a service port has no endpoints of a family, in its Service and its EndpointSlices. */
export function findEndpointGap(input: CompileInput, service: ServicePortId, family: IpFamily): EndpointGap {
  const slices = readSlices(input).filter(
    (each) =>
      each.namespace === service.namespace &&
      each.service === service.name &&
      (each.addressType === family || each.addressType === 'FQDN'),
  )
  const selector = hasEndpointsObject(input, service) ? undefined : readSelector(input, service)
  const withEndpoints = slices.find(({ endpoints }) => endpoints.length > 0)
  if (selector !== '' && selector !== undefined) {
    return withEndpoints === undefined
      ? { kind: 'noPods', selector }
      : { kind: 'noPort', slice: plain(withEndpoints.name), ports: formatPorts(withEndpoints) }
  }
  if (selector === undefined) return { kind: 'noPods', selector: '' }
  if (withEndpoints === undefined) return { kind: 'noSelector' }
  if (withEndpoints.addressType === 'FQDN')
    return { kind: 'hostNames', slice: plain(withEndpoints.name), hosts: formatHosts(withEndpoints) }
  return { kind: 'noSlicePort', slice: plain(withEndpoints.name), ports: formatPorts(withEndpoints) }
}

/** Returns the selector as kubectl prints it: `app=web,tier=front`. Undefined if the Service is not in the input. */
function readSelector({ services }: CompileInput, { namespace, name }: ServicePortId): string | undefined {
  for (const service of itemsOfArgument('services', 'Service', services)) {
    const { metadata, spec } = service ?? {}
    if (metadata?.namespace !== namespace || metadata.name !== name) continue
    const { selector } = isObject(spec) ? spec : {}
    return isObject(selector)
      ? Object.entries(selector)
          .map(([key, value]) => `${plain(key)}=${plain(value)}`)
          .join(',')
      : ''
  }
  return undefined
}

function hasEndpointsObject({ endpoints = [] }: CompileInput, { namespace, name }: ServicePortId): boolean {
  const objects = [...itemsOfArgument('endpoints', 'Endpoints', endpoints)]
  return objects.some((each) => each?.metadata?.namespace === namespace && each.metadata.name === name)
}

function formatPorts({ ports }: SliceFields): string {
  const texts = ports.map(
    ({ name, port, protocol }) => `${name ? `${plain(name)} ` : ''}${plain(port ?? 'any')}/${plain(protocol ?? 'TCP')}`,
  )
  return texts.length === 0 ? 'none' : formatList(texts)
}

function formatHosts({ endpoints }: SliceFields): string {
  return formatList(endpoints.flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses.map(plain) : [])))
}

/** Returns the text of a name, label or number of an object; `?` for text with other characters than they have. */
function plain(value: unknown): string {
  const text = String(value)
  return text.length <= 253 && /^[\w./:-]+$/.test(text) ? text : '?'
}
