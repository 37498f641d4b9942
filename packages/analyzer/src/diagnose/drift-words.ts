import type { DriftKind } from '@kube-rules/compiler/internal/dataplane/comparison'
import type {
  DriftPart,
  ElementPart,
  RealServerPart,
  RulePart,
} from '@kube-rules/compiler/internal/dataplane/drift-part'
import type { Drift } from '../verify/report.js'
import { withoutComments } from './deciding-drift.js'
import type { Diagnosis } from './diagnosis.js'
import { formatDriftLocation, formatDriftTable } from './node-diagnosis-context.js'
import { formatRuleLocation } from './packet-diagnosis-context.js'

/**
 * Describes a drift item in one clause for a summary: `set KUBE-CLUSTER-IP has no entry 10.96.0.1,tcp:80`. `packets` names
 * the packets that a missing jump is for.
 */
export function describeDrift(drift: Drift, packets = ''): string {
  const { kind, part, subsystem } = drift
  switch (part.kind) {
    case 'rule':
      return describeRule(part, drift, packets)
    case 'element':
      return part.table === undefined
        ? `set ${part.set} ${HAS[kind]} entry ${part.key.join(',')}`
        : describeElement(part, drift)
    case 'virtualServer':
      return `${formatVirtualServer(part)} ${IS[kind]}`
    case 'realServer':
      return `${formatVirtualServer(part)} ${HAS[kind]} real server ${part.realServer}`
    case 'address':
      return kind === 'missing'
        ? `the address ${part.address} is not bound to kube-ipvs0`
        : `${part.address} ${IS[kind]}`
    case 'set':
      return part.table === undefined ? `set ${part.set} ${IS[kind]}` : describeNftPart(part, drift)
    case 'chain':
      return subsystem === 'iptables' ? describeChain(part, kind) : describeNftPart(part, drift)
    case 'table':
    case 'object':
      return describeNftPart(part, drift)
  }
}

function formatVirtualServer({ virtualServer, protocol }: Pick<RealServerPart, 'virtualServer' | 'protocol'>): string {
  return `virtual server ${virtualServer}/${protocol}`
}

function describeElement({ set, key }: ElementPart, { kind, expected, found }: Drift): string {
  const [wanted, actual] = [expected, found].map(verdictOf)
  const text = key.join(' . ')
  return wanted === undefined || actual === undefined || wanted === actual
    ? `${wanted === undefined && actual === undefined ? 'set' : 'map'} ${set} ${HAS[kind]} element for ${text}`
    : `map ${set} has "${actual}" instead of "${wanted}" for ${text}`
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

function formatChain({ table, chain }: { readonly table: string; readonly chain: string }): string {
  return `chain ${chain} of table ${table}`
}

/** Describes a whole chain of iptables: one that is missing, or one that is not expected. */
function describeChain(part: Extract<DriftPart, { readonly kind: 'chain' }>, kind: DriftKind): string {
  return kind === 'missing' ? `${formatChain(part)} is missing` : describeExtraRule(part)
}

function describeExtraRule(part: Parameters<typeof formatChain>[0]): string {
  return `${formatChain(part)} has a rule that the objects do not define`
}

function describeRule(part: RulePart, { kind, expected = '', found = '' }: Drift, packets: string): string {
  const place = formatChain(part)
  const [wanted, actual] = [expected, found].map((line) => line.split(/ -[jg] /, 2)[1] ?? '')
  switch (kind) {
    case 'missing': {
      const target = part.expected?.jumpsTo
      return target?.startsWith('KUBE-')
        ? `${place} has no jump to ${target}${packets}`
        : `${place} has no rule with the target ${wanted}`
    }
    case 'changed':
      return wanted === actual
        ? describeOtherMatch(place, expected, found)
        : `a rule of ${place} has the target ${actual} instead of ${wanted}`
    case 'extra':
      return describeExtraRule(part)
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

/** Describes a chain, set, object or table of nftables. */
function describeNftPart({ table }: { readonly table?: string }, drift: Drift): string {
  const place = drift.part.kind === 'table' ? `table ${table}` : `${formatDriftLocation(drift)} of table ${table}`
  const what = drift.part.kind === 'chain' ? 'rule ' : ''
  const [lacked, unexpected] = differingLines(drift)
  if (drift.kind === 'missing') return `${place} is missing`
  if (lacked !== undefined && unexpected !== undefined) return `${place} has "${unexpected}" instead of "${lacked}"`
  if (lacked !== undefined) return `${place} has no ${what}"${lacked}"`
  return unexpected === undefined
    ? `${place} has its rules in another order`
    : `${place} has the unexpected ${what}"${unexpected}"`
}

/** Returns the first line that only the expected text has, and the first line that only the actual text has. */
function differingLines({ expected = '', found = '' }: Drift): readonly [string | undefined, string | undefined] {
  const [wanted, actual] = [expected.split('\n'), found.split('\n')]
  return [wanted.find((line) => !actual.includes(line)), actual.find((line) => !wanted.includes(line))]
}

/** Returns the evidence of a drift item: the expected or the actual line, or the id of its chain. */
export function formatEvidence(drift: Drift): Pick<Diagnosis, 'rule' | 'ruleStatus'> {
  const { kind, part, expected, found } = drift
  if (kind === 'missing') {
    return {
      rule: part.kind === 'chain' ? formatDriftLocation(drift) : formatLine(drift, expected),
      ruleStatus: 'missing',
    }
  }
  const status = kind === 'extra' ? 'not expected' : 'out of date'
  const line = part.kind !== 'chain' ? found : kind === 'changed' ? differingLines(drift)[1] : undefined
  return {
    rule: line === undefined ? formatDriftLocation(drift) : formatLine(drift, line),
    ruleStatus: formatRuleLocation(formatDriftTable(drift), status),
  }
}

/** Returns a line of drift as its tool prints or reads it. */
function formatLine({ part }: Drift, line = ''): string {
  if (part.kind === 'address') return `address add ${line} dev kube-ipvs0`
  if (part.kind !== 'element' || part.table === undefined) return line
  return `add element ${part.table} ${part.set} { ${line.slice(part.set.length + 1)} }`
}
