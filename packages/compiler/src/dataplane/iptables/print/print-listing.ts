import type { IpFamily } from '@kube-rules/types'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { findPortName } from '../../netfilter/port-names.js'
import { parseProtocolNumber } from '../../netfilter/protocols.js'
import type { ListingOptions } from '../../tool-options.js'
import type { IptablesState, Match, MatchKind, MatchOf, Rule, Table, TableName, Target } from '../ast.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { canonicalizeRule } from '../canonical.js'
import { chainsWithOwnersOf, isTableInUse, jumpTargetsOf, type RuleWithOwner } from '../chains.js'
import { formatListedMatch } from '../matches/matches.js'
import type { ListingContext } from '../matches/operations.js'
import { isZeroCidr } from '../network.js'
import { checkPlainWord } from '../quote.js'
import { formatListedTarget, printTarget } from '../targets/targets.js'
import { iptablesToolOf } from '../tools.js'
import { chainPolicyOf, sortChainsAsSaved } from './print-save.js'

/** One line of a listing. */
export interface ListedLine {
  readonly text: string
  /** The table and chain that the line belongs to. Absent for commands and empty lines. */
  readonly chain?: { readonly table: TableName; readonly name: string } | undefined
  /** The rule that the line shows. Absent for other lines. */
  readonly rule?: RuleWithOwner | undefined
}

/**
 * Prints a state like `iptables -t TABLE -L -n`. Each table in use has a line with this command, followed by the output
 * of the command. Both iptables backends print the same output. Counters are zero, because a state contains no
 * counters. Throws in the same cases as `printRestore`.
 */
export function printListing(state: IptablesState, options: ListingOptions = {}): string {
  return printListingLines(state, options)
    .map(({ text }) => `${text}\n`)
    .join('')
}

/** Returns the lines of `printListing`. */
export function printListingLines({ family, tables }: IptablesState, options: ListingOptions): readonly ListedLine[] {
  return tables.filter(isTableInUse).flatMap((table) => {
    const chains = sortChainsAsSaved(chainsWithOwnersOf(table), table.name)
    const references = referencesOf(chains.flatMap(([, rules]) => rules))
    const listed = chains.flatMap(([name, rules], index): readonly ListedLine[] => {
      const use = isBuiltInChain(table.name, name)
        ? formatPolicy(table, name, options)
        : `${references.get(name) ?? 0} references`
      const chain = { table: table.name, name }
      return [
        ...(index === 0 ? [] : [{ text: '' }]),
        { text: `Chain ${checkPlainWord(name)} (${use})`, chain },
        { text: headingOf(options), chain },
        ...rules.map((rule, at) => ({ text: rowOf(rule.rule, at + 1, family, options), chain, rule })),
      ]
    })
    return [{ text: commandOf(table, family, options) }, ...listed]
  })
}

/** Counts the jumps to each chain. */
function referencesOf(rules: readonly RuleWithOwner[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const chain of jumpTargetsOf(rules.map(({ rule }) => rule))) counts.set(chain, (counts.get(chain) ?? 0) + 1)
  return counts
}

function commandOf({ name }: Table, family: IpFamily, { names, verbose, lineNumbers }: ListingOptions): string {
  const flags = [...(names ? [] : ['-n']), ...(verbose ? ['-v'] : []), ...(lineNumbers ? ['--line-numbers'] : [])]
  return ['#', iptablesToolOf(family), '-t', name, '-L', ...flags].join(' ')
}

function formatPolicy(table: Table, chain: string, { verbose }: ListingOptions): string {
  return `policy ${chainPolicyOf(table, chain)}${verbose ? ' 0 packets, 0 bytes' : ''}`
}

function headingOf({ verbose, lineNumbers }: ListingOptions): string {
  const [counters, interfaces] = verbose ? [' pkts bytes ', 'in     out     '] : ['', '']
  return `${lineNumbers ? 'num  ' : ''}${counters}target     prot opt ${interfaces}source               destination         `
}

function rowOf(rule: Rule, number: number, family: IpFamily, options: ListingOptions): string {
  const { matches, target } = canonicalizeRule(rule, family)
  return [
    options.lineNumbers ? `${String(number).padEnd(4)} ` : '',
    options.verbose ? '    0     0 ' : '',
    `${targetName(target).padEnd(9)} `,
    `${protocolColumn(matchOf(matches, 'protocol'), options).padEnd(5)} -- `,
    options.verbose ? interfaceColumns(matches) : '',
    `${addressColumn(matchOf(matches, 'source'), family, options).padEnd(20)} `,
    `${addressColumn(matchOf(matches, 'destination'), family, options).padEnd(20)} `,
    target?.kind === 'goto' ? '[goto] ' : '',
    ...restOf(matches, target, family, options).map((each) => ` ${each}`),
  ].join('')
}

function matchOf<K extends MatchKind>(matches: readonly Match[], kind: K): MatchOf<K> | undefined {
  return matches.find((match): match is MatchOf<K> => match.kind === kind)
}

function targetName(target: Target | undefined): string {
  return target === undefined ? '' : (printTarget(target, 'save').split(' ')[1] ?? '')
}

/** The protocols that iptables prints by name. With `-n`, any other protocol is printed as a number. */
const NAMED_PROTOCOLS: readonly string[] = ['all', 'ah', 'esp', 'icmp', 'ipv6-icmp', 'sctp', 'tcp', 'udp', 'udplite']

function protocolColumn(match: MatchOf<'protocol'> | undefined, { names, protocolNumbers }: ListingOptions): string {
  const { protocol, negated } = match ?? { protocol: 'all', negated: false }
  const isNumber = !names && (protocolNumbers || !NAMED_PROTOCOLS.includes(protocol))
  const text = isNumber ? String(parseProtocolNumber(protocol) ?? protocol) : protocol
  return (negated ? '!' : ' ') + checkPlainWord(text)
}

function interfaceColumns(matches: readonly Match[]): string {
  const columns = [matchOf(matches, 'inInterface'), matchOf(matches, 'outInterface')].map((match) =>
    match === undefined ? '*' : (match.negated ? '!' : '') + checkPlainWord(match.name),
  )
  return ` ${columns.map((column) => `${column.padEnd(6)} `).join('')}`
}

const EVERYTHING: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0/0', IPv6: '::/0' }

function addressColumn(
  match: MatchOf<'source' | 'destination'> | undefined,
  family: IpFamily,
  { names }: ListingOptions,
): string {
  const { address, negated } = match ?? { address: EVERYTHING[family], negated: false }
  const text = isZeroCidr(address) && names ? 'anywhere' : withoutHostPrefix(address)
  return (negated ? '!' : ' ') + checkPlainWord(text)
}

function restOf(
  matches: readonly Match[],
  target: Target | undefined,
  family: IpFamily,
  { names }: ListingOptions,
): readonly string[] {
  const protocol = matchOf(matches, 'transport')?.protocol
  const formatPort: ListingContext['formatPort'] = (port) =>
    (names ? findPortName(port, protocol) : undefined) ?? String(port)
  const listed = matches.map((match) => formatListedMatch(match, { family, formatPort }) ?? '')
  return [...listed, target === undefined ? '' : formatListedTarget(target)].filter((text) => text !== '')
}
