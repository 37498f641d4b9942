import type { DiagnosticsError } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import type {
  DnatStatement,
  Element,
  MapOperand,
  MarkMatchStatement,
  MarkSetStatement,
  MatchStatement,
  Operand,
  Rule,
  Selector,
  SetUpdateStatement,
  Statement,
  Verdict,
} from '../ast.js'
import { joinConcatenation, printKey, splitConcatenation } from '../keys/key-components.js'
import { printUnknownWords } from '../parse/unknown-words.js'
import { formatSelector, typesOfSelectors } from '../selectors.js'
import { formatCounterValue, formatMark, printName, printWord, quoteText } from '../words.js'
import type { NftablesFormat } from './nftables-format.js'
import { printCounts, printWordsOf } from './properties.js'

/**
 * Formats the statements and the comment of a rule, on one line. Throws for a statement that nft cannot print as text.
 */
export function printRule(rule: Rule, format: NftablesFormat): string {
  const words = rule.statements.map((statement) => printStatement(statement, format))
  return (rule.comment === undefined ? words : [...words, `comment ${quoteText(rule.comment)}`]).join(' ')
}

function printStatement(statement: Statement, format: NftablesFormat): string {
  switch (statement.kind) {
    case 'match':
      return printMatch(statement, format)
    case 'markMatch':
      return format.isListed ? formatNftMarkMatch(statement) : formatKubeProxyMarkMatch(statement)
    case 'vmap':
      return `${printSelectors(statement.key)} vmap ${printMap(statement.map, typesOfSelectors(statement.key), format)}`
    case 'reject':
      return statement.with === undefined ? 'reject' : `reject with ${printWordsOf(statement.with)}`
    case 'markSet':
      return printMarkSet(statement, format)
    case 'masquerade':
      return statement.fullyRandom ? 'masquerade fully-random' : 'masquerade'
    case 'dnat':
      return printDnat(statement, format)
    case 'setUpdate':
      return printSetUpdate(statement, format)
    case 'counter':
      return `counter ${printCounts(statement)}`
    case 'namedCounter':
      return `counter name ${quoteText(statement.name)}`
    case 'unknown':
      return printUnknownWords(statement.words)
    case 'unknownJson':
      throw wordlessStatement(statement.json)
    default:
      return printVerdict(statement)
  }
}

/** Creates the error for a statement that nft cannot print as text. */
function wordlessStatement(json: string): DiagnosticsError {
  const message = `${json} cannot be printed as text, because only the JSON of nft has it`
  return createArgumentError('state', message, 'a table read from the output of nft', 'nftables')
}

function printVerdict(verdict: Verdict): string {
  return 'chain' in verdict ? `${verdict.kind} ${printName(verdict.chain)}` : verdict.kind
}

function printSelectors(selectors: readonly Selector[]): string {
  return joinConcatenation(selectors.map((selector) => printWordsOf(formatSelector(selector))))
}

function printMatch({ left, operator, right }: MatchStatement, format: NftablesFormat): string {
  const types = typesOfSelectors(left)
  const written = operator === '==' ? '' : `${operator} `
  return `${printSelectors(left)} ${written}${printOperand(right, types, operator, format)}`
}

function printOperand(
  operand: Operand,
  types: readonly string[],
  operator: MatchStatement['operator'],
  format: NftablesFormat,
): string {
  if (operand.kind === 'named') return `@${printName(operand.set)}`
  if (operand.kind === 'value') {
    const isOfFlags = types[0] === 'ct_state' || types[0] === 'ct_status'
    if (isOfFlags) return operand.value.split(',').map(printWord).join(',')
    return printKey(operand.value, types, format.isListed)
  }
  const keys = operand.keys.map((key) => printKey(key, types, format.isListed))
  // kube-proxy writes only one kind of list without spaces: the networks of a match that is not negated.
  const isBare = !format.isListed && operator === '=='
  return `{ ${keys.join(isBare ? ',' : format.comma)} }`
}

