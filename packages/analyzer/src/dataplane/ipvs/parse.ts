import type { IpvsState, RealServer, VirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { formatRealServer, formatVirtualServer } from '@kube-rules/compiler/internal/dataplane/ipvs/format-server'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { IpFamily, Result } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import {
  type DumpExtent,
  type DumpSection,
  type DumpSectionsResult,
  readDumpSections,
} from '../netfilter/dump-section.js'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../netfilter/text-problem.js'
import {
  findIpvsadmOption,
  findServiceOption,
  type IpvsadmLine,
  readRealServer,
  readVirtualServer,
  readVirtualServerKey,
} from './line.js'
import { acceptsIpvsadmOption, type IpvsadmOption, type IpvsadmOptionName, parseIpvsadmOptions } from './options.js'

/**
 * Codes in the order of the checks: the characters of a line, then its options, its command, its values, and its
 * virtual servers.
 */
export const IPVS_PROBLEM_CODES = [
  'invalidCharacter',
  'unknownOption',
  'missingValue',
  'unexpectedValue',
  'unknownCommand',
  'repeatedOption',
  'unexpectedOption',
  'missingOption',
  'conflictingOptions',
  'invalidAddress',
  'invalidValue',
  'duplicateVirtualServer',
  'unknownVirtualServer',
  'duplicateRealServer',
] as const

/** The codes of problems of `parseIpvs`. */
export type IpvsProblemCode = (typeof IPVS_PROBLEM_CODES)[number]

export type IpvsProblem = TextProblem<IpvsProblemCode>

/**
 * Parses the output of `ipvsadm -Sn`, or input for `ipvsadm -R` on an empty state. On failure, returns up to 100
 * invalid lines. Options may have any order and their long form. Only `-A` and `-a` are supported. Other commands are
 * errors, because their effect is not part of a state. Comments are also errors, because ipvsadm stops at them.
 *
 * The defaults of ipvsadm are made explicit: scheduler `wlc`, 360 seconds for `-p` alone, weight 1, `-g`, and, for a
 * real server without a port, the port of its virtual server. Lines about firewall marks are stored unchanged.
 */
export function parseIpvs(text: string): Result<IpvsState, TextProblem<IpvsProblemCode>> {
  const { problems, ...state } = readIpvs(text.split('\n'), MAX_PROBLEMS)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: state }
}

/** Reads the valid lines, until the invalid lines have `most` problems. The last of two equal real servers is used. */
export function readIpvs(
  lines: readonly string[],
  most: number,
): IpvsState & { readonly problems: readonly IpvsProblem[] } {
  const reader: Reader = { servers: new Map(), last: undefined, unknownLines: [], problems: [] }
  for (let index = 0; index < lines.length && reader.problems.length < most; index++) {
    readLine(reader, elementAt(lines, index), index + 1)
  }
  const { servers, unknownLines, problems } = reader
  const virtualServers = Array.from(servers.values(), ({ server, realServers }) => ({
    ...server,
    realServers: [...realServers.values()],
  }))
  return { virtualServers, ...(unknownLines.length > 0 && { unknownLines }), problems }
}

interface Reader {
  /** Virtual servers with their real servers. The keys are the results of `formatVirtualServer` and `formatRealServer`. */
  readonly servers: Map<string, Target>
  /**
   * The virtual server of the last line that adds a real server, and its option and value on that line. The real
   * servers of a virtual server are adjacent, so the next line often has the same value.
   */
  last: { readonly name: IpvsadmOptionName; readonly value: string | undefined; readonly target: Target } | undefined
  readonly unknownLines: string[]
  readonly problems: IpvsProblem[]
}

interface Target {
  readonly server: VirtualServer
  readonly realServers: Map<string, RealServer>
}

const STRANGE = /[^\t\r -~]/

type Report = (code: IpvsProblemCode, column: number, message: string) => undefined

