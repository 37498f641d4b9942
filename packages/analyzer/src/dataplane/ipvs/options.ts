/** An option of one line, by its long name without dashes. */
export interface IpvsadmOption {
  readonly name: IpvsadmOptionName
  readonly value: string | undefined
  /** The column, from 1. */
  readonly column: number
}

export type IpvsadmOptionName =
  | 'add-service'
  | 'add-server'
  | 'tcp-service'
  | 'udp-service'
  | 'sctp-service'
  | 'fwmark-service'
  | 'ipv6'
  | 'scheduler'
  | 'persistent'
  | 'netmask'
  | 'pe'
  | 'ops'
  | 'sched-flags'
  | 'real-server'
  | 'gatewaying'
  | 'ipip'
  | 'masquerading'
  | 'weight'
  | 'u-threshold'
  | 'l-threshold'
  | 'tun-type'
  | 'tun-port'
  | 'tun-nocsum'
  | 'tun-csum'
  | 'tun-remcsum'

type Command = 'add-service' | 'add-server'

interface OptionForm {
  readonly letter?: string
  /** The kind of value. `optional`: the next word is the value, unless the word begins with a dash. */
  readonly value: 'none' | 'required' | 'optional'
  /** The only command that accepts the option. Absent if both commands accept it. */
  readonly of?: Command
}

/** The options that ipvsadm 1.31 accepts in lines about virtual servers and real servers. */
const FORMS: ReadonlyMap<IpvsadmOptionName, OptionForm> = new Map<IpvsadmOptionName, OptionForm>([
  ['add-service', { letter: 'A', value: 'none', of: 'add-service' }],
  ['add-server', { letter: 'a', value: 'none', of: 'add-server' }],
  ['tcp-service', { letter: 't', value: 'required' }],
  ['udp-service', { letter: 'u', value: 'required' }],
  ['sctp-service', { value: 'required' }],
  ['fwmark-service', { letter: 'f', value: 'required' }],
  ['ipv6', { letter: '6', value: 'none' }],
  ['scheduler', { letter: 's', value: 'required', of: 'add-service' }],
  ['persistent', { letter: 'p', value: 'optional', of: 'add-service' }],
  ['netmask', { letter: 'M', value: 'required', of: 'add-service' }],
  ['pe', { value: 'required', of: 'add-service' }],
  ['ops', { letter: 'o', value: 'none', of: 'add-service' }],
  ['sched-flags', { letter: 'b', value: 'required', of: 'add-service' }],
  ['real-server', { letter: 'r', value: 'required', of: 'add-server' }],
  ['gatewaying', { letter: 'g', value: 'none', of: 'add-server' }],
  ['ipip', { letter: 'i', value: 'none', of: 'add-server' }],
  ['masquerading', { letter: 'm', value: 'none', of: 'add-server' }],
  ['weight', { letter: 'w', value: 'required', of: 'add-server' }],
  ['u-threshold', { letter: 'x', value: 'required', of: 'add-server' }],
  ['l-threshold', { letter: 'y', value: 'required', of: 'add-server' }],
  ['tun-type', { value: 'required', of: 'add-server' }],
  ['tun-port', { value: 'required', of: 'add-server' }],
  ['tun-nocsum', { value: 'none', of: 'add-server' }],
  ['tun-csum', { value: 'none', of: 'add-server' }],
  ['tun-remcsum', { value: 'none', of: 'add-server' }],
])

const NAMES_BY_LETTER: ReadonlyMap<string, IpvsadmOptionName> = new Map(
  [...FORMS].flatMap(([name, { letter }]) => (letter === undefined ? [] : [[letter, name] as const])),
)

/** Reports whether ipvsadm accepts the option with that command. */
export function acceptsIpvsadmOption(command: Command, name: IpvsadmOptionName): boolean {
  return (FORMS.get(name)?.of ?? command) === command
}

