import { findLoadBalancerHosts, listFrontends, type TracedFrontend } from '@kube-rules/analyzer/explain'
import type { IpFamily, Protocol, Service } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { InputError } from '../messages/errors.js'
import { findServiceErrors } from '../messages/service-errors.js'
import type { ServiceDestination } from './destination.js'
import type { ExplainedNode } from './explained-node.js'
import { describeHost } from './load-balancer-names.js'

/** An address and port of a Service. */
export interface ServiceAddress {
  readonly family: IpFamily
  readonly address: string
  readonly port: number
  readonly protocol: Protocol
}

/**
 * Returns the cluster IPs of the Service with the ports that the destination names, in every family. Without objects, a
 * dump does not show which addresses are cluster IPs. The result then contains every address of the Service, or its
 * node ports if the Service has no address.
 *
 * @throws InputError if the Service or port does not exist.
 */
export function findServiceAddresses(given: ServiceDestination, node: ExplainedNode): readonly ServiceAddress[] {
  const all = node.families.flatMap(({ state, plan, traceContext }) =>
    listFrontends(state, { plan, ...traceContext }).flatMap((frontend): readonly OwnedRow[] => {
      const port = ownerOf(frontend)
      return port === undefined ? [] : [{ ...frontend, ...port }]
    }),
  )
  const expected = { ...given, namespace: given.namespace ?? findNamespace(given.name, all, node) }
  const rows = all.filter(({ service }) => service === formatService(expected))
  if (rows.length === 0) {
    const errors = findServiceErrors(node.diagnostics).get(formatService(expected))
    const message = errors === undefined ? formatMissingService(expected, node, given) : formatInvalidService(expected)
    throw new InputError(message, errors)
  }
  const ofPort = rows.filter((row) => isMeant(row, expected))
  const addresses = ofPort.filter(({ kind }) => kind === 'clusterIP' || kind === undefined)
  if (ofPort.length === 0) throw new InputError(formatMissingPort(expected, rows))
  return (addresses.length > 0 ? addresses : ofPort).map(({ address, port, protocol }) => ({
    address,
    family: familyOf(address),
    port,
    protocol,
  }))
}

interface Row extends TracedFrontend {
  readonly portName: string
}

interface OwnedRow extends Row {
  /** `default/web` */
  readonly service: string
}

/** A destination with its namespace. */
type NamespacedDestination = ServiceDestination & { readonly namespace: string }

/**
 * Returns the namespace of the only Service with this name; `default` if there is none.
 *
 * @throws InputError if several Services have the name.
 */
function findNamespace(name: string, rows: readonly OwnedRow[], { services = [] }: ExplainedNode): string {
  const owners = [
    ...rows.map(({ service }) => service),
    ...services.map(({ metadata }) => `${namespaceOf(metadata)}/${metadata?.name}`),
  ]
  const found = [...new Set(owners)].filter((owner) => owner.slice(owner.indexOf('/') + 1) === name).sort()
  if (found.length <= 1) return found[0]?.slice(0, -name.length - 1) ?? 'default'
  throw new InputError(`several Services have the name ${name}: ${found.join(', ')}; give one of these names`)
}

/** Splits `default/web:http/TCP` into `default/web` and `http`. */
function ownerOf({ owner }: TracedFrontend): { readonly service: string; readonly portName: string } | undefined {
  const [, service, portName = ''] = /^([^/:]*\/[^/:]*)(?::(.*))?\/[A-Z]+$/.exec(owner) ?? []
  return service === undefined ? undefined : { service, portName }
}

function isMeant({ portName, port: number, protocol }: Row, expected: ServiceDestination): boolean {
  const { port } = expected
  return (
    (port === undefined || port === portName || port === String(number)) &&
    (expected.protocol === undefined || expected.protocol === protocol)
  )
}

function formatService({ namespace, name }: NamespacedDestination): string {
  return `${namespace}/${name}`
}

/** Returns a message such as `default/web has no port https; it has http (80/TCP)`. */
function formatMissingPort(expected: NamespacedDestination, rows: readonly Row[]): string {
  const addressed = rows.filter(({ kind }) => kind !== 'nodePort')
  const ports = (addressed.length > 0 ? addressed : rows).map(({ portName, port, protocol }) =>
    portName === '' ? `${port}/${protocol}` : `${portName} (${port}/${protocol})`,
  )
  const readSet = [expected.port, expected.protocol].filter((word) => word !== undefined).join('/')
  return `${formatService(expected)} has no port ${readSet}; it has ${[...new Set(ports)].join(', ')}`
}

function formatInvalidService(expected: NamespacedDestination): string {
  return `Service ${formatService(expected)} is invalid, so there are no rules for it`
}

function formatMissingService(
  expected: NamespacedDestination,
  { services }: ExplainedNode,
  { namespace }: ServiceDestination,
): string {
  const text = namespace === undefined ? expected.name : formatService(expected)
  // The host name of a load balancer with two labels looks like a Service with its namespace.
  const host = `${expected.name}.${expected.namespace}`
  if (findLoadBalancerHosts(services ?? []).some((each) => each.host === host)) return describeHost(host, { services })
  if (services === undefined) return `the dump shows no address of ${text}; give its address, or its objects with -f`
  const named = services.filter(({ metadata }) => metadata?.name === expected.name)
  if (named.some(({ metadata }) => namespaceOf(metadata) === expected.namespace)) {
    return `there are no rules for ${text}: it has no cluster IP, no port, or belongs to another proxy`
  }
  const others = named.map(({ metadata }) => `${namespaceOf(metadata)}/${expected.name}`)
  return others.length === 0 ? `there is no Service ${text}` : `there is no Service ${text}, but ${others.join(', ')}`
}

function namespaceOf(metadata: Service['metadata']): string {
  return metadata?.namespace ?? ''
}
