import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { applyPatch, diff, toResources } from '../../src/diff/diff.js'
import { print } from '../../src/print/print.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { runs } from '../support/runs.js'
import { withoutComments } from '../support/without-comments.js'

/** Enough Services for several chunks in every list of the snapshot. */
const SERVICES = 700

/**
 * The state of a Service in one step. `kind` tells whether the Service exists, has an endpoint and has
 * `internalTrafficPolicy: Local`; `version` distinguishes successive endpoints.
 */
interface Step {
  readonly number: number
  readonly kind: (typeof KINDS)[number]
  readonly version: number
}

const KINDS = ['gone', 'without endpoints', 'local', 'plain'] as const

/** Generates some steps of each kind, in any order. */
const steps: fc.Arbitrary<Step[]> = fc
  .tuple(...KINDS.map((kind) => fc.array(stepOf(kind), { minLength: 1, maxLength: 8 })))
  .chain((all) => fc.shuffledSubarray(all.flat(), { minLength: all.flat().length }))

function stepOf(kind: Step['kind']): fc.Arbitrary<Step> {
  return fc.record({
    number: fc.oneof(fc.nat(SERVICES + 50), fc.nat(20)),
    kind: fc.constant(kind),
    version: fc.nat(200),
  })
}

function serviceOf({ number, kind }: Step): Service {
  const clusterIP = `10.96.${number >> 8}.${number & 255}`
  const spec = { clusterIP, ports: [{ port: 80, protocol: number % 7 === 0 ? 'UDP' : 'TCP' }] } as const
  const local = { internalTrafficPolicy: 'Local' } as const
  return { metadata: { namespace: 'ns', name: `s-${number}` }, spec: kind === 'local' ? { ...spec, ...local } : spec }
}

function sliceOf({ number, version }: Step): EndpointSlice {
  return {
    metadata: { namespace: 'ns', name: `s-${number}-1`, labels: { 'kubernetes.io/service-name': `s-${number}` } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: [
      { addresses: [`10.244.${version}.${1 + (number % 250)}`], nodeName: version % 2 ? 'node-1' : 'node-2' },
    ],
  }
}

/** Fixed local ports of userspace mode, because existing ports would keep their numbers. */
const HOST = {
  interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
  proxyPorts: Object.fromEntries(
    Array.from({ length: SERVICES + 51 }, (_, number) => [`ns/s-${number}`, 40_000 + number]),
  ),
}

describe.each(PROXY_MODES)('a cluster with many Services in %s mode', (mode) => {
  it('has the same result after many patches as a full compile', () => {
    const services = new Map<number, Service>()
    const slices = new Map<number, EndpointSlice>()
    const take = (each: Step) => {
      services.delete(each.number)
      slices.delete(each.number)
      if (each.kind !== 'gone') services.set(each.number, serviceOf(each))
      if (each.kind === 'local' || each.kind === 'plain') slices.set(each.number, sliceOf(each))
    }
    const compiled = (previous?: ReturnType<typeof compile>) =>
      compile(
        { services: services.values(), endpointSlices: slices.values(), host: HOST },
        { nodeName: 'node-1', mode, families: ['IPv4'], previous },
      )
    for (let number = 0; number < SERVICES; number++) take({ number, kind: 'plain', version: number % 200 })
    let before = compiled()
    fc.assert(
      fc.property(steps, (taken) => {
        for (const each of taken) take(each)
        const [after, whole] = [compiled(before), compiled()]
        const texts = [after, whole].map(({ families }) => families.map(({ state }) => print(state)).join(''))
        expect(texts[0] === texts[1]).toBe(true)
        expect(after.counts).toEqual(whole.counts)
        const patch = diff(before, after)
        const [old, fresh] = [before, whole].map(({ families }) => toResources(families.map(({ state }) => state)))
        expect(diff(after, whole).families).toEqual([])
        expect(withoutComments(applyPatch(old ?? new Map(), patch))).toEqual(withoutComments(fresh ?? new Map()))
        before = after
      }),
      { numRuns: runs(8) },
    )
  })
})
