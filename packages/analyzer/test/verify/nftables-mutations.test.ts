import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { ToolCommand } from '../../../compiler/src/dataplane/netfilter/tool-command.js'
import type { Table } from '../../../compiler/src/dataplane/nftables/ast.js'
import { toListedForm } from '../../../compiler/src/dataplane/nftables/listed-form.js'
import { printListings } from '../../../compiler/src/dataplane/nftables/print/print-listing.js'
import { type Case, cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { drawnVersions } from '../../../compiler/test/support/drawn-versions.js'
import { afterNft } from '../../../compiler/test/support/nft-interpreter.js'
import { mutateTable, tableMutations } from '../../../compiler/test/support/nftables-mutations.js'
import { at, loadBalancer, slice } from '../../../compiler/test/support/objects.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole, runs } from '../../../compiler/test/support/runs.js'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import type { FamilyReport } from '../../src/verify/report.js'
import { verify } from '../../src/verify/verify.js'

const FOREIGN: Table = {
  family: 'inet',
  name: 'firewalld',
  chains: [
    { name: 'filter_INPUT', base: { type: 'filter', hook: 'input', priority: 10, policy: 'accept' }, rules: [] },
  ],
  sets: [],
  objects: [],
}

const nftablesCases: fc.Arbitrary<Case> = cases.map(({ cluster, options: given }) => {
  const options = optionsOfMode(given, 'nftables')
  return { cluster: understoodCluster(cluster, options), options }
})

/** A load-balancer IP with source ranges. Version 1.29 writes a network as the Service has it. */
const LIMITED: Cluster = {
  services: [loadBalancer({ loadBalancerSourceRanges: ['192.168.0.9/16'] })],
  endpointSlices: [slice(at('10.244.1.1'))],
  endpoints: [],
  nodes: [],
  serviceCIDRs: [],
  configuration: {},
  host: undefined,
}

function tablesOf(result: CompileResult, family: IpFamily): readonly Table[] {
  return result.families.flatMap(({ family: own, state }) => (own === family ? (state.nftables?.tables ?? []) : []))
}

/** Prints the output of `nft list ruleset`. */
function listed(tables: readonly Table[]): string {
  return printListings(
    tables.map((table) => toListedForm(table, '1.1')),
    { version: '1.1' },
  )
}

function reportOf(result: CompileResult, family: IpFamily, tables: readonly Table[]): FamilyReport {
  const dump = readDump(listed([FOREIGN, ...tables]))
  const report = verify(result, dump).families.find((each) => each.family === family)
  if (report === undefined) throw new Error(`${family} is not in the report`)
  return report
}

function runInput(held: readonly Table[], { input }: ToolCommand): readonly Table[] {
  return afterNft(held, input)
}

function expectRepaired(result: CompileResult, family: IpFamily, tables: readonly Table[], report: FamilyReport): void {
  const repaired = report.repair.reduce(runInput, tables)
  const { drift, repair } = reportOf(result, family, repaired)
  expect({ drift, repair }).toEqual({ drift: [], repair: [] })
}

describe('a node with the compiled state', () => {
  it('has no drift', () => {
    fc.assert(
      fc.property(nftablesCases, fc.constantFrom(...IP_FAMILIES), ({ cluster, options }, family) => {
        const result = compile(cluster, options)
        const { drift, repair } = reportOf(result, family, tablesOf(result, family))
        expect({ drift, repair }).toEqual({ drift: [], repair: [] })
      }),
      { numRuns: runs(20) },
    )
  })

  it('has drift after one change, and no drift after the repair', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        nftablesCases,
        fc.array(tableMutations, { minLength: 6, maxLength: 6 }),
        fc.constantFrom(...IP_FAMILIES),
        ({ cluster, options }, mutations, family) => {
          const result = compile(cluster, options)
          for (const mutation of mutations) {
            const [table] = tablesOf(result, family)
            const mutated = table === undefined ? 'unchanged' : mutateTable(table, mutation)
            if (mutated === 'unchanged') continue
            const tables = mutated === undefined ? [] : [mutated]
            const report = reportOf(result, family, tables)
            expect(report.drift.length, JSON.stringify(mutation)).toBeGreaterThan(0)
            for (const { drift } of report.drift) for (const { reason } of drift) expect(reason).toMatch(/^\S[^\n]+$/)
            expectRepaired(result, family, tables, report)
            seen.add(mutation.kind)
          }
        },
      ),
      { numRuns: fewRuns(60) },
    )
    if (isWhole) expect(seen.size).toBe(10)
  })

  it('is not verified if the dump has no tables, but is repaired if the dump is complete', () => {
    fc.assert(
      fc.property(nftablesCases, fc.constantFrom(...IP_FAMILIES), ({ cluster, options }, family) => {
        const result = compile(cluster, { ...options, families: [family] })
        const dump = readDump('')
        expect(verify(result, dump).verdict).toBe('notVerified')
        const { verdict, families } = verify(result, dump, { complete: true })
        expect(verdict).toBe('drift')
        const repaired = families.flatMap(({ repair }) => repair).reduce(runInput, [])
        expect(reportOf(result, family, repaired).drift).toEqual([])
      }),
      { numRuns: runs(20) },
    )
  })

  it('is the result of repairing a node with the state of any other version', () => {
    const versions = drawnVersions('nftables')
    const results = versions.map((kubernetesVersion) => {
      const options = { mode: 'nftables', kubernetesVersion, nodeName: 'node-1', families: ['IPv4'] } as const
      return compile(understoodCluster(LIMITED, options), options)
    })
    for (const before of results) {
      const held = tablesOf(before, 'IPv4')
      for (const after of results) expectRepaired(after, 'IPv4', held, reportOf(after, 'IPv4', held))
    }
  })

  it('is the result of repairing a node with the state of another cluster, in any version', () => {
    fc.assert(
      fc.property(nftablesCases, nftablesCases, fc.constantFrom(...IP_FAMILIES), (before, after, family) => {
        const held = tablesOf(compile(before.cluster, before.options), family)
        const result = compile(after.cluster, after.options)
        expectRepaired(result, family, held, reportOf(result, family, held))
      }),
      { numRuns: runs(30) },
    )
  })
})
