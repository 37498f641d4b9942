import { describe, expect, it } from 'vitest'
import { nodesOf, outline } from '../../../compiler/test/support/view-lines.js'
import type { Drift, FamilyReport, VerifyReport } from '../../src/verify/report.js'
import { printReport } from '../../src/view/print-texts.js'
import { caveatsView, coverageView, reportView } from '../../src/view/report-view.js'

const NOTHING: FamilyReport = {
  ...{ family: 'IPv4', caveats: [], drift: [], unverified: [], otherChains: [], kubeletChains: [], repair: [] },
}
const IPV6: FamilyReport = { ...NOTHING, family: 'IPv6' }
const CHANGED: Drift = {
  ...{ subsystem: 'iptables', location: 'nat/KUBE-SEP-X', kind: 'changed', reason: 'another endpoint' },
  part: { kind: 'rule', table: 'nat', chain: 'KUBE-SEP-X' },
  ...{ expected: '-A KUBE-SEP-X -j A', found: '-A KUBE-SEP-X -j B\n-A KUBE-SEP-X -j C' },
}
const MISPLACED: Drift = {
  ...{ subsystem: 'iptables', location: 'nat/KUBE-SERVICES', kind: 'misplaced', reason: 'behind another' },
  part: { kind: 'rule', table: 'nat', chain: 'KUBE-SERVICES' },
  ...{ expected: '-A KUBE-SERVICES -j A', found: '-A KUBE-SERVICES -j A' },
}
const MISSING: Drift = {
  subsystem: 'ipset',
  location: 'ipset A 1',
  part: { kind: 'element', set: 'A', key: ['1'] },
  kind: 'missing',
  reason: 'not there',
  expected: 'add A 1',
}

function report(verdict: VerifyReport['verdict'], ...families: readonly FamilyReport[]): VerifyReport {
  return { mode: 'iptables', verdict, families }
}

describe('reportView', () => {
  it('contains the caveats, the drift of each service port, and the verdict', () => {
    const caveat = { about: 'mode', message: 'is iptables the mode?' } as const
    const families = [
      { ...NOTHING, caveats: [caveat], drift: [{ servicePort: 'default/web:http/TCP', drift: [CHANGED, MISSING] }] },
      { ...IPV6, caveats: [caveat], drift: [{ servicePort: '', drift: [MISPLACED] }] },
    ]
    const view = reportView(report('drift', ...families), 'iptables mode')
    expect(outline(view)).toEqual([
      'caveat warning: caveat: is iptables the mode?',
      'comparedWith: compared with: iptables mode',
      'servicePort error: default/web:http/TCP (IPv4)',
      '  drift error: nat/KUBE-SEP-X changed: another endpoint',
      '    found: - -A KUBE-SEP-X -j B',
      '    found: - -A KUBE-SEP-X -j C',
      '    expected: + -A KUBE-SEP-X -j A',
      '  drift error: ipset A 1 missing: not there',
      '    expected: + add A 1',
      'servicePort error: shared by all service ports (IPv6)',
      '  drift error: nat/KUBE-SERVICES misplaced: behind another',
      '    expected: + -A KUBE-SERVICES -j A',
      'verdict error: 1 missing, 1 changed, 1 misplaced',
    ])
    const [group] = view.slice(2)
    const about = {
      servicePort: 'default/web:http/TCP',
      objects: [{ kind: 'Service', namespace: 'default', name: 'web' }],
    }
    for (const node of group === undefined ? [] : nodesOf([group])) expect(node).toMatchObject(about)
    expect(view[3]).not.toHaveProperty('servicePort')
    const place = { subsystem: 'iptables', location: 'nat/KUBE-SEP-X' }
    expect(nodesOf(view).map(({ rules }) => rules)[3]).toEqual([{ ...place, text: '' }])
    expect(nodesOf(view).map(({ rules }) => rules)[4]).toEqual([{ ...place, text: '-A KUBE-SEP-X -j B' }])
  })

  it.each([
    ['noDrift', 'verdict ok: no drift'],
    ['notVerified', 'verdict warning: not verified: IPv4 ipset'],
  ] as const)('has the verdict %s if there is no drift', (verdict, line) => {
    const unverified = verdict === 'noDrift' ? [] : [{ part: 'ipset', reason: 'no sets' }]
    expect(outline(reportView(report(verdict, { ...NOTHING, unverified }), ''))).toEqual([line])
  })

  it('contains unverified items together with drift', () => {
    const family = {
      ...NOTHING,
      drift: [{ servicePort: '', drift: [MISSING] }],
      unverified: [{ part: 'ipvs', reason: '' }],
    }
    expect(outline(reportView(report('drift', family), '')).at(-1)).toBe(
      'verdict error: 1 missing; not verified: IPv4 ipvs',
    )
  })

  it('can be printed with an empty line between its blocks', () => {
    const family = { ...NOTHING, drift: [{ servicePort: 'a/b/TCP', drift: [CHANGED] }] }
    expect(printReport(report('drift', family), '')).toBe(`a/b/TCP
  nat/KUBE-SEP-X changed: another endpoint
    - -A KUBE-SEP-X -j B
    - -A KUBE-SEP-X -j C
    + -A KUBE-SEP-X -j A

1 changed
`)
  })
})

describe('caveatsView', () => {
  it('is empty if there are no caveats', () => {
    expect(caveatsView(report('noDrift', NOTHING), 'iptables mode')).toEqual([])
  })
})

describe('coverageView', () => {
  it('contains unverified items and ignored chains', () => {
    const families = [
      {
        ...NOTHING,
        unverified: [{ part: 'ipset', reason: 'the dump has no sets' }],
        otherChains: ['nat/KUBE-POD-FW-X', 'nat/KUBE-POD-FW-Y'],
      },
      { ...IPV6, otherChains: ['filter/KUBE-NWPLCY-X'] },
    ]
    const view = coverageView(report('notVerified', ...families))
    expect(outline(view)).toEqual([
      'unverified warning: warning: IPv4 ipset not verified: the dump has no sets',
      'leftAlone warning: warning: IPv4: ignored 2 KUBE- chains that no kube-proxy creates (-o json lists them)',
      'leftAlone warning: warning: IPv6: ignored 1 KUBE- chain that no kube-proxy creates (-o json lists them)',
    ])
    expect(view[1]?.rules.map(({ location }) => location)).toEqual(['nat/KUBE-POD-FW-X', 'nat/KUBE-POD-FW-Y'])
  })
})
