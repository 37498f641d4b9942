import { isRecord, type Json, type JsonRecord } from '../parse/json-values.js'

/** Formats a value, a selector or an expression. */
export function expressionText(json: Json | undefined): string | undefined {
  if (json === undefined || json === null) return undefined
  if (typeof json === 'boolean') return json ? 'exists' : 'missing'
  if (typeof json === 'number') return String(json)
  if (typeof json === 'string') return isWord(json) ? json : quote(json)
  if (!isRecord(json)) return listText(json)
  const [entry] = Object.entries(json)
  if (entry === undefined) return undefined
  const [kind, value] = entry
  if (Array.isArray(value)) return operationText(kind, value)
  return isRecord(value) ? selectorText(kind, value) : undefined
}

const OPERATORS: ReadonlySet<string> = new Set(['&', '|', '^', '<<', '>>'])

function operationText(kind: string, parts: readonly Json[]): string | undefined {
  if (kind === 'set') return joinTexts(parts.map(elementText), ', ', '{ ', ' }')
  const texts = parts.map(expressionText)
  if (kind === 'concat') return joinTexts(texts, ' . ')
  if (kind === 'range') return joinTexts(texts, '-')
  if (!OPERATORS.has(kind)) return undefined
  // A list of flags is a sum, which is grouped as the operand of another operator.
  const operands = parts.map((part, at) => (Array.isArray(part) ? `(${texts[at]?.replaceAll(',', '|')})` : texts[at]))
  return joinTexts(operands, kind === '|' && parts.every((part) => typeof part === 'string') ? '|' : ` ${kind} `)
}

function elementText(json: Json): string | undefined {
  if (!Array.isArray(json)) return plainElementText(json)
  const [key, value] = json as readonly Json[]
  const text = plainElementText(key)
  const data = verdictText(value) ?? expressionText(value)
  return text === undefined || data === undefined ? undefined : `${text} : ${data}`
}

function plainElementText(json: Json | undefined): string | undefined {
  return isRecord(json) && isRecord(json.elem) ? expressionText(json.elem.val) : expressionText(json)
}

function verdictText(json: Json | undefined): string | undefined {
  const [entry] = isRecord(json) ? Object.entries(json) : []
  if (entry === undefined) return undefined
  const [kind, value] = entry
  if (value === null) return kind
  return (kind === 'jump' || kind === 'goto') && isRecord(value)
    ? joinTexts([kind, wordText(value.target)], ' ')
    : undefined
}

function selectorText(kind: string, value: JsonRecord): string | undefined {
  switch (kind) {
    case 'payload':
      if (value.base !== undefined)
        return joinTexts([joinTexts(['@', wordText(value.base)], ''), wordText(value.offset), wordText(value.len)], ',')
      return joinTexts([wordText(value.protocol), wordText(value.field)], ' ')
    case 'meta':
    case 'socket':
    case 'osf':
      return joinTexts([kind, wordText(value.key)], ' ')
    case 'ct':
    case 'rt':
      return joinTexts([kind, optionalText(value.dir), optionalText(value.family), keyText(value.key)], ' ')
    case 'ipsec':
      return joinTexts([kind, wordText(value.dir), optionalText(value.family), wordText(value.key)], ' ')
    case 'fib':
      return joinTexts([kind, joinTexts(listOf(value.flags).map(wordText), ' . '), wordText(value.result)], ' ')
    case 'numgen':
      return joinTexts(['numgen', wordText(value.mode), 'mod', wordText(value.mod), offsetText(value.offset)], ' ')
    case 'jhash':
      return joinTexts(['jhash', expressionText(value.expr), 'mod', wordText(value.mod), offsetText(value.offset)], ' ')
    case 'symhash':
      return joinTexts(['symhash mod', wordText(value.mod), offsetText(value.offset)], ' ')
    case 'exthdr':
      return joinTexts(
        value.field === undefined ? [kind, wordText(value.name)] : [wordText(value.name), wordText(value.field)],
        ' ',
      )
    case 'tcp option':
    case 'ip option':
    case 'sctp chunk':
    case 'dccp option':
      return joinTexts([kind, wordText(value.name ?? value.type), optionalText(value.field)], ' ')
    case 'prefix':
      return joinTexts([expressionText(value.addr), wordText(value.len)], '/')
    case 'map':
      return joinTexts([expressionText(value.key), 'map', expressionText(value.data)], ' ')
    default:
      return undefined
  }
}

/** Formats the key of a connection, which may begin with a family: `ip daddr`. */
function keyText(key: Json | undefined): string | undefined {
  return typeof key === 'string' ? joinTexts(key.split(' ').map(wordText), ' ') : undefined
}

function offsetText(offset: Json | undefined): string | undefined {
  return offset === undefined || offset === 0 ? '' : joinTexts(['offset', wordText(offset)], ' ')
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : json === undefined ? [] : [json]
}

export function listText(json: Json): string | undefined {
  return joinTexts(listOf(json).map(wordText), ',')
}

export function optionalText(json: Json | undefined): string | undefined {
  return json === undefined ? '' : expressionText(json)
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
