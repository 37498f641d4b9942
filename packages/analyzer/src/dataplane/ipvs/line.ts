import { parseAddressAndPort } from '@kube-rules/compiler/internal/dataplane/ipvs/addresses'
import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type ForwardingMethod,
  type RealServer,
  type VirtualServer,
  type VirtualServerKey,
  type VirtualServerProtocol,
} from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { parseSchedulerFlags } from '@kube-rules/compiler/internal/dataplane/ipvs/flags'
import type { IpvsadmOption, IpvsadmOptionName } from './options.js'

/** Problem codes for the values of a line. */
export type ServerProblemCode = 'missingOption' | 'conflictingOptions' | 'invalidAddress' | 'invalidValue'

/** The options of one line, with a function that reports problems. */
export interface IpvsadmLine {
  readonly options: readonly IpvsadmOption[]
  readonly fail: (code: ServerProblemCode, message: string, at?: IpvsadmOption) => undefined
}

const PROTOCOLS_BY_OPTION: ReadonlyMap<IpvsadmOptionName, VirtualServerProtocol> = new Map([
  ['tcp-service', 'TCP'],
  ['udp-service', 'UDP'],
  ['sctp-service', 'SCTP'],
])

const FORWARDING_BY_OPTION: ReadonlyMap<IpvsadmOptionName, ForwardingMethod> = new Map([
  ['masquerading', 'masquerade'],
  ['gatewaying', 'route'],
  ['ipip', 'tunnel'],
])

const FORWARDING_OPTIONS: readonly IpvsadmOptionName[] = [...FORWARDING_BY_OPTION.keys()]

/** The options of real servers that are stored unchanged, in the order of the stored options. */
const SERVER_OPTIONS: ReadonlyMap<IpvsadmOptionName, string> = new Map([
  ['u-threshold', '-x'],
  ['l-threshold', '-y'],
  ['tun-type', '--tun-type'],
  ['tun-port', '--tun-port'],
  ['tun-nocsum', '--tun-nocsum'],
  ['tun-csum', '--tun-csum'],
  ['tun-remcsum', '--tun-remcsum'],
])

/** Returns the option with the name. A search is fast enough without an index, because lines are short. */
export function findIpvsadmOption(
  { options }: Pick<IpvsadmLine, 'options'>,
  name: IpvsadmOptionName,
): IpvsadmOption | undefined {
  for (const option of options) if (option.name === name) return option
  return undefined
}

/**
 * Returns the option that identifies the virtual server of a line. If the line has none or several, reports a problem
 * and returns undefined.
 */
export function findServiceOption(line: IpvsadmLine): IpvsadmOption | undefined {
  let [serviceOption, count]: [IpvsadmOption | undefined, number] = [undefined, 0]
  for (const option of line.options) {
    if (!PROTOCOLS_BY_OPTION.has(option.name)) continue
    serviceOption = option
    count++
  }
  return count === 1
    ? serviceOption
    : line.fail('missingOption', 'each line must name exactly one service: -t, -u or --sctp-service')
}

/**
 * Parses the virtual server that an option identifies. If the value is invalid, reports a problem and returns
 * undefined.
 */
export function readVirtualServerKey(line: IpvsadmLine, service: IpvsadmOption): VirtualServerKey | undefined {
  const place = parseAddressAndPort(service.value ?? '')
  if (place?.port === undefined)
    return line.fail(
      'invalidAddress',
      `${service.value} is not ADDRESS:PORT in numbers, which option -n of ipvsadm prints`,
      service,
    )
  return { address: place.address, port: place.port, protocol: PROTOCOLS_BY_OPTION.get(service.name) ?? 'TCP' }
}

/**
 * Parses the virtual server that a line adds, without real servers. If a value is invalid, reports a problem and
 * returns undefined.
 */
export function readVirtualServer(line: IpvsadmLine): VirtualServer | undefined {
  const service = findServiceOption(line)
  const place = service && readVirtualServerKey(line, service)
  if (place === undefined) return undefined
  const flags = readFlags(line)
  const timeout = readTimeout(line)
  const isSound = NAME_OPTIONS.every((name) => isName(line, name))
  if (flags === undefined || timeout === undefined || !isSound) return undefined
  const scheduler = findIpvsadmOption(line, 'scheduler')?.value ?? 'wlc'
  const { address, port, protocol } = place
  const server = { address, port, protocol, scheduler, flags, timeout }
  return { ...server, ...persistence(line), realServers: [] }
}