function printMap(map: MapOperand, types: readonly string[], format: NftablesFormat): string {
  return map.kind === 'named' ? `@${printName(map.set)}` : printElements(map.elements, types, format)
}

function printElements(elements: readonly Element[], types: readonly string[], format: NftablesFormat): string {
  return `{ ${elements.map((element) => printElement(element, types, [], format)).join(format.comma)} }`
}

/** Formats an element of a set or map with these types: `10.96.0.1 . tcp . 80 comment "…" : goto NAME`. */
export function printElement(
  element: Element,
  types: readonly string[],
  dataTypes: readonly string[],
  format: NftablesFormat,
): string {
  const { key, verdict, data, comment, timeout, expires, counter } = element
  let text = printKey(key, types, format.isListed)
  if (counter !== undefined) text += ` counter ${printCounts(counter)}`
  if (timeout !== undefined) text += ` timeout ${format.duration(timeout)}`
  if (expires !== undefined) text += ` expires ${format.duration(expires)}`
  if (comment !== undefined) text += ` comment ${quoteText(comment)}`
  if (verdict !== undefined) return `${text} : ${printVerdict(verdict)}`
  return data === undefined ? text : `${text} : ${printKey(data, dataTypes, format.isListed)}`
}

function formatKubeProxyMarkMatch({ mask, operator, value }: MarkMatchStatement): string {
  if (mask === 0xffffffff) return operator === '==' ? `mark ${formatMark(value)}` : `mark != ${formatMark(value)}`
  // Only 0 has a short form in kube-proxy; every other number has eight digits.
  return `mark and ${formatMark(mask)} ${operator} ${value === 0 ? '0' : formatMark(value)}`
}

function formatNftMarkMatch({ mask, operator, value }: MarkMatchStatement): string {
  const length = prefixLength(mask)
  if (length === undefined) return `meta mark & ${formatMark(mask)} ${operator} ${formatMark(value)}`
  const written = operator === '==' ? '' : '!= '
  return `meta mark ${written}${formatMark(value)}${length === 32 ? '' : `/${length}`}`
}

/** Returns the number of mask bits if these bits are the highest bits. */
function prefixLength(mask: number): number | undefined {
  const length = Math.clz32(~mask)
  return mask === (length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0) ? length : undefined
}

const OPERATORS = { or: '|', xor: '^', and: '&' } as const

function printMarkSet({ operation, value }: MarkSetStatement, { isListed }: NftablesFormat): string {
  const mark = formatMark(value)
  if (operation === 'set') return isListed ? `meta mark set ${mark}` : `mark set ${mark}`
  return isListed ? `meta mark set meta mark ${OPERATORS[operation]} ${mark}` : `mark set mark ${operation} ${mark}`
}

function printDnat({ family, to }: DnatStatement, format: NftablesFormat): string {
  const familyWord = family === undefined ? '' : ` ${family}`
  if (to.kind === 'address') {
    const address = printWord(to.address)
    if (to.port === undefined) return `dnat${familyWord} to ${address}`
    return `dnat${familyWord} to ${address.includes(':') ? `[${address}]` : address}:${formatCounterValue(to.port)}`
  }
  const hasPorts = splitConcatenation(to.elements[0]?.data ?? '').length === 2
  const what = hasPorts && format.printsAddressAndPort ? ' addr . port' : ''
  const elements = printElements(to.elements, typesOfSelectors(to.key), format)
  return `dnat${familyWord}${what} to ${printSelectors(to.key)} map ${elements}`
}

function printSetUpdate({ operation, set, key, timeout }: SetUpdateStatement, format: NftablesFormat): string {
  const time = timeout === undefined ? '' : ` timeout ${format.duration(timeout)}`
  return `${operation} @${printName(set)} { ${printSelectors(key)}${time} }`
}
