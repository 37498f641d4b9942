import { joinHostPort } from '@kube-rules/types'
import { invariant } from '../../internal/invariant.js'
import { hostNetmask, readAddress } from './addresses.js'
import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type Forwarding,
  type IpvsState,
  type RealServer,
  type RealServerPlace,
  type VirtualServer,
  type VirtualServerDefinition,
  type VirtualServerPlace,
  type VirtualServerProtocol,
} from './ast.js'
import { canonical, inOrder } from './canonical.js'
import { printSchedulerFlags } from './flags.js'

/**
 * Input for `ipvsadm -R`: each virtual server's `-A` line, then the `-a` lines of its real servers, in the order of
 * `inOrder`; unknown lines last. Every line ends with a newline; an empty state is an empty text.
 *
 * Throws when a value cannot be said to ipvsadm.
 */
export function printRestore(state: IpvsState): string {
  const { virtualServers, unknownLines = [] } = inOrder(state)
  const lines = [...virtualServers.flatMap(serviceLines), ...unknownLines.map(unknownLine)]
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * What `ipvsadm -Sn` prints once the kernel holds the state, but for the order, which is that of `inOrder`.
 *
 * Throws when a value cannot be said to ipvsadm.
 */
export function printSave(state: IpvsState): string {
  return printRestore(canonical(state))
}

/**
 * The listing of `ipvsadm -Ln` once the kernel holds the state and has no connection yet, for people: in the order of
 * `inOrder`, without the blanks that ipvsadm leaves at the end of lines. Unknown lines follow as they are.
 *
 * Throws when a value cannot be said to ipvsadm.
 */
export function printListing(state: IpvsState): string {
  const { virtualServers, unknownLines = [] } = canonical(state)
  const lines = [...HEADER, ...virtualServers.flatMap(listingLines), ...unknownLines.map(unknownLine)]
  return lines.map((line) => `${line}\n`).join('')
}

/** How ipvsadm spells something as an option, and in the columns of a listing. */
interface Spelling {
  readonly option: string
  readonly name: string
}

const PROTOCOL_SPELLINGS: ReadonlyMap<VirtualServerProtocol, Spelling> = new Map([
  ['TCP', { option: '-t', name: 'TCP ' }],
  ['UDP', { option: '-u', name: 'UDP ' }],
  ['SCTP', { option: '--sctp-service', name: 'SCTP' }],
])

const FORWARDING_SPELLINGS: ReadonlyMap<Forwarding, Spelling> = new Map([
  ['masquerade', { option: '-m', name: 'Masq' }],
  ['route', { option: '-g', name: 'Route' }],
  ['tunnel', { option: '-i', name: 'Tunnel' }],
])

function serviceLines(server: VirtualServer): readonly string[] {
  return [
    virtualServerLine('-A', server),
    ...server.realServers.map((realServer) => realServerLine('-a', server, realServer)),
  ]
}

/** The line that adds (`-A`) or edits (`-E`) a virtual server, without its end. Throws as `printRestore` does. */
export function virtualServerLine(command: '-A' | '-E', server: VirtualServerDefinition): string {
  return [command, ...serviceWords(server), '-s', word(server.scheduler), ...serviceOptions(server)].join(' ')
}

/** The line that deletes a virtual server with all its real servers, without its end. */
export function virtualServerDeletion(server: VirtualServerPlace): string {
  return ['-D', ...serviceWords(server)].join(' ')
}

/** The line that adds (`-a`) or edits (`-e`) a real server, without its end. Throws as `printRestore` does. */
export function realServerLine(command: '-a' | '-e', server: VirtualServerPlace, realServer: RealServer): string {
  return [command, ...serviceWords(server), ...realServerWords(realServer)].join(' ')
}

/** The line that deletes a real server, without its end. */
export function realServerDeletion(server: VirtualServerPlace, realServer: RealServerPlace): string {
  return ['-d', ...serviceWords(server), '-r', hostPort(realServer)].join(' ')
}

function serviceWords(server: VirtualServerPlace): readonly string[] {
  return [protocolSpelling(server).option, hostPort(server)]
}

function protocolSpelling({ protocol }: VirtualServerPlace): Spelling {
  const spelling = PROTOCOL_SPELLINGS.get(protocol)
  invariant(spelling !== undefined, `ipvs cannot be given the protocol ${JSON.stringify(protocol)}`)
  return spelling
}

/** In the order in which `ipvsadm -Sn` prints them. */
function serviceOptions(server: VirtualServerDefinition): readonly string[] {
  const { timeout, netmask, engine } = persistence(server)
  const schedulerFlags = printSchedulerFlags(server.scheduler, flagBits(server))
  return [
    ...(timeout === undefined ? [] : ['-p', timeout]),
    ...(netmask === undefined ? [] : ['-M', netmask]),
    ...(engine === undefined ? [] : ['--pe', engine]),
    ...(server.flags & FLAG_ONE_PACKET ? ['-o'] : []),
    ...(schedulerFlags === '' ? [] : ['-b', schedulerFlags]),
  ]
}

interface Persistence {
  readonly timeout?: string
  readonly netmask?: string | undefined
  readonly engine?: string | undefined
}

/** The words that make a virtual server persistent; none for one that is not. */
function persistence(server: VirtualServerDefinition): Persistence {
  const { address, flags, timeout, netmask, persistenceEngine } = server
  if (!(flags & FLAG_PERSISTENT)) return {}
  return {
    timeout: whole(timeout),
    netmask: netmask === undefined || netmask === hostNetmask(address) ? undefined : word(netmask),
    engine: persistenceEngine === undefined ? undefined : word(persistenceEngine),
  }
}

function realServerWords(server: RealServer): readonly string[] {
  const { option } = forwardingSpelling(server)
  return ['-r', hostPort(server), option, '-w', whole(server.weight), ...(server.options ?? []).map(plain)]
}

function forwardingSpelling({ forwarding }: RealServer): Spelling {
  const spelling = FORWARDING_SPELLINGS.get(forwarding)
  invariant(spelling !== undefined, `ipvs cannot be given the forwarding ${JSON.stringify(forwarding)}`)
  return spelling
}

const HEADER: readonly string[] = [
  'IP Virtual Server version 1.2.1 (size=4096)',
  'Prot LocalAddress:Port Scheduler Flags',
  '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
]

function listingLines(server: VirtualServer): readonly string[] {
  const words = [protocolSpelling(server).name, hostPort(server), word(server.scheduler), ...listingFlags(server)]
  return [words.join(' '), ...server.realServers.map(listingLine)]
}

function listingFlags(server: VirtualServer): readonly string[] {
  const { timeout, netmask, engine } = persistence(server)
  const schedulerFlags = printSchedulerFlags(server.scheduler, flagBits(server))
  return [
    ...(schedulerFlags === '' ? [] : [`(${schedulerFlags})`]),
    ...(timeout === undefined ? [] : ['persistent', timeout]),
    ...(netmask === undefined ? [] : ['mask', netmask]),
    ...(engine === undefined ? [] : ['pe', engine]),
    ...(server.flags & FLAG_ONE_PACKET ? ['ops'] : []),
  ]
}

function listingLine(server: RealServer): string {
  const { name } = forwardingSpelling(server)
  return `  -> ${hostPort(server).padEnd(28)} ${name.padEnd(7)} ${whole(server.weight).padEnd(6)} ${'0'.padEnd(10)} 0`
}

function hostPort({ address, port }: { readonly address: string; readonly port: number }): string {
  invariant(readAddress(address) !== undefined, `ipvs cannot be given the address ${JSON.stringify(address)}`)
  invariant(Number.isInteger(port) && port >= 0 && port <= 65535, `ipvs cannot be given the port ${port}`)
  return joinHostPort(address, port)
}

/** All bits of the flags, which have to be bits that ipvsadm can say. */
function flagBits({ flags }: VirtualServerDefinition): number {
  invariant(Number.isInteger(flags) && flags >= 0 && flags <= 0x3f, `ipvs cannot be given the flags ${flags}`)
  return flags
}

function whole(value: number): string {
  invariant(Number.isInteger(value) && value >= 0 && value <= 0x7fffffff, `ipvs cannot be given the number ${value}`)
  return String(value)
}

/** A value: one word that cannot be taken for an option. */
function word(text: string): string {
  invariant(/^[!-,./-~][!-~]*$/.test(text), `ipvs cannot be given ${JSON.stringify(text)}`)
  return text
}

/** A word that may be an option. */
function plain(text: string): string {
  invariant(/^[!-~]+$/.test(text), `ipvs cannot be given ${JSON.stringify(text)}`)
  return text
}

function unknownLine(line: string): string {
  invariant(/^[!-~]+(?: [!-~]+)*$/.test(line), `ipvs cannot be given the line ${JSON.stringify(line)}`)
  return line
}
