import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { nodesOf, outline } from '../../../compiler/test/support/view-lines.js'
import { webResult } from '../../../compiler/test/support/web-result.js'
import type { Comparison, Difference } from '../../src/compare/comparison.js'
import { trace } from '../../src/trace/trace.js'
import { comparisonView } from '../../src/view/comparison-view.js'

const packet: Packet = {
  ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination: '10.96.0.10', destinationPort: 80 },
}

function difference(services: readonly string[], classes = 1): Difference {
  const [family] = webResult('iptables').families
  const paths = family === undefined ? [] : trace(family.state, packet)
  return {
    ...{ packet, condition: 'TCP 10.96.0.10:80', packetGroups: [], classes, services },
    a: { outcomes: { '10.244.1.5:8080': '1/2', '10.244.2.7:8080': '1/2' }, paths },
    b: { outcomes: { rejected: '1' }, affinitySeconds: 60, paths: [] },
  }
}

const NONE: Comparison = { equal: true, classes: 12, differences: [], inconclusive: [] }

describe('comparisonView', () => {
  it('contains differences, unknown results, and the number of compared packets', () => {
    const comparison: Comparison = {
      ...{ equal: false, classes: 12 },
      differences: [difference(['default/web:http/TCP'])],
      inconclusive: [difference(['a/b/TCP', 'a/c/TCP'], 3)],
    }
    const view = comparisonView(comparison, ['old', 'new'])
    const sides = [
      '  side: old: 1/2 10.244.1.5:8080; 1/2 10.244.2.7:8080',
      '  side: new: rejected; session affinity of 60 s',
    ]
    expect(outline(view)).toEqual([
      'differs error: differs: TCP 10.96.0.10:80 (default/web:http/TCP)',
      ...sides,
      'inconclusive warning: undetermined: TCP 10.96.0.10:80 (a/b/TCP, a/c/TCP), 3 classes',
      ...sides,
      'summary error: 1 difference, 1 undetermined in 12 classes of packets',
    ])
    expect(view[0]).toMatchObject({ servicePort: 'default/web:http/TCP', objects: [{ name: 'web' }] })
    expect(view[1]).not.toHaveProperty('servicePort')
    expect(view[1]?.objects.map(({ name }) => name)).toEqual(['b', 'c'])
    const places = nodesOf(view)[1]?.rules.map(({ location }) => location) ?? []
    // The paths of both sides start with the same rules.
    expect(places.filter((place) => place === 'nat/KUBE-SERVICES')).toHaveLength(1)
    expect(places.filter((place) => place.startsWith('nat/KUBE-SEP-'))).toHaveLength(2)
  })

  it('contains contested packets once, and what was in use before', () => {
    const choices = [
      { servicePort: 'shop/web:http/TCP', outcomes: { '10.244.1.5:8080': '1' } },
      { servicePort: 'zzz/evil:p/TCP', outcomes: { '10.244.6.6:6666': '1' } },
    ]
    const plain = difference(['shop/web:http/TCP', 'zzz/evil:p/TCP'])
    const random = { ...plain.a, choices }
    const text = 'one of shop/web:http/TCP (10.244.1.5:8080), zzz/evil:p/TCP (10.244.6.6:6666) at random'
    const occupied = [{ destination: 'TCP 10.96.0.10:80', occupant: 'shop/web' }]
    const comparison: Comparison = {
      ...{ ...NONE, equal: false, differences: [{ ...plain, b: random, occupied }] },
      contested: [{ ...plain, a: random, b: random }],
    }
    expect(outline(comparisonView(comparison, ['old', 'new']))).toEqual([
      'differs error: differs: TCP 10.96.0.10:80 (shop/web:http/TCP, zzz/evil:p/TCP)',
      '  side: old: 1/2 10.244.1.5:8080; 1/2 10.244.2.7:8080',
      `  side: new: ${text}`,
      '  occupied: in use before: TCP 10.96.0.10:80 (shop/web)',
      'contested warning: contested in old and new: TCP 10.96.0.10:80 (shop/web:http/TCP, zzz/evil:p/TCP)',
      `  side: ${text}`,
      'summary error: 1 difference, 1 contested in 12 classes of packets',
    ])
    const { contested } = comparison
    expect(outline(comparisonView({ ...NONE, equal: false, contested }, ['a', 'b'])).at(-1)).toBe(
      'summary warning: 0 differences, 1 contested in 12 classes of packets',
    )
  })

  it.each([
    ['summary ok: no difference in 12 classes of packets', NONE],
    [
      'summary warning: 0 differences, 1 undetermined in 12 classes of packets',
      { ...NONE, equal: false, inconclusive: [difference([])] },
    ],
  ])('ends with the line "%s"', (line, comparison) => {
    expect(outline(comparisonView(comparison, ['a', 'b'])).at(-1)).toBe(line)
  })
})
