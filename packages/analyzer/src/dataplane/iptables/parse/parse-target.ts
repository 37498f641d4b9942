import type { Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { parseDnatTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/dnat'
import { parseMarkTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/mark'
import { parseMasqueradeTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/masquerade'
import { parseRedirectTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/redirect'
import { parseRejectTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/reject'
import { consumeWord, type WordCursor } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import type { IpFamily } from '@kube-rules/types'
import { skipExtensionWords, startsExtensionOption } from './extension-words.js'

/** The facts about the table of a rule that the parser needs: the family and the chains. */
export interface RuleParseContext {
  readonly family: IpFamily
  /** The chains of the table so far. */
  readonly chains: ReadonlySet<string>
}

/** All rules share this object, because a dump has very many identical targets. */
const ACCEPT: Target = { kind: 'accept' }
const DROP: Target = { kind: 'drop' }
const RETURN: Target = { kind: 'return' }

/**
 * Parses the words after the name of a target. Returns undefined if the words do not fit the target. The caller then
 * stores the words as an unknown target. The position in `words` may have changed.
 */
type TargetParser = (words: WordCursor, family: IpFamily) => Target | undefined

const PARSERS: ReadonlyMap<string, TargetParser> = new Map<string, TargetParser>([
  ['ACCEPT', () => ACCEPT],
  ['DROP', () => DROP],
  ['RETURN', () => RETURN],
  ['REJECT', parseRejectTarget],
  ['MARK', parseMarkTarget],
  ['MASQUERADE', parseMasqueradeTarget],
  ['DNAT', parseDnatTarget],
  ['REDIRECT', parseRedirectTarget],
])

export function isTargetOption(option: string): boolean {
  return option === '-j' || option === '--jump' || isGotoOption(option)
}

function isGotoOption(option: string | undefined): boolean {
  return option === '-g' || option === '--goto'
}

/**
 * Parses the target at the cursor, which is at `-j` or `-g`. Words that are not a complete target of a supported kind
 * become an unknown target.
 */
export function parseTarget(words: WordCursor, context: RuleParseContext): Target {
  const start = words.at
  const isGoto = isGotoOption(words.raw[start])
  words.at++
  const target = consumeWord(words)
  const ruleTarget = target === undefined ? undefined : readTarget(words, target, isGoto, context)
  if (ruleTarget !== undefined && !startsExtensionOption(words, false)) return ruleTarget
  words.at = Math.min(start + 2, words.raw.length)
  skipExtensionWords(words, true, false)
  return { kind: 'unknown', words: words.raw.slice(start, words.at) }
}

/** Parses the target of a rule: a chain of the table, a known target, or a chain that the text does not declare. */
function readTarget(words: WordCursor, target: string, isGoto: boolean, context: RuleParseContext): Target | undefined {
  if (isGoto) return { kind: 'goto', chain: target }
  const parse = PARSERS.get(target)
  // The few targets that are not chains are looked up first, because this lookup is faster than a lookup among very
  // many chains.
  const isChain = (parse === undefined && !isExtensionTarget(target)) || context.chains.has(target)
  return isChain ? { kind: 'jump', chain: target } : parse?.(words, context.family)
}

/**
 * Names of extension targets of iptables. After `-j`, these names are not chains, unless the table has a chain with
 * that name.
 */
const EXTENSION_TARGETS: ReadonlySet<string> = new Set([
  'AUDIT',
  'CHECKSUM',
  'CLASSIFY',
  'CLUSTERIP',
  'CONNMARK',
  'CONNSECMARK',
  'CT',
  'DNPT',
  'DSCP',
  'ECN',
  'HL',
  'HMARK',
  'IDLETIMER',
  'LED',
  'LOG',
  'NAT',
  'NETMAP',
  'NFLOG',
  'NFQUEUE',
  'NOTRACK',
  'QUEUE',
  'RATEEST',
  'REDIRECT',
  'SECMARK',
  'SET',
  'SNAT',
  'SNPT',
  'SYNPROXY',
  'TCPMSS',
  'TCPOPTSTRIP',
  'TEE',
  'TOS',
  'TPROXY',
  'TRACE',
  'TTL',
  'ULOG',
])

export function isExtensionTarget(target: string): boolean {
  return EXTENSION_TARGETS.has(target)
}
