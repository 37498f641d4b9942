import { joinHostPort } from '@kube-rules/types/internal/ip'
import { invariant } from '../../internal/invariant.js'
import { joinLines } from '../../internal/join-lines.js'
import { parseAddress } from '../netfilter/parse-address.js'
import { hostNetmaskOf } from './addresses.js'
import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type ForwardingMethod,
  type IpvsState,
  type RealServer,
  type RealServerKey,
  type VirtualServer,
  type VirtualServerDefinition,
  type VirtualServerKey,
  type VirtualServerProtocol,
} from './ast.js'
import { canonicalize, sortForPrinting } from './canonical.js'
import { printSchedulerFlags } from './flags.js'

/**
 * Prints input for `ipvsadm -R`. The `-A` line of each virtual server is followed by the `-a` lines of its real
 * servers, in the order of `sortForPrinting`. Unknown lines come last. Every line ends with a newline. For an empty
 * state, the output is empty.
 *
 * Throws if a value cannot be passed to ipvsadm.
 */
export function printRestore(state: IpvsState): string {
  const { virtualServers, unknownLines = [] } = sortForPrinting(state)
  return joinLines([...virtualServers.map(serviceLines), ...unknownLines.map(unknownLine)])
}

/**
 * Prints the state like `ipvsadm -Sn`, but in the order of `sortForPrinting`.
 *
 * Throws if a value cannot be passed to ipvsadm.
 */
export function printSave(state: IpvsState): string {
  return printRestore(canonicalize(state))
}

/**
 * Prints the listing of `ipvsadm -Ln` for the state without connections. Unlike in ipvsadm, the order is that of
 * `sortForPrinting`, and lines have no trailing spaces. Unknown lines follow unchanged.
 *
 * Throws if a value cannot be passed to ipvsadm.
 */
export function printListing(state: IpvsState): string {
  const { virtualServers, unknownLines = [] } = canonicalize(state)
  return joinLines([...HEADER, ...virtualServers.flatMap(listingLines), ...unknownLines.map(unknownLine)])
}

/** The two ipvsadm notations of a value: as an option, and in a column of a listing. */
interface Format {
  readonly option: string
  readonly name: string
}

const PROTOCOL_FORMATS: ReadonlyMap<VirtualServerProtocol, Format> = new Map([
  ['TCP', { option: '-t', name: 'TCP ' }],
  ['UDP', { option: '-u', name: 'UDP ' }],
  ['SCTP', { option: '--sctp-service', name: 'SCTP' }],
])

/**
 * Each option ends with the name of the next option (`-w`), because a line that consists of fewer pieces is faster to
 * build.
 */
const FORWARDING_FORMATS: ReadonlyMap<ForwardingMethod, Format> = new Map([
  ['masquerade', { option: ' -m -w ', name: 'Masq' }],
  ['route', { option: ' -g -w ', name: 'Route' }],
  ['tunnel', { option: ' -i -w ', name: 'Tunnel' }],
])

/** Returns the `add` lines of a set, without the newline of the last line. */
function serviceLines(server: VirtualServer): string {
  const start = `-a ${serviceWords(server)} -r `
  const lines = [formatVirtualServerLine('-A', server)]
  for (const realServer of server.realServers) lines.push(start + realServerWords(realServer))
  return lines.join('\n')
}

/**
 * Formats the line that adds (`-A`) or edits (`-E`) a virtual server, without a newline. Throws in the same cases as
 * `printRestore`.
 */
export function formatVirtualServerLine(command: '-A' | '-E', server: VirtualServerDefinition): string {
  return [command, serviceWords(server), '-s', word(server.scheduler), ...serviceOptions(server)].join(' ')
}

/** Formats the line that deletes a virtual server with all its real servers, without a newline. */
export function formatVirtualServerDeletion(server: VirtualServerKey): string {
  return `-D ${serviceWords(server)}`
}

/**
 * Formats the line that adds (`-a`) or edits (`-e`) a real server, without a newline. Throws in the same cases as
 * `printRestore`.
 */
