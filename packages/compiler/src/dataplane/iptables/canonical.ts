import type { IpFamily } from '@kube-rules/types'
import { appendAll } from '../../internal/append-all.js'
import type { Match, MatchKind, Rule } from './ast.js'
import { canonicalizeMatch } from './matches/matches.js'
import { canonicalizeTarget } from './targets/targets.js'

/** The kinds of matches that the kernel stores outside the match list of a rule, in iptables-save order. */
const HEADER_KINDS: readonly MatchKind[] = ['source', 'destination', 'inInterface', 'outInterface', 'protocol']

const TRANSPORTS: readonly string[] = ['tcp', 'udp', 'sctp']

/**
 * Converts a rule to normal form. Rules that are equivalent for the kernel have the same normal form. The words of the
 * normal form are in iptables-save order.
 *
 * - Addresses have a prefix length, and marks have the form `set-xmark`.
 * - Probabilities are the multiples of 2^-31 that the kernel uses (11 decimals).
 * - Comments are cut after 255 bytes.
 * - A transport module and its ports are adjacent.
 * - Defaults are explicit, and matches that always succeed are removed.
 *
 * The conversion is idempotent.
 */
export function canonicalizeRule(rule: Rule, family: IpFamily): Rule {
  const matches: Match[] = []
  for (const match of rule.matches) {
    const canonical = canonicalizeMatch(match, family)
    if (canonical !== undefined) matches.push(canonical)
  }
  const { chain, target } = rule
  const ordered = inKernelOrder(matches)
  if (target === undefined) return { chain, matches: ordered }
  return { chain, matches: ordered, target: canonicalizeTarget(target, family) }
}

function inKernelOrder(matches: readonly Match[]): readonly Match[] {
  const ordered: Match[] = []
  for (const kind of HEADER_KINDS) for (const match of matches) if (match.kind === kind) ordered.push(match)
  if (ordered.length === matches.length) return ordered
  const others: Match[] = []
  for (const match of matches) if (!HEADER_KINDS.includes(match.kind)) others.push(match)
  appendAll(ordered, joinUnknown(gatherPorts(others, ordered)))
  return ordered
}

/** Returns the module that the tools load implicitly for port matches of a protocol. */
function impliedTransport(matches: readonly Match[]): Match | undefined {
  const match = matches.find((candidate) => candidate.kind === 'protocol')
  if (match?.kind !== 'protocol' || match.negated || !TRANSPORTS.includes(match.protocol)) return undefined
  return { kind: 'transport', protocol: match.protocol }
}

/**
 * Moves the port matches directly after their transport module, source port first. The group takes the position of the
 * module or of the first port match, whichever comes first. If the rule has no module, the module that `headers` imply
 * is added.
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

/** Joins adjacent unknown words into one match, because the boundary between matches is unknown. */
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
