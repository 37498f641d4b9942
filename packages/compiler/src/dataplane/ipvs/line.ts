import { readAddressAndPort } from './addresses.js'
import {
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  type Forwarding,
  type RealServer,
  type VirtualServer,
  type VirtualServerProtocol,
} from './ast.js'
import { readSchedulerFlags } from './flags.js'
import type { Option, OptionName } from './options.js'

/** What can be wrong with the values of a line. */
export type ServerProblemCode = 'missingOption' | 'conflictingOptions' | 'invalidAddress' | 'invalidValue'

/** The options of one line, and how to report what is wrong with them. */
export interface Line {
  readonly options: ReadonlyMap<OptionName, Option>
  readonly fail: (code: ServerProblemCode, message: string, at?: Option) => undefined
}

const PROTOCOLS_BY_OPTION: ReadonlyMap<OptionName, VirtualServerProtocol> = new Map([
  ['tcp-service', 'TCP'],
  ['udp-service', 'UDP'],
  ['sctp-service', 'SCTP'],
])

const FORWARDING_BY_OPTION: ReadonlyMap<OptionName, Forwarding> = new Map([
  ['masquerading', 'masquerade'],
  ['gatewaying', 'route'],
  ['ipip', 'tunnel'],
])

/** In the order in which the tree has them. */
const SERVER_OPTIONS: ReadonlyMap<OptionName, string> = new Map([
  ['u-threshold', '-x'],
  ['l-threshold', '-y'],
  ['tun-type', '--tun-type'],
  ['tun-port', '--tun-port'],
  ['tun-nocsum', '--tun-nocsum'],
  ['tun-csum', '--tun-csum'],
  ['tun-remcsum', '--tun-remcsum'],
])

/** The virtual server a line is about, without real servers; undefined when a value is wrong, which is reported. */
export function readVirtualServer(line: Line): VirtualServer | undefined {
  const service = only(line, [...PROTOCOLS_BY_OPTION.keys()])
  if (service === undefined) return line.fail('missingOption', 'a line names one service: -t, -u or --sctp-service')
  const protocol = PROTOCOLS_BY_OPTION.get(service.name) ?? 'TCP'
  const place = readAddressAndPort(service.value ?? '')
  if (place?.port === undefined)
    return line.fail('invalidAddress', `${service.value} is not ADDRESS:PORT in numbers`, service)
  const flags = readFlags(line)
  const timeout = readTimeout(line)
  const isSound = NAME_OPTIONS.every((name) => isName(line, name))
  if (flags === undefined || timeout === undefined || !isSound) return undefined
  const scheduler = line.options.get('scheduler')?.value ?? 'wlc'
  return { ...place, port: place.port, protocol, scheduler, flags, timeout, ...persistence(line), realServers: [] }
}

/** Options whose value stays as it is written. */
const NAME_OPTIONS: readonly OptionName[] = ['scheduler', 'netmask', 'pe']

/** ipvsadm takes the next word for the value whatever it is; the kernel has nothing that is called like an option. */
function isName(line: Line, name: OptionName): boolean {
  const option = line.options.get(name)
  if (option?.value === undefined || /^[^-]/.test(option.value)) return true
  line.fail('invalidValue', `--${name} takes a name, not ${JSON.stringify(option.value)}`, option)
  return false
}

function readFlags(line: Line): number | undefined {
  const option = line.options.get('sched-flags')
  const schedulerFlags = option === undefined ? 0 : readSchedulerFlags(option.value ?? '')
  if (schedulerFlags === undefined) return line.fail('invalidValue', `${option?.value} are not scheduler flags`, option)
  const persistent = line.options.has('persistent') ? FLAG_PERSISTENT : 0
  return persistent | (line.options.has('ops') ? FLAG_ONE_PACKET : 0) | schedulerFlags
}

/** Seconds; 0 for a virtual server that is not persistent. */
function readTimeout(line: Line): number | undefined {
  const option = line.options.get('persistent')
  return option === undefined ? 0 : readNumber(line, option, '360')
}

/** What counts only for a persistent virtual server, and is dropped elsewhere. */
function persistence({ options }: Line): Pick<VirtualServer, 'netmask' | 'persistenceEngine'> {
  if (!options.has('persistent')) return {}
  const netmask = options.get('netmask')?.value
  const persistenceEngine = options.get('pe')?.value
  return { ...(netmask !== undefined && { netmask }), ...(persistenceEngine !== undefined && { persistenceEngine }) }
}

/** The real server a line adds; undefined when a value is wrong, which is reported. */
export function readRealServer(line: Line, servicePort: number): RealServer | undefined {
  const option = line.options.get('real-server')
  if (option === undefined) return line.fail('missingOption', '-a names a real server with -r')
  const place = readAddressAndPort(option.value ?? '')
  if (place === undefined) return line.fail('invalidAddress', `${option.value} is not ADDRESS:PORT in numbers`, option)
  const forwarding = readForwarding(line)
  const weight = readWeight(line)
  if (forwarding === undefined || weight === undefined) return undefined
  const options = serverOptions(line)
  const { address, port = servicePort } = place
  return { address, port, forwarding, weight, ...(options.length > 0 && { options }) }
}

function readForwarding(line: Line): Forwarding | undefined {
  const names = [...FORWARDING_BY_OPTION.keys()].filter((name) => line.options.has(name))
  const [name = 'gatewaying', other] = names
  if (other === undefined) return FORWARDING_BY_OPTION.get(name)
  return line.fail('conflictingOptions', `--${name} and --${other} exclude one another`, line.options.get(other))
}

function readWeight(line: Line): number | undefined {
  const option = line.options.get('weight')
  return option === undefined ? 1 : readNumber(line, option, '1')
}

function readNumber(line: Line, option: Option, otherwise: string): number | undefined {
  const { name, value = otherwise } = option
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
  if (number <= 0x7fffffff) return number
  return line.fail('invalidValue', `--${name} takes a whole number up to 2147483647`, option)
}

function serverOptions({ options }: Line): readonly string[] {
  return [...SERVER_OPTIONS].flatMap(([name, word]) => {
    const option = options.get(name)
    if (option === undefined) return []
    return option.value === undefined ? [word] : [word, option.value]
  })
}

/** The one of these options that is given; undefined when there is none, or more than one. */
function only({ options }: Line, names: readonly OptionName[]): Option | undefined {
  const given = names.flatMap((name) => options.get(name) ?? [])
  return given.length === 1 ? given[0] : undefined
}
