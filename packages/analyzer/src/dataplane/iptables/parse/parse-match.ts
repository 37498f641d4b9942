import type { Match, UnknownMatch } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { transportMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { peekWord, skipWord, type WordCursor } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import type { IpFamily } from '@kube-rules/types'
import { isPortOption, skipExtensionWords, startsExtensionOption } from './extension-words.js'
import { findMatchByModule, findMatchByOption } from './find-match.js'

/**
 * Parses the match at the cursor, which is at an option or at `!` and an option. `portsBelongToTransport` means that an
 * earlier match loads TCP, UDP or SCTP. Words that are not a complete match of a supported kind become an unknown
 * match.
 */
export function parseMatch(words: WordCursor, portsBelongToTransport: boolean, family: IpFamily): Match {
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
export function loadsProtocolExtension(match: Match): boolean {
  if (match.kind === 'transport') return true
  return match.kind === 'protocol' && findMatchByModule(canonicalizeProtocol(match.protocol)) === transportMatchParser
}

/** Reports whether unknown words end in an option without its value. */
export function lacksOptionValue({ words }: UnknownMatch): boolean {
  const [option = '', module, ...rest] = words[0] === '!' ? words.slice(1) : words
  if (module === undefined) return isModuleOption(option) || findMatchByOption(option) !== undefined
  const last = rest.at(-1)
  if (last === undefined || !isModuleOption(option)) return false
  return findMatchByModule(unquote(module))?.valueOptions?.includes(last) === true
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
  const definition = findMatchByModule(unquote(peekWord(words) ?? ''))
  if (definition === undefined || negated) return undefined
  words.at++
  const match = definition.parse(words, false, family)
  // Returned without a check of the following words, because each option of a transport module is a match by itself.
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
  return findMatchByOption(option)?.parse(words, negated, family)
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
