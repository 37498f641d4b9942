import type { Packet } from '@kube-rules/types'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import { type Case, cases } from '../../../compiler/test/support/clusters.js'
import { hostileTexts } from '../../../compiler/test/support/hostile.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { nodesOf } from '../../../compiler/test/support/view-lines.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { compare } from '../../src/compare/compare.js'
import { diagnoseNode } from '../../src/diagnose/diagnose-node.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import type { Diagnosis } from '../../src/diagnose/diagnosis.js'
import { explain, traceAllFrontends } from '../../src/explain/explain.js'
import type { Explanation } from '../../src/explain/explain-paths.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import type { FamilyReport, VerifyReport } from '../../src/verify/report.js'
import { verify } from '../../src/verify/verify.js'
import { comparisonView } from '../../src/view/comparison-view.js'
import { diagnosisView } from '../../src/view/diagnosis-view.js'
import { concatViews } from '../../src/view/draft.js'
import { explanationView } from '../../src/view/explanation-view.js'
import { printView } from '../../src/view/print-view.js'
import { reachabilityView } from '../../src/view/reachability-view.js'
import { coverageView, reportView } from '../../src/view/report-view.js'
import { VIEW_KINDS, type View, type ViewNode } from '../../src/view/view.js'

/**
 * Expects a valid view: each node is one line of the text, in the same order; ids identify locations; and the JSON
 * contains the whole view.
 */
function expectToBeAView(view: View): void {
  const nodes = nodesOf(view)
  const lines = printView(view).split('\n')
  expect(lines.pop()).toBe('')
  const written = lines.filter((line) => line !== '')
  expect(written.length).toBe(nodes.length)
  for (const [index, { label, kind, cells = [] }] of nodes.entries()) {
    expect(VIEW_KINDS).toContain(kind)
    expect(label).not.toBe('')
    for (const words of [label, ...cells]) expect(escapeControlCharacters(words)).toBe(words)
    const line = written[index] ?? ''
    expect(line.endsWith(label), line).toBe(true)
    expect(line.slice(0, line.length - label.length)).toMatch(/^[ │├└─]*$/)
  }
  expectIds(view, '')
  expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length)
  expect(JSON.parse(JSON.stringify(view))).toStrictEqual(view)
}

function expectIds(view: View, parent: string): void {
  for (const [index, { id, children }] of view.entries()) {
    expect(id).toBe(`${parent}${index}`)
    expectIds(children, `${id}.`)
  }
}

/** Expects a path after a random choice to start with its probability. */
function expectShares(nodes: readonly ViewNode[]): void {
  for (const { label, share, isBranch } of nodes) {
    if (share === undefined) continue
    expect(isBranch).toBe(true)
    expect(label.split(' ')[0]).toBe(share)
  }
}

const NAMES = ['old', 'new'] as const