function readLine(reader: Reader, text: string, number: number): undefined {
  const report: Report = (code, column, message) => {
    reader.problems.push(createTextProblem({ code, text: 0, line: number, column, message }, text))
  }
  if (STRANGE.test(text))
    return report('invalidCharacter', text.search(STRANGE) + 1, 'ipvsadm reads printable ASCII only')
  const options = parseIpvsadmOptions(text)
  if ('code' in options) return report(options.code, options.column, options.message)
  if (options.length > 0 && checkOptions(options, report)) readCommand(reader, text, options, report)
}

/** Checks that the line has one command and only options of this command, each once. Reports the first problem. */
function checkOptions(options: readonly IpvsadmOption[], report: Report): boolean {
  const command = options[0]?.name
  for (const option of options) {
    const { name, column } = option
    if (command !== 'add-service' && command !== 'add-server') {
      report('unknownCommand', column, 'a line begins with -A or -a')
    } else if (findIpvsadmOption({ options }, name) !== option) {
      report('repeatedOption', column, `--${name} is given twice`)
    } else if (!acceptsIpvsadmOption(command, name)) {
      report('unexpectedOption', column, `--${name} does not belong to --${command}`)
    } else continue
    return false
  }
  return true
}

function readCommand(reader: Reader, text: string, options: readonly IpvsadmOption[], report: Report): void {
  const line: IpvsadmLine = {
    options,
    fail: (code, message, at = options[0]) => report(code, at?.column ?? 1, message),
  }
  if (findIpvsadmOption(line, 'fwmark-service')) reader.unknownLines.push(text.trim().split(/\s+/).join(' '))
  else if (findIpvsadmOption(line, 'add-service')) addVirtualServer(reader, line, report)
  else addRealServer(reader, line, report)
}

function addVirtualServer({ servers }: Reader, line: IpvsadmLine, report: Report): undefined {
  const server = readVirtualServer(line)
  if (server === undefined) return
  const key = formatVirtualServer(server)
  if (servers.has(key)) return report('duplicateVirtualServer', 1, 'this virtual server has been added already')
  servers.set(key, { server, realServers: new Map() })
}

function addRealServer(reader: Reader, line: IpvsadmLine, report: Report): undefined {
  const target = targetOf(reader, line, report)
  if (target === undefined) return
  const realServer = readRealServer(line, target.server.port)
  if (realServer === undefined) return
  const key = formatRealServer(realServer)
  if (target.realServers.has(key)) report('duplicateRealServer', 1, 'this real server has been added already')
  target.realServers.set(key, realServer)
}

/**
 * Returns the virtual server that a line adds a real server to. If the virtual server does not exist, reports a problem
 * and returns undefined.
 */
function targetOf(reader: Reader, line: IpvsadmLine, report: Report): Target | undefined {
  const service = findServiceOption(line)
  if (service === undefined) return undefined
  const { name, value } = service
  const { last } = reader
  if (last?.name === name && last.value === value) return last.target
  const place = readVirtualServerKey(line, service)
  const target = place && reader.servers.get(formatVirtualServer(place))
  if (target !== undefined) reader.last = { name, value, target }
  else if (place !== undefined) report('unknownVirtualServer', 1, 'this virtual server has not been added')
  return target
}

/** Returns the extent of the dump lines that begin with a line. Undefined if the line does not belong to ipvs. */
export function detectIpvsDump(line: string): DumpExtent | undefined {
  return SERVER_LINE.test(line) ? 'alike' : undefined
}

/** Reads the lines of a dump. For each family, returns the virtual servers of the family. Never throws. */
export function readIpvsLines(lines: readonly DumpSection[]): DumpSectionsResult<IpvsState, IpvsProblemCode> {
  return readDumpSections(lines, parseIpvs, ofFamily)
}

/** Matches `-A -t …`, not `-A CHAIN`. */
const SERVER_LINE = /^\s*(?:-[Aa]\s+-|-[Aa][^\sAa]|--add-se)/

function ofFamily({ virtualServers, ...rest }: IpvsState, family: IpFamily): IpvsState {
  return { ...rest, virtualServers: virtualServers.filter(({ address }) => familyOf(address) === family) }
}
