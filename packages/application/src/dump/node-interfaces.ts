import type { HostFacts, NetworkInterface } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { TextSource } from '../cluster/text-source.js'

/** The interfaces of a node according to the output of `ip address`, with a note about them. */
export interface PrintedInterfaces {
  readonly interfaces: readonly NetworkInterface[]
  /** A complete line. */
  readonly note: string
}

/** A line of `ip address` about a device, possibly with an address: `2: eth0: <UP>`, `2: eth0    inet 192.0.2.1/24`. */
const DEVICE = /^\s*(\d+):\s+([\w.-]+)(?:@\S+)?(?::\s+<|\s+(?=inet6?\s))/

/** Other lines of a device. Lines of an address may follow it. */
const DETAIL = /^\s+(?:inet6?\s|link\/|valid_lft\s|altname\s|brd\s|alias\s|vf\s)/

/**
 * Reads the interfaces of the node from the output of `ip address` in pasted text. Returns undefined if no output shows
 * all of them: an output of one device, of a search, or without its beginning.
 */
export function readInterfaces(sources: readonly TextSource[]): PrintedInterfaces | undefined {
  for (const { name, text } of sources) {
    const lines = text.split('\n')
    const start = lines.findIndex((line) => DEVICE.exec(line)?.[2] === 'lo')
    if (start < 0 || /\|\s*\w/.test(lines[start - 1] ?? '')) continue
    const length = lines.slice(start).findIndex((line) => !DEVICE.test(line) && !DETAIL.test(line))
    const end = length < 0 ? lines.length : start + length
    if (isOmission(lines[end])) continue
    const interfaces = interfacesOf(lines.slice(start, end))
    const addresses = addressesOf(interfaces).filter((address) => !/^127\.|^::1$|^fe80:/.test(address))
    if (addresses.length === 0) continue
    const note = `note: ${name}:${start + 1}: ip address shows the addresses of the node: ${addresses.join(', ')}`
    return { interfaces, note }
  }
  return undefined
}

function isOmission(line = ''): boolean {
  return /^\s*(?:[[(<]?(?:\.{2,}|\u2026)|--More--|:$)/.test(line)
}

/** Returns the interfaces in lines of `ip address`, without the device of kube-proxy. */
function interfacesOf(lines: readonly string[]): readonly NetworkInterface[] {
  const addresses = new Map<string, string[]>()
  let device = ''
  for (const line of lines) {
    device = DEVICE.exec(line)?.[2] ?? device
    const [, address, length] = /\sinet6?\s+([0-9a-f.:]+)(?:\speer\s\S+?)?(\/\d+)?\s/.exec(`${line} `) ?? []
    if (device === IPVS_DEVICE || address === undefined || parseIp(address) === undefined) continue
    const own = addresses.get(device) ?? []
    own.push(address + (length ?? (address.includes(':') ? '/128' : '/32')))
    addresses.set(device, own)
  }
  return Array.from(addresses, ([name, own]) => ({ name, addresses: own }))
}

/** Returns the addresses of the node in the output of `ip address`; undefined if no output shows all of them. */
export function findPrintedAddresses(sources: readonly TextSource[]): readonly string[] | undefined {
  const printed = readInterfaces(sources)
  return printed && addressesOf(printed.interfaces)
}

/** Returns the addresses of interfaces, without prefix lengths. */
export function addressesOf(interfaces: readonly NetworkInterface[]): readonly string[] {
  return interfaces.flatMap((each) => each.addresses.map((address) => address.slice(0, address.indexOf('/'))))
}

/** Adds the interfaces in pasted text to the facts about the host, unless these contain interfaces. */
export function addInterfaces<C extends { readonly host?: HostFacts | undefined }>(
  cluster: C,
  sources: readonly TextSource[],
): { readonly cluster: C; readonly notes: readonly string[] } {
  const printed = cluster.host?.interfaces === undefined ? readInterfaces(sources) : undefined
  if (printed === undefined) return { cluster, notes: [] }
  return { cluster: { ...cluster, host: { ...cluster.host, interfaces: printed.interfaces } }, notes: [printed.note] }
}
