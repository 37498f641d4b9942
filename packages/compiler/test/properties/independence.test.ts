import { DiagnosticsError, type IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { type Case, cases, optionsOfMode } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { at, DUAL_STACK, service, slice } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'
import { printedTextsOfFamily } from '../support/printed-texts.js'
import { runs } from '../support/runs.js'

const FAMILIES: readonly (readonly [IpFamily, IpFamily])[] = [
  ['IPv4', 'IPv6'],
  ['IPv6', 'IPv4'],
]

/** Returns the rules of each chain of a single service port, from the text of the nat table. */
function ownChains(text: string): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, string[]>()
  for (const [, chain = ''] of text.matchAll(/^:(KUBE-(?:SVC|SVL|EXT|FW|SEP)-\S+) /gm)) chains.set(chain, [])
  for (const [rule, chain = ''] of text.matchAll(/^-A (\S+) .*$/gm)) chains.get(chain)?.push(rule)
  return chains
}

function withoutServices(given: Case, removed: ReadonlySet<number>): Case {
  const services = given.cluster.services.filter((_, index) => !removed.has(index))
  return { ...given, cluster: { ...given.cluster, services } }
}

/** Removes all endpoints of the family. The slices remain, because Endpoints objects would replace them. */
function withoutEndpoints(cluster: Cluster, family: IpFamily): Cluster {
  const endpointSlices = cluster.endpointSlices.map((slice) =>
    slice.addressType === family ? { ...slice, endpoints: [] } : slice,
  )
  return { ...cluster, endpointSlices }
}

describe('a compiled Service', () => {
  const inIptablesMode = cases.map((given): Case => ({ ...given, options: optionsOfMode(given.options, 'iptables') }))
  const removals = fc.tuple(inIptablesMode, fc.uniqueArray(fc.nat(4), { minLength: 1 }))

  it('has the same rules and chains, in the same order, with and without other Services', () => {
    fc.assert(
      fc.property(removals, fc.constantFrom<IpFamily>('IPv4', 'IPv6'), ([given, removed], family) => {
        const all = printFamily(compileCase(given), { family })
        const some = printFamily(compileCase(withoutServices(given, new Set(removed))), { family })
        const kept = new Set(some.split('\n'))
        expect(all.split('\n').filter((line) => kept.has(line))).toEqual(some.split('\n'))
        const before = ownChains(all)
        for (const [chain, rules] of ownChains(some)) expect(before.get(chain)).toEqual(rules)
      }),
      { numRuns: runs(30) },
    )
  })
})

describe.each(FAMILIES)('the rules of %s', (family, other) => {
  it(`do not depend on the endpoints of ${other}`, () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const less = compile(withoutEndpoints(cluster, other), options)
        expect(printedTextsOfFamily(less, family)).toEqual(printedTextsOfFamily(compile(cluster, options), family))
      }),
      { numRuns: runs(10) },
    )
  })

  it('are the same with and without rules of the other IP family', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const alone = compile(cluster, { ...options, families: [family] })
        expect(alone.families.map((result) => result.family)).toEqual([family])
        expect(new Set(printedTextsOfFamily(alone, other).values())).toEqual(new Set(['']))
        const all = compile(cluster, options)
        const compiled = all.families.map((result) => result.family)
        if (!compiled.includes(family)) expectOnlyFamilyOfNode(all, other)
        else expect(printedTextsOfFamily(alone, family)).toEqual(printedTextsOfFamily(all, family))
      }),
      { numRuns: runs(10) },
    )
  })
})

/** Old versions of kube-proxy, without the gate IPv6DualStack, have rules only of the address family of the node. */
function expectOnlyFamilyOfNode({ families, diagnostics }: CompileResult, family: IpFamily): void {
  expect(families.map((result) => result.family)).toEqual([family])
  expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'otherAddressFamily' }))
}

describe('the rules of a version with one address family', () => {
  it('are those of the family of the node if both families are requested', () => {
    const endpoints = at('fd00:244::1')
    const input = { services: [service(DUAL_STACK)], endpointSlices: [slice(endpoints, { addressType: 'IPv6' })] }
    expectOnlyFamilyOfNode(compile(input, { kubernetesVersion: '1.20' }), 'IPv4')
    const alone = compile(input, { kubernetesVersion: '1.20', families: ['IPv6'] })
    expect(printFamily(alone, { family: 'IPv6' })).toContain('fd00:96::1/128')
  })
})

describe('compile in strict mode', () => {
  /** Possible problems of one object, each with its severity. */
  const flawed = fc.constantFrom(
    {},
    { spec: { clusterIP: '10.96.0.7', ports: [{ port: 70_000 }] } },
    { spec: { clusterIP: 'localhost', ports: [{ port: 80 }] } },
    { spec: { clusterIP: '10.96.0.7', externalIPs: ['localhost'], ports: [{ port: 80 }] } },
    { spec: { clusterIP: '10.96.0.7', type: 'Unknown', ports: [{ port: 80 }] } },
  )

  it('throws only if a diagnostic is an error, and includes all diagnostics', () => {
    fc.assert(
      fc.property(cases, fc.array(flawed, { maxLength: 2 }), ({ cluster, options }, flaws) => {
        const added = flaws.map((flaw, index) => ({ metadata: { namespace: 'c', name: `f${index}` }, ...flaw }))
        const input = { ...cluster, services: [...cluster.services, ...added] }
        const { diagnostics } = compile(input, options)
        const errors = diagnostics.filter(({ severity }) => severity === 'error')
        const strictly = () => compile(input, { ...options, strict: true })
        if (errors.length === 0) expect(strictly().diagnostics).toEqual(diagnostics)
        else expect(thrownBy(strictly)).toEqual(diagnostics)
      }),
      { numRuns: runs(30) },
    )
  })

  function thrownBy(action: () => unknown): unknown {
    try {
      action()
    } catch (error) {
      return error instanceof DiagnosticsError ? error.diagnostics : error
    }
    return 'nothing'
  }
})
