import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type IpvsState,
  type RealServer,
  SCHEDULERS,
  VIRTUAL_SERVER_PROTOCOLS,
  type VirtualServer,
} from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { createVirtualServerSortKey } from '@kube-rules/compiler/internal/dataplane/ipvs/canonical'
import { formatVirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/format-server'
import { parseAddress } from '@kube-rules/compiler/internal/dataplane/netfilter/parse-address'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'

/** A problem, with its path in the virtual server. */
interface Problem {
  readonly path: string
  readonly message: string
  readonly expected?: string
}

const MAX_TIMEOUT = 2_678_400
const MAX_WEIGHT = 2 ** 31 - 1

/**
 * Checks a state for everything that ipvsadm or the kernel would reject. The problems are errors with code `structure`
 * about the object `virtual server 10.0.0.1:80/TCP`. Covers addresses, ports, schedulers, persistence, weights,
 * mismatched families, and duplicate servers. Unknown lines and tunnel options are accepted and left to ipvsadm.
 */
export function checkIpvs(state: IpvsState): readonly Diagnostic[] {
  const seen = new Set<string>()
  return state.virtualServers.flatMap((server) => {
    const key = createVirtualServerSortKey(server)
    const isRepeated = seen.has(key)
    seen.add(key)
    return [...(isRepeated ? [toDiagnostic(server, REPEATED)] : []), ...checkVirtualServer(server)]
  })
}

const REPEATED: Problem = { path: '', message: 'another virtual server has this address, port and protocol' }

/** Checks a single virtual server. Allocates memory only for problems, because a node may have very many servers. */
export function checkVirtualServer(server: VirtualServer): readonly Diagnostic[] {
  const problems: Problem[] = []
  checkDefinition(server, problems)
  if (server.flags & FLAG_PERSISTENT) checkPersistence(server, problems)
  checkRealServers(server, problems)
  return problems.length === 0 ? NO_DIAGNOSTICS : problems.map((problem) => toDiagnostic(server, problem))
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = []

function toDiagnostic(server: VirtualServer, problem: Problem): Diagnostic {
  const { path, message, expected } = problem
  const object = { kind: 'virtual server', name: formatVirtualServer(server) }
  return { severity: 'error', code: 'structure', object, ...(path && { path }), message, ...(expected && { expected }) }
}

function checkDefinition(server: VirtualServer, problems: Problem[]): void {
  const { address, port, protocol, scheduler, flags } = server
  const lowest = flags & FLAG_PERSISTENT ? 0 : 1
  if (parseAddress(address) === undefined) problems.push(noAddress(address, 'address'))
  if (!isWithin(port, lowest, 65535)) problems.push(outOfRange(port, 'port', lowest, 65535))
  if (!VIRTUAL_SERVER_PROTOCOLS.includes(protocol)) {
    const message = `${protocol} is not a protocol of ipvs`
    problems.push({ path: 'protocol', message, expected: VIRTUAL_SERVER_PROTOCOLS.join(', ') })
  }
  if (!SCHEDULERS.includes(scheduler)) {
    problems.push({ path: 'scheduler', message: `${scheduler} is not a scheduler`, expected: SCHEDULERS.join(', ') })
  }
  if (!isWithin(flags, 0, 0x3f)) problems.push(outOfRange(flags, 'flags', 0, 0x3f))
  if ((flags & FLAG_ONE_PACKET) !== 0 && protocol !== 'UDP') {
    problems.push({ path: 'flags', message: 'only UDP can be scheduled by packet' })
  }
}

function checkPersistence(server: VirtualServer, problems: Problem[]): void {
  const { address, timeout, netmask } = server
  if (!isWithin(timeout, 1, MAX_TIMEOUT)) problems.push(outOfRange(timeout, 'timeout', 1, MAX_TIMEOUT))
  if (!isNetmask(server)) {
    problems.push({ path: 'netmask', message: `${netmask} is not a netmask of ${familyOf(address)}` })
  }
}

function isNetmask({ address, netmask }: VirtualServer): boolean {
  if (netmask === undefined) return true
  if (familyOf(address) === 'IPv4') return !netmask.includes(':') && parseAddress(netmask) !== undefined
  return /^[1-9]\d{0,2}$/.test(netmask) && Number(netmask) <= 128
}

function checkRealServers({ address, realServers }: VirtualServer, problems: Problem[]): void {
  const family = familyOf(address)
  const repeated = repeatedPlaces(realServers)
  realServers.forEach((server, index) => {
    if (repeated.has(index)) {
      problems.push({ path: `realServers[${index}]`, message: 'another real server has this address and port' })
    }
    checkRealServer(server, index, family, problems)
  })
}

const NO_PLACES: ReadonlySet<number> = new Set()

/**
 * Returns the indexes of real servers with the address and port of an earlier real server. Returns no indexes if the
 * addresses are strictly ascending.
 */
function repeatedPlaces(servers: readonly RealServer[]): ReadonlySet<number> {
  if (servers.every(({ address }, index) => index === 0 || elementAt(servers, index - 1).address < address)) {
    return NO_PLACES
  }
  const seen = new Set<string>()
  const repeated = new Set<number>()
  servers.forEach(({ address, port }, index) => {
    if (seen.size === seen.add(`${address} ${port}`).size) repeated.add(index)
  })
  return repeated
}

function checkRealServer(server: RealServer, index: number, family: IpFamily, problems: Problem[]): void {
  const { address, port, weight, forwarding } = server
  if (parseAddress(address) === undefined) problems.push(noAddress(address, `realServers[${index}].address`))
  if (forwarding !== 'tunnel' && familyOf(address) !== family) {
    const message = `${address} is not ${family}: only tunnels can reach the other family`
    problems.push({ path: `realServers[${index}].address`, message })
  }
  if (!isWithin(port, 0, 65535)) problems.push(outOfRange(port, `realServers[${index}].port`, 0, 65535))
  if (!isWithin(weight, 0, MAX_WEIGHT)) problems.push(outOfRange(weight, `realServers[${index}].weight`, 0, MAX_WEIGHT))
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isInteger(value) && value >= lowest && value <= highest
}

function noAddress(address: string, path: string): Problem {
  return { path, message: `${address} is not an address` }
}

function outOfRange(value: number, path: string, lowest: number, highest: number): Problem {
  return { path, message: `${value} is out of range`, expected: `a whole number from ${lowest} to ${highest}` }
}
