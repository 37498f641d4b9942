import type { IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import {
  applyPatch,
  diff,
  invertPatch,
  isEmptyPatch,
  type NodeResources,
  type ResultPatch,
  toResources,
} from '../../src/diff/diff.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { type Case, cases } from '../support/clusters.js'
import { at, DUAL_STACK, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'
import { dns, web } from '../support/web-results.js'
import { withoutComments } from '../support/without-comments.js'

/** Returns the resources of a node with the rules of a result, in non-empty families. */
function heldOf(result: CompileResult | undefined): NodeResources {
  return filled(toResources(result?.families.map(({ state }) => state) ?? []))
}

function filled(held: NodeResources): NodeResources {
  return withoutComments(new Map([...held].filter(([, own]) => own.size > 0)))
}

function familiesOf({ families }: ResultPatch): readonly IpFamily[] {
  return families.map(({ family }) => family)
}

describe('diff', () => {
  it('returns an empty patch for two missing results', () => {
    expect(diff(undefined, undefined)).toEqual({ families: [] })
  })

  it('omits families without changes', () => {
    const input = { services: [service(DUAL_STACK)], endpointSlices: [slice(at('10.244.1.1'))] }
    const before = compile(input)
    const after = compile({ ...input, endpointSlices: [slice(at('10.244.1.2'))] }, { previous: before })
    expect(familiesOf(diff(before, after))).toEqual(['IPv4'])
    expect(isEmptyPatch(diff(before, after))).toBe(false)
  })

  it.each(PROXY_MODES)('ignores enumerable properties of Object.prototype in %s mode', (mode) => {
    const input = {
      services: [service({ ...DUAL_STACK, externalIPs: ['203.0.113.1'] })],
      endpointSlices: [slice(at('10.244.1.1'))],
    }
    const pollution: Record<string, unknown> = Object.prototype as never
    for (const name of ['extra', 'nodePort', 'externalIPs', 'refs', 'value']) {
      const [before, other] = [compile(input, { mode }), compile(input, { mode })]
      pollution[name] = 1
      const between = diff(before, other)
      const again = name === 'extra' ? diff(before, compile(input, { mode, previous: before })) : between
      delete pollution[name]
      expect([isEmptyPatch(between), isEmptyPatch(again)]).toEqual([true, true])
    }
  })

  it('includes a family that exists in only one result', () => {
    const [both, one] = [web(['10.244.1.1'], {}), web(['10.244.1.1'])]
    expect(familiesOf(diff(both, one))).toEqual(['IPv6'])
    expect(familiesOf(diff(one, both))).toEqual(['IPv6'])
  })

  it('lists connections that become stale', () => {
    expect(diff(dns(['10.244.1.1']), dns(['10.244.1.2'])).families[0]?.staleConnections).toEqual([
      { kind: 'addressAndEndpoint', protocol: 'UDP', address: '10.96.0.1', endpoint: '10.244.1.1' },
    ])
  })

  it('returns a non-empty patch if only connections are stale', () => {
    const families = [{ ...diff(dns([]), dns(['10.244.1.1'])).families[0], patch: { from: '', to: '', changes: [] } }]
    expect(isEmptyPatch({ families } as ResultPatch)).toBe(false)
  })

  it('lists the excluded networks of ipvs mode by family', () => {
    const excluded = compile(
      { services: [service()], configuration: { ipvs: { excludeCIDRs: ['10.1.0.0/16'] } } },
      { mode: 'ipvs' },
    )
    const texts = diff(undefined, excluded).families.map(({ excludeCidrs }) => excludeCidrs?.map(({ text }) => text))
    expect(texts).toEqual([['10.1.0.0/16'], undefined])
    expect(diff(undefined, web([])).families[0]).not.toHaveProperty('excludeCidrs')
  })
})

describe('diff between two modes', () => {
  const results = PROXY_MODES.map((mode) => ({ mode, result: dns(['10.244.1.1'], { mode }) }))
  const [iptables, ipvs] = results.map(({ result }) => result)
  const SWITCHES = results.flatMap((from) =>
    results.flatMap((to) => (from === to ? [] : [[from.mode, to.mode, from.result, to.result] as const])),
  )

  it.each(SWITCHES)('for a change from %s to %s contains the digests of both states', (from, to, before, after) => {
    // userspace mode has rules of one family.
    const named = from === 'userspace' || to === 'userspace' ? ['IPv4'] : ['IPv4', 'IPv6']
    const families = diff(before, after).families.filter(({ family }) => named.includes(family))
    expect(families.map(({ patch }) => [patch.from, patch.to])).toEqual(
      named.map((_, index) => [
        diff(undefined, before).families[index]?.patch.to,
        diff(undefined, after).families[index]?.patch.to,
      ]),
    )
  })

  it('deletes all connections of an address, and lists each address once', () => {
    expect(diff(iptables, ipvs).families[0]?.staleConnections).toEqual([
      { kind: 'address', protocol: 'UDP', address: '10.96.0.1' },
    ])
  })

  it('includes families that only one of the modes has', () => {
    const [four, six] = [dns(['10.244.1.1']), dns(['10.244.1.1'], { mode: 'ipvs', families: ['IPv6'] })]
    expect(familiesOf(diff(four, six))).toEqual(['IPv6', 'IPv4'])
  })
})

describe('applyPatch', () => {
  it('rejects a patch that starts from a state other than the current state', () => {
    const patch = diff(web(['10.244.1.1']), web(['10.244.1.2']))
    expect(() => applyPatch(heldOf(undefined), patch)).toThrow()
    expect(() => applyPatch(heldOf(web(['10.244.1.2'])), patch)).toThrow()
  })

  it('keeps families that the patch does not contain', () => {
    const [both, one] = [web(['10.244.1.1'], {}), web(['10.244.1.1'])]
    expect(applyPatch(heldOf(both), diff(both, one)).get('IPv4')).toEqual(heldOf(one).get('IPv4'))
  })
})

describe('invertPatch', () => {
  it('returns a patch without stale connections, which only diff determines', () => {
    const patch = diff(dns(['10.244.1.1']), dns(['10.244.1.2']))
    expect(invertPatch(patch).families.map(({ family, staleConnections }) => [family, staleConnections])).toEqual([
      ['IPv4', []],
    ])
  })
})

describe('diff of two arbitrary results', () => {
  const results = cases.map(({ cluster, options }: Case) => compile(cluster, options))
  const states = fc.option(results, { nil: undefined, freq: 8 })

  it('returns an invertible patch between the two results, even after a JSON round trip', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const patch = diff(before, after)
        const read = JSON.parse(JSON.stringify(patch)) as ResultPatch
        expect(filled(applyPatch(heldOf(before), patch))).toEqual(heldOf(after))
        expect(filled(applyPatch(heldOf(before), read))).toEqual(heldOf(after))
        expect(filled(applyPatch(heldOf(after), invertPatch(patch)))).toEqual(heldOf(before))
      }),
      { numRuns: runs(25) },
    )
  })

  it('returns an empty patch for identical and equal results', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const result = compile(cluster, options)
        expect(diff(result, result)).toEqual({ families: [] })
        const { families } = diff(result, compile(cluster, options))
        expect(families.flatMap(({ patch }) => patch.changes)).toEqual([])
        // In ipvs mode of 1.24 to 1.26, every sync deletes the connections of UDP node ports.
        const areDeleted = result.families.some(({ plan }) => plan.kernel.features.nodePortsAlwaysStale)
        if (!areDeleted) expect(families).toEqual([])
      }),
      { numRuns: runs(10) },
    )
  })
})
