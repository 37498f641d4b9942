import type { Element, NamedObject, TableFamily } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type {
  AdditionVerb,
  CommandTable,
  NftCommand,
  RemovalVerb,
} from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { nextToken, peekToken, type Token } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { isOneOf } from '@kube-rules/compiler/internal/internal/is-one-of'
import { parseChainBody } from './parse-chain.js'
import { type ElementTypes, parseElements } from './parse-element.js'
import { parseRule } from './parse-rule.js'
import { parseSetBody } from './parse-set.js'
import { parseCtObjectType, parseObjectBody } from './parse-table.js'
import { type NftablesParser, recordProblem, recordUnexpectedToken } from './problem.js'
import {
  consumeFlags,
  consumeInteger,
  consumeText,
  consumeWord,
  isWord,
  skipPunctuation,
  skipSeparators,
  skipWord,
} from './tokens.js'

/** Returns the types of the keys and data of a set or map; empty if unknown. */
export type SetTypesLookup = (place: CommandTable, set: string) => ElementTypes

const FAMILIES: ReadonlySet<TableFamily> = new Set(['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'])

/** Parses an optional family; nft uses `ip` by default. */
export function parseTableFamily(reader: NftablesParser): TableFamily | undefined {
  const token = peekToken(reader)
  if (token.kind !== 'word' || !isOneOf(FAMILIES, token.text)) return undefined
  reader.at = token.end
  return token.text
}

type Verb = AdditionVerb | RemovalVerb | 'flush' | 'insert' | 'replace'

const VERBS: ReadonlySet<Verb> = new Set(['add', 'create', 'delete', 'destroy', 'flush', 'insert', 'replace'])

/**
 * Parses the command at the cursor. If the command is invalid, records a problem and returns undefined. In this case,
 * the cursor is somewhere within the command.
 */
export function parseCommand(reader: NftablesParser, typesOf: SetTypesLookup): NftCommand | undefined {
  const token = nextToken(reader)
  const verb = token.text
  if (token.kind !== 'word' || !isOneOf(VERBS, verb)) {
    return recordProblem(reader, 'unknownCommand', `expected ${[...VERBS].join(', ')} or a table`, token)
  }
  const objectToken = peekToken(reader)
  const object = consumeWord(reader)
  switch (object) {
    case undefined:
      return recordUnexpectedToken(reader, 'the object of the command', objectToken)
    case 'ruleset':
      return verb === 'flush' ? parseFlushRuleset(reader) : unknown(reader, objectToken)
    case 'table':
      return parseTable(reader, verb, objectToken)
    case 'chain':
      return parseChain(reader, verb, objectToken)
    case 'set':
    case 'map':
      return parseSet(reader, { verb, kind: object, token: objectToken })
    case 'element':
      return parseElementCommand(reader, { verb, typesOf, token: objectToken })
    case 'rule':
      return parseRuleCommand(reader, verb, objectToken)
    default:
      return parseObject(reader, { verb, type: object, token: objectToken })
  }
}

function unknown(reader: NftablesParser, token: Token): undefined {
  return recordProblem(reader, 'unknownCommand', 'the command does not apply to this object', token)
}

function isAdd(verb: Verb): verb is AdditionVerb {
  return verb === 'add' || verb === 'create'
}

function isRemove(verb: Verb): verb is RemovalVerb {
  return verb === 'delete' || verb === 'destroy'
}

function parseFlushRuleset(reader: NftablesParser): NftCommand {
  const family = parseTableFamily(reader)
  return { verb: 'flush', object: 'ruleset', ...(family !== undefined && { family }) }
}

/** Parses `[FAMILY] TABLE`. */
function consumePlace(reader: NftablesParser): CommandTable | undefined {
  const family = parseTableFamily(reader) ?? 'ip'
  const table = consumeName(reader)
  return table === undefined ? undefined : { family, table }
}

function consumeName(reader: NftablesParser): string | undefined {
  const token = peekToken(reader)
  if (isWord(token, 'handle')) return recordProblem(reader, 'invalidValue', 'expected a name, not a handle', token)
  return consumeWord(reader) ?? recordUnexpectedToken(reader, 'a name', token)
}

function parseTable(reader: NftablesParser, verb: Verb, token: Token): NftCommand | undefined {
  const place = consumePlace(reader)
  if (place === undefined) return undefined
  if (isRemove(verb) || verb === 'flush') return { ...place, verb, object: 'table' }
  if (!isAdd(verb)) return unknown(reader, token)
  let options: { comment?: string; flags?: readonly string[] } = {}
  if (skipPunctuation(reader, '{')) {
    for (skipSeparators(reader); !skipPunctuation(reader, '}'); skipSeparators(reader)) {
      const option = parseTableOption(reader)
      if (option === undefined) return recordUnexpectedToken(reader, 'comment or flags', peekToken(reader))
      options = { ...options, ...option }
    }
  }
  return { ...place, verb, object: 'table', ...options }
}

function parseTableOption(reader: NftablesParser): { comment: string } | { flags: readonly string[] } | undefined {
  if (skipWord(reader, 'comment')) {
    const comment = consumeText(reader)
    return comment === undefined ? undefined : { comment }
  }
  const flags = skipWord(reader, 'flags') ? consumeFlags(reader) : undefined
  return flags === undefined ? undefined : { flags }
}

