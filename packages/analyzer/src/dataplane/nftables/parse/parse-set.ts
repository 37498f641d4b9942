import type { Element, KeyType, SetDefinition } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { nextToken, peekToken } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { isValidType } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { consumeDuration, parseElements } from './parse-element.js'
import { consumeWordsUntil } from './parse-rule.js'
import { type NftablesParser, recordProblem, recordUnexpectedToken } from './problem.js'
import { readBlock } from './read-block.js'
import { consumeFlags, consumeInteger, consumeText, consumeWord, endsStatement, isWord, skipWord } from './tokens.js'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The content between the braces of a set or map. */
export interface SetBody {
  readonly definition: Omit<SetDefinition, 'kind' | 'name'>
  readonly elements: readonly Element[]
}

/**
 * Parses the body of a set or map up to the closing brace. The cursor is after the opening brace. Undefined if the body
 * has no type.
 */
export function parseSetBody(reader: NftablesParser, kind: 'set' | 'map'): SetBody | undefined {
  const body: Writable<Partial<SetDefinition>> = {}
  const opened = peekToken(reader)
  let elements: readonly Element[] = []
  const problems = reader.problems.length
  readBlock(reader, kind, () => {
    const token = nextToken(reader)
    if (isWord(token, 'elements')) {
      const parsed = skipWord(reader, '=') ? parseElements(reader, declaredTypesOf(body)) : undefined
      if (parsed === undefined) recordUnexpectedToken(reader, 'a list of elements in braces', peekToken(reader))
      else elements = parsed
    } else if (token.kind !== 'word' || !consumeOption(reader, token.text, body))
      recordUnexpectedToken(reader, `a property of the ${kind}`, token)
    const next = peekToken(reader)
    if (!endsStatement(next) && reader.problems.length === problems)
      recordUnexpectedToken(reader, 'the end of the line', next)
  })
  if (reader.problems.length > problems) return undefined
  const { key, data, ...rest } = body
  if (key === undefined || (kind === 'map') !== (data !== undefined)) {
    return recordProblem(reader, 'missingWord', `the ${kind} has no type`, opened)
  }
  return { definition: { key, ...(data !== undefined && { data }), ...rest }, elements }
}

/** Returns the types of keys and data. The list of key types is empty if they are not declared by `type`. */
export function declaredTypesOf({ key, data }: Partial<Pick<SetDefinition, 'key' | 'data'>>): {
  readonly key: readonly string[]
  readonly data: readonly string[]
} {
  return { key: key?.kind === 'type' ? key.types : [], data: data ?? [] }
}

/** The property of an option, and the parser of its value. */
type Option = readonly [property: keyof SetDefinition, parse: (reader: NftablesParser) => unknown]

/** The options of a set other than its type. */
const OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['flags', ['flags', consumeFlags]],
  ['timeout', ['timeout', consumeDuration]],
  ['gc-interval', ['gcInterval', consumeDuration]],
  ['size', ['size', consumeInteger]],
  ['policy', ['policy', consumeWord]],
  ['auto-merge', ['autoMerge', () => true]],
  ['counter', ['counts', () => true]],
  ['comment', ['comment', consumeText]],
])

/** Parses the value of an option into the body; reports whether it is valid. */
function consumeOption(reader: NftablesParser, word: string, body: Writable<Partial<SetDefinition>>): boolean {
  if (word === 'type' || word === 'typeof') {
    const words = consumeWordsUntil(reader, () => false)
    return words !== undefined && words.length > 0 && readTypes(words, word, body)
  }
  const [property, parse] = OPTIONS.get(word) ?? []
  const value = parse?.(reader)
  if (property === undefined || value === undefined) return false
  Object.assign(body, { [property]: value })
  return true
}

/** Parses `ipv4_addr . inet_service : verdict`. A type is one word. An expression after `typeof` has several words. */
function readTypes(words: readonly string[], how: 'type' | 'typeof', body: Writable<Partial<SetDefinition>>): boolean {
  const colon = words.indexOf(':')
  const keyWords = colon < 0 ? words : words.slice(0, colon)
  const key: KeyType = how === 'type' ? { kind: 'type', types: partsOf(keyWords) } : { kind: 'typeof', words: keyWords }
  const data = colon < 0 ? undefined : partsOf(words.slice(colon + 1))
  if (keyWords.length === 0 || (key.kind === 'type' && !key.types.every(isValidType))) return false
  if (data?.some((part) => part === '') === true || words.some(hasBlank)) return false
  body.key = key
  if (data !== undefined) body.data = data
  return true
}

function partsOf(words: readonly string[]): readonly string[] {
  return words.join(' ').split(' . ')
}

/**
 * Reports whether a word contains spaces. Only quoted text contains spaces, and quoted text is neither a type nor an
 * expression.
 */
function hasBlank(word: string): boolean {
  return /\s/.test(word)
}
