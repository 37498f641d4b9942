import type { IpFamily } from '@kube-rules/types'
import type { Match, Rule } from '../../src/dataplane/iptables/ast.js'
import { canonicalizeRule } from '../../src/dataplane/iptables/canonical.js'
import { printMatch } from '../../src/dataplane/iptables/matches/matches.js'
import { printTarget } from '../../src/dataplane/iptables/targets/targets.js'

// Prints kube-proxy rules as `iptables -L` does, following the output of iptables 1.8 (`test/dump/recorded`).

export interface ListingStyle {
  readonly verbose: boolean
  readonly numbers: boolean
  /** Without `-n`: `anywhere`, `all`. */
  readonly names: boolean
}

export function listChain(
  chain: string,
  rules: readonly Rule[],
  family: IpFamily,
  { verbose, numbers, names }: ListingStyle,
  policy?: string,
): string {
  const counts = verbose ? ' 12 packets, 720 bytes' : ''
  const head = policy === undefined ? `Chain ${chain} (1 references)` : `Chain ${chain} (policy ${policy}${counts})`
  const columns = [
    numbers ? 'num  ' : '',
    verbose ? ' pkts bytes ' : '',
    'target     prot opt ',
    verbose ? 'in     out     ' : '',
    'source               destination         ',
  ].join('')
  const rows = rules.map((rule, index) => {
    const number = numbers ? `${index + 1}`.padEnd(5) : ''
    return `${number}${verbose ? '    3   180 ' : ''}${row(rule, family, verbose, names)}`
  })
  return [head, columns, ...rows, ''].join('\n')
}

function row(rule: Rule, family: IpFamily, verbose: boolean, names: boolean): string {
  const { matches, target: ruleTarget } = canonicalizeRule(rule, family)
  const find = <K extends Match['kind']>(kind: K) =>
    matches.find((match): match is Extract<Match, { kind: K }> => match.kind === kind)
  const any = names ? 'anywhere' : family === 'IPv4' ? '0.0.0.0/0' : '::/0'
  const address = (match: { readonly address: string; readonly negated: boolean } | undefined) =>
    match === undefined
      ? any
      : `${match.negated ? '!' : ''}${match.address.replace(family === 'IPv4' ? /\/32$/ : /\/128$/, '')}`
  const device = (match: { readonly name: string; readonly negated: boolean } | undefined) =>
    match === undefined ? '*' : `${match.negated ? '!' : ''}${match.name}`
  const protocol = find('protocol')
  const target = ruleTarget === undefined ? '' : (printTarget(ruleTarget, 'save').split(' ')[1] ?? '')
  const goesTo = ruleTarget?.kind === 'goto' ? '[goto] ' : ''
  const options = family === 'IPv4' ? '--' : '  '
  return [
    `${target.padEnd(9)} `,
    `${protocol === undefined ? 'all' : `${protocol.negated ? '!' : ''}${protocol.protocol}`}`.padEnd(5),
    `${options}  `,
    verbose ? `${device(find('inInterface')).padEnd(6)} ${device(find('outInterface')).padEnd(6)}  ` : '',
    `${address(find('source')).padEnd(19)}  ${address(find('destination')).padEnd(20)} `,
    goesTo,
    matchWords(matches, family),
    verdictWords(ruleTarget),
  ].join('')
}

function matchWords(matches: readonly Match[], family: IpFamily): string {
  return matches
    .map((match, index) => {
      const no = 'negated' in match && match.negated
      switch (match.kind) {
        case 'comment':
          return ` /* ${match.text} */`
        case 'transport': {
          const ports = matches
            .slice(index + 1)
            .filter((next) => next.kind === 'destinationPort' || next.kind === 'sourcePort')
          return ` ${match.protocol}${ports.map((port) => ` ${portWords(port)}`).join('')}`
        }
        case 'mark':
          return ` mark match ${no ? '! ' : ''}${printMatch(match, 'save', family).split(' ').at(-1)}`
        case 'conntrack':
          return ` ${no ? '! ' : ''}ctstate ${match.states.join(',')}`
        case 'state':
          return ` ${no ? '! ' : ''}state ${match.states.join(',')}`
        case 'addrtype':
          return ` ADDRTYPE match ${match.side === 'source' ? 'src' : 'dst'}-type ${no ? '!' : ''}${match.type}`
        case 'statistic':
          return ` statistic mode random ${no ? '! ' : ''}probability ${match.probability}`
        case 'recent': {
          const mask = family === 'IPv4' ? '255.255.255.255' : 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'
          const what = match.action === 'set' ? 'SET' : `CHECK seconds: ${match.seconds}${match.reap ? ' reap' : ''}`
          return ` ${no ? '! ' : ''}recent: ${what} name: ${match.name} side: source mask: ${mask}`
        }
        case 'set':
          return ` ${no ? '! ' : ''}match-set ${match.name} ${match.directions.join(',')}`
        case 'nfacct':
          return ` nfacct-name  ${match.name}`
        case 'physdev':
          return ` PHYSDEV match ${no ? '! ' : ''}--physdev-is-${match.is}`
        case 'ipvs':
          return ` vproto ${match.protocol} vaddr ${match.address} vport ${match.port}`
        case 'unknown':
          return ` ${match.words.slice(1).join(' ')}`
        default:
          return ''
      }
    })
    .join('')
}

function portWords(port: Extract<Match, { kind: 'destinationPort' | 'sourcePort' }>): string {
  const { kind, first, last, negated } = port
  const side = kind === 'destinationPort' ? 'd' : 's'
  const no = negated ? '!' : ''
  return first === last ? `${side}pt:${no}${first}` : `${side}pts:${no}${first}:${last}`
}

function verdictWords(verdict: Rule['target']): string {
  switch (verdict?.kind) {
    case 'dnat':
      return ` to:${verdict.destination}`
    case 'redirect':
      return ` redir ports ${verdict.port}`
    case 'masquerade':
      return verdict.randomFully ? ' random-fully' : ''
    case 'reject':
      return ` reject-with ${verdict.with}`
    case 'mark': {
      const { value, mask = 0xffffffff } = verdict
      if (mask === value) return ` MARK or 0x${value.toString(16)}`
      if (mask === 0) return ` MARK xor 0x${value.toString(16)}`
      if (value === 0) return ` MARK and 0x${(~mask >>> 0).toString(16)}`
      return ` MARK xset 0x${value.toString(16)}/0x${mask.toString(16)}`
    }
    case 'unknown':
      return ` ${verdict.words.slice(2).join(' ')}`
    default:
      return ''
  }
}
