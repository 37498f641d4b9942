import { elementAt } from '../../../internal/known-items.js'
import type { DestinationPortMatch, SourcePortMatch, TransportMatch } from '../ast.js'
import { checkPlainWord, unquote } from '../quote.js'
import { consumeWord, parseNumber } from '../words.js'
import { type ListingContext, type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

const MAX_PORT = 65535

/** All possible transport matches. The objects are shared, because a dump contains very many equal matches. */
const TRANSPORTS: readonly TransportMatch[] = [
  { kind: 'transport', protocol: 'tcp' },
  { kind: 'transport', protocol: 'udp' },
  { kind: 'transport', protocol: 'sctp' },
]

/** `-m tcp`, `-m udp`, `-m sctp`. The options of these modules are separate matches. */
export const transportMatchPrinter: MatchPrinter<TransportMatch> = {
  print: (match) => `-m ${checkPlainWord(match.protocol)}`,
  list: (match) => checkPlainWord(match.protocol),
  canonical: unchangedMatch,
}

export const transportMatchParser: MatchParser<TransportMatch> = {
  begins: ['-m tcp', '-m udp', '-m sctp'],
  parse: (words) => {
    const module = unquote(elementAt(words.raw, words.at - 1))
    return TRANSPORTS.find(({ protocol }) => protocol === module)
  },
}

/** `--sport PORTS`. */
export const sourcePortMatchPrinter: MatchPrinter<SourcePortMatch> = {
  print: (match) => printPorts('--sport', match),
  list: (match, context) => listPorts('s', match, context),
  canonical: unchangedMatch,
}

export const sourcePortMatchParser: MatchParser<SourcePortMatch> = {
  begins: ['--sport', '--source-port'],
  parse: (words, negated) => {
    const ports = readPorts(consumeWord(words) ?? '')
    return ports && { kind: 'sourcePort', ...ports, negated }
  },
}

/** `--dport PORTS`. */
export const destinationPortMatchPrinter: MatchPrinter<DestinationPortMatch> = {
  print: (match) => printPorts('--dport', match),
  list: (match, context) => listPorts('d', match, context),
  canonical: unchangedMatch,
}

export const destinationPortMatchParser: MatchParser<DestinationPortMatch> = {
  begins: ['--dport', '--destination-port'],
  parse: (words, negated) => {
    const ports = readPorts(consumeWord(words) ?? '')
    return ports && { kind: 'destinationPort', ...ports, negated }
  },
}

type PortMatch = SourcePortMatch | DestinationPortMatch

function printPorts(option: string, { first, last, negated }: PortMatch): string {
  const ports = first === last ? `${option} ${first}` : `${option} ${first}:${last}`
  return negated ? `! ${ports}` : ports
}

function listPorts(side: 's' | 'd', { first, last, negated }: PortMatch, { formatPort }: ListingContext): string {
  const ports = first === last ? formatPort(first) : `${formatPort(first)}:${formatPort(last)}`
  return `${side}${first === last ? 'pt' : 'pts'}:${negated ? '!' : ''}${ports}`
}

/** Parses `80`, `80:90`, `:90` or `80:`. A port name or a number with leading zeros is invalid. */
function readPorts(text: string): { readonly first: number; readonly last: number } | undefined {
  const colon = text.indexOf(':')
  const first = colon === 0 ? 0 : readPort(colon < 0 ? text : text.slice(0, colon))
  const last = colon < 0 ? first : colon === text.length - 1 ? MAX_PORT : readPort(text.slice(colon + 1))
  return first === undefined || last === undefined ? undefined : { first, last }
}

function readPort(text: string): number | undefined {
  return /^0\d/.test(text) ? undefined : parseNumber(text, MAX_PORT)
}
