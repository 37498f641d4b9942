import type { Diagnostic, HostFacts, NetworkInterface, ObjectReference } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { booleanField } from '../configuration/configuration-field.js'
import type { Features } from '../configuration/features.js'
import {
  addError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { isAbsent, readList, readObject, readString, warnAboutUnknownFields } from '../reading/read-field.js'

/** An address of a network interface, in canonical form. */
export interface NodeInterfaceAddress {
  /** The name of the network interface. */
  readonly interface: string
  /** The address, in canonical form. */
  readonly address: string
}

/** The object of diagnostics about the facts of the host. */
export const HOST: ObjectReference = { kind: 'Host', name: 'host' }

const HOST_FLAGS = ['iptablesRandomFully', 'conntrackTcpBeLiberal', 'nfacctCounters'] satisfies (keyof HostFacts)[]

/** The known fields of `host` that `readProxyProcess` and `useNodeAtStart` read. */
const OTHER_FIELDS = ['proxyPorts', 'hostIP', 'nodeAddresses', 'podCIDRs', 'zone'] satisfies (keyof HostFacts)[]

const INTERFACE_FIELDS = ['name', 'addresses'] satisfies (keyof NetworkInterface)[]

const readFlag = booleanField()

/** The interface name for the addresses of a Node with unknown interfaces. */
const STAND_IN = 'node'

const LOOPBACK: readonly NodeInterfaceAddress[] = [
  { interface: 'lo', address: '127.0.0.1' },
  { interface: 'lo', address: '::1' },
]

/**
 * Reads the distinct addresses of the host interfaces, for both families, in code-unit order. If `host` lists no
 * interfaces, returns the addresses of the Node on an interface `node`, and the loopback addresses on `lo`.
 *
 * Invalid addresses, and flags that are not booleans, are left out and reported as errors. Unknown host fields, and
 * rules that the host does not support, are reported as warnings.
 */
export function readInterfaceAddresses(
  host: HostFacts | undefined,
  nodeAddresses: readonly IpAddress[],
  features: Features,
): { readonly addresses: readonly NodeInterfaceAddress[]; readonly diagnostics: readonly Diagnostic[] } {
  const collector = createDiagnosticCollector(HOST)
  const { interfaces, ...flags } = readObject(collector, '', host)
  for (const name of HOST_FLAGS) readFlag(collector, name, flags[name])
  checkRandomFully(collector, flags.iptablesRandomFully, features)
  warnAboutUnknownFields(collector, '', flags, ['interfaces', ...HOST_FLAGS, ...OTHER_FIELDS])
  const addresses = isAbsent(interfaces)
    ? [...LOOPBACK, ...nodeAddresses.map(({ text }) => ({ interface: STAND_IN, address: text }))]
    : readInterfaces(collector, interfaces)
  return {
    addresses: sortedOnce(inPrecedenceOrder(addresses, features)),
    diagnostics: collector.diagnostics,
  }
}

function checkRandomFully(collector: DiagnosticCollector, known: unknown, { alwaysRandomFully }: Features): void {
  if (known !== false || !alwaysRandomFully) return
  const message = 'kube-proxy writes --random-fully anyway, and this iptables rejects the rules'
  addWarning(collector, 'invalidValue', 'iptablesRandomFully', message, 'iptables 1.6.2 or newer')
}

function readInterfaces(collector: DiagnosticCollector, value: unknown): readonly NodeInterfaceAddress[] {
  return [...readList(collector, 'interfaces', value).entries()].flatMap(([index, item]) =>
    readInterface(collector, `interfaces[${index}]`, item),
  )
}

function readInterface(collector: DiagnosticCollector, path: string, value: unknown): readonly NodeInterfaceAddress[] {
  const entry = readObject(collector, path, value)
  warnAboutUnknownFields(collector, path, entry, INTERFACE_FIELDS)
  const name = readString(collector, `${path}.name`, entry.name)
  return [...readList(collector, `${path}.addresses`, entry.addresses).entries()].flatMap(([index, item]) => {
    const address = readAddress(collector, `${path}.addresses[${index}]`, item)
    return address === undefined ? [] : [{ interface: name, address }]
  })
}

function readAddress(collector: DiagnosticCollector, path: string, value: unknown): string | undefined {
  const written = typeof value === 'string' ? value : ''
  const address = parseCidr(written) === undefined ? undefined : parseIp(written.slice(0, written.indexOf('/')))
  if (address === undefined) {
    const expected = 'an address with its prefix length, such as 192.168.0.2/24'
    addError(collector, 'invalidAddress', path, `${describeValue(value)} is not an address`, expected)
  }
  return address?.text
}

/**
 * Moves the addresses of kube-ipvs0 to the end, so that an address that another interface also has is an address of the
 * node. With the feature `boundAddressesServeNoNodePorts`, moves them to the front.
 */
function inPrecedenceOrder(
  addresses: readonly NodeInterfaceAddress[],
  { boundAddressesServeNoNodePorts }: Features,
): readonly NodeInterfaceAddress[] {
  const ofServices = addresses.filter((each) => each.interface === IPVS_DEVICE)
  const others = addresses.filter((each) => each.interface !== IPVS_DEVICE)
  return boundAddressesServeNoNodePorts ? [...ofServices, ...others] : [...others, ...ofServices]
}

/** Sorts and deduplicates addresses. If several interfaces have the same address, the first interface counts. */
function sortedOnce(addresses: readonly NodeInterfaceAddress[]): readonly NodeInterfaceAddress[] {
  const byAddress = new Map<string, NodeInterfaceAddress>()
  for (const entry of addresses) if (!byAddress.has(entry.address)) byAddress.set(entry.address, entry)
  return [...byAddress.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
}
