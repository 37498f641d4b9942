import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { type Fields, isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { IpFamily, Service } from '@kube-rules/types'
import { formatList } from '../explain/format-list.js'
import { type EndpointList, readEndpointLists } from './slice-facts.js'

/** The reason why a service port has no endpoints at all. */
export type EndpointGap =
  /** No pod has the labels of the selector (`app=web`; empty if the Service is not among the objects). */
  | { readonly kind: 'noPods'; readonly selector: string }
  /** The pods have no port with the name that the Service uses. `ports` are the ports of the object that lists them. */
  | { readonly kind: 'noPort'; readonly lister: string; readonly ports: string }
  /** The Service has no selector, and no EndpointSlice or Endpoints object lists endpoints for it. */
  | { readonly kind: 'noSelector' }
  /** The Service has no selector, and its EndpointSlice contains host names. */
  | { readonly kind: 'hostNames'; readonly lister: string; readonly hosts: string }
  /** The Service has no selector, and its EndpointSlice or Endpoints has no port with the name of the service port. */
  | { readonly kind: 'noListedPort'; readonly lister: string; readonly ports: string }

/** Finds the reason why a service port has no endpoints of a family. */
export type EndpointGapFinder = (service: ServicePortId, family: IpFamily) => EndpointGap

/** Returns a function that finds endpoint gaps in the Services and the lists of endpoints. Each object is read once. */
export function createEndpointGapFinder(input: CompileInput): EndpointGapFinder {
  const services = createLazyGetter(() => indexServices(input))
  const lists = createLazyGetter(() =>
    groupItems(readEndpointLists(input), ({ namespace, service }) => `${namespace}/${service}`),
  )
  return (id, family) => {
    const key = `${id.namespace}/${id.name}`
    const list = lists()
      .get(key)
      ?.filter(({ addressType }) => addressType === family || addressType === 'FQDN')
      .find(({ endpoints }) => endpoints.length > 0)
    const service = services().get(key)
    if (service === undefined || (list && hasPort(list, id))) return { kind: 'noPods', selector: '' }
    const selector = formatSelector(service)
    if (selector === '') return gapWithoutSelector(list)
    return list === undefined ? { kind: 'noPods', selector } : gapOfPorts('noPort', list)
  }
}

/** Reports whether a list has the port of a service port, but kube-proxy does not use its endpoints. */
function hasPort({ addressType, ports }: EndpointList, { portName, protocol }: ServicePortId): boolean {
  const isIt = (port: Fields) => (port.name ?? '') === portName && (port.protocol ?? 'TCP') === protocol
  return addressType !== 'FQDN' && ports.some(isIt)
}

function gapWithoutSelector(list: EndpointList | undefined): EndpointGap {
  if (list === undefined) return { kind: 'noSelector' }
  if (list.addressType === 'FQDN') return { kind: 'hostNames', lister: formatLister(list), hosts: formatHosts(list) }
  return gapOfPorts('noListedPort', list)
}

function gapOfPorts<K>(kind: K, list: EndpointList) {
  return { kind, lister: formatLister(list), ports: formatPorts(list) }
}

function formatLister({ kind, name }: EndpointList): string {
  return `${kind} ${plain(name)}`
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
        `it has no selector, and its ${gap.lister} lists host names (${gap.hosts}, addressType FQDN), which kube-proxy does not use`,
      ]
    case 'noPort':
    case 'noListedPort': {
      const subject = gap.kind === 'noPort' ? 'its selector matches pods, but' : 'it has no selector, and its'
      return [`${subject} ${gap.lister} has no port ${port} (it has ${gap.ports})`]
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

/** Returns the selector of a Service as kubectl prints it: `app=web,tier=front`. */
function formatSelector({ spec }: Service): string {
  const { selector } = isObject(spec) ? spec : {}
  if (!isObject(selector)) return ''
  return Object.entries(selector)
    .map(([key, value]) => `${plain(key)}=${plain(value)}`)
    .join(',')
}

function formatPorts({ ports }: EndpointList): string {
  const texts = ports.map(
    ({ name, port, protocol }) => `${name ? `${plain(name)} ` : ''}${plain(port ?? 'any')}/${plain(protocol ?? 'TCP')}`,
  )
  return texts.length === 0 ? 'none' : formatList(texts)
}

function formatHosts({ endpoints }: EndpointList): string {
  return formatList(endpoints.flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses.map(plain) : [])))
}

/** Returns the text of a name, label or number of an object; `?` for text with other characters than they have. */
export function plain(value: unknown): string {
  const text = String(value)
  return text.length <= 253 && /^[\w./:-]+$/.test(text) ? text : '?'
}
