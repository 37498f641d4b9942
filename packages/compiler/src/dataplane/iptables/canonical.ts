import type { IpFamily } from '@kube-rules/types'
import { append } from '../../internal/append.js'
import type { Match, MatchKind, Rule } from './ast.js'
import { canonicalMatch } from './matches/matches.js'
import { canonicalVerdict } from './verdicts/verdicts.js'

/** The kinds that the kernel keeps outside its list of matches, in the order in which iptables-save prints them. */
const HEADER_KINDS: readonly MatchKind[] = ['source', 'destination', 'inInterface', 'outInterface', 'protocol']

const TRANSPORTS: readonly string[] = ['tcp', 'udp', 'sctp']

/**
 * The rule as the kernel keeps it: rules that the kernel cannot tell apart have the same normal form, and iptables-save
 * prints its words in this order. Addresses have their prefix length, marks are `set-xmark`, probabilities are the
 * kernel's own multiples of 2^-31 (11 decimals), comments end after 255 bytes, a transport module and its ports stand
 * together, defaults are spelled out and matches that always hold are gone. A normal form is its own normal form.
 */
export function canonicalRule(rule: Rule, family: IpFamily): Rule {
  const matches: Match[] = []
  for (const match of rule.matches) {
    const canonical = canonicalMatch(match, family)
    if (canonical !== undefined) matches.push(canonical)
  }
  const { chain, verdict } = rule
  const ordered = inKernelOrder(matches)
  if (verdict === undefined) return { chain, matches: ordered }
  return { chain, matches: ordered, verdict: canonicalVerdict(verdict, family) }
}

function inKernelOrder(matches: readonly Match[]): readonly Match[] {
  const ordered: Match[] = []
  for (const kind of HEADER_KINDS) for (const match of matches) if (match.kind === kind) ordered.push(match)
  if (ordered.length === matches.length) return ordered
  const others: Match[] = []
  for (const match of matches) if (!HEADER_KINDS.includes(match.kind)) others.push(match)
  append(ordered, joinUnknown(gatherPorts(others, ordered)))
  return ordered
}

/** The module that the tools load by themselves for the ports of a protocol. */
function impliedTransport(matches: readonly Match[]): Match | undefined {
  const match = matches.find((candidate) => candidate.kind === 'protocol')
  if (match?.kind !== 'protocol' || match.negated || !TRANSPORTS.includes(match.protocol)) return undefined
  return { kind: 'transport', protocol: match.protocol }
}

/**
 * Puts the ports behind the transport module, where the module or the first of its options stood; source port first. `headers`
 * say which module there is without one.
 */
function gatherPorts(matches: readonly Match[], headers: readonly Match[]): readonly Match[] {
  if (!matches.some(isPort)) return matches
  const at = matches.findIndex((match) => match.kind === 'transport' || isPort(match))
  const explicit = matches.findIndex((match) => match.kind === 'transport')
  const transport = explicit < 0 ? impliedTransport(headers) : matches[explicit]
  const ports = [...matches.filter(isSourcePort), ...matches.filter(isDestinationPort)]
  const others = matches.filter((match, index) => index > at && index !== explicit && !isPort(match))
  return [...matches.slice(0, at), ...(transport === undefined ? [] : [transport]), ...ports, ...others]
}

function isPort(match: Match): boolean {
  return isSourcePort(match) || isDestinationPort(match)
}

function isSourcePort(match: Match): boolean {
  return match.kind === 'sourcePort'
}

function isDestinationPort(match: Match): boolean {
  return match.kind === 'destinationPort'
}

/** Unknown words that follow one another are one match: nobody can tell where the first ends. */
function joinUnknown(matches: readonly Match[]): readonly Match[] {
  if (!matches.some((match) => match.kind === 'unknown')) return matches
  const joined: Match[] = []
  for (const match of matches) {
    const last = joined[joined.length - 1]
    if (match.kind !== 'unknown' || last?.kind !== 'unknown') joined.push(match)
    else joined[joined.length - 1] = { kind: 'unknown', words: [...last.words, ...match.words] }
  }
  return joined
}
