import { isRecord, type Json, type JsonRecord } from '../parse/json-values.js'
import { expressionText, joinTexts, listText, optionalText, quote, wordText } from './json-expression-text.js'

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

function statementText(statement: Json): string | undefined {
  const [entry] = isRecord(statement) ? Object.entries(statement) : []
  return entry === undefined ? undefined : joinTexts(wordsOfStatement(entry[0], entry[1]) ?? [undefined], ' ')
}

/** The words of a text; undefined for a value without a text. */
type Words = readonly (string | undefined)[]

function wordsOfStatement(kind: string, value: Json): Words | undefined {
  if (isRecord(value)) return recordStatementText(kind, value)
  if (typeof value === 'string')
    return NAMED_OBJECTS.has(kind) ? [kind, 'name', quote(value)] : namedStatement(kind, value)
  return value === null ? [kind] : undefined
}

const NAMED_OBJECTS: ReadonlySet<string> = new Set(['limit', 'quota', 'counter', 'synproxy'])

/** Formats a statement that assigns a named object: `ct helper set "ftp"`. */
function namedStatement(kind: string, name: string): Words | undefined {
  return kind.startsWith('ct ') ? [kind, 'set', quote(name)] : undefined
}

function recordStatementText(kind: string, value: JsonRecord): Words | undefined {
  switch (kind) {
    case 'match':
      return matchText(value)
    case 'vmap':
      return [expressionText(value.key), 'vmap', expressionText(value.data)]
    case 'mangle':
      return [expressionText(value.key), 'set', expressionText(value.value)]
    case 'dnat':
    case 'snat':
    case 'redirect':
    case 'masquerade':
      return translationText(kind, value)
    case 'reject':
      return ['reject', 'with', wordText(value.type), value.expr === undefined ? '' : wordText(value.expr)]
    case 'log':
      return ['log', ...Object.entries(value).flatMap(([option, each]) => [option, logOptionText(option, each)])]
    case 'limit':
      return ['limit rate', value.inv === true ? 'over' : '', wordText(value.rate)]
    case 'quota':
      return ['quota', value.inv === true ? 'over' : '', wordText(value.val), wordText(value.val_unit)]
    case 'ct count':
      return ['ct count', value.inv === true ? 'over' : '', wordText(value.val)]
    case 'set':
      return setText(value)
    case 'counter':
    case 'last':
      return [kind]
    default:
      return otherStatementText(kind, value)
  }
}

function otherStatementText(kind: string, value: JsonRecord): Words | undefined {
  switch (kind) {
    case 'flow':
      return ['flow', 'add', wordText(value.flowtable)]
    case 'queue': {
      const flags = value.flags === undefined ? [] : ['flags', listText(value.flags), 'to']
      return ['queue', ...(value.num === undefined || flags.length > 0 ? flags : ['num']), optionalText(value.num)]
    }
    case 'dup':
      return [
        'dup',
        'to',
        expressionText(value.addr),
        ...(value.dev === undefined ? [] : ['device', expressionText(value.dev)]),
      ]
    case 'fwd':
      return ['fwd', 'to', expressionText(value.addr ?? value.dev)]
    case 'tproxy':
      return ['tproxy', optionalText(value.family), 'to', endpointText(value)]
    case 'synproxy':
      return ['synproxy']
    case 'reset':
      return ['reset', expressionText(value)]
    default:
      return undefined
  }
}

/** The operators in JSON and in text. */
const OPERATORS: ReadonlyMap<Json | undefined, string> = new Map([
  ['in', ''],
  ...['==', '!=', '<', '>', '<=', '>=', '!'].map((operator) => [operator, operator] as const),
])

function matchText({ op, left, right }: JsonRecord): Words | undefined {
  return [expressionText(left), OPERATORS.get(op), expressionText(right)]
}

function translationText(kind: string, value: JsonRecord): Words {
  const { family, flags, type_flags: typeFlags, addr, port } = value
  const isTo = addr !== undefined || port !== undefined
  const concatenated = typeFlags === 'concat' ? 'addr . port' : ''
  const words = [kind, optionalText(family), typeFlags === 'prefix' ? 'prefix' : concatenated]
  const flagText = flags === undefined ? '' : listText(flags)?.replace(/\bnetmap,?/, '')
  return [...words, ...(isTo ? ['to', endpointText(value)] : []), flagText]
}

/** Formats an address and a port: `10.0.0.1:80`, `[fd00::1]`, `:8080`. */
function endpointText({ addr, port }: JsonRecord): string | undefined {
  const address = addr === undefined ? '' : expressionText(addr)
  if (port === undefined) return address
  const text = expressionText(port)
  if (address === undefined || text === undefined) return undefined
  return `${address.includes(':') ? `[${address}]` : address}:${text}`
}

function logOptionText(option: string, value: Json): string | undefined {
  return option === 'prefix' && typeof value === 'string' ? quote(value) : listText(value)
}

function setText({ op, elem, set, stmt }: JsonRecord): Words | undefined {
  const inner = isRecord(elem) && isRecord(elem.elem) ? elem.elem : undefined
  const key = expressionText(inner === undefined ? elem : inner.val)
  const statements: readonly Json[] = Array.isArray(stmt) ? stmt : []
  return [wordText(op), wordText(set), '{', key, ...statements.map(statementText), '}']
}
