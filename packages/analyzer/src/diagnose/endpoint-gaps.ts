import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { IpFamily, Service } from '@kube-rules/types'
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

/** Finds the reason why a service port has no endpoints of a family. */
export type EndpointGapFinder = (service: ServicePortId, family: IpFamily) => EndpointGap

/** Returns a function that finds endpoint gaps in the Services and the EndpointSlices. Each object is read once. */
export function createEndpointGapFinder(input: CompileInput): EndpointGapFinder {
  const services = createLazyGetter(() => indexServices(input))
  const slices = createLazyGetter(() =>
    groupItems(readSlices(input), ({ namespace, service }) => `${namespace}/${service}`),
  )
  const withEndpoints = createLazyGetter(() => namesOfEndpoints(input))
  return (id, family) => {
    const key = `${id.namespace}/${id.name}`
    const slice = slices()
      .get(key)
      ?.filter(({ addressType }) => addressType === family || addressType === 'FQDN')
      .find(({ endpoints }) => endpoints.length > 0)
    const service = services().get(key)
    if (service === undefined || withEndpoints().has(key)) return { kind: 'noPods', selector: '' }
    const selector = formatSelector(service)
    if (selector === '') return gapWithoutSelector(slice)
    return slice === undefined ? { kind: 'noPods', selector } : gapOfPorts('noPort', slice)
  }
}

function gapWithoutSelector(slice: SliceFields | undefined): EndpointGap {
  if (slice === undefined) return { kind: 'noSelector' }
  if (slice.addressType === 'FQDN') return { kind: 'hostNames', slice: plain(slice.name), hosts: formatHosts(slice) }
  return gapOfPorts('noSlicePort', slice)
}

function gapOfPorts<K>(kind: K, slice: SliceFields) {
  return { kind, slice: plain(slice.name), ports: formatPorts(slice) }
}

/** Describes the reason why a service port has no endpoints. Empty if the reason is unknown. */
export function describeEndpointGap(gap: EndpointGap | undefined, { portName }: ServicePortId): readonly string[] {
  const port = portName === '' ? 'without a name' : `named ${portName}`
  switch (gap?.kind) {
    case undefined:
      return []
    case 'noPods':
      return gap.selector === ''
        ? []
        : [`no pod that matches its selector ${gap.selector} is listed in an EndpointSlice`]
    case 'noSelector':
      return ['it has no selector, and no EndpointSlice lists endpoints for it']
    case 'hostNames':
      return [
        `it has no selector, and its EndpointSlice ${gap.slice} lists host names (${gap.hosts}, addressType FQDN), which kube-proxy does not use`,
      ]
    case 'noPort':
    case 'noSlicePort': {
      const subject = gap.kind === 'noPort' ? 'its selector matches pods, but' : 'it has no selector, and its'
      return [`${subject} EndpointSlice ${gap.slice} has no port ${port} (it has ${gap.ports})`]
    }
  }
}

/** Returns the first Service with each name, because the objects may contain a name twice. */
export function indexServices({ services }: CompileInput): ReadonlyMap<string, Service> {
  const byKey = new Map<string, Service>()
  for (const service of itemsOfArgument('services', 'Service', services)) {
    const key = `${service?.metadata?.namespace}/${service?.metadata?.name}`
    if (!byKey.has(key)) byKey.set(key, service)
  }
  return byKey
}

function namesOfEndpoints({ endpoints = [] }: CompileInput): ReadonlySet<string> {
  const objects = [...itemsOfArgument('endpoints', 'Endpoints', endpoints)]
  return new Set(objects.map((each) => `${each?.metadata?.namespace}/${each?.metadata?.name}`))
}

/** Returns the selector of a Service as kubectl prints it: `app=web,tier=front`. */
function formatSelector({ spec }: Service): string {
  const { selector } = isObject(spec) ? spec : {}
  if (!isObject(selector)) return ''
  return Object.entries(selector)
    .map(([key, value]) => `${plain(key)}=${plain(value)}`)
    .join(',')
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
export function plain(value: unknown): string {
  const text = String(value)
  return text.length <= 253 && /^[\w./:-]+$/.test(text) ? text : '?'
}
