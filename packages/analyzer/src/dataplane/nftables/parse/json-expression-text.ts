import { entryOf, isRecord, type Json, type JsonRecord } from './json-values.js'

/** Formats a value, a selector or an expression. */
export function expressionText(json: Json | undefined): string | undefined {
  if (json === undefined || json === null) return undefined
  if (typeof json === 'boolean') return json ? 'exists' : 'missing'
  if (typeof json === 'number') return String(json)
  if (typeof json === 'string') return isWord(json) ? json : quote(json)
  const entry = entryOf(json)
  if (entry === undefined) return listText(json)
  const [kind, value] = entry
  if (Array.isArray(value)) return operationText(kind, value)
  return isRecord(value) ? SELECTORS.get(kind)?.(value) : undefined
}

/** The separators of lists that are one expression. */
const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ['concat', ' . '],
  ['range', '-'],
])

const OPERATORS: ReadonlySet<string> = new Set(['&', '|', '^', '<<', '>>'])

function operationText(kind: string, parts: readonly Json[]): string | undefined {
  if (kind === 'set') return joinTexts(parts.map(elementText), ', ', '{ ', ' }')
  const texts = parts.map(expressionText)
  const separator = SEPARATORS.get(kind)
  if (separator !== undefined) return joinTexts(texts, separator)
  if (!OPERATORS.has(kind)) return undefined
  // A list of flags is a sum, which is grouped as the operand of another operator.
  const operands = parts.map((part, at) => (Array.isArray(part) ? `(${texts[at]?.replaceAll(',', '|')})` : texts[at]))
  return joinTexts(operands, kind === '|' && parts.every((part) => typeof part === 'string') ? '|' : ` ${kind} `)
}

function elementText(json: Json): string | undefined {
  if (!Array.isArray(json)) return keyText(json)
  const [key, value] = json as readonly Json[]
  return joinTexts([keyText(key), verdictText(value) ?? expressionText(value)], ' : ')
}

/** Formats the key of an element, without the options of the element. */
export function keyText(json: Json | undefined): string | undefined {
  return isRecord(json) && isRecord(json.elem) ? expressionText(json.elem.val) : expressionText(json)
}

/** Formats a verdict: `{"drop": null}`, `{"jump": {"target": "c"}}`. */
function verdictText(json: Json | undefined): string | undefined {
  const [kind, value] = entryOf(json) ?? []
  if (value === null) return kind
  return kind === 'jump' || kind === 'goto'
    ? selectorText(kind, wordText(isRecord(value) ? value.target : undefined))
    : undefined
}

type Format = (value: JsonRecord) => string | undefined

/** The texts of selectors and of expressions with named parts, by the kind in JSON. */
const SELECTORS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['payload', (value) => (value.base === undefined ? fieldText(value) : bytesText(value))],
  ...['meta', 'socket', 'osf'].map((kind): [string, Format] => [kind, ({ key }) => selectorText(kind, wordText(key))]),
  ...['ct', 'rt'].map((kind): [string, Format] => [
    kind,
    ({ dir, family, key }) => selectorText(kind, optionalText(dir), optionalText(family), wordsText(key)),
  ]),
  ['ipsec', ({ dir, family, key }) => selectorText('ipsec', wordText(dir), optionalText(family), wordText(key))],
  ['fib', ({ flags, result }) => selectorText('fib', joinTexts(listOf(flags).map(wordText), ' . '), wordText(result))],
  [
    'numgen',
    ({ mode, mod, offset }) => selectorText('numgen', wordText(mode), 'mod', wordText(mod), offsetText(offset)),
  ],
  [
    'jhash',
    ({ expr, mod, offset }) => selectorText('jhash', expressionText(expr), 'mod', wordText(mod), offsetText(offset)),
  ],
  ['symhash', ({ mod, offset }) => selectorText('symhash mod', wordText(mod), offsetText(offset))],
  [
    'exthdr',
    ({ name, field }) =>
      field === undefined ? selectorText('exthdr', wordText(name)) : selectorText(wordText(name), wordText(field)),
  ],
  ...['tcp option', 'ip option', 'sctp chunk', 'dccp option'].map((kind): [string, Format] => [
    kind,
    ({ name, type, field }) => selectorText(kind, wordText(name ?? type), optionalText(field)),
  ]),
  ['prefix', ({ addr, len }) => joinTexts([expressionText(addr), wordText(len)], '/')],
  ['map', ({ key, data }) => selectorText(expressionText(key), 'map', expressionText(data))],
])

function selectorText(...words: readonly (string | undefined)[]): string | undefined {
  return joinTexts(words, ' ')
}

function fieldText({ protocol, field }: JsonRecord): string | undefined {
  return selectorText(wordText(protocol), wordText(field))
}

/** Formats `@th,16,16`. */
function bytesText({ base, offset, len }: JsonRecord): string | undefined {
  return joinTexts([joinTexts(['@', wordText(base)], ''), wordText(offset), wordText(len)], ',')
}

/** Formats words, such as the key of a connection: `ip daddr`. */
export function wordsText(key: Json | undefined): string | undefined {
  return typeof key === 'string' ? joinTexts(key.split(' ').map(wordText), ' ') : undefined
}

function offsetText(offset: Json | undefined): string | undefined {
  return offset === 0 ? '' : optionalText(offset, 'offset')
}

export function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : json === undefined ? [] : [json]
}

/** Formats the words of a list, or one word. */
export function listText(json: Json | undefined): string | undefined {
  return joinTexts(listOf(json).map(wordText), ',')
}

/** Formats a part that may be absent, after `words`. */
export function optionalText(json: Json | undefined, ...words: readonly string[]): string | undefined {
  return json === undefined ? '' : selectorText(...words, expressionText(json))
}

/** Formats a number or one word. */
export function wordText(json: Json | undefined): string | undefined {
  if (typeof json === 'number') return String(json)
  return typeof json === 'string' && isWord(json) ? json : undefined
}

/** Joins texts that are not empty. Undefined if one is. */
export function joinTexts(
  texts: readonly (string | undefined)[],
  separator: string,
  before = '',
  after = '',
): string | undefined {
  if (texts.includes(undefined)) return undefined
  return `${before}${texts.filter((text) => text !== '').join(separator)}${after}`
}

function isWord(text: string): boolean {
  return /^@?[\w./:*+-]+$/.test(text)
}

export function quote(text: string): string | undefined {
  return /["\n]/.test(text) ? undefined : `"${text}"`
}