export function formatRealServerLine(command: '-a' | '-e', server: VirtualServerKey, realServer: RealServer): string {
  return `${command} ${serviceWords(server)} -r ${realServerWords(realServer)}`
}

/** Formats the line that deletes a real server, without a newline. */
export function formatRealServerDeletion(server: VirtualServerKey, realServer: RealServerKey): string {
  return `-d ${serviceWords(server)} -r ${hostPort(realServer)}`
}

function serviceWords(server: VirtualServerKey): string {
  return `${protocolFormat(server).option} ${hostPort(server)}`
}

function protocolFormat({ protocol }: VirtualServerKey): Format {
  const format = PROTOCOL_FORMATS.get(protocol)
  return format ?? throwUnprintable(`the protocol ${JSON.stringify(protocol)}`)
}

/** Formats the options of a virtual server in the order of `ipvsadm -Sn`. */
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

/** Returns the persistence options of a virtual server. Returns no options if the virtual server is not persistent. */
function persistence(server: VirtualServerDefinition): Persistence {
  const { address, flags, timeout, netmask, persistenceEngine } = server
  if (!(flags & FLAG_PERSISTENT)) return {}
  return {
    timeout: whole(timeout),
    netmask: netmask === undefined || netmask === hostNetmaskOf(address) ? undefined : word(netmask),
    engine: persistenceEngine === undefined ? undefined : word(persistenceEngine),
  }
}

/** Formats the words of a real server after `-r`. */
function realServerWords(server: RealServer): string {
  const words = hostPort(server) + forwardingFormat(server).option + whole(server.weight)
  return server.options === undefined ? words : [words, ...server.options.map(plain)].join(' ')
}

function forwardingFormat({ forwarding }: RealServer): Format {
  const format = FORWARDING_FORMATS.get(forwarding)
  return format ?? throwUnprintable(`the forwarding ${JSON.stringify(forwarding)}`)
}

const HEADER: readonly string[] = [
  'IP Virtual Server version 1.2.1 (size=4096)',
  'Prot LocalAddress:Port Scheduler Flags',
  '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
]

function listingLines(server: VirtualServer): readonly string[] {
  const words = [protocolFormat(server).name, hostPort(server), word(server.scheduler), ...listingFlags(server)]
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
  const { name } = forwardingFormat(server)
  return `  -> ${hostPort(server).padEnd(28)} ${name.padEnd(7)} ${whole(server.weight).padEnd(6)} ${'0'.padEnd(10)} 0`
}

// Formats an address and port. Error messages are built only on an error, because a state has very many addresses.

function hostPort({ address, port }: { readonly address: string; readonly port: number }): string {
  if (parseAddress(address) === undefined) throwUnprintable(`the address ${JSON.stringify(address)}`)
  if (!isWhole(port, 65535)) throwUnprintable(`the port ${port}`)
  return joinHostPort(address, port)
}

/** Returns the flags of a virtual server. Throws if ipvsadm has no notation for one of the bits. */
function flagBits({ flags }: VirtualServerDefinition): number {
  return isWhole(flags, 0x3f) ? flags : throwUnprintable(`the flags ${flags}`)
}

function whole(value: number): string {
  return isWhole(value, 0x7fffffff) ? String(value) : throwUnprintable(`the number ${value}`)
}

function isWhole(value: number, highest: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= highest
}

/** Returns the text if it is one word that ipvsadm cannot confuse with an option. Otherwise, throws. */
function word(text: string): string {
  return /^[!-,./-~][!-~]*$/.test(text) ? text : throwUnprintable(JSON.stringify(text))
}

/** Returns the text if it is one word, which may be an option. Otherwise, throws. */
function plain(text: string): string {
  return /^[!-~]+$/.test(text) ? text : throwUnprintable(JSON.stringify(text))
}

function unknownLine(line: string): string {
  return /^[!-~]+(?: [!-~]+)*$/.test(line) ? line : throwUnprintable(`the line ${JSON.stringify(line)}`)
}

function throwUnprintable(value: string): never {
  invariant(false, `ipvs does not accept ${value}`)
}
