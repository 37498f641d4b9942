import type {
  Chain,
  Element,
  NamedObject,
  NamedSet,
  Table,
  TableFamily,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { peekToken } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { formatObjectKey } from '../apply/draft.js'
import { parseChainBody } from './parse-chain.js'
import { consumeCounterValues } from './parse-element.js'
import { consumeWordsUntil, parseHandle } from './parse-rule.js'
import { parseSetBody } from './parse-set.js'
import { type NftablesParser, recordProblem, recordUnexpectedToken } from './problem.js'
import { readBlock } from './read-block.js'
import { consumeFlags, consumeText, consumeWord, isWord, skipPunctuation, skipSeparators, skipWord } from './tokens.js'

/** A table during parsing of its block. */
interface OpenTable {
  readonly family: TableFamily
  readonly name: string
  comment?: string
  flags?: readonly string[]
  handle?: number
  readonly chains: Map<string, Chain>
  readonly sets: Map<string, NamedSet>
  readonly objects: Map<string, NamedObject>
}

/** Parses the content of a table up to the closing brace. The cursor is after the opening brace. */
export function parseTableBody(reader: NftablesParser, family: TableFamily, name: string): Table {
  const handle = parseHandle(reader)
  const table: OpenTable = { family, name, chains: new Map(), sets: new Map(), objects: new Map() }
  readBlock(reader, 'table', () => consumePart(reader, table))
  const { comment, flags, chains, sets, objects } = table
  return {
    family,
    name,
    ...(flags !== undefined && { flags }),
    ...(comment !== undefined && { comment }),
    ...(handle !== undefined && { handle }),
    chains: [...chains.values()],
    sets: [...sets.values()],
    objects: [...objects.values()],
  }
}

function consumePart(reader: NftablesParser, table: OpenTable): undefined {
  const token = peekToken(reader)
  const word = consumeWord(reader)
  switch (word) {
    case undefined:
      return recordUnexpectedToken(reader, 'a chain, a set or a map', token)
    case 'comment': {
      const comment = consumeText(reader)
      if (comment === undefined) return recordUnexpectedToken(reader, 'a comment', peekToken(reader))
      table.comment = comment
      return
    }
    case 'flags': {
      const flags = consumeFlags(reader)
      if (flags === undefined) return recordUnexpectedToken(reader, 'flags', peekToken(reader))
      table.flags = flags
      return
    }
    case 'chain':
      return parseChain(reader, table)
    case 'set':
    case 'map':
      return parseSet(reader, table, word)
    default:
      return parseObject(reader, table, word)
  }
}

/** Parses the name before a block, and the opening brace. If either is missing, records a problem and returns undefined. */
function consumeHead(reader: NftablesParser): string | undefined {
  const name = consumeWord(reader)
  if (name === undefined) return recordUnexpectedToken(reader, 'a name', peekToken(reader))
  return skipPunctuation(reader, '{') ? name : recordUnexpectedToken(reader, 'an opening brace', peekToken(reader))
}

function parseChain(reader: NftablesParser, { chains, family }: OpenTable): undefined {
  const token = peekToken(reader)
  const name = consumeHead(reader)
  if (name === undefined) return
  const handle = parseHandle(reader)
  const body = parseChainBody(reader, family)
  if (chains.has(name)) return recordProblem(reader, 'duplicateName', 'another chain of the table has this name', token)
  chains.set(name, { name, ...body, ...(handle !== undefined && { handle }) })
}

function parseSet(reader: NftablesParser, { sets }: OpenTable, kind: 'set' | 'map'): undefined {
  const token = peekToken(reader)
  const name = consumeHead(reader)
  if (name === undefined) return
  const handle = parseHandle(reader)
  const body = parseSetBody(reader, kind)
  if (body === undefined) return
  if (sets.has(name))
    return recordProblem(reader, 'duplicateName', 'another set or map of the table has this name', token)
  const byKey = new Map<string, Element>()
  const repeated = body.elements.find((element) => isConflicting(element, byKey))
  if (repeated !== undefined) {
    return recordProblem(reader, 'duplicateName', `element ${repeated.key} already exists with other data`, token)
  }
  const elements = byKey.size === body.elements.length ? body.elements : [...byKey.values()]
  sets.set(name, { kind, name, ...body.definition, ...(handle !== undefined && { handle }), elements })
}

function parseObject(reader: NftablesParser, { objects }: OpenTable, word: string): undefined {
  const token = peekToken(reader)
  const type = word === 'ct' ? parseCtObjectType(consumeWord(reader)) : word
  if (type === undefined) return recordUnexpectedToken(reader, 'the type of the ct object', token)
  const name = consumeHead(reader)
  if (name === undefined) return
  const handle = parseHandle(reader)
  const object = parseObjectBody(reader, type, name)
  if (object !== undefined) objects.set(formatObjectKey(object), handle === undefined ? object : { ...object, handle })
}

/** Parses a named object up to the closing brace. The cursor is after the opening brace. */
export function parseObjectBody(reader: NftablesParser, type: string, name: string): NamedObject | undefined {
  return type === 'counter' ? parseNamedCounter(reader, name) : parseUnknownObject(reader, type, name)
}

function parseNamedCounter(reader: NftablesParser, name: string): NamedObject | undefined {
  let counts = { packets: 0, bytes: 0 }
  let comment: string | undefined
  for (;;) {
    skipSeparators(reader)
    if (skipPunctuation(reader, '}')) break
    const token = peekToken(reader)
    if (skipWord(reader, 'comment')) {
      comment = consumeText(reader)
      if (comment === undefined) return recordUnexpectedToken(reader, 'a comment', peekToken(reader))
      continue
    }
    const read = isWord(token, 'packets') ? consumeCounterValues(reader) : undefined
    if (read === undefined) return recordUnexpectedToken(reader, 'packets N bytes N', token)
    counts = read
  }
  return { kind: 'counter', name, ...counts, ...(comment !== undefined && { comment }) }
}

function parseUnknownObject(reader: NftablesParser, type: string, name: string): NamedObject | undefined {
  const lines: (readonly string[])[] = []
  for (;;) {
    skipSeparators(reader)
    if (skipPunctuation(reader, '}')) break
    const words = consumeWordsUntil(reader, () => false)
    if (words === undefined) return undefined
    if (words.length === 0)
      return recordProblem(reader, 'unclosedBlock', `the ${type} is not closed`, peekToken(reader))
    lines.push(words)
  }
  return { kind: 'unknown', type, name, lines }
}

/** Returns the object type in nft notation, such as `ct helper` for the word `helper`. */
export function parseCtObjectType(what: string | undefined): string | undefined {
  return what === undefined ? undefined : `ct ${what}`
}

/** Adds an element to the elements by key. Reports whether it is listed again with other data; nft rejects such a set. */
function isConflicting(element: Element, byKey: Map<string, Element>): boolean {
  const other = byKey.get(element.key)
  byKey.set(element.key, element)
  return other !== undefined && JSON.stringify(other) !== JSON.stringify(element)
}
