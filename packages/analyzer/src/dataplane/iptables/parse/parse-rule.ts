import type { Match, Rule, Target, UnknownMatch } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { transportMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { peekWord, skipWord, type WordCursor } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import type { IpFamily } from '@kube-rules/types'
import { isPortOption, skipExtensionWords, startsExtensionOption } from './extension-words.js'
import { findMatchParserByModule, findMatchParserByOption } from './find-match.js'
import { isTargetOption, parseTarget, type RuleParseContext } from './parse-target.js'

/** The reason why a rule is invalid, with the index of the word. */
export interface RuleParseError {
  readonly code: 'unexpectedWord' | 'missingValue' | 'duplicateTarget'
  readonly word: number
}

export const RULE_PARSE_MESSAGES: Readonly<Record<RuleParseError['code'], string>> = {
  unexpectedWord: 'expected an option',
  missingValue: 'this option takes a value',
  duplicateTarget: 'the rule already has a target',
}

export type RuleParseResult =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly failure: RuleParseError }

/** Parses the words after `-A CHAIN`; counters (`-c`) are ignored. */
export function parseRule(chain: string, words: WordCursor, context: RuleParseContext): RuleParseResult {
  const matches: Match[] = []
  let target: Target | undefined
  let portsBelongToTransport = false
  while (words.at < words.raw.length) {
    const option = optionAt(words)
    if (option === undefined) return failure('unexpectedWord', words)
    if (isTargetOption(option)) {
      if (target !== undefined) return failure('duplicateTarget', words)
      if (words.at + 1 >= words.raw.length) return failure('missingValue', words)
      target = parseTarget(words, context)
    } else if (option === '-c' || option === '--set-counters') words.at += 3
    else {
      const match = parseMatch(words, portsBelongToTransport, context.family)
      const code = words.at < words.raw.length ? undefined : endProblem(match)
      if (code !== undefined) return failure(code, { ...words, at: words.raw.length - 1 })
      portsBelongToTransport ||= loadsProtocolExtension(match)
      matches.push(match)
    }
  }
  const kept = compactList(matches)
  return { ok: true, rule: target === undefined ? { chain, matches: kept } : { chain, matches: kept, target } }
}

/**
 * Returns the problem of a rule that ends with an incomplete unknown match: a `!`, or an option without its value. The
 * tools reject such a rule. Before a target, the option would take the target as its value.
 */
function endProblem(match: Match): RuleParseError['code'] | undefined {
  if (match.kind !== 'unknown') return undefined
  if (match.words.at(-1) === '!') return 'unexpectedWord'
  return lacksOptionValue(match) ? 'missingValue' : undefined
}

/**
 * Returns the option at the cursor. If `!` is at the cursor, returns the option after it, provided that the option can
 * be negated.
 */
function optionAt({ raw, at }: WordCursor): string | undefined {
  const negated = raw[at] === '!'
  const option = raw[negated ? at + 1 : at]
  return option?.startsWith('-') && !(negated && isTargetOption(option)) ? option : undefined
}

function failure(code: RuleParseError['code'], words: WordCursor): RuleParseResult {
  return { ok: false, failure: { code, word: words.at } }
}

/**
 * Parses the match at the cursor, which is at an option or at `!` and an option. `portsBelongToTransport` means that an
 * earlier match loads TCP, UDP or SCTP. Words that are not a complete match of a supported kind become an unknown
 * match.
 */
function parseMatch(words: WordCursor, portsBelongToTransport: boolean, family: IpFamily): Match {
  const start = words.at
  const negated = skipWord(words, '!')
  const option = peekWord(words)
  words.at++
  const match = isModuleOption(option)
    ? parseModule(words, negated, portsBelongToTransport, family)
    : parseOption(words, option, negated, portsBelongToTransport, family)
  if (match !== undefined) return match
  words.at = start
  return readUnknown(words, portsBelongToTransport)
}

/** Reports whether `--sport` and `--dport` after this match belong to TCP, UDP or SCTP. */
function loadsProtocolExtension(match: Match): boolean {
  if (match.kind === 'transport') return true
  return (
    match.kind === 'protocol' && findMatchParserByModule(canonicalizeProtocol(match.protocol)) === transportMatchParser
  )
}

/** Reports whether unknown words end in an option without its value. */
function lacksOptionValue({ words }: UnknownMatch): boolean {
  const [option = '', module, ...rest] = words[0] === '!' ? words.slice(1) : words
  if (module === undefined) return isModuleOption(option) || findMatchParserByOption(option) !== undefined
  const last = rest.at(-1)
  if (last === undefined || !isModuleOption(option)) return false
  return findMatchParserByModule(unquote(module))?.valueOptions?.includes(last) === true
}

function isModuleOption(option: string | undefined): boolean {
  return option === '-m' || option === '--match'
}

function parseModule(
  words: WordCursor,
  negated: boolean,
  portsBelongToTransport: boolean,
  family: IpFamily,
): Match | undefined {
  const definition = findMatchParserByModule(unquote(peekWord(words) ?? ''))
  if (definition === undefined || negated) return undefined
  words.at++
  const match = definition.parse(words, false, family)
  // A transport match is returned without a check of the following words, because each option of a transport module is
  // a match by itself.
  if (match?.kind === 'transport') return match
  return startsExtensionOption(words, portsBelongToTransport) ? undefined : match
}

function parseOption(
  words: WordCursor,
  option: string | undefined,
  negated: boolean,
  portsBelongToTransport: boolean,
  family: IpFamily,
): Match | undefined {
  if (option === undefined || (isPortOption(option) && !portsBelongToTransport)) return undefined
  return findMatchParserByOption(option)?.parse(words, negated, family)
}

/** Reads an unknown match: all options of a module, or one option and its arguments if no module is named. */
function readUnknown(words: WordCursor, portsBelongToTransport: boolean): UnknownMatch {
  const start = words.at
  skipWord(words, '!')
  const isModule = isModuleOption(peekWord(words))
  words.at = Math.min(words.at + (isModule ? 2 : 1), words.raw.length)
  skipExtensionWords(words, isModule, portsBelongToTransport)
  return { kind: 'unknown', words: words.raw.slice(start, words.at) }
}
