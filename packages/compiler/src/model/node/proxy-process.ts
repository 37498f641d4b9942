import type { Diagnostic, HostFacts, IpFamily, ObjectReference } from '@kube-rules/types'
import { isLinkLocal, isLoopback, isMulticast, isUnspecified, parseIp } from '@kube-rules/types/internal/ip'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import type { UserspaceSettings } from '../configuration/settings.js'
import { parsePortRange } from '../configuration/validate-addresses.js'
import {
  addError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { isAbsent, isObject, readObject, readPort } from '../reading/read-field.js'
import type { NodeIps } from './node-ips.js'

const HOST: ObjectReference = { kind: 'Host', name: 'host' }

/** The kube-proxy process in userspace mode, which accepts the connections of one family. */
export interface ProxyProcess {
  readonly settings: UserspaceSettings
  /** The destination of locally generated packets that are redirected to the userspace proxy. */
  readonly hostAddress: string
}

/** Facts about the host and its node, for both families. */
export interface HostInputs {
  readonly host: HostFacts | undefined
  readonly nodeIps: NodeIps
}

/**
 * Returns the proxy process for each family in userspace mode; undefined in other modes.
 *
 * kube-proxy writes rules for one family. A specific `bindAddress` determines this family; otherwise, the first node
 * address determines it. Invalid ports and addresses in `host` are left out and reported as errors. If the host address
 * is unknown, a warning is reported and a loopback address is used. Mirrors `NewProxier` of the userspace proxier of
 * kube-proxy v1.20 and `ChooseHostInterface`, except that routes are not considered.
 */
export function readProxyProcess(
  input: HostInputs,
  configuration: EffectiveConfiguration,
  features: Features,
  families: readonly IpFamily[],
): { readonly of: (family: IpFamily) => ProxyProcess | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const collector = createDiagnosticCollector(HOST)
  const fields = isObject(input.host) ? input.host : {}
  const proxyPorts = readProxyPorts(collector, fields.proxyPorts)
  const hostIP = readHostIP(collector, fields.hostIP)
  const { bindAddress, portRange } = configuration
  if (!features.connectionsTaken) return { of: () => undefined, diagnostics: collector.diagnostics }
  const bound = parseIp(bindAddress)
  const listen = bound === undefined || isUnspecified(bound.text) ? undefined : bound
  const { primaryFamily } = input.nodeIps
  const range = parsePortRange(portRange)
  const of = (family: IpFamily): ProxyProcess => {
    const listenAddress = listen?.family === family ? listen.text : undefined
    const given = hostIP !== undefined && hostIP.family === family ? hostIP.text : undefined
    return {
      settings: {
        isServed: family === primaryFamily,
        listenAddress,
        portRange: range === undefined || range.last === 0 ? undefined : range,
        proxyPorts,
      },
      hostAddress: listenAddress ?? given ?? hostAddressOf(input, family),
    }
  }
  if (hostIP !== undefined && hostIP.family !== primaryFamily) {
    const message = `${hostIP.text} is unused, because the rules are for ${primaryFamily}`
    addWarning(collector, 'otherAddressFamily', 'hostIP', message, `an ${primaryFamily} address`)
  }
  const other = families.includes(primaryFamily) ? [] : [otherFamily(primaryFamily)]
  if (families.includes(primaryFamily) && isLoopback(of(primaryFamily).hostAddress)) {
    const message = 'no address of the host is known for the rules of locally generated packets'
    addWarning(collector, 'noHostAddress', 'hostIP', message, `an ${primaryFamily} address of the host`)
  }
  return { of, diagnostics: [...collector.diagnostics, ...other] }
}

function otherFamily(primaryFamily: IpFamily): Diagnostic {
  const message = `userspace mode writes rules only for the address family of the node, ${primaryFamily}, which was not requested`
  return {
    severity: 'warning',
    code: 'otherAddressFamily',
    object: CONFIGURATION_REFERENCE,
    path: 'bindAddress',
    message,
  }
}

/**
 * Returns the first global unicast address of the interfaces, in their order. If the interfaces are unknown, returns
 * the IP of the node.
 */
function hostAddressOf({ host, nodeIps }: HostInputs, family: IpFamily): string {
  const interfaces: unknown = host?.interfaces
  if (!Array.isArray(interfaces)) return nodeIps.addresses[family]
  for (const each of interfaces) {
    const addresses: unknown = isObject(each) ? each.addresses : undefined
    for (const written of Array.isArray(addresses) ? addresses : []) {
      const address = typeof written === 'string' ? parseIp(written.split('/', 1)[0] ?? '') : undefined
      if (address?.family === family && isGlobalUnicast(address.text)) return address.text
    }
  }
  return family === 'IPv4' ? '127.0.0.1' : '::1'
}

/**
 * Reports whether an address is global unicast. Mirrors `IP.IsGlobalUnicast` of Go, which includes private networks.
 */
function isGlobalUnicast(address: string): boolean {
  return ![isUnspecified, isLoopback, isLinkLocal, isMulticast].some((is) => is(address)) && address !== BROADCAST
}

const BROADCAST = '255.255.255.255'

/** Reads the ports, sorted by name, so that the input order is irrelevant. */
function readProxyPorts(collector: DiagnosticCollector, value: unknown): Readonly<Record<string, number>> {
  const given = Object.entries(readObject(collector, 'proxyPorts', value)).sort(([a], [b]) => (a < b ? -1 : 1))
  const ports = given.map(([name, port]) => [name, readPort(collector, `proxyPorts.${name}`, port)] as const)
  return Object.fromEntries(ports.filter(([, port]) => port > 0))
}

function readHostIP(collector: DiagnosticCollector, value: unknown): ReturnType<typeof parseIp> {
  if (isAbsent(value)) return undefined
  const address = parseIp(value)
  if (address === undefined) {
    addError(
      collector,
      'invalidAddress',
      'hostIP',
      `${describeValue(value)} is not an IP address`,
      'an IPv4 or IPv6 address',
    )
  }
  return address
}
