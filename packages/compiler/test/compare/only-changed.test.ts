import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Comparison } from '../../src/compare/compare.js'
import { compare } from '../../src/compare.js'
import type { CompileOptions, CompileResult, FamilyResult } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import { diff } from '../../src/diff.js'
import { modeNames } from '../../src/targets/mode-of.js'
import { surroundingsOf } from '../../src/trace.js'
import { apart } from '../support/apart.js'
import { fewRuns, isWhole } from '../support/runs.js'

// A change that is looked at by itself is what a comparison of everything finds. Services share addresses, and have endpoints at
// addresses of other Services.

const ADDRESSES = ['10.96.0.1', '10.96.0.2', '10.96.0.3']
const ENDPOINTS = ['10.244.0.1', '10.244.1.1', '10.96.0.1', '10.96.0.2', '198.51.100.1']

interface Given {
  readonly clusterIP: string
  readonly externalIPs: readonly string[]
  readonly isLocal: boolean
  readonly hasNodePort: boolean
  readonly endpoints: readonly string[]
  readonly targetPort: number
}

const services: fc.Arbitrary<Given> = fc.record({
  clusterIP: fc.constantFrom(...ADDRESSES),
  externalIPs: fc.subarray(['198.51.100.1'], { minLength: 0 }),
  isLocal: fc.boolean(),
  hasNodePort: fc.constantFrom(false, false, false, true),
  endpoints: fc.subarray(ENDPOINTS),
  targetPort: fc.constantFrom(80, 8080),
})

/** Two clusters that differ in one Service. */
const changes = fc
  .record({
    all: fc.array(services, { minLength: 2, maxLength: 4 }),
    other: services,
    at: fc.nat(3),
    how: fc.constantFrom('goes', 'changes', 'has other endpoints', 'has other endpoints'),
  })
  .map(({ all, other, at, how }) => {
    const place = at % all.length
    const { endpoints, targetPort } = other
    const changed = (each: Given) => (how === 'changes' ? other : { ...each, endpoints, targetPort })
    return [all, all.flatMap((each, index) => (index !== place ? each : how === 'goes' ? [] : changed(each)))] as const
  })

function inputOf(given: readonly Given[]) {
  return {
    services: given.map(serviceOf),
    endpointSlices: given.map(sliceOf),
    configuration: { clusterCIDR: '10.244.0.0/16', iptables: { localhostNodePorts: false } },
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
  }
}

function serviceOf({ clusterIP, externalIPs, isLocal, hasNodePort }: Given, at: number): Service {
  const isExternal = hasNodePort || externalIPs.length > 0
  return {
    metadata: { namespace: 'default', name: `web-${at}` },
    spec: {
      clusterIP,
      ...(externalIPs.length > 0 && { externalIPs: [...externalIPs] }),
      ...(isExternal && isLocal && { externalTrafficPolicy: 'Local' as const }),
      ...(hasNodePort && { type: 'NodePort' as const }),
      ports: [{ name: 'http', port: 80, ...(hasNodePort && { nodePort: 30_080 + at }) }],
    },
  }
}

function sliceOf({ endpoints, targetPort }: Given, at: number): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: targetPort }],
    endpoints: endpoints.map((address) => ({
      addresses: [address],
      nodeName: address.endsWith('.0.1') ? 'node-1' : 'x',
    })),
  }
}

function both(before: CompileResult, after: CompileResult): { readonly whole: Comparison; readonly part: Comparison } {
  const [old, fresh] = [before.families[0], after.families[0]]
  if (old === undefined || fresh === undefined) throw new Error('nothing was compiled')
  const surroundings = surroundingsOf(fresh.plan)
  const onlyChanged = diff(before, after).families[0]?.patch ?? { from: '', to: '', changes: [] }
  return {
    whole: compare(old.state, fresh.state, surroundings),
    part: compare(old.state, fresh.state, { ...surroundings, onlyChanged }),
  }
}

