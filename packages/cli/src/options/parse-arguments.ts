import { parseArgs } from 'node:util'
import { UsageError } from '@kube-rules/application/messages'
import { quoteWords } from '@kube-rules/application/script'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'
import { type Option, type OptionTable, type OptionValues, toCamelCase } from './option.js'

export interface ParsedArguments<Table extends OptionTable> {
  readonly values: OptionValues<Table>
  /** The words that are not options. */
  readonly operands: readonly string[]
}

/**
 * Parses the words after the name of a command.
 *
 * @throws UsageError for an unknown option, a missing value, or a value that is not among the choices.
 */
export function parseArguments<Table extends OptionTable>(
  options: Table,
  args: readonly string[],
): ParsedArguments<Table> {
  const valuesByOption = new Map<string, string[]>()
  const operands: string[] = []
  for (const token of tokenize(options, args)) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind === 'option') addValue(valuesByOption, token.name, readValue(options, token))
  }
  const values = Object.entries(options).map(([name, option]) => [
    toCamelCase(name),
    pickValue(option, valuesByOption.get(name)),
  ])
  return { values: Object.fromEntries(values) as OptionValues<Table>, operands }
}

type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: 'option' }>

// Uses non-strict mode, because the strict messages of parseArgs are long and list no choices.
function tokenize(options: OptionTable, args: readonly string[]) {
  const config = Object.entries(options).map(([name, { type, short }]) => [name, short ? { type, short } : { type }])
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(config) as Record<string, { type: Option['type']; short?: string }>,
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function readValue(options: OptionTable, token: OptionToken): string {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
  if (option === undefined) throw new UsageError(unknownOption(options, token))
  return option.type === 'boolean' ? readFlag(token) : readString(option, token)
}

function unknownOption(options: OptionTable, { name, rawName }: OptionToken): string {
  const nearest = rawName.startsWith('--') ? findClosestWord(name, Object.keys(options)) : undefined
  return `unknown option ${rawName}${nearest === undefined ? '' : `; did you mean --${nearest}?`}`
}

function readFlag(token: OptionToken): string {
  if (token.value !== undefined) throw new UsageError(`option ${token.rawName} takes no value`)
  return ''
}

function readString(option: Option, { rawName, value, inlineValue }: OptionToken): string {
  if (value === undefined || value === '') throw new UsageError(`option ${rawName} needs a value`)
  if (!inlineValue && value.length > 1 && value.startsWith('-')) {
    throw new UsageError(`option ${rawName} needs a value, and ${value} looks like an option`)
  }
  return option.choices === undefined ? value : readChoice(option.choices, option.alsoWritten, rawName, value)
}

function readChoice(
  choices: readonly string[],
  alsoWritten: Readonly<Record<string, string>> = {},
  rawName: string,
  value: string,
): string {
  if (choices.includes(value)) return value
  const lower = value.toLowerCase()
  const choice = Object.hasOwn(alsoWritten, lower) ? alsoWritten[lower] : undefined
  if (choice === undefined) throw new UsageError(`option ${rawName} is ${value}; expected ${choices.join(', ')}`)
  return choice
}

function addValue(valuesByName: Map<string, string[]>, name: string, value: string): void {
  const values = valuesByName.get(name)
  if (values) values.push(value)
  else valuesByName.set(name, [value])
}

function pickValue(option: Option, values: readonly string[] = []): string | boolean | readonly string[] | undefined {
  if (option.type === 'boolean') return values.length > 0
  return option.multiple ? values : values.at(-1)
}

/** Rejects operands, for commands that have only options. */
export function assertNoOperands([first]: readonly string[]): void {
  if (first === undefined) return
  const hint = mayBeObjectPath(first) ? `; objects are given with -f: ${quoteWords(['-f', first])}` : ''
  throw new UsageError(`unexpected argument ${first}${hint}`)
}

/** Reports whether a word looks like the name of a file or folder with objects. */
export function mayBeObjectPath(word: string): boolean {
  return /\.(?:yaml|yml|json)$|^\.{0,2}\/|\/$/.test(word)
}
