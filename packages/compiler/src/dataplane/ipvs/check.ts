import { type Diagnostic, familyOf, joinHostPort } from '@kube-rules/types'
import { readAddress } from './addresses.js'
import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type IpvsState,
  PROTOCOLS,
  type RealServer,
  SCHEDULERS,
  type VirtualServer,
} from './ast.js'
import { virtualServerKey } from './canonical.js'

/** What is wrong, and where in the virtual server. */
interface Problem {
  readonly path: string
  readonly message: string
  readonly expected?: string
}

const MAX_TIMEOUT = 2_678_400
const MAX_WEIGHT = 2 ** 31 - 1

/**
 * Everything for which ipvsadm or the kernel would refuse a state, as errors with code `structure` about the object
 * `virtual server 10.0.0.1:80/TCP`: addresses, ports, schedulers, persistence, weights, families that do not fit, and
 * servers given twice. Unknown lines and tunnel options are let through, for ipvsadm to judge.
 */
export function checkIpvs(state: IpvsState): readonly Diagnostic[] {
  const seen = new Set<string>()
  return state.virtualServers.flatMap((server) => {
    const key = virtualServerKey(server)
    const repeated = seen.has(key)
      ? [{ path: '', message: 'another virtual server has this address, port and protocol' }]
      : []
    seen.add(key)
    const problems = [
      ...repeated,
      ...checkVirtualServer(server),
      ...checkPersistence(server),
      ...checkRealServers(server),
    ]
    return problems.map((problem) => toDiagnostic(server, problem))
  })
}

function toDiagnostic(server: VirtualServer, problem: Problem): Diagnostic {
  const { path, message, expected } = problem
  const name = `${joinHostPort(server.address, server.port)}/${server.protocol}`
  const object = { kind: 'virtual server', name }
  return { severity: 'error', code: 'structure', object, ...(path && { path }), message, ...(expected && { expected }) }
}

function checkVirtualServer(server: VirtualServer): readonly Problem[] {
  const { address, port, protocol, scheduler, flags } = server
  const lowest = flags & FLAG_PERSISTENT ? 0 : 1
  return [
    ...checkAddress(address, 'address'),
    ...checkNumber(port, 'port', lowest, 65535),
    ...problemIf(
      !PROTOCOLS.includes(protocol),
      'protocol',
      `${protocol} is not a protocol of ipvs`,
      PROTOCOLS.join(', '),
    ),
    ...problemIf(
      !SCHEDULERS.includes(scheduler),
      'scheduler',
      `${scheduler} is not a scheduler`,
      SCHEDULERS.join(', '),
    ),
    ...checkNumber(flags, 'flags', 0, 0x3f),
    ...problemIf((flags & FLAG_ONE_PACKET) !== 0 && protocol !== 'UDP', 'flags', 'only UDP can be scheduled by packet'),
  ]
}

function checkPersistence(server: VirtualServer): readonly Problem[] {
  if (!(server.flags & FLAG_PERSISTENT)) return []
  return [
    ...checkNumber(server.timeout, 'timeout', 1, MAX_TIMEOUT),
    ...problemIf(!isNetmask(server), 'netmask', `${server.netmask} is not a netmask of ${familyOf(server.address)}`),
  ]
}

function isNetmask({ address, netmask }: VirtualServer): boolean {
  if (netmask === undefined) return true
  if (familyOf(address) === 'IPv4') return !netmask.includes(':') && readAddress(netmask) !== undefined
  return /^[1-9]\d{0,2}$/.test(netmask) && Number(netmask) <= 128
}

function checkRealServers(server: VirtualServer): readonly Problem[] {
  const seen = new Set<string>()
  return server.realServers.flatMap((realServer, index) => {
    const path = `realServers[${index}]`
    const key = `${realServer.address} ${realServer.port}`
    const repeated = problemIf(seen.has(key), path, 'another real server has this address and port')
    seen.add(key)
    return [...repeated, ...checkRealServer(server, realServer, path)]
  })
}

function checkRealServer(virtualServer: VirtualServer, server: RealServer, path: string): readonly Problem[] {
  const family = familyOf(virtualServer.address)
  const fits = server.forwarding === 'tunnel' || familyOf(server.address) === family
  return [
    ...checkAddress(server.address, `${path}.address`),
    ...problemIf(!fits, `${path}.address`, `${server.address} is not ${family}: only tunnels lead to the other family`),
    ...checkNumber(server.port, `${path}.port`, 0, 65535),
    ...checkNumber(server.weight, `${path}.weight`, 0, MAX_WEIGHT),
  ]
}

function checkAddress(address: string, path: string): readonly Problem[] {
  return problemIf(readAddress(address) === undefined, path, `${address} is not an address`)
}

function checkNumber(value: number, path: string, lowest: number, highest: number): readonly Problem[] {
  const fits = Number.isInteger(value) && value >= lowest && value <= highest
  return problemIf(!fits, path, `${value} is out of range`, `a whole number from ${lowest} to ${highest}`)
}

function problemIf(condition: boolean, path: string, message: string, expected?: string): readonly Problem[] {
  if (!condition) return []
  return [expected === undefined ? { path, message } : { path, message, expected }]
}
