import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import { isVersionAtLeast } from '../../../compiler/src/model/configuration/versions.js'
import { cases } from '../../../compiler/test/support/clusters.js'
import { afterRun, type HeldNode } from '../../../compiler/test/support/held-node.js'
import { mutate, mutationsOf, withForeignRules } from '../../../compiler/test/support/mutations.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { runs } from '../../../compiler/test/support/runs.js'
import type { FamilyReport } from '../../src/verify/report.js'
import { verify } from '../../src/verify/verify.js'

function reportOf(result: CompileResult, family: IpFamily, node: HeldNode): FamilyReport {
  const report = verify(result, readDump(dumpOf(node, family))).families.find((each) => each.family === family)
  if (report === undefined) throw new Error(`${family} is not in the report`)
  return report
}

/** Returns `family` if the result has it, otherwise the only family of the result. */
function familyIn({ families }: CompileResult, family: IpFamily): IpFamily {
  return families.some((each) => each.family === family) ? family : (families[0]?.family ?? family)
}

function expectNothingToDo(result: CompileResult, family: IpFamily, node: HeldNode): void {
  const { drift, repair } = reportOf(result, family, node)
  expect(drift).toEqual([])
  expect(repair).toEqual([])
}

/** Returns the foreign rules and chains. */
function foreignLines(node: HeldNode): readonly string[] {
  return [...node.tables].flatMap(([table, chains]) =>
    [...chains].flatMap(([chain, rules]) => [
      ...(/^(?:DOCKER|KUBE-MARK-DROP|KUBE-KUBELET-CANARY)$/.test(chain) ? [`${table} ${chain}`] : []),
      ...rules.flatMap(({ spec }) => (/docker0|DOCKER|0x8000\/0x8000/.test(spec) ? [`${table} ${chain} ${spec}`] : [])),
    ]),
  )
}

function expectRepaired(result: CompileResult, family: IpFamily, node: HeldNode, report: FamilyReport): void {
  const repaired = report.repair.reduce((held, run) => afterRun(held, run), node)
  expectNothingToDo(result, family, repaired)
  expect(foreignLines(repaired).filter(isForeignTo(result))).toEqual(foreignLines(node).filter(isForeignTo(result)))
}

/**
 * Returns a function that reports whether a line belongs to another program. Up to 1.24, KUBE-MARK-DROP may be
 * kube-proxy's own chain, so that a repair restores it.
 */
function isForeignTo({ kubernetesVersion }: CompileResult): (line: string) => boolean {
  return (line) => line !== 'nat KUBE-MARK-DROP' || isVersionAtLeast(kubernetesVersion, '1.25')
}

/** Cases of the iptables and ipvs modes; `nftables-mutations` covers nftables mode. */
const casesOfRules = cases.filter(({ options: { mode } }) => mode === 'iptables' || mode === 'ipvs')

function areSameLines(a: string, b: string): boolean {
  return a.split('\n').sort().join('\n') === b.split('\n').sort().join('\n')
}

/**
 * Excludes cases in which kube-proxy itself leaves state on the node that is not drift: in 1.14 the virtual server of a
 * removed Service until the next sync, and up to 1.26 addresses in excluded networks.
 */
const mutatedCases = casesOfRules.chain(({ cluster, options }) => {
  const { mode, kubernetesVersion = '1.37' } = options
  const mutation = mutationsOf(mode === 'ipvs' ? 'ipvs' : 'iptables').filter(
    ({ kind }) =>
      (kind !== 'add virtual server' || isVersionAtLeast(kubernetesVersion, '1.15')) &&
      (kind !== 'add address' || isVersionAtLeast(kubernetesVersion, '1.27')),
  )
  return fc.array(mutation, { minLength: 4, maxLength: 4 }).map((mutations) => ({ cluster, options, mutations }))
})

describe('a node with the compiled state', () => {
  it('has no drift, even if it has resources of other programs', () => {
    fc.assert(
      fc.property(casesOfRules, fc.constantFrom(...IP_FAMILIES), ({ cluster, options }, drawn) => {
        const result = compile(cluster, options)
        const family = familyIn(result, drawn)
        const node = nodeHolding(result, family)
        expectNothingToDo(result, family, node)
        expectNothingToDo(result, family, withForeignRules(node))
      }),
      { numRuns: runs(20) },
    )
  })

  it('has drift after one change, and no drift after the repair', () => {
    fc.assert(
      fc.property(mutatedCases, fc.constantFrom(...IP_FAMILIES), fc.boolean(), (given, drawn, foreign) => {
        const result = compile(given.cluster, given.options)
        const family = familyIn(result, drawn)
        const node = nodeHolding(result, family)
        for (const mutation of given.mutations) {
          const mutated = mutate(node, mutation)
          if (mutated === undefined) continue
          const held = foreign ? withForeignRules(mutated) : mutated
          // The foreign rules may restore the chain that the mutation deleted, because the kubelet creates it, too.
          if (areSameLines(dumpOf(held, family), dumpOf(foreign ? withForeignRules(node) : node, family))) continue
          const report = reportOf(result, family, held)
          expect(report.drift.length, JSON.stringify(mutation)).toBeGreaterThan(0)
          for (const { drift } of report.drift) for (const { reason } of drift) expect(reason).toMatch(/^\S[^\n]+$/)
          expectRepaired(result, family, held, report)
        }
      }),
      { numRuns: runs(45) },
    )
  })

  it('is the result of repairing a node with the state of another cluster', () => {
    fc.assert(
      fc.property(casesOfRules, casesOfRules, fc.constantFrom(...IP_FAMILIES), (before, after, drawn) => {
        const old = compile(before.cluster, before.options)
        const result = compile(after.cluster, { ...after.options, mode: old.mode })
        const family = familyIn(result, drawn)
        // Omits nodes without this family: their dump has no sets, as if the output of ipset was missing.
        fc.pre(old.families.some((each) => each.family === family))
        const node = withForeignRules(nodeHolding(old, family))
        expectRepaired(result, family, node, reportOf(result, family, node))
      }),
      { numRuns: runs(30) },
    )
  })
})
