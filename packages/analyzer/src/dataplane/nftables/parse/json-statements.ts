import type {
  DnatStatement,
  MapOperand,
  MarkMatchStatement,
  Operand,
  Selector,
  Statement,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { parseAddressNumber } from '@kube-rules/compiler/internal/dataplane/nftables/keys/address-numbers'
import { peekToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { typesOfSelectors } from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { isOneOf } from '@kube-rules/compiler/internal/internal/is-one-of'
import { expressionText } from './json-expression-text.js'
import { parseJsonCounterValues, parseJsonElements, parseJsonVerdict } from './json-objects.js'
import {
  entryOf,
  isRecord,
  type Json,
  type JsonRecord,
  parseJsonKey,
  readJsonDuration,
  readJsonString,
  readJsonStrings,
} from './json-values.js'
import { parseSelectors } from './parse-key.js'
import { asMarkMatch, destinationPartsOf, OPERATORS } from './parse-statement.js'

/** Parses the statements of a rule. Unsupported statements are stored unchanged. */
export function parseJsonStatements(expressions: readonly Json[]): readonly Statement[] {
  return expressions.map((json) => statementOfJson(json) ?? { kind: 'unknownJson', json: JSON.stringify(json) })
}

function statementOfJson(json: Json): Statement | undefined {
  const verdict = parseJsonVerdict(json)
  if (verdict !== undefined) return verdict
  const entry = entryOf(json)
  if (entry === undefined) return undefined
  const [kind, value] = entry
  switch (kind) {
    case 'match':
      return isRecord(value) ? matchOfJson(value) : undefined
    case 'vmap':
      return isRecord(value) ? vmapOfJson(value) : undefined
    case 'mangle':
      return isRecord(value) ? markSetOfJson(value) : undefined
    case 'masquerade':
      return masqueradeOfJson(value)
    case 'dnat':
      return isRecord(value) ? dnatOfJson(value) : undefined
    case 'reject':
      return rejectOfJson(value)
    case 'set':
      return isRecord(value) ? setUpdateOfJson(value) : undefined
    case 'counter':
      return counterOfJson(value)
    default:
      return undefined
  }
}

/** Parses a selector or a concatenation; undefined if a component is not supported. */
function selectorsOfJson(json: Json | undefined): readonly Selector[] | undefined {
  const text = isRecord(json) ? expressionText(json) : undefined
  const scanner: Scanner = { source: text ?? '', at: 0 }
  const selectors = parseSelectors(scanner)
  return peekToken(scanner).kind === 'end' ? selectors : undefined
}

function matchOfJson(value: JsonRecord): Statement | undefined {
  const op = readJsonString(value.op)
  const masked = maskedMark(value)
  if (masked !== undefined) return masked
  const left = selectorsOfJson(value.left)
  if (left === undefined || op === undefined) return undefined
  const right = operandOfJson(value.right, left)
  if (right === undefined) return undefined
  const isOfFlags = left.length === 1 && left[0]?.kind === 'ct' && ['state', 'status'].includes(left[0].key)
  // For flags, `in` in JSON corresponds to the omitted operator in text: one of the flags is set. In JSON, `==` has
  // this meaning only if the right side is a set.
  const operator = op === 'in' && isOfFlags ? '==' : op
  if (!isOneOf(OPERATORS, operator) || (op === '==' && isOfFlags && right.kind === 'value')) return undefined
  return asMarkMatch({ kind: 'match', left, operator, right }, isMark(left))
}

/** Parses a match with `{"&": [{"meta": {"key": "mark"}}, 16384]}` on the left. */
function maskedMark({ op, left, right }: JsonRecord): MarkMatchStatement | undefined {
  const [what, mask]: readonly Json[] = isRecord(left) && Array.isArray(left['&']) ? left['&'] : []
  if (!isMark(selectorsOfJson(what)) || typeof mask !== 'number' || typeof right !== 'number') return undefined
  return op === '==' || op === '!=' ? { kind: 'markMatch', mask, operator: op, value: right } : undefined
}

function isMark(selectors: readonly Selector[] | undefined): boolean {
  const [selector] = selectors ?? []
  return selectors?.length === 1 && selector?.kind === 'meta' && selector.key === 'mark'
}

function operandOfJson(json: Json | undefined, left: readonly Selector[]): Operand | undefined {
  if (typeof json === 'string' && json.startsWith('@')) return { kind: 'named', set: json.slice(1) }
  const types = typesOfSelectors(left)
  if (isRecord(json) && json.set !== undefined) {
    const elements = parseJsonElements(json.set, types, [])
    const isBare = elements?.every((element) => Object.keys(element).length === 1) === true
    return isBare && elements !== undefined ? { kind: 'anonymous', keys: elements.map(({ key }) => key) } : undefined
  }
  const flags = Array.isArray(json) ? readJsonStrings(json) : undefined
  const value = flags === undefined ? parseJsonKey(json, types) : flags.join(',')
  return value === undefined ? undefined : { kind: 'value', value }
}

function vmapOfJson({ key, data }: JsonRecord): Statement | undefined {
  const selectors = selectorsOfJson(key)
  const map = selectors === undefined ? undefined : mapOfJson(data, selectors)
  return selectors === undefined || map === undefined ? undefined : { kind: 'vmap', key: selectors, map }
}

function mapOfJson(json: Json | undefined, key: readonly Selector[]): MapOperand | undefined {
  if (typeof json === 'string' && json.startsWith('@')) return { kind: 'named', set: json.slice(1) }
  const elements =
    isRecord(json) && json.set !== undefined ? parseJsonElements(json.set, typesOfSelectors(key), []) : undefined
  return elements === undefined ? undefined : { kind: 'anonymous', elements }
}

const OPERATIONS = [
  ['|', 'or'],
  ['^', 'xor'],
  ['&', 'and'],
] as const

function markSetOfJson({ key, value }: JsonRecord): Statement | undefined {
  if (!isMark(selectorsOfJson(key))) return undefined
  if (typeof value === 'number') return { kind: 'markSet', operation: 'set', value }
  if (!isRecord(value)) return undefined
  for (const [sign, operation] of OPERATIONS) {
    const list = value[sign]
    const [what, bits]: readonly Json[] = Array.isArray(list) ? list : []
    if (isMark(selectorsOfJson(what)) && typeof bits === 'number') return { kind: 'markSet', operation, value: bits }
  }
  return undefined
}

function masqueradeOfJson(value: Json): Statement | undefined {
  if (value === null) return { kind: 'masquerade', fullyRandom: false }
  const flags = isRecord(value) && Object.keys(value).length === 1 ? readJsonStrings(value.flags) : undefined
  return flags?.length === 1 && flags[0] === 'fully-random' ? { kind: 'masquerade', fullyRandom: true } : undefined
}

function dnatOfJson(value: JsonRecord): Statement | undefined {
  const { family: familyJson, addr, port, ...rest } = value
  const family = familyJson === 'ip' || familyJson === 'ip6' ? familyJson : undefined
  if (Object.keys(rest).length > 0 || family !== familyJson) return undefined
  const to =
    typeof addr === 'string' ? addressOfJson(addr, port) : port === undefined ? destinationsOfJson(addr) : undefined
  return to === undefined ? undefined : { kind: 'dnat', ...(family !== undefined && { family }), to }
}

function addressOfJson(address: string, port: Json | undefined): DnatStatement['to'] | undefined {
  if (parseAddressNumber(address) === undefined) return undefined
  if (port === undefined) return { kind: 'address', address }
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65535
  return isPort ? { kind: 'address', address, port } : undefined
}

function destinationsOfJson(json: Json | undefined): DnatStatement['to'] | undefined {
  const map = isRecord(json) && isRecord(json.map) ? json.map : undefined
  const key = selectorsOfJson(map?.key)
  const operand = key === undefined ? undefined : mapOfJson(map?.data, key)
  if (key === undefined || operand?.kind !== 'anonymous') return undefined
  const { elements } = operand
  return destinationPartsOf(elements) === undefined ? undefined : { kind: 'map', key, elements }
}

function rejectOfJson(value: Json): Statement | undefined {
  if (value === null) return { kind: 'reject' }
  const type = isRecord(value) ? readJsonString(value.type) : undefined
  if (!isRecord(value) || type === undefined) return undefined
  const what = readJsonString(value.expr)
  return { kind: 'reject', with: what === undefined ? type : `${type} ${what}` }
}

function setUpdateOfJson({ op, elem, set, stmt }: JsonRecord): Statement | undefined {
  const name = stmt === undefined ? readJsonString(set) : undefined
  if ((op !== 'add' && op !== 'update' && op !== 'delete') || name === undefined) return undefined
  const inner = isRecord(elem) && isRecord(elem.elem) ? elem.elem : undefined
  const timeout = inner === undefined ? undefined : readJsonDuration(inner.timeout)
  const key = selectorsOfJson(inner === undefined ? elem : inner.val)
  const isRead = inner === undefined || Object.keys(inner).every((each) => each === 'val' || each === 'timeout')
  if (key === undefined || !isRead) return undefined
  const at = { kind: 'setUpdate', operation: op, set: name.replace(/^@/, ''), key } as const
  return { ...at, ...(timeout !== undefined && { timeout }) }
}

function counterOfJson(value: Json): Statement | undefined {
  if (typeof value === 'string') return { kind: 'namedCounter', name: value }
  const counts = isRecord(value) ? parseJsonCounterValues(value) : undefined
  return counts === undefined ? undefined : { kind: 'counter', ...counts }
}