describe('the printed view', () => {
  const samples = cases.chain((given) => {
    const result = compile(given.cluster, given.options)
    const packets = result.families.map(({ plan }) => fc.array(anyPacket(plan), { minLength: 3, maxLength: 3 }))
    return fc.tuple(...packets).map((lists) => ({ given, result, lists }))
  })

  it('equals the text of an explanation, a diagnosis or a reachability table', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(samples, fc.boolean(), ({ given, result, lists }, withPlan) => {
        for (const [index, { state, plan }] of result.families.entries()) {
          const traceContext = traceContextFor(plan)
          const known = { ...traceContext, ...(withPlan && { plan, compiled: state }) }
          expectToBeAView(reachabilityView(traceAllFrontends(state, known)))
          for (const packet of lists[index] ?? []) {
            const explanation = explain(state, packet, known)
            const from = { input: given.cluster, options: given.options }
            const diagnoses = diagnosePacket(explanation, state, { result, from, ...traceContext })
            const view = concatViews([...diagnoses.map(diagnosisView), explanationView(explanation)])
            expectToBeAView(view)
            expectShares(nodesOf(view))
            for (const { kind } of nodesOf(view)) met.add(kind)
          }
        }
      }),
      { numRuns: fewRuns(60) },
    )
    if (isWhole) expect([...met]).toEqual(expect.arrayContaining(['packet', 'owner', 'reason', 'step', 'outcome']))
  })

  it('equals the text of a report', () => {
    const met = new Set<string>()
    const held = (result: CompileResult): string =>
      result.families.map(({ family }) => printFamily(result, { family, format: 'save' })).join('')
    const ofIptables = cases.filter(({ options }) => options.mode === 'iptables')
    fc.assert(
      fc.property(ofIptables, ofIptables, (given, before) => {
        const result = compile(given.cluster, { ...given.options, families: ['IPv4'] })
        const dump = readDump(held(compile(before.cluster, { ...before.options, families: ['IPv4'] })))
        const report = verify(result, dump)
        const view = reportView(report, 'iptables mode')
        for (const each of [view, coverageView(report)]) expectToBeAView(each)
        for (const diagnosis of diagnoseNode(result, dump, report)) expectToBeAView(diagnosisView(diagnosis))
        for (const { kind } of nodesOf(view)) met.add(kind)
      }),
      { numRuns: fewRuns(30) },
    )
    if (isWhole)
      expect([...met]).toEqual(expect.arrayContaining(['servicePort', 'drift', 'found', 'expected', 'verdict']))
  })

  it('equals the text of a comparison', () => {
    const met = new Set<string>()
    const compiled = ({ cluster, options }: Case) => compile(cluster, { ...options, families: ['IPv4'] }).families[0]
    fc.assert(
      fc.property(cases, cases, (given, other) => {
        const [a, b] = [compiled(given), compiled(other)]
        if (a === undefined || b === undefined) return
        const view = comparisonView(compare(a.state, b.state, traceContextFor(a.plan)), NAMES)
        expectToBeAView(view)
        for (const { kind } of nodesOf(view)) met.add(kind)
      }),
      { numRuns: fewRuns(12) },
    )
    if (isWhole) expect([...met]).toEqual(expect.arrayContaining(['differs', 'side', 'summary']))
  })

  it('prints each hostile label on one line', () => {
    const words = hostileTexts.map((text) => `x${text}x`)
    fc.assert(
      fc.property(fc.array(words, { minLength: 12, maxLength: 12 }), (texts) => {
        const [a, b, c, d, e, f, g, h, i, j, k, l] = texts as [string, ...string[]]
        const packet: Packet = {
          ...{ origin: 'pod', protocol: 'TCP', source: a, destination: '10.0.0.1', destinationPort: 1 },
        }
        const step = { hook: 'PREROUTING', table: b ?? '', chain: c ?? '', text: d ?? '', target: e ?? '' } as const
        const steps = [{ ...step, jumpsTo: '', comment: '', servicePort: f ?? '' }]
        const outcome = { kind: 'unknown', reason: g ?? '' } as const
        const paths = [true, false].map((value) => ({
          ...{ outcome, weight: '1', probability: 1, assumptions: [{ condition: h ?? '', value }], steps },
        }))
        const reason = { subject: i ?? '', reason: j ?? '', expectedOutcome: k ?? '', divergence: 'drift' } as const
        const explanations: readonly Explanation[] = [
          { packet, paths },
          { packet, paths, reason },
        ]
        for (const each of explanations) expectToBeAView(explanationView(each))
        const drift = {
          subsystem: 'iptables',
          location: a,
          part: { kind: 'chain', table: 'nat', chain: a },
          kind: 'changed',
          reason: b ?? '',
          expected: c,
          found: d,
        } as const
        const family: FamilyReport = {
          ...{ family: 'IPv4', caveats: [{ about: 'mode', message: e ?? '' }] },
          ...{ drift: [{ servicePort: f ?? '', drift: [drift] }], unverified: [{ part: g ?? '', reason: h ?? '' }] },
          ...{ otherChains: [i ?? ''], kubeletChains: [], repair: [] },
        }
        const report: VerifyReport = { mode: 'iptables', verdict: 'drift', families: [family] }
        for (const each of [reportView(report, j ?? ''), coverageView(report)]) expectToBeAView(each)
        const diagnosis: Diagnosis = {
          ...{
            code: 'noRules',
            summary: a,
            cause: b ?? '',
            steps: [{ text: c ?? '', command: c, impact: c }],
            object: d ?? '',
            rule: e ?? '',
            ruleStatus: f ?? '',
            location: g,
          },
        }
        expectToBeAView(diagnosisView(diagnosis))
        const frontend = { owner: f ?? '', protocol: 'TCP', address: g ?? '', port: 1 } as const
        expectToBeAView(
          reachabilityView([{ frontend, outcomes: { pod: h ?? '' }, reason: { pod: { reason: i ?? '' } } }]),
        )
        const side = { outcomes: { [j ?? '']: '1' }, paths }
        const difference = {
          packet,
          condition: k ?? '',
          packetGroups: [],
          classes: 1,
          services: [l ?? ''],
          a: side,
          b: side,
        }
        const comparison = { equal: false, classes: 1, differences: [difference], inconclusive: [difference] }
        expectToBeAView(comparisonView(comparison, [a, b ?? '']))
      }),
      { numRuns: fewRuns(300) },
    )
  })
})
