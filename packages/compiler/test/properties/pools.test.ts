import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { type Case, cases, optionsOfMode } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { printFamily } from '../support/print-family.js'
import { printedTextsOfFamily } from '../support/printed-texts.js'
import { runs } from '../support/runs.js'

/** Returns the rules of the chains that distribute packets over endpoints, by chain, from the text of the nat table. */
function poolRules(text: string): ReadonlyMap<string, readonly string[]> {
  const rules = new Map<string, string[]>()
  for (const [, chain = '', rest = ''] of text.matchAll(
    /^-A (KUBE-(?:SV[CL]|XLB)-[A-Z2-7]{16})(.* -j KUBE-SEP-.*)$/gm,
  )) {
    if (rest.includes('-m recent')) continue
    rules.set(chain, [...(rules.get(chain) ?? []), rest])
  }
  return rules
}

interface Share {
  readonly endpoint: string
  /** The share of all packets that reach the chain. */
  readonly share: number
}

function sharesOf(rules: readonly string[]): readonly Share[] {
  let left = 1
  return rules.map((rule) => {
    const taken = Number(/--probability (\S+)/.exec(rule)?.[1] ?? 1)
    const share = left * taken
    left -= share
    return { endpoint: /-j (\S+)$/.exec(rule)?.[1] ?? '', share }
  })
}

/**
 * Expects equal shares. The rounding error of each rule's probability is at most half of its last digit, and the
 * remainder for later rules has the same error.
 */
function expectEqualShares(rules: readonly string[], rounding: number): void {
  const shares = sharesOf(rules)
  const furthest = Math.max(...shares.map(({ share }) => Math.abs(share - 1 / shares.length)))
  expect(furthest).toBeLessThanOrEqual(rounding * shares.length)
  expect(rules.at(-1)).not.toContain('--probability')
}

function countEndpoints(rules: readonly string[]): number {
  return new Set(sharesOf(rules).map(({ endpoint }) => endpoint)).size
}

const HALF_OF_TEN_DECIMALS = 0.5e-10
const HALF_OF_FIVE_DECIMALS = 0.5e-5
const HALF_OF_31_BITS = 2 ** -32

function inMode(given: Case, mode: ProxyMode): Case {
  return { ...given, options: optionsOfMode(given.options, mode) }
}

describe('the chain of a pool of endpoints', () => {
  it('selects each endpoint of the pool with the same probability, in both formats', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const result = compileCase(inMode(given, 'iptables'))
        for (const { plan, family } of result.families) {
          const { features } = plan.kernel
          // Up to 1.18, an endpoint that Endpoints list twice has two rules.
          const sizes = plan.services
            .flatMap(({ pools: { cluster, local } }) => [cluster, local])
            .filter((pool) => pool.length > 0)
            .map((pool) => `${pool.length} rules to ${new Set(pool.map(({ text }) => text)).size}`)
          for (const [name, text] of printedTextsOfFamily(result, family)) {
            const decimals = features.shortProbabilities ? HALF_OF_FIVE_DECIMALS : HALF_OF_TEN_DECIMALS
            const rounding = decimals + (name.includes('save') ? HALF_OF_31_BITS : 0)
            const chains = [...poolRules(text).values()]
            for (const rules of chains) expectEqualShares(rules, rounding)
            const found = chains.map((rules) => `${rules.length} rules to ${countEndpoints(rules)}`)
            expect(found.sort()).toEqual([...sizes].sort())
          }
        }
      }),
      { numRuns: runs(40) },
    )
  })

  it.each([1, 2, 3, 7, 99, 1000, 1001])('selects each of %i endpoints with the same probability', (size) => {
    const endpoints = Array.from({ length: size }, (_, index) => ({
      addresses: [`10.244.${index >> 8}.${index & 255}`],
    }))
    const result = compile(
      {
        services: [
          { metadata: { namespace: 'a', name: 'web' }, spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }] } },
        ],
        endpointSlices: [
          {
            metadata: { namespace: 'a', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
            addressType: 'IPv4',
            ports: [{ name: '', port: 80 }],
            endpoints,
          },
        ],
      },
      { mode: 'iptables' },
    )
    const [rules = [], ...others] = poolRules(printFamily(result, { family: 'IPv4' })).values()
    expect(others).toEqual([])
    expect(rules).toHaveLength(size)
    expect(countEndpoints(rules)).toBe(size)
    expectEqualShares(rules, HALF_OF_TEN_DECIMALS)
  })
})
