import { elementAt } from '../../../internal/known-items.js'
import { portReadSetOf } from '../../netfilter/kernel-packet.js'
import { negateIf, type Ternary, toTernary } from '../../netfilter/ternary.js'
import type { DestinationPortMatch, SourcePortMatch, TransportMatch } from '../ast.js'
import { checkPlainWord, unquote } from '../quote.js'
import { consumeWord, parseNumber } from '../words.js'
import { identity, type MatchOperations } from './operations.js'

const MAX_PORT = 65535

/** All possible values, shared because a dump has very many equal ones. */
const TRANSPORTS = ['tcp', 'udp', 'sctp'].map((protocol): TransportMatch => ({ kind: 'transport', protocol }))

/** `-m tcp`, `-m udp`, `-m sctp`; their options are separate matches. */
export const transport: MatchOperations<TransportMatch> = {
  begins: TRANSPORTS.map(({ protocol }) => `-m ${protocol}`),
  print: (match) => `-m ${checkPlainWord(match.protocol)}`,
  list: (match) => checkPlainWord(match.protocol),
  parse: (words) => {
    const module = unquote(elementAt(words.raw, words.at - 1))
    return TRANSPORTS.find(({ protocol }) => protocol === module)
  },
  canonical: identity,
  ignoresDestination: true,
  evaluate: ({ protocol }, { packet }) => toTernary(packet.protocol === protocol),
}

/** `--sport PORTS`. */
export const sourcePort: MatchOperations<SourcePortMatch> = portMatch('sourcePort', '--sport', '--source-port')

/** `--dport PORTS`. */
export const destinationPort: MatchOperations<DestinationPortMatch> = portMatch(
  'destinationPort',
  '--dport',
  '--destination-port',
)

function portMatch<
  K extends 'sourcePort' | 'destinationPort',
  M extends (SourcePortMatch | DestinationPortMatch) & { kind: K },
>(kind: K, option: string, alias: string): MatchOperations<M> {
  return {
    begins: [option, alias],
    print: ({ first, last, negated }) => {
      const ports = first === last ? `${option} ${first}` : `${option} ${first}:${last}`
      return negated ? `! ${ports}` : ports
    },
    list: ({ first, last, negated }, { formatPort }) => {
      const ports = first === last ? formatPort(first) : `${formatPort(first)}:${formatPort(last)}`
      return `${option.slice(2, 3)}${first === last ? 'pt' : 'pts'}:${negated ? '!' : ''}${ports}`
    },
    parse: (words, negated) => {
      const ports = readPorts(consumeWord(words) ?? '')
      return ports === undefined ? undefined : ({ kind, ...ports, negated } as M)
    },
    canonical: identity,
    ...(kind === 'sourcePort' && { ignoresDestination: true }),
    evaluate: ({ first, last, negated }, { packet }) => {
      const port = packet[kind]
      if (kind === 'destinationPort') portReadSetOf(packet)?.ports.add(`${first}-${last}`)
      return negateIf(negated, port === undefined ? isAnyPort(first, last) : toTernary(port >= first && port <= last))
    },
  }
}

/** Reports whether the range includes an unknown port. */
function isAnyPort(first: number, last: number): Ternary {
  return first === 0 && last === MAX_PORT ? 'yes' : 'unknown'
}

/** Parses `80`, `80:90`, `:90` or `80:`; a name, or a number with leading zeros, is invalid. */
function readPorts(text: string): { readonly first: number; readonly last: number } | undefined {
  const colon = text.indexOf(':')
  const first = colon === 0 ? 0 : readPort(colon < 0 ? text : text.slice(0, colon))
  const last = colon < 0 ? first : colon === text.length - 1 ? MAX_PORT : readPort(text.slice(colon + 1))
  return first === undefined || last === undefined ? undefined : { first, last }
}

function readPort(text: string): number | undefined {
  return /^0\d/.test(text) ? undefined : parseNumber(text, MAX_PORT)
}