/** A problem with its position, returned instead of options. */
export interface IpvsadmOptionProblem {
  readonly code: 'unknownOption' | 'missingValue' | 'unexpectedValue'
  readonly column: number
  readonly message: string
}

/**
 * Parses the options of a line in order, like ipvsadm: `-s rr`, `-srr`, `--scheduler rr`, `--scheduler=rr`, and
 * combined letters without a value (`-mw 1`). On failure, returns the first problem.
 */
export function parseIpvsadmOptions(line: string): readonly IpvsadmOption[] | IpvsadmOptionProblem {
  const options: GrowingOption[] = []
  let at = startOfWord(line, 0)
  // If a line has more options than exist, at least one option is a duplicate, which is an error anyway.
  while (at < line.length && options.length <= FORMS.size) {
    const column = at + 1
    const text = line.slice(at, endOfWord(line, at))
    at = startOfWord(line, at + text.length)
    const isKnown = text.startsWith('--') ? pushLong(options, text, column) : pushLetters(options, text, column)
    const last = options.at(-1)
    if (!isKnown || last === undefined) {
      return { code: 'unknownOption', column, message: `${text} is not an option` }
    }
    if (at === line.length || !takesNext(last, line.charAt(at))) continue
    last.value = line.slice(at, endOfWord(line, at))
    at = startOfWord(line, at + last.value.length)
  }
  for (const option of options) {
    const problem = valueProblem(option)
    if (problem !== undefined) return problem
  }
  return options
}

interface GrowingOption extends IpvsadmOption {
  value: string | undefined
}

/** Returns the start of the next word. Words are separated by white space. */
function startOfWord(line: string, from: number): number {
  let at = from
  while (at < line.length && isBlank(line.charCodeAt(at))) at++
  return at
}

function endOfWord(line: string, from: number): number {
  let at = from
  while (at < line.length && !isBlank(line.charCodeAt(at))) at++
  return at
}

/** Reports whether a character is a tab, a carriage return or a space. Lines have no other white space. */
function isBlank(code: number): boolean {
  return code === 9 || code === 13 || code === 32
}

/** Parses `--name` or `--name=value`; reports whether the option exists. */
function pushLong(options: IpvsadmOption[], text: string, column: number): boolean {
  const equals = text.indexOf('=')
  const name = (equals < 0 ? text.slice(2) : text.slice(2, equals)) as IpvsadmOptionName
  if (!FORMS.has(name)) return false
  options.push({ name, value: equals < 0 ? undefined : text.slice(equals + 1), column })
  return true
}

/**
 * Parses a dash and letters. If a letter may have a value, the rest of the word is the value. Returns false if a letter
 * is unknown. Stops early at a duplicate letter, because a duplicate is an error anyway.
 */
function pushLetters(options: IpvsadmOption[], text: string, column: number): boolean {
  if (text.length < 2 || !text.startsWith('-')) return false
  for (let at = 1; at < text.length && at <= FORMS.size + 1; at++) {
    const name = NAMES_BY_LETTER.get(text.charAt(at))
    if (name === undefined) return false
    const takesValue = FORMS.get(name)?.value !== 'none'
    const value = takesValue && at + 1 < text.length ? text.slice(at + 1) : undefined
    options.push({ name, value, column })
    if (takesValue) break
  }
  return true
}

/** Reports whether the next word is the value of the option; `next` is the first character of that word. */
function takesNext(option: IpvsadmOption, next: string): boolean {
  if (option.value !== undefined) return false
  const form = FORMS.get(option.name)?.value
  return form === 'required' || (form === 'optional' && next !== '-')
}

function valueProblem({ name, value, column }: IpvsadmOption): IpvsadmOptionProblem | undefined {
  const form = FORMS.get(name)?.value
  if (form === 'required' && value === undefined)
    return { code: 'missingValue', column, message: `--${name} takes a value` }
  if (form === 'none' && value !== undefined)
    return { code: 'unexpectedValue', column, message: `--${name} takes no value` }
  return undefined
}