/** Options with values that are stored unchanged. */
const NAME_OPTIONS: readonly IpvsadmOptionName[] = ['scheduler', 'netmask', 'pe']

/** Checks a name. ipvsadm uses any next word as the value, but no name in the kernel starts with a dash. */
function isName(line: IpvsadmLine, name: IpvsadmOptionName): boolean {
  const option = findIpvsadmOption(line, name)
  if (option?.value === undefined || /^[^-]/.test(option.value)) return true
  line.fail('invalidValue', `--${name} takes a name, not ${JSON.stringify(option.value)}`, option)
  return false
}

function readFlags(line: IpvsadmLine): number | undefined {
  const option = findIpvsadmOption(line, 'sched-flags')
  const schedulerFlags = option === undefined ? 0 : parseSchedulerFlags(option.value ?? '')
  if (schedulerFlags === undefined) return line.fail('invalidValue', `${option?.value} are not scheduler flags`, option)
  const persistent = findIpvsadmOption(line, 'persistent') ? FLAG_PERSISTENT : 0
  return persistent | (findIpvsadmOption(line, 'ops') ? FLAG_ONE_PACKET : 0) | schedulerFlags
}

/** Returns the timeout in seconds; 0 for a virtual server without persistence. */
function readTimeout(line: IpvsadmLine): number | undefined {
  const option = findIpvsadmOption(line, 'persistent')
  return option === undefined ? 0 : readNumber(line, option, '360')
}

/** Returns the properties that only a persistent virtual server has. */
function persistence(line: IpvsadmLine): Pick<VirtualServer, 'netmask' | 'persistenceEngine'> {
  if (findIpvsadmOption(line, 'persistent') === undefined) return {}
  const netmask = findIpvsadmOption(line, 'netmask')?.value
  const persistenceEngine = findIpvsadmOption(line, 'pe')?.value
  return { ...(netmask !== undefined && { netmask }), ...(persistenceEngine !== undefined && { persistenceEngine }) }
}

/** Parses the real server that a line adds. If a value is invalid, reports a problem and returns undefined. */
export function readRealServer(line: IpvsadmLine, servicePort: number): RealServer | undefined {
  const option = findIpvsadmOption(line, 'real-server')
  if (option === undefined) return line.fail('missingOption', '-a names a real server with -r')
  const place = parseAddressAndPort(option.value ?? '')
  if (place === undefined)
    return line.fail(
      'invalidAddress',
      `${option.value} is not ADDRESS:PORT in numbers, which option -n of ipvsadm prints`,
      option,
    )
  const forwarding = readForwarding(line)
  const weight = readWeight(line)
  if (forwarding === undefined || weight === undefined) return undefined
  const options = serverOptions(line)
  const { address, port = servicePort } = place
  const server: RealServer = { address, port, forwarding, weight }
  return options.length > 0 ? { ...server, options } : server
}

function readForwarding(line: IpvsadmLine): ForwardingMethod | undefined {
  const [name = 'gatewaying', other] = FORWARDING_OPTIONS.filter((each) => findIpvsadmOption(line, each) !== undefined)
  if (other === undefined) return FORWARDING_BY_OPTION.get(name)
  return line.fail('conflictingOptions', `--${name} and --${other} cannot be combined`, findIpvsadmOption(line, other))
}

function readWeight(line: IpvsadmLine): number | undefined {
  const option = findIpvsadmOption(line, 'weight')
  return option === undefined ? 1 : readNumber(line, option, '1')
}

function readNumber(line: IpvsadmLine, option: IpvsadmOption, fallback: string): number | undefined {
  const { name, value = fallback } = option
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
  if (number <= 0x7fffffff) return number
  return line.fail('invalidValue', `--${name} takes a whole number up to 2147483647`, option)
}

function serverOptions(line: IpvsadmLine): readonly string[] {
  if (!line.options.some(({ name }) => SERVER_OPTIONS.has(name))) return []
  return [...SERVER_OPTIONS].flatMap(([name, word]) => {
    const option = findIpvsadmOption(line, name)
    if (option === undefined) return []
    return option.value === undefined ? [word] : [word, option.value]
  })
}
