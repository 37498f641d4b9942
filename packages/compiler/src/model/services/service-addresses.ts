import type { IpFamily } from '@kube-rules/types'
import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'
import { compactList } from '../../internal/compact-list.js'
import type { Features } from '../configuration/features.js'
import {
  addError,
  addInfo,
  addTypeError,
  addWarning,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import {
  type Fields,
  isObject,
  isText,
  readList,
  readObject,
  readString,
  warnAboutNonCanonicalAddress,
} from '../reading/read-field.js'

/** The cluster IP of a Service in each of its families. */
export type ClusterIPs = { readonly [family in IpFamily]?: string | undefined }

const NONE: ClusterIPs = {}
const CLUSTER_IP = 'an IPv4 or IPv6 address, "None", or nothing'

/**
 * Reads the cluster IPs of a Service with the given `spec`, in canonical form. If a Service has no cluster IPs, it has
 * no rules, which is reported as a warning. With the feature `onlyFirstClusterIP`, only `spec.clusterIP` is used.
 * Mirrors `GetClusterIPByFamily` of kube-proxy v1.30.
 */
export function readClusterIPs(collector: DiagnosticCollector, spec: Fields, features: Features): ClusterIPs {
  const errors = collector.errors
  const clusterIP = readString(collector, 'spec.clusterIP', spec.clusterIP)
  const families = features.onlyFirstClusterIP ? [] : readFamilies(collector, spec.ipFamilies)
  const own = clusterIP === '' ? NONE : readOwn(collector, clusterIP)
  const ips = clusterIP === '' || families.length === 0 ? own : readByFamily(collector, spec.clusterIPs, families)
  if (ips.IPv4 === undefined && ips.IPv6 === undefined && collector.errors === errors) {
    const path = clusterIP === '' ? 'spec.clusterIP' : 'spec.clusterIPs'
    addWarning(collector, 'missingField', path, 'the Service has no cluster IP, so it has no rules', 'an IP address')
  }
  return ips
}

function readFamilies(collector: DiagnosticCollector, value: unknown): readonly unknown[] {
  const families = readList(collector, 'spec.ipFamilies', value)
  families.forEach((family, index) => {
    if (family === 'IPv4' || family === 'IPv6') return
    addError(
      collector,
      'invalidValue',
      `spec.ipFamilies[${index}]`,
      `${describeValue(family)} is not an address family`,
      'IPv4 or IPv6',
    )
  })
  return families
}

function readOwn(collector: DiagnosticCollector, clusterIP: string): ClusterIPs {
  const address = readClusterIP(collector, 'spec.clusterIP', clusterIP)
  return address ? { [address.family]: address.text } : NONE
}

function readByFamily(collector: DiagnosticCollector, value: unknown, families: readonly unknown[]): ClusterIPs {
  const clusterIPs = readList(collector, 'spec.clusterIPs', value)
  const clusterIPOf = (family: IpFamily) => {
    const index = families.indexOf(family)
    if (index < 0 || index >= clusterIPs.length) return undefined
    return readClusterIP(collector, `spec.clusterIPs[${index}]`, clusterIPs[index], family)?.text
  }
  return { IPv4: clusterIPOf('IPv4'), IPv6: clusterIPOf('IPv6') }
}

/** Reads a cluster IP, of the given family if there is one. */
function readClusterIP(
  collector: DiagnosticCollector,
  path: string,
  value: unknown,
  family?: IpFamily,
): IpAddress | undefined {
  const address = parseIp(value)
  if (address !== undefined && (family === undefined || address.family === family)) {
    warnAboutNonCanonicalAddress(collector, path, value, address)
    return address
  }
  const kind = `an ${family ?? 'IP'} address`
  addError(collector, 'invalidAddress', path, `${describeValue(value)} is not ${kind}`, family ? kind : CLUSTER_IP)
  return undefined
}

const INGRESS = 'status.loadBalancer.ingress'

/**
 * Reads the load-balancer IPs of both families in the order of the Service. Entries without an IP are skipped. Entries
 * with `ipMode: Proxy` are also skipped, because the load balancer sends packets to other addresses. The type of the
 * Service does not matter.
 */
export function readLoadBalancerIPs(
  collector: DiagnosticCollector,
  status: Fields,
  features: Features,
): readonly IpAddress[] {
  const loadBalancer = readObject(collector, 'status.loadBalancer', status.loadBalancer)
  const addresses: IpAddress[] = []
  readList(collector, INGRESS, loadBalancer.ingress).forEach((item, index) => {
    const address = readIngress(collector, `${INGRESS}[${index}]`, item, features)
    if (address !== undefined) addresses.push(address)
  })
  return compactList(addresses)
}

function readIngress(
  collector: DiagnosticCollector,
  path: string,
  item: unknown,
  features: Features,
): IpAddress | undefined {
  if (!isObject(item)) {
    addTypeError(collector, path, item, 'an ingress entry', 'an object')
    return undefined
  }
  const ip = readString(collector, `${path}.ip`, item.ip)
  const skipped = features.loadBalancerIPMode && !isVip(collector, path, item)
  return ip === '' || skipped ? undefined : readLenientAddress(collector, `${path}.ip`, ip)
}

/** Returns the fields of load-balancer status entries as strings, without validation, to detect changes. */
export function readIngressFields(status: unknown): readonly string[] {
  const loadBalancer = isObject(status) ? status.loadBalancer : undefined
  const ingress = isObject(loadBalancer) ? loadBalancer.ingress : undefined
  if (!Array.isArray(ingress)) return []
  return ingress.map((item) => (isObject(item) ? [item.ip, item.hostname] : []).filter(isText).join(' '))
}

/** Reports whether `ipMode` is `VIP`. An absent mode is `VIP`; an empty string or any other text is not. */
function isVip(collector: DiagnosticCollector, path: string, item: Fields): boolean {
  return readString(collector, `${path}.ipMode`, item.ipMode ?? 'VIP') === 'VIP'
}

const EXTERNAL_IPS = 'spec.externalIPs'

/**
 * Reads the external IPs of both families in the order of the Service. Returns no IPs if a feature gate of the version
 * disables external IPs. Mirrors `newBaseServiceInfo` of kube-proxy v1.36.
 */
export function readExternalIPs(
  collector: DiagnosticCollector,
  items: readonly unknown[],
  features: Features,
): readonly IpAddress[] {
  if (items.length > 0 && !features.externalIPs) {
    const message = 'not served, because the feature gate AllowServiceExternalIPs is off'
    addWarning(collector, 'addressIgnored', EXTERNAL_IPS, message)
    return []
  }
  if (items.length > 0 && features.externalIPsDeprecated) {
    addInfo(collector, 'deprecated', EXTERNAL_IPS, 'kube-proxy will stop serving external IPs')
  }
  return readAddresses(collector, EXTERNAL_IPS, items)
}

/** Reads addresses that other programs set. Invalid addresses are left out with a warning, like in kube-proxy. */
function readAddresses(collector: DiagnosticCollector, path: string, items: readonly unknown[]): readonly IpAddress[] {
  const addresses: IpAddress[] = []
  items.forEach((item, index) => {
    const address = readLenientAddress(collector, `${path}[${index}]`, item)
    if (address !== undefined) addresses.push(address)
  })
  return compactList(addresses)
}

function readLenientAddress(collector: DiagnosticCollector, path: string, value: unknown): IpAddress | undefined {
  const address = parseIp(value)
  if (address === undefined) {
    addWarning(
      collector,
      'addressIgnored',
      path,
      `${describeValue(value)} is not an IP address`,
      'an IPv4 or IPv6 address',
    )
  } else warnAboutNonCanonicalAddress(collector, path, value, address)
  return address
}
