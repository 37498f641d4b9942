import { append } from '../../internal/append.js'

/** An option of one line, by its long name without dashes. */
export interface Option {
  readonly name: OptionName
  readonly value: string | undefined
  /** From 1. */
  readonly column: number
}

export type OptionName =
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
  /** With `optional` the next word is the value unless it begins with a dash. */
  readonly value: 'none' | 'required' | 'optional'
  /** The one command it belongs to; absent: to both. */
  readonly of?: Command
}

/** The options of ipvsadm 1.31 that lines about services and servers have. */
const FORMS: ReadonlyMap<OptionName, OptionForm> = new Map<OptionName, OptionForm>([
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

const NAMES_BY_LETTER: ReadonlyMap<string, OptionName> = new Map(
  [...FORMS].flatMap(([name, { letter }]) => (letter === undefined ? [] : [[letter, name] as const])),
)

/** Whether ipvsadm takes the option on a line of that command. */
export function isOptionOf(command: Command, name: OptionName): boolean {
  return (FORMS.get(name)?.of ?? command) === command
}

/** A problem in place of the options: what is wrong, and where. */
export interface OptionProblem {
  readonly code: 'unknownOption' | 'missingValue' | 'unexpectedValue'
  readonly column: number
  readonly message: string
}

/**
 * The options of a line in their order, read as ipvsadm reads its arguments: `-s rr`, `-srr`, `--scheduler rr`,
 * `--scheduler=rr`, letters without value together (`-mw 1`). Or the first problem.
 */
export function readOptions(line: string): readonly Option[] | OptionProblem {
  const words = wordsOf(line)
  const options: Option[] = []
  // Of more options than there are one is there twice, which is an error anyway.
  for (let at = 0; at < words.length && options.length <= FORMS.size; ) {
    const { text, column } = words[at++] as Word
    const found = text.startsWith('--') ? readLong(text.slice(2), column) : readLetters(text, column)
    const last = found.pop()
    if (last === undefined) return { code: 'unknownOption', column, message: `${text} is not an option` }
    const next = takesNext(last, words[at]?.text) ? words[at++]?.text : undefined
    append(options, found)
    options.push(next === undefined ? last : { name: last.name, value: next, column })
  }
  for (const option of options) {
    const problem = valueProblem(option)
    if (problem !== undefined) return problem
  }
  return options
}

interface Word {
  readonly text: string
  readonly column: number
}

/** What stands between blanks. */
function wordsOf(line: string): readonly Word[] {
  const words: Word[] = []
  let start = -1
  for (let at = 0; at <= line.length; at++) {
    const isInWord = at < line.length && !isBlank(line.charCodeAt(at))
    if (isInWord && start < 0) start = at
    if (!isInWord && start >= 0) {
      words.push({ text: line.slice(start, at), column: start + 1 })
      start = -1
    }
  }
  return words
}

/** A tab, a carriage return or a blank: a line that is read has no others. */
function isBlank(code: number): boolean {
  return code === 9 || code === 13 || code === 32
}

/** `name` or `name=value`. */
function readLong(text: string, column: number): Option[] {
  const equals = text.indexOf('=')
  const name = (equals < 0 ? text : text.slice(0, equals)) as OptionName
  if (!FORMS.has(name)) return []
  return [{ name, value: equals < 0 ? undefined : text.slice(equals + 1), column }]
}

/**
 * A dash and letters; the first that can have a value has the rest as its value. Empty when a letter is unknown. Ends early
 * where one is there twice, which is an error anyway.
 */
function readLetters(text: string, column: number): Option[] {
  if (!text.startsWith('-')) return []
  const found: Option[] = []
  for (let at = 1; at < text.length && found.length <= FORMS.size; at++) {
    const name = NAMES_BY_LETTER.get(text.charAt(at))
    if (name === undefined) return []
    const takesValue = FORMS.get(name)?.value !== 'none'
    const value = takesValue && at + 1 < text.length ? text.slice(at + 1) : undefined
    found.push({ name, value, column })
    if (takesValue) break
  }
  return found
}

function takesNext(option: Option, next: string | undefined): boolean {
  if (option.value !== undefined || next === undefined) return false
  const form = FORMS.get(option.name)?.value
  return form === 'required' || (form === 'optional' && !next.startsWith('-'))
}

function valueProblem({ name, value, column }: Option): OptionProblem | undefined {
  const form = FORMS.get(name)?.value
  if (form === 'required' && value === undefined)
    return { code: 'missingValue', column, message: `--${name} takes a value` }
  if (form === 'none' && value !== undefined)
    return { code: 'unexpectedValue', column, message: `--${name} takes no value` }
  return undefined
}
