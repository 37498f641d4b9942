import type { Match, Rule, Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type * as nft from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isEndpointChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { translateMatch } from './translate-match.js'

/** The parts of an iptables rule that correspond to a statement of nft. */
export interface TranslatedStatement {
  readonly matches?: readonly Match[]
  readonly target?: Target
}

/**
 * Translates a rule of iptables-nft, as nft lists it, to the rule of iptables: the inverse of `iptables-translate`. A
 * statement that nft prints without its options becomes a match or target that no program can decide about.
 */
export function translateRule({ statements }: nft.Rule, chain: string): Rule {
  const parts = statements.map((each) => translateStatement(each, chain, statements))
  const matches = withoutRepeatedTransport(parts.flatMap((part) => part.matches ?? []))
  const [target] = parts.flatMap((part) => part.target ?? [])
  return { chain, matches, ...(target && { target }) }
}

/** Removes the second `-m tcp` of a rule that matches on both ports. */
function withoutRepeatedTransport(matches: readonly Match[]): readonly Match[] {
  const first = matches.findIndex(({ kind }) => kind === 'transport')
  return matches.filter(({ kind }, index) => kind !== 'transport' || index === first)
}

function translateStatement(
  statement: nft.Statement,
  chain: string,
  statements: readonly nft.Statement[],
): TranslatedStatement {
  switch (statement.kind) {
    case 'counter':
      return {}
    case 'match':
      return { matches: translateMatch(statement) }
    case 'markMatch': {
      const { value, mask, operator } = statement
      return { matches: [{ kind: 'mark', value, mask, negated: operator === '!=' }] }
    }
    case 'accept':
    case 'drop':
    case 'return':
      return { target: { kind: statement.kind } }
    case 'jump':
    case 'goto':
      return { target: { kind: statement.kind, chain: statement.chain } }
    case 'reject':
      return { target: { kind: 'reject', ...(statement.with !== undefined && { with: rejectionOf(statement.with) }) } }
    case 'masquerade':
      return { target: { kind: 'masquerade', randomFully: statement.fullyRandom } }
    case 'markSet':
      return { target: translateMark(statement) }
    case 'dnat':
      return translateDnat(statement)
    case 'unknown':
      return translateWords(statement.words, chain, statements)
    default:
      return unreadMatch('nft')
  }
}

function translateMark({ operation, value }: nft.MarkSetStatement): Target {
  if (operation === 'or' || operation === 'xor') return { kind: 'mark', operation, value }
  if (operation === 'set') return { kind: 'mark', operation: 'set-xmark', value, mask: 0xffffffff }
  return { kind: 'mark', operation: 'set-xmark', value: 0, mask: ~value >>> 0 }
}

function translateDnat({ to }: nft.DnatStatement): TranslatedStatement {
  if (to.kind === 'map') return { target: unreadTarget('DNAT') }
  const destination = to.port === undefined ? to.address : joinHostPort(to.address, to.port)
  return { target: { kind: 'dnat', destination } }
}

/** Returns `icmp-port-unreachable` for `icmp port-unreachable` (also with the word `type`), and `tcp-reset`. */
function rejectionOf(words: string): string {
  const [protocol = '', message = ''] = words.replace(' type ', ' ').split(' ')
  return protocol === 'icmpv6' ? `icmp6-${message}` : `${protocol}-${message}`
}

/** Translates `xt match "recent"`, `xt target "LOG"` and `meta random & 2147483647 < 1073741824`. */
function translateWords(
  words: readonly string[],
  chain: string,
  statements: readonly nft.Statement[],
): TranslatedStatement {
  const [first, second, third = '', , ...rest] = words
  const extension = third.replaceAll('"', '')
  if (first === 'xt' && second === 'match') {
    if (extension === 'comment') return {}
    if (extension === 'recent' && isRecorded(chain, statements))
      return { matches: [{ kind: 'recent', name: chain, action: 'set', reap: false, negated: false }] }
    return unreadMatch(extension)
  }
  if (first === 'xt' && second === 'target') {
    if (extension === 'MASQUERADE') return { target: { kind: 'masquerade', randomFully: false } }
    return { target: unreadTarget(extension) }
  }
  if (first === 'meta' && second === 'random' && rest[0] === '<') return translateProbability(Number(rest[1]))
  return unreadMatch('nft')
}

/** The number of values of the 31 random bits that a probability is compared with. */
const RANDOM_VALUES = 2 ** 31

function translateProbability(limit: number): TranslatedStatement {
  const probability = (limit / RANDOM_VALUES).toFixed(11)
  return { matches: [{ kind: 'statistic', probability, negated: false }] }
}

/** Reports whether a rule with the match `recent` records its client: the rule of kube-proxy that selects an endpoint. */
function isRecorded(chain: string, statements: readonly nft.Statement[]): boolean {
  return isEndpointChain(chain) && statements.some(({ kind }) => kind === 'dnat')
}

function unreadMatch(extension: string): TranslatedStatement {
  return { matches: [{ kind: 'unknown', words: ['-m', extension] }] }
}

function unreadTarget(extension: string): Target {
  return { kind: 'unknown', words: ['-j', extension] }
}