function found({ equal, differences, undecided }: Comparison) {
  const texts = (some: Comparison['differences']) =>
    some.map(({ a, b, ...rest }) => ({ ...rest, a: a.outcomes, b: b.outcomes }))
  return { equal, differences: texts(differences), undecided: texts(undecided) }
}

describe('onlyChanged', () => {
  it.each(modeNames())('finds in mode %s what a comparison of everything finds', (mode) => {
    const options: CompileOptions = { mode, nodeName: 'node-1', families: ['IPv4'] }
    const seen = { bounded: 0, whole: 0, different: 0 }
    fc.assert(
      fc.property(changes, ([given, changed]) => {
        const before = compile(inputOf(given), options)
        const after = compile(inputOf(changed), { ...options, previous: before })
        const { whole, part } = both(before, after)
        expect(found(part)).toEqual(found(whole))
        seen[part.bounded ? 'bounded' : 'whole']++
        if (part.bounded && !part.equal) seen.different++
      }),
      { numRuns: mode === 'userspace' ? 4 : fewRuns(60) },
    )
    if (mode === 'userspace' || !isWhole) return
    expect(seen.different).toBeGreaterThan(5)
    if (mode === 'ipvs') expect(seen.whole).toBeGreaterThan(1)
    else expect(seen.whole).toBe(0)
  })

  it('looks at everything where it cannot be told what a change reaches', () => {
    const given: Given[] = [
      {
        clusterIP: '10.96.0.1',
        externalIPs: [],
        isLocal: false,
        hasNodePort: false,
        endpoints: ['10.244.1.1'],
        targetPort: 80,
      },
    ]
    const input = inputOf(given)
    const before = compile(input, { families: ['IPv4'] })
    const configuration = { ...input.configuration, iptables: { masqueradeAll: true, masqueradeBit: 5 } }
    const others = [
      compile({ ...input, configuration }, { families: ['IPv4'], previous: before }),
      compile({ ...input, services: [] }, { families: ['IPv4'], mode: 'ipvs', previous: before }),
      compile({ ...input, services: [] }, { families: ['IPv4'], mode: 'nftables', previous: before }),
    ]
    for (const after of others) expect(both(before, after).part.bounded).toBe(false)
    const unshared = compile({ ...input, services: [] }, { families: ['IPv4'] })
    expect(found(both(before, unshared).part)).toEqual(found(both(before, unshared).whole))
  })

  it.each(['iptables', 'ipvs', 'nftables'] as const)(
    'looks at all rules of mode %s of which nobody knows who asks for them',
    (mode) => {
      const given: Given = {
        ...{ clusterIP: '10.96.0.1', externalIPs: [], isLocal: false, hasNodePort: false },
        ...{ endpoints: ['10.244.1.1'], targetPort: 80 },
      }
      const options: CompileOptions = { mode, nodeName: 'node-1', families: ['IPv4'] }
      const before = compile(inputOf([given]), options)
      const after = compile(inputOf([{ ...given, targetPort: 8080 }]), { ...options, previous: before })
      const { whole, part } = both(before, after)
      expect(part.bounded).toBe(true)
      const [old, fresh] = [before, after].map(({ families: [family] }) => family) as [FamilyResult, FamilyResult]
      const onlyChanged = diff(before, after).families[0]?.patch
      for (const [a, b] of [
        [apart(old.state), fresh.state],
        [old.state, apart(fresh.state)],
        [apart(old.state), apart(fresh.state)],
      ] as const) {
        const all = compare(a, b, { ...surroundingsOf(fresh.plan), onlyChanged })
        expect(all.bounded).toBe(false)
        expect(found(all)).toEqual(found(whole))
      }
    },
  )

  it('looks at nothing where nothing has changed', () => {
    const before = compile(inputOf([]), { families: ['IPv4'] })
    const { part } = both(before, compile(inputOf([]), { families: ['IPv4'], previous: before }))
    expect(part).toMatchObject({ equal: true, bounded: true, classes: 0 })
  })
})
