import type { IpvsState, VirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { formatVirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/format-server'
import { formatVirtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import {
  continueWhile,
  createPasteNote,
  createPasteProblem,
  type PastedLine,
  type PasteHints,
  type PasteNote,
  type PasteProblemCode,
  type PasteReader,
  type ReadPasteResult,
  type SubsystemCoverage,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { type IpvsProblemCode, readIpvs } from '../parse.js'
import { replaceStatistics, toRealServerCommand, toVirtualServerCommand } from './listing.js'

type Code = IpvsProblemCode | PasteProblemCode

/** Reads excerpts of `ipvsadm -Sn` and `ipvsadm -Ln`. */
export const ipvsPasteReader: PasteReader<IpvsState, IpvsProblemCode> = {
  begins: (line) => (isOwned(line) ? continueWhile((next) => next === '' || isOwned(next)) : undefined),
  read,
}

function isOwned(line: string): boolean {
  return isCommand(line) || isHeading(line) || SERVER_ROW.test(line) || REAL_SERVER_ROW.test(line)
}

/** Lines about connections (`ipvsadm -Lnc`) also begin with a protocol, but a time follows the protocol. */
const SERVER_ROW = /^(?:TCP|UDP|SCTP|FWM)\s+(?!\d+:\d+\s)\S+(?:\s|$)/
const REAL_SERVER_ROW = /^->\s+\S+/

function isCommand(line: string): boolean {
  return /^-[Aa]\s+(?:-[tuf6]\b|--(?:tcp|udp|sctp|fwmark)-service)/.test(line)
}

function isHeading(line: string): boolean {
  return /^(?:IP Virtual Server version\b|Prot\s+LocalAddress:Port\b|->\s+RemoteAddress:Port\b)/.test(line)
}

/** Reports whether a word of a command selects one virtual server: `-t ADDRESS`, `--fwmark-service 1`, `-Lnt`. */
function isServiceOption(word: string): boolean {
  return /^(?:-(?!-)[A-Za-z]*[tuf]|-[tuf]\S+|--(?:tcp|udp|sctp|fwmark)-service(?:=.*)?)$/.test(word)
}

/** A virtual server, with the lines about its real servers, each as a command. */
interface Group {
  readonly command: string
  readonly at: PastedLine
  readonly realServers: { readonly command: string; readonly at: PastedLine }[]
  isWhole: boolean
}

interface Reader {
  readonly groups: Group[]
  readonly groupsByLocation: Map<string, Group>
  readonly problems: TextProblem<Code>[]
  readonly notes: PasteNote[]
  open: Group | undefined
  /**
   * Whether all real servers of the virtual server are listed, according to the heading of the tool or the preceding
   * command.
   */
  isListed: boolean
  /** The number of the last line of the listing, including blank lines. */
  lastLine: number
  /** Whether some server may be missing. */
  hasMissingServers: boolean
}

function read(lines: readonly PastedLine[], _hints: PasteHints): ReadPasteResult<IpvsState, Code> {
  const reader: Reader = {
    groups: [],
    groupsByLocation: new Map(),
    problems: [],
    notes: [],
    open: undefined,
    isListed: false,
    lastLine: 0,
    hasMissingServers: false,
  }
  let isAnyListed = false
  for (const line of lines) {
    consumeLine(reader, line)
    isAnyListed ||= reader.isListed
    if (line.kind !== 'end') reader.lastLine = line.line
  }
  if (reader.groups.length === 0 && !isAnyListed)
    return { states: {}, coverage: {}, problems: reader.problems.slice(0, MAX_PROBLEMS), notes: [] }
  const servers = new Map<string, { readonly server: VirtualServer; readonly isWhole: boolean }>()
  for (const group of reader.groups) {
    const server = serverOf(group, reader.problems)
    if (server === undefined) reader.hasMissingServers = true
    else if (!servers.has(formatVirtualServer(server)))
      servers.set(formatVirtualServer(server), { server, isWhole: group.isWhole })
  }
  const all = [...servers.values()]
  const isComplete = isAnyListed && !reader.hasMissingServers && all.every((each) => each.isWhole)
  const states: Partial<Record<IpFamily, IpvsState>> = {}
  const coverage: Partial<Record<IpFamily, SubsystemCoverage>> = {}
  for (const family of IP_FAMILIES) {
    const own = all.filter(({ server }) => familyOf(server.address) === family)
    if (own.length === 0 && !isComplete) continue
    states[family] = { virtualServers: own.map(({ server }) => server) }
    const complete = own.flatMap((each) => (each.isWhole ? formatVirtualServerId(each.server) : []))
    coverage[family] = { isComplete, complete, truncated: [] }
  }
  return { states, coverage, problems: reader.problems.slice(0, MAX_PROBLEMS), notes: reader.notes }
}

/**
 * Marks a virtual server in the last row of a text as partial, because the text may end before its real servers. If a
 * command ends the listing, it is on a later line.
 */
function closeLastRow({ open, lastLine }: Reader, end: PastedLine): void {
  if (open !== undefined && open.realServers.length === 0 && end.line === lastLine) open.isWhole = false
}

function consumeLine(reader: Reader, line: PastedLine): undefined {
  const { command: toolCommand } = line
  const source = replaceStatistics(line.source)
  if (line.kind === 'gap') {
    reader.hasMissingServers = true
    if (reader.open !== undefined) reader.open.isWhole = false
    return
  }
  if (line.kind === 'unread') {
    // The line is a real server of the open virtual server, or the virtual server of the next lines.
    reader.hasMissingServers = true
    if (reader.open !== undefined && !/\b(?:TCP|UDP|SCTP|FWM)\b/.test(line.source)) reader.open.isWhole = false
    reader.open = undefined
    return
  }
  if (line.kind === 'end') {
    closeLastRow(reader, line)
    reader.open = undefined
    reader.isListed = false
    return
  }
  if (line.kind === 'blank') return
  if (line.isCut) {
    reader.hasMissingServers = true
    for (const group of reader.groups.slice(-1)) group.isWhole = false
    return strayLine(reader, line, 'cutLine', 'the line is truncated')
  }
  if (toolCommand?.args.some(isServiceOption)) reader.hasMissingServers = true
  if (toolCommand?.filter !== undefined) reader.hasMissingServers = true
  else if (isHeading(source) || toolCommand?.tool === 'ipvsadm') reader.isListed = true
  if (!reader.isListed) reader.hasMissingServers = true
  if (isHeading(source)) return
  if (isCommand(source)) return parseCommand(reader, line)
  if (SERVER_ROW.test(source)) {
    const command = toVirtualServerCommand(source)
    reader.open = undefined
    if (command === undefined) {
      reader.hasMissingServers = true
      return strayLine(reader, line, 'badRow', 'expected a virtual server: protocol, address and port, scheduler')
    }
    reader.open = openGroup(reader, command, line)
    if (source !== line.source)
      assume(reader, line, 'statistics show neither schedulers nor weights; they are assumed to be rr and 1')
    return
  }
  const command = reader.open && toRealServerCommand(source, reader.open.command)
  if (reader.open === undefined)
    return strayLine(reader, line, 'strayLine', 'the virtual server of this real server is unknown')
  if (command === undefined) {
    reader.open.isWhole = false
    return strayLine(reader, line, 'badRow', 'expected a real server: address and port, forwarding, weight')
  }
  reader.open.realServers.push({ command, at: line })
  if (source !== line.source) assume(reader, line, 'masquerading is assumed')
}

function parseCommand(reader: Reader, line: PastedLine): undefined {
  const { source } = line
  const place = /(?:-[tuf]|--[a-z]+-service)[\s=]+\S+/.exec(source)?.[0].replace(/[\s=]+/, ' ') ?? ''
  if (source.startsWith('-A')) {
    const group = openGroup(reader, source, line)
    reader.groupsByLocation.set(place, group)
    return
  }
  const group = reader.groupsByLocation.get(place)
  if (group === undefined)
    return strayLine(reader, line, 'strayLine', 'the virtual server of this real server is missing in the dump')
  group.realServers.push({ command: source, at: line })
}

function openGroup(reader: Reader, command: string, at: PastedLine): Group {
  const group: Group = { command, at, realServers: [], isWhole: reader.isListed }
  reader.groups.push(group)
  return group
}

/** Records once that values of kube-proxy are assumed, because the listing does not contain them. */
function assume(reader: Reader, line: PastedLine, message: string): void {
  reader.hasMissingServers = true
  if (reader.open !== undefined) reader.open.isWhole = false
  if (reader.notes.length > 0) return
  reader.notes.push(createPasteNote(line, 'assumedServer', message))
}

function strayLine(reader: Reader, line: PastedLine, code: PasteProblemCode, message: string): undefined {
  reader.problems.push(createPasteProblem(line, code, message))
}

/** Returns the server with all parsable real servers. */
function serverOf(group: Group, problems: TextProblem<Code>[]): VirtualServer | undefined {
  const lines = [group, ...group.realServers]
  const read = readIpvs(
    lines.map(({ command }) => command),
    Number.POSITIVE_INFINITY,
  )
  const [server] = read.virtualServers
  let last = 0
  for (const { line, code, message } of read.problems) {
    // Without its virtual server, no real server can be read. A real server may be pasted twice.
    const isReported = line > last && (server !== undefined || line === 1) && code !== 'duplicateRealServer'
    last = line
    if (!isReported) continue
    group.isWhole = false
    problems.push(createPasteProblem(elementAt(lines, line - 1).at, code, message))
  }
  return server
}
