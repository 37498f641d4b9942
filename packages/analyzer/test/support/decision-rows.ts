import type { IpFamily, Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { describe, expect, it } from 'vitest'
import { formatFraction } from '../../../compiler/src/internal/fraction.js'
import { featuresOf } from '../../../compiler/src/model/configuration/features.js'
import { readConfiguration, withDefaults } from '../../../compiler/src/model/configuration/read-configuration.js'
import { createFamilySettings, type FamilySettings } from '../../../compiler/src/model/configuration/settings.js'
import { newestVersionOf, type ProxyMode } from '../../../compiler/src/model/configuration/versions.js'
import type { NodeFacts } from '../../../compiler/src/model/node/node-facts.js'
import type { ServicePort } from '../../../compiler/src/model/services/service-port.js'
import type { Decision } from '../../../compiler/src/plan/decide.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { planOf } from '../../../compiler/test/support/decisions.js'
import { LIMITATIONS_OF_MODE } from '../../../compiler/test/support/limitations.js'
import { lowerIptables, lowerIpvs, lowerNftables, lowerUserspace } from '../../../compiler/test/support/lower.js'
import { endpoint, type servicePort } from '../../../compiler/test/support/model-builder.js'
import { haveEqualEnds } from '../../src/compare/equal-ends.js'
import type { ModeEnd } from '../../src/targets/mode-decision.js'
import { MODE_DECISIONS } from '../../src/targets/mode-decisions.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

export type Fields = Parameters<typeof servicePort>[0]

/** The node and the version of a row. Default: the newest version, and the node of the model builder. */
export interface RowContext {
  readonly version?: string
  readonly node?: Partial<NodeFacts>
  readonly settings?: Partial<FamilySettings>
  /** Whether the row holds only for IPv4. Otherwise, the same row holds for the corresponding IPv6 addresses. */
  readonly onlyIPv4?: boolean
}

/**
 * A packet with its possible outcomes and the limitations on the way: `10.180.0.1:80* 1/2, rejected; endpointRejected`.
 * An asterisk means masqueraded. Unmatched packets to an address of the node or of kube-ipvs0 are `to the node`.
 */
export type DecisionRow = [
  what: string,
  services: ServicePort | readonly ServicePort[],
  packet: Packet,
  expected: string,
  context?: RowContext,
]

/** The endpoints of most rows: one on the node, and one on another node. */
export const LOCAL = endpoint({ ip: '10.180.0.1', local: true })
export const REMOTE = endpoint({ ip: '10.180.0.2' })

/**
 * Builds the plan of a row, with the settings of a family and IPv4 addresses. The node has 192.168.0.2 and 192.168.1.2,
 * and pods have addresses in 10.0.0.0/8.
 */
export function planOfRow(
  mode: ProxyMode,
  services: DecisionRow[1],
  { version = newestVersionOf(mode), node = {}, settings = {} }: RowContext = {},
  family: IpFamily = 'IPv4',
): Plan {
  const features = featuresOf(mode, version, new Map())
  const defaults = withDefaults(readConfiguration(undefined).configuration, features)
  const own = createFamilySettings(defaults, features, undefined, family, true)
  return planOf([services].flat(), { node, settings: { ...own, serviceNetworks: [], ...settings } })
}

const LOWER = { iptables: lowerIptables, ipvs: lowerIpvs, nftables: lowerNftables, userspace: lowerUserspace }

/**
 * Describes the decisions of a mode in both families. For each row, the rules of the plan must have the same outcomes.
 * `others` are the limitations that the rows do not need to have, because no packet shows them.
 */
export function describeDecisions(
  mode: ProxyMode,
  groups: Readonly<Record<string, readonly DecisionRow[]>>,
  others: readonly string[],
): void {
  it(`every limitation of ${mode} mode that affects packets has a row`, () => {
    const named = Object.values(groups).flatMap((rows) => rows.flatMap(([, , , text]) => codesIn(text)))
    const known = LIMITATIONS_OF_MODE[mode].map(({ code }) => code)
    expect([...new Set([...named, ...others])].sort()).toEqual([...new Set([...known, ...others])].sort())
  })

  describe.each(Object.entries(groups))(`${mode} mode decides about %s`, (_, rows) => {
    const isIn = (family: IpFamily, [, , , , context]: DecisionRow) => family === 'IPv4' || context?.onlyIPv4 !== true
    const families = FAMILIES.filter((family) => rows.some((row) => isIn(family, row)))
    describe.each(families)('in %s', (family) => {
      const ofFamily = rows.filter((row) => isIn(family, row))
      it.each(ofFamily)('%s', (_, services, packet, text, context) => {
        const row = { plan: planOfRow(mode, services, context, family), packet, text }
        const { text: expected, ...given } = family === 'IPv4' ? row : toIPv6(row)
        checkDecision(mode, given, sortOutcomes(expected))
      })
    })
  })
}

function sortOutcomes(text: string): string {
  const [outcomes = '', ...codes] = text.split('; ')
  return [outcomes.split(', ').sort().join(', '), ...codes].join('; ')
}

function codesIn(text: string): readonly string[] {
  return text.split('; ')[1]?.split(' ') ?? []
}

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']

/** Checks a decision, and that the rules of the plan have the same outcomes. */
export function checkDecision(
  mode: ProxyMode,
  { plan, packet, expected }: { readonly plan: Plan; readonly packet: Packet; readonly expected?: Decision },
  text: string,
): void {
  const decision = MODE_DECISIONS[mode](plan, packet, expected)
  expect(formatDecided(decision.ends, decision.limitations)).toBe(text)
  const paths = trace(LOWER[mode](plan), packet, traceContextFor(plan))
  expect(haveEqualEnds(paths, decision)).toBe(true)
}

function formatDecided(ends: readonly ModeEnd[], limitations: readonly string[]): string {
  const outcomes = [...new Set(ends.map(formatEnd))].sort().join(', ')
  return limitations.length === 0 ? outcomes : `${outcomes}; ${limitations.join(' ')}`
}

function formatEnd({ outcome, weight }: ModeEnd): string {
  const share = formatFraction(weight)
  const mark = 'masqueraded' in outcome && outcome.masqueraded ? '*' : ''
  switch (outcome.kind) {
    case 'delivered':
      return `${joinHostPort(outcome.address, outcome.port)}${mark}${share === '1' ? '' : ` ${share}`}`
    case 'unmatched':
      return (outcome.to === 'node' ? 'to the node' : 'unmatched') + mark
    default:
      return outcome.kind
  }
}

/** Returns a value with the IPv6 address `fd00::c0a8:2` in place of each IPv4 address, and `::1` for loopback. */
export function toIPv6<T>(value: T, known: Map<unknown, unknown> = new Map()): T {
  if (typeof value === 'string') return textToIPv6(value) as T
  if (typeof value !== 'object' || value === null) return value
  const existing = known.get(value)
  if (existing !== undefined) return existing as T
  const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>
  known.set(value, copy)
  for (const [key, part] of Object.entries(value)) copy[key] = toIPv6(part, known)
  if (typeof copy.prefixLength === 'number') copy.prefixLength = lengthInIPv6(copy.prefixLength)
  return copy as T
}

/** Matches `10.0.0.1`, `10.0.0.1:80` and `10.0.0.0/8`. */
const IPV4 = /(\d+)\.(\d+)\.(\d+)\.(\d+)(?:([:/])(\d+))?/g

function textToIPv6(text: string): string {
  if (text === 'IPv4') return 'IPv6'
  return text.replace(IPV4, (_, a, b, c, d, mark, number) => {
    const [high, low] = [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((part) => part.toString(16))
    const address =
      a === '127' ? '::1' : number === '0' ? '::' : low === '0' ? `fd00:0:0:0:0:0:${high}:0` : `fd00::${high}:${low}`
    if (mark === '/') return `${canonical(address)}/${lengthInIPv6(Number(number))}`
    return mark === ':' ? `[${canonical(address)}]:${number}` : canonical(address)
  })
}

/** Returns the canonical form of an address with a zero at its end. */
function canonical(address: string): string {
  return address.replace('fd00:0:0:0:0:0:', 'fd00::').replace(/:0$/, ':0')
}

function lengthInIPv6(length: number): number {
  return length === 0 ? 0 : length + 96
}
