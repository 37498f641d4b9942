import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Drift } from '../verify/report.js'
import { withoutComments } from './deciding-drift.js'
import type { Diagnosis } from './diagnosis.js'
import { formatDriftLocation, formatDriftTable } from './node-diagnosis-context.js'
import { formatRuleLocation } from './packet-diagnosis-context.js'

/** Describes a drift item in one clause for a summary: `set KUBE-CLUSTER-IP has no entry 10.96.0.1,tcp:80`. */
export function describeDrift(drift: Drift): string {
  return DESCRIPTIONS[drift.subsystem](drift)
}

/** The clause about a drift item of each subsystem. */
const DESCRIPTIONS: { readonly [S in Subsystem]: (drift: Drift) => string } = {
  iptables: describeChainDrift,
  ipset: (drift) => {
    const [, set, ...entry] = drift.location.split(' ')
    return entry.length === 0
      ? `set ${set} ${IS[drift.kind]}`
      : `set ${set} ${HAS[drift.kind]} entry ${entry.join(' ')}`
  },
  ipvs: (drift) => {
    const [, protocol, place, server] = drift.location.split(' ')
    const name = `virtual server ${place}/${protocol}`
    return server === undefined ? `${name} ${IS[drift.kind]}` : `${name} ${HAS[drift.kind]} real server ${server}`
  },
  addresses: ({ location, kind }) => {
    const [, address] = location.split(' ')
    return kind === 'missing' ? `the address ${address} is not bound to kube-ipvs0` : `${address} ${IS[kind]}`
  },
  nftables: (drift) => {
    const [, map, key] = /^nftables \S+ \S+ element (\S+) (.*)$/.exec(drift.location) ?? []
    if (map === undefined) return describeNftChain(drift)
    const [wanted, actual] = [drift.expected, drift.found].map(verdictOf)
    return wanted === undefined || actual === undefined || wanted === actual
      ? `${wanted === undefined && actual === undefined ? 'set' : 'map'} ${map} ${HAS[drift.kind]} element for ${key}`
      : `map ${map} has "${actual}" instead of "${wanted}" for ${key}`
  },
}

/** Returns the verdict of an element: `goto reject-chain`. Undefined for an element of a set. */
function verdictOf(line = ''): string | undefined {
  const at = line.lastIndexOf(' : ')
  return at < 0 ? undefined : line.slice(at + 3)
}

const HAS: Readonly<Record<Drift['kind'], string>> = {
  missing: 'has no',
  extra: 'has the unexpected',
  changed: 'has a wrong',
  misplaced: 'has a wrong',
}

const IS: Readonly<Record<Drift['kind'], string>> = {
  missing: 'is missing',
  extra: 'is not expected',
  changed: 'has wrong settings',
  misplaced: 'has wrong settings',
}

const JUMP = / -[jg] (\S+)/

function describeChainDrift({ location, kind, expected = '', found = '' }: Drift): string {
  const [table, chain] = location.split('/')
  const place = `chain ${chain} of table ${table}`
  const [wanted, actual] = [expected, found].map((line) => line.split(/ -[jg] /, 2)[1] ?? '')
  switch (kind) {
    case 'missing':
      if (expected.startsWith(':')) return `${place} is missing`
      return JUMP.exec(expected)?.[1]?.startsWith('KUBE-')
        ? `${place} has no jump to ${JUMP.exec(expected)?.[1]} for them`
        : `${place} has no rule with the target ${wanted}`
    case 'changed':
      return wanted === actual
        ? describeOtherMatch(place, expected, found)
        : `a rule of ${place} has the target ${actual} instead of ${wanted}`
    case 'extra':
      return `${place} has a rule that the objects do not define`
    case 'misplaced':
      return `a rule of ${place} is in the wrong place`
  }
}

/** Describes the first match that differs between two rules: `has "--dport 8080" instead of "--dport 80"`. */
function describeOtherMatch(place: string, expected: string, found: string): string {
  const [wanted, actual] = [matchesOf(expected), matchesOf(found)]
  const lacked = wanted.find((match) => !actual.includes(match))
  const unexpected = actual.find((match) => !wanted.includes(match))
  if (lacked === undefined && unexpected === undefined) return `a rule of ${place} has its matches in another order`
  if (unexpected === undefined) return `a rule of ${place} has no match "${lacked}"`
  return `a rule of ${place} has ${lacked === undefined ? 'the unexpected match ' : ''}"${unexpected}"${lacked === undefined ? '' : ` instead of "${lacked}"`}`
}

/** Splits the matches of a rule into options with their arguments: `! -s 10.0.0.0/8`, `--dport 80`. */
function matchesOf(line: string): readonly string[] {
  const parts = withoutComments(line.split(/ -[jg] /, 1)[0] ?? '').split(' -')
  return parts.slice(1).map((part, index) => {
    const isNegated = parts[index]?.endsWith(' !') === true
    return `${isNegated ? '! ' : ''}-${part.replace(/ !$/, '')}`
  })
}

function describeNftChain(drift: Drift): string {
  const place = `${formatDriftLocation(drift)} of table ${drift.location.split(' ').slice(1, 3).join(' ')}`
  const [lacked, unexpected] = differingLines(drift)
  if (drift.kind === 'missing') return `${place} is missing`
  if (lacked !== undefined && unexpected !== undefined) return `${place} has "${unexpected}" instead of "${lacked}"`
  if (lacked !== undefined) return `${place} has no rule "${lacked}"`
  return unexpected === undefined
    ? `${place} has its rules in another order`
    : `${place} has the unexpected rule "${unexpected}"`
}

/** Returns the first line that only the expected text has, and the first line that only the actual text has. */
function differingLines({ expected = '', found = '' }: Drift): readonly [string | undefined, string | undefined] {
  const [wanted, actual] = [expected.split('\n'), found.split('\n')]
  return [wanted.find((line) => !actual.includes(line)), actual.find((line) => !wanted.includes(line))]
}

/** Returns the evidence of a drift item: the expected or the actual line, or the id of its chain. */
export function formatEvidence(drift: Drift): Pick<Diagnosis, 'rule' | 'ruleStatus'> {
  const { kind, expected = '', found = '' } = drift
  if (kind === 'missing') {
    const isLine = !expected.includes('\n') && !expected.startsWith(':')
    return { rule: isLine ? formatLine(drift, expected) : formatDriftLocation(drift), ruleStatus: 'missing' }
  }
  const status = kind === 'extra' ? 'not expected' : 'out of date'
  const line = found.includes('\n') ? differingLines(drift)[1] : found
  const isLine = line !== undefined && line !== '' && !line.startsWith(':')
  return {
    rule: isLine ? formatLine(drift, line) : formatDriftLocation(drift),
    ruleStatus: formatRuleLocation(formatDriftTable(drift), status),
  }
}

/** Returns a line of drift as its tool prints or reads it. */
function formatLine({ subsystem, location }: Drift, line: string): string {
  if (subsystem === 'addresses') return `address add ${line} dev kube-ipvs0`
  const [, table, map] = /^nftables (\S+ \S+) element (\S+) /.exec(location) ?? []
  return map === undefined ? line : `add element ${table} ${map} { ${line.slice(map.length + 1)} }`
}