function parseChain(reader: NftablesParser, verb: Verb, token: Token): NftCommand | undefined {
  const place = consumePlace(reader)
  const name = place === undefined ? undefined : consumeName(reader)
  if (place === undefined || name === undefined) return undefined
  if (isRemove(verb) || verb === 'flush') return { ...place, verb, object: 'chain', name }
  if (!isAdd(verb)) return unknown(reader, token)
  if (!skipPunctuation(reader, '{')) return { ...place, verb, object: 'chain', chain: { name } }
  const problems = reader.problems.length
  const { rules, ...body } = parseChainBody(reader, place.family)
  if (reader.problems.length > problems) return undefined
  if (rules.length > 0)
    return recordProblem(reader, 'unexpectedWord', 'expected each rule in a separate command', token)
  return { ...place, verb, object: 'chain', chain: { name, ...body } }
}

interface About {
  readonly verb: Verb
  /** The keyword of the object type of the command. */
  readonly token: Token
}

function parseSet(reader: NftablesParser, about: About & { readonly kind: 'set' | 'map' }): NftCommand | undefined {
  const { verb, kind, token } = about
  const place = consumePlace(reader)
  const name = place === undefined ? undefined : consumeName(reader)
  if (place === undefined || name === undefined) return undefined
  if (isRemove(verb) || verb === 'flush') return { ...place, verb, object: 'set', kind, name }
  if (!isAdd(verb)) return unknown(reader, token)
  if (!skipPunctuation(reader, '{')) return recordUnexpectedToken(reader, 'an opening brace', peekToken(reader))
  const body = parseSetBody(reader, kind)
  if (body === undefined) return undefined
  const { definition, elements } = body
  const set = { kind, name, ...definition }
  return { ...place, verb, object: 'set', set, ...(elements.length > 0 && { elements }) }
}

function parseElementCommand(
  reader: NftablesParser,
  about: About & { readonly typesOf: SetTypesLookup },
): NftCommand | undefined {
  const { verb, typesOf, token } = about
  const place = consumePlace(reader)
  const set = place === undefined ? undefined : consumeName(reader)
  if (place === undefined || set === undefined) return undefined
  if (!isAdd(verb) && !isRemove(verb)) return unknown(reader, token)
  const elements: readonly Element[] | undefined = parseElements(reader, typesOf(place, set))
  if (elements === undefined) return recordUnexpectedToken(reader, 'a list of elements in braces', peekToken(reader))
  return { ...place, verb, object: 'element', set, elements }
}

function parseRuleCommand(reader: NftablesParser, verb: Verb, token: Token): NftCommand | undefined {
  const place = consumePlace(reader)
  const chain = place === undefined ? undefined : consumeName(reader)
  if (place === undefined || chain === undefined) return undefined
  const saysHandle = skipWord(reader, 'handle') || skipWord(reader, 'position')
  const handleToken = peekToken(reader)
  const handle = saysHandle ? consumeInteger(reader) : undefined
  if (saysHandle && handle === undefined) return recordUnexpectedToken(reader, 'a handle', handleToken)
  if (isRemove(verb)) {
    if (handle === undefined) return recordUnexpectedToken(reader, 'handle N', handleToken)
    return { ...place, verb, object: 'rule', chain, handle }
  }
  if (verb === 'create' || verb === 'flush') return unknown(reader, token)
  if (verb === 'replace' && handle === undefined) return recordUnexpectedToken(reader, 'handle N', handleToken)
  if (isWord(handleToken, 'index'))
    return recordProblem(reader, 'invalidValue', 'expected a handle, not an index', handleToken)
  const rule = parseRule(reader)
  if (rule === undefined) return undefined
  if (rule.statements.length === 0) return recordUnexpectedToken(reader, 'a statement', peekToken(reader))
  if (verb === 'replace') return { ...place, verb, object: 'rule', chain, handle: handle as number, rule }
  return { ...place, verb, object: 'rule', chain, rule, ...(handle !== undefined && { beside: handle }) }
}

/** Types of named objects that are neither sets nor chains. */
const OBJECT_TYPES: ReadonlySet<string> = new Set([
  'counter',
  'quota',
  'limit',
  'flowtable',
  'secmark',
  'synproxy',
  'ct',
  'tunnel',
])

function parseObject(reader: NftablesParser, about: About & { readonly type: string }): NftCommand | undefined {
  const { verb, token } = about
  if (!OBJECT_TYPES.has(about.type) || (!isAdd(verb) && !isRemove(verb))) return unknown(reader, token)
  const type = about.type === 'ct' ? parseCtObjectType(consumeWord(reader)) : about.type
  if (type === undefined) return recordUnexpectedToken(reader, 'the type of the ct object', peekToken(reader))
  const place = consumePlace(reader)
  const name = place === undefined ? undefined : consumeName(reader)
  if (place === undefined || name === undefined) return undefined
  if (isRemove(verb)) return { ...place, verb, object: 'named', type, name }
  const empty: NamedObject =
    type === 'counter' ? { kind: 'counter', name, packets: 0, bytes: 0 } : { kind: 'unknown', type, name, lines: [] }
  const definition = skipPunctuation(reader, '{') ? parseObjectBody(reader, type, name) : empty
  return definition === undefined ? undefined : { ...place, verb, object: 'named', definition }
}
