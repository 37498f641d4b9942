import {
  expressionText,
  joinTexts,
  keyText,
  listOf,
  listText,
  optionalText,
  quote,
  wordsText,
  wordText,
} from '../parse/json-expression-text.js'
import { entryOf, isRecord, type Json, type JsonRecord } from '../parse/json-values.js'

/** The maximum depth of nested expressions. */
const MAX_DEPTH = 32

/** Converts a statement in the JSON of nft to its text. Undefined for a statement without a known text. */
export function jsonStatementToText(json: string): string | undefined {
  return depthOf(json) > MAX_DEPTH ? undefined : statementText(JSON.parse(json))
}

/** Returns the depth of nested lists and objects. Brackets in strings are counted too. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0]
  for (const character of json) {
    if (character === '{' || character === '[') depth++
    if (character === '}' || character === ']') depth--
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** The words of a text; undefined for a value without a text. */
type Words = readonly (string | undefined)[]

function statementText(statement: Json): string | undefined {
  const entry = entryOf(statement)
  const words = entry && wordsOfStatement(...entry)
  return words && joinTexts(words, ' ')
}

function wordsOfStatement(kind: string, value: Json): Words | undefined {
  if (value === null) return [kind]
  if (isRecord(value)) return STATEMENTS.get(kind)?.(value)
  if (typeof value !== 'string') return undefined
  if (NAMED_OBJECTS.has(kind)) return [kind, 'name', quote(value)]
  // A statement that assigns a named object: `ct helper set "ftp"`.
  return kind.startsWith('ct ') ? [kind, 'set', quote(value)] : undefined
}

const NAMED_OBJECTS: ReadonlySet<string> = new Set(['limit', 'quota', 'counter', 'synproxy'])

/** The words of statements, by the kind in JSON. */
const STATEMENTS: ReadonlyMap<string, (value: JsonRecord) => Words> = new Map<string, (value: JsonRecord) => Words>([
  ['match', ({ op, left, right }) => [expressionText(left), OPERATORS.get(op), expressionText(right)]],
  ['vmap', ({ key, data }) => [expressionText(key), 'vmap', expressionText(data)]],
  ['mangle', ({ key, value }) => [expressionText(key), 'set', expressionText(value)]],
  ['dnat', (value) => translationWords('dnat', value)],
  ['snat', (value) => translationWords('snat', value)],
  ['redirect', (value) => translationWords('redirect', value)],
  ['masquerade', (value) => translationWords('masquerade', value)],
  ['log', (value) => ['log', ...Object.entries(value).flatMap(([option, each]) => logOptionWords(option, each))]],
  ['limit', ({ inv, rate }) => ['limit rate', overText(inv), wordText(rate)]],
  ['quota', ({ inv, val, val_unit: unit }) => ['quota', overText(inv), wordText(val), wordText(unit)]],
  ['ct count', ({ inv, val }) => ['ct count', overText(inv), wordText(val)]],
  ['set', setWords],
  ['counter', () => ['counter']],
  ['last', () => ['last']],
  ['flow', ({ flowtable }) => ['flow add', wordText(flowtable)]],
  ['queue', ({ flags, num }) => ['queue', flags === undefined ? 'num' : flagsText(flags), expressionText(num)]],
  ['dup', ({ addr, dev }) => ['dup to', expressionText(addr), optionalText(dev, 'device')]],
  ['tproxy', (value) => ['tproxy', optionalText(value.family), 'to', endpointText(value)]],
  ['synproxy', () => ['synproxy']],
  ['reset', (value) => ['reset', expressionText(value)]],
])

/** The operators in JSON and in text. */
const OPERATORS: ReadonlyMap<Json | undefined, string> = new Map([
  ['in', ''],
  ...['==', '!=', '<', '>', '<=', '>=', '!'].map((operator) => [operator, operator] as const),
])

function overText(isInverted: Json | undefined): string {
  return isInverted === true ? 'over' : ''
}

function flagsText(flags: Json): string | undefined {
  return joinTexts(['flags', listText(flags), 'to'], ' ')
}

function translationWords(kind: string, value: JsonRecord): Words {
  const { family, flags, type_flags: typeFlags, addr, port } = value
  const target = addr === undefined && port === undefined ? [] : ['to', endpointText(value)]
  return [
    kind,
    optionalText(family),
    TYPE_FLAGS.get(typeFlags) ?? '',
    ...target,
    listText(flags)?.replace(/\bnetmap,?/, ''),
  ]
}

/** The words about the target of a translation, by the flag in JSON. */
const TYPE_FLAGS: ReadonlyMap<Json | undefined, string> = new Map([
  ['prefix', 'prefix'],
  ['concat', 'addr . port'],
])

/** Formats an address and a port: `10.0.0.1:80`, `[fd00::1]-[fd00::9]:80`, `:8080`. */
function endpointText({ addr, port }: JsonRecord): string | undefined {
  const address = optionalText(addr)
  if (port === undefined) return address
  return joinTexts(
    [address?.includes(':') ? address.replace(/[^-]+/g, '[$&]') : address, ':', expressionText(port)],
    '',
  )
}

function logOptionWords(option: string, value: Json): Words {
  if (option === 'flags') return listOf(value).flatMap((flag) => [option, wordsText(flag)])
  return [option, option === 'prefix' && typeof value === 'string' ? quote(value) : wordText(value)]
}

function setWords({ op, elem, set, stmt }: JsonRecord): Words {
  const statements: readonly Json[] = Array.isArray(stmt) ? stmt : []
  return [wordText(op), wordText(set), '{', keyText(elem), ...statements.map(statementText), '}']
}
