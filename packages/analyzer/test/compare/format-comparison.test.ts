import { describe, expect, it } from 'vitest'
import type { ComparedSide, Comparison, Difference, VersionCause } from '../../src/compare/comparison.js'
import {
  formatCause,
  formatComparisonSummary,
  formatExpectedDifferences,
  formatSide,
  formatUncomparedDestinations,
} from '../../src/compare/format-comparison.js'

const ONE = {} as Difference

const comparison = (more: Partial<Comparison>): Comparison => ({
  equal: false,
  classes: 120,
  differences: [],
  inconclusive: [],
  ...more,
})

const declared = (classes: number) => ({
  classes,
  limitations: [
    { side: 'a', code: 'otherPortsRejected', classes } as never,
    { side: 'both', code: 'hairpin', classes: 1 } as never,
  ],
})

describe('the summary of a comparison', () => {
  it.each<[string, Partial<Comparison>]>([
    ['no difference in 120 classes of packets', { equal: true }],
    ['1 difference in 120 classes of packets', { differences: [ONE] }],
    ['2 differences, 1 undetermined in 120 classes of packets', { differences: [ONE, ONE], inconclusive: [ONE] }],
    ['0 differences, 1 undetermined in 120 classes of packets', { inconclusive: [ONE], expected: declared(1) }],
    ['no unexpected difference in 120 classes of packets', { expected: declared(1) }],
  ])('reads "%s"', (text, more) => {
    expect(formatComparisonSummary(comparison(more))).toBe(text)
  })

  it('lists the known limitations, each with its mode', () => {
    const text = (classes: number) =>
      formatExpectedDifferences(comparison({ expected: declared(classes) }), ['ipvs', 'nftables'])
    expect(text(1)).toBe('1 class differs by known limitations: ipvs otherPortsRejected (1), plans hairpin (1)')
    expect(text(18)).toBe('18 classes differ by known limitations: ipvs otherPortsRejected (18), plans hairpin (1)')
    expect(text(0)).toBe(undefined)
    expect(formatExpectedDifferences(comparison({}), ['a', 'b'])).toBe(undefined)
  })
})

describe('formatUncomparedDestinations', () => {
  it('lists up to four destinations, and counts the remaining destinations', () => {
    expect(formatUncomparedDestinations(comparison({}))).toBe(undefined)
    expect(formatUncomparedDestinations(comparison({ notCompared: ['10.96.0.1', '10.96.0.2'] }))).toBe(
      'not fully compared, because there are too many classes of packets: destinations 10.96.0.1, 10.96.0.2',
    )
    expect(formatUncomparedDestinations(comparison({ notCompared: ['a', 'b', 'c', 'd', 'e', 'f'] }))).toBe(
      'not fully compared, because there are too many classes of packets: destinations a, b, c, d and 2 more',
    )
  })
})

describe('the cause of a difference between versions', () => {
  it.each([
    [
      { summary: 'node hints take precedence over zone hints', change: 'KEP-3015' },
      'node hints take precedence over zone hints (nodeHints, KEP-3015)',
    ],
    [
      { summary: 'node hints take precedence over zone hints' },
      'node hints take precedence over zone hints (nodeHints)',
    ],
    [{ change: 'KEP-3015' }, 'nodeHints, KEP-3015'],
  ])('shows its version, its feature and %j', (known, expected) => {
    expect(formatCause({ version: '1.35', feature: 'nodeHints', ...known } as VersionCause)).toBe(
      `since 1.35: ${expected}`,
    )
  })
})

describe('the outcome of a packet on one side', () => {
  const side = (outcomes: Readonly<Record<string, string>>, affinitySeconds?: number) =>
    formatSide({ outcomes, affinitySeconds, paths: [] } as unknown as ComparedSide)

  it('shows at most four probabilities, and the session-affinity timeout', () => {
    expect(side({ dropped: '1' })).toBe('dropped')
    expect(side({ '10.0.0.1:80': '1/2', '10.0.0.2:80': '1/2' }, 10800)).toBe(
      '1/2 10.0.0.1:80; 1/2 10.0.0.2:80; session affinity of 10800 s',
    )
    const five = Object.fromEntries(['a:1', 'b:1', 'c:1', 'd:1', 'e:1'].map((text) => [text, '1/5']))
    expect(side(five)).toBe('1/5 a:1; 1/5 b:1; 1/5 c:1; 1/5 d:1; 1 more')
  })

  it('shows every outcome that is not an endpoint', () => {
    const endpoints = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1, masqueraded']
    const outcomes = [...endpoints, 'to the node, not handled by kube-proxy', 'dropped']
    expect(side(Object.fromEntries(outcomes.map((text) => [text, '1/7'])))).toBe(
      '1/7 a:1; 1/7 b:1; 1/7 c:1; 1/7 d:1; 1/7 to the node, not handled by kube-proxy; 1/7 dropped; 1 more',
    )
  })

  it('shows the service ports that kube-proxy selects from', () => {
    const choice = (name: string, address: string) => ({ servicePort: name, outcomes: { [address]: '1' } })
    const choices = [choice('shop/web:http/TCP', '10.0.0.1:80'), choice('zzz/evil:p/TCP', '10.0.0.2:80')]
    const of = (all: typeof choices) => formatSide({ outcomes: { '10.0.0.1:80': '1' }, choices: all })
    expect(of(choices)).toBe('one of shop/web:http/TCP (10.0.0.1:80), zzz/evil:p/TCP (10.0.0.2:80) at random')
    const many = Array.from({ length: 9 }, (_, index) => choice(`d/${index}`, '10.0.0.1:80'))
    expect(of(many)).toMatch(/^one of d\/0 \(10\.0\.0\.1:80\), .*d\/5 \(10\.0\.0\.1:80\), 3 more at random$/)
  })

  it('shows no probabilities if the outcome depends on unknown conditions', () => {
    expect(side({ 'a:80': '1/2', 'b:80': '1/2', dropped: '2' })).toBe(
      'depending on unknown conditions: a:80; b:80; dropped',
    )
    expect(side({ 'a:1': '1', 'b:1': '1', 'c:1': '1', 'd:1': '1', 'e:1': '1' }, 60)).toBe(
      'depending on unknown conditions: a:1; b:1; c:1; d:1; 1 more; session affinity of 60 s',
    )
  })
})
