import { IP_FAMILIES, type IpFamily, type Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import { type Case, cases } from '../../../compiler/test/support/clusters.js'
import { mutate, mutationsOf, withForeignRules } from '../../../compiler/test/support/mutations.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole, runs } from '../../../compiler/test/support/runs.js'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { diagnoseNode } from '../../src/diagnose/diagnose-node.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import { DIAGNOSIS_CODES, type Diagnosis } from '../../src/diagnose/diagnosis.js'
import { explain } from '../../src/explain/explain.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { verify } from '../../src/verify/verify.js'
import { printDiagnosis } from '../../src/view/print-texts.js'

/** Expects a diagnosis of complete lines that names an object of the cluster and a rule in one of the texts. */
function expectToNameWhatIsThere(diagnosis: Diagnosis, cluster: Cluster, texts: () => readonly string[]): void {
  const { code, summary, cause, steps, object, rule, ruleStatus } = diagnosis
  const stepTexts = steps.map(({ text, command = '', impact = '' }) => `${text} ${command} ${impact}`.trimEnd())
  expect(DIAGNOSIS_CODES).toContain(code)
  expect(printDiagnosis(diagnosis)).toMatch(
    /^[^\n]+\nwhy: [^\n]+\ndo:\n(?: {2}\d\. [^\n]+\n(?: {5}[^\n]+\n)*)+rule: [^\n]+\n$/,
  )
  expect(steps.length).toBeGreaterThan(0)
  for (const text of [summary, cause, ruleStatus, ...stepTexts])
    expect(text).not.toMatch(/undefined|\[object|;;|; *$| {3}/)
  expect(sourceObjectsOf(cluster)).toContain(object)
  expect(`${summary} ${cause}`).toContain(object.replace(/^\w+ /, ''))
  const isUnserved = code === 'unservedNodePort' && summary.endsWith(' at no address of the node')
  // A node port that no address serves need not have a rule.
  expect(isUnserved || isThere(rule, texts()), rule).toBe(true)
}

function sourceObjectsOf({ services, nodes }: Cluster): readonly string[] {
  return [
    ...services.map(({ metadata }) => `Service ${metadata?.namespace}/${metadata?.name}`),
    ...nodes.map(({ metadata }) => `Node ${metadata?.name}`),
    'KubeProxyConfiguration',
  ]
}

/**
 * Reports whether a text contains the rule: as a line, as an id whose words are all in one line, or as an element in
 * its map.
 */
function isThere(rule: string, texts: readonly string[]): boolean {
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.trim())
  const [, element] = /^[^{]*vmap \{ (.*) \}$/.exec(rule) ?? []
  const words = rule.split(/[\s/]+/).filter((word) => !/^(?:nat|filter|mangle|ipset|ipvs|TCP|UDP|SCTP)$/.test(word))
  return lines.some(
    (line) =>
      line === rule ||
      (element !== undefined && line.includes(element)) ||
      (!rule.startsWith('-') && words.every((word) => line.includes(word))),
  )
}

function textsOf(state: NodeState): readonly string[] {
  return (['save', 'restore'] as const).map((format) => print(state, { format }))
}

function diagnosesOf(
  { cluster, options }: Case,
  result: CompileResult,
  state: NodeState,
  packet: Packet,
): readonly Diagnosis[] {
  const family = result.families.find((each) => each.family === state.family)
  if (family === undefined) return []
  const traceContext = traceContextFor(family.plan)
  const explanation = explain(state, packet, { plan: family.plan, compiled: family.state, ...traceContext })
  return diagnosePacket(explanation, state, { result, from: { input: cluster, options }, ...traceContext })
}

describe('a diagnosis', () => {
  it('of a packet through compiled rules references an existing object and rule', () => {
    const met = new Set<string>()
    const samples = cases.chain((given) => {
      const result = compile(given.cluster, given.options)
      const packets = result.families.map(({ plan }) => fc.array(anyPacket(plan), { minLength: 4, maxLength: 4 }))
      return fc.tuple(...packets).map((lists) => ({ given, result, lists }))
    })
    fc.assert(
      fc.property(samples, ({ given, result, lists }) => {
        const found = result.families.flatMap(({ state }, index) =>
          (lists[index] ?? []).flatMap((packet) =>
            diagnosesOf(given, result, state, packet).map((diagnosis) => ({ diagnosis, state })),
          ),
        )
        fc.pre(found.length > 0)
        for (const { diagnosis, state } of found) {
          expectToNameWhatIsThere(diagnosis, given.cluster, () => textsOf(state))
          met.add(diagnosis.code)
        }
      }),
      { numRuns: fewRuns(30) },
    )
    if (isWhole) expect([...met]).toEqual(expect.arrayContaining(['rejectedNoEndpoints', 'ignoredHints']))
  })

  const changed = cases
    .filter(({ options }) => options.mode !== 'nftables')
    .chain((given) =>
      fc
        .array(mutationsOf(given.options.mode === 'ipvs' ? 'ipvs' : 'iptables'), { minLength: 10, maxLength: 10 })
        .map((mutations) => ({ given, mutations })),
    )

  it('of a node with one change references an existing object and rule', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(changed, fc.constantFrom(...IP_FAMILIES), ({ given, mutations }, family) => {
        const result = compile(given.cluster, given.options)
        const compiled = result.families.find((each) => each.family === family)
        fc.pre(compiled?.plan.services.some(({ reachable }) => reachable.length > 0) ?? false)
        if (compiled === undefined) return
        const found = mutations.flatMap((mutation) => {
          const mutated = mutate(nodeHolding(result, family), mutation)
          if (mutated === undefined) return []
          const dump = readDump(dumpOf(withForeignRules(mutated), family))
          const live = annotateOwners(dump[family], compiled.state)
          const texts = () => [...textsOf(live), ...textsOf(compiled.state)]
          return diagnoseNode(result, dump, verify(result, dump)).map((diagnosis) => ({ diagnosis, texts }))
        })
        fc.pre(found.length > 0)
        for (const { diagnosis, texts } of found) {
          expectToNameWhatIsThere(diagnosis, given.cluster, texts)
          met.add(diagnosis.code)
        }
      }),
      { numRuns: fewRuns(30) },
    )
    if (isWhole) expect([...met]).toContain('missingEndpoint')
  })

  const ofNftables = cases.filter(({ options }) => options.mode === 'nftables')

  it.each([
    ['iptables and ipvs', cases.filter(({ options }) => options.mode !== 'nftables')],
    ['nftables', ofNftables],
  ])('of a node with rules of another cluster in %s mode references an existing object and rule', (mode, own) => {
    const met = new Set<string>()
    fc.assert(
      fc.property(pairsOf(own), fc.constantFrom(...IP_FAMILIES), ([given, before], family) => {
        const result = compile(given.cluster, given.options)
        const compiled = result.families.find((each) => each.family === family)
        fc.pre(compiled?.plan.services.some(({ reachable }) => reachable.length > 0) ?? false)
        if (compiled === undefined) return
        const dump = readDump(dumpOfOther(before, given, family))
        const texts = () =>
          result.families.flatMap((each) => [
            ...textsOf(annotateOwners(dump[each.family], each.state)),
            ...textsOf(each.state),
          ])
        const diagnoses = diagnoseNode(result, dump, verify(result, dump))
        fc.pre(diagnoses.length > 0)
        for (const diagnosis of diagnoses) {
          expectToNameWhatIsThere(diagnosis, given.cluster, texts)
          met.add(diagnosis.code)
        }
      }),
      { numRuns: runs(60) },
    )
    if (isWhole) expect([...met], mode).toEqual(expect.arrayContaining(['missingEndpoint', 'staleEndpoint']))
  })

  /**
   * Generates two clusters; in half of the pairs the second has the Services of the first, with different endpoints.
   */
  function pairsOf(own: fc.Arbitrary<Case>): fc.Arbitrary<readonly [Case, Case]> {
    return fc.tuple(own, own, fc.boolean()).map(([given, other, isOfSame]) => {
      const cluster = isOfSame ? { ...other.cluster, services: given.cluster.services } : other.cluster
      return [given, { ...other, cluster }] as const
    })
  }

  /** Prints the dump of a node with the rules of another cluster, as the kube-proxy of `given` writes them. */
  function dumpOfOther({ cluster, options }: Case, given: Case, family: IpFamily): string {
    const { mode, kubernetesVersion } = given.options
    if (mode !== 'nftables') return dumpOf(nodeHolding(compile(cluster, options), family), family)
    const result = compile(
      { ...cluster, configuration: given.cluster.configuration },
      { ...options, kubernetesVersion },
    )
    return result.families.map(({ state }) => print(state, { format: 'save' })).join('')
  }
})
