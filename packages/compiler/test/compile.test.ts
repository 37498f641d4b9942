import { DiagnosticsError, type KubeProxyConfiguration } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileInput } from '../src/compilation/compile-result.js'
import { compile, safeCompile } from '../src/compile.js'
import { diff, isEmpty } from '../src/diff.js'
import { at, service, slice } from './support/objects.js'
import { printFamily } from './support/print-family.js'

/** `ns1/web` with so many endpoints, beside `ns1/other` with one. */
function clusterOf(count: number): CompileInput {
  const addresses = Array.from({ length: count - 1 }, (_, index) => `10.244.${index >> 8}.${index & 255}`)
  return {
    services: [service(), OTHER],
    endpointSlices: [slice(at(...addresses)), OTHER_SLICE],
    configuration: CONFIGURATION,
  }
}

const OTHER = { ...service({ clusterIP: '10.96.0.2' }), metadata: { namespace: 'ns1', name: 'other' } }
const OTHER_SLICE = slice(at('10.245.0.1'), { name: 'other-1', service: 'other' })
const CONFIGURATION: KubeProxyConfiguration = { clusterCIDR: '10.244.0.0/15' }

describe('a compile from an earlier result', () => {
  const comment = '-m comment --comment ns1/other:http -s 10.245.0.1'
  const text = (result: ReturnType<typeof compile>) => printFamily(result, { family: 'IPv4' })
  const [small, large] = [clusterOf(1000), clusterOf(1001)]
  const before = compile(small)

  it('rewrites every service port where the cluster becomes a large one, and back', () => {
    const grown = compile(large, { previous: before })
    expect(text(grown)).toBe(text(compile(large)))
    expect(text(before)).toContain(comment)
    expect(text(grown)).not.toContain(comment)
    const shrunk = compile(small, { previous: grown })
    expect(text(shrunk)).toBe(text(before))
    expect(shrunk.counts).toEqual(before.counts)
    expect(isEmpty(diff(before, shrunk))).toBe(true)
  })

  it('is not misled by what others made of the same result', () => {
    compile(large, { previous: before })
    const other = { ...small, services: [service({ clusterIP: '10.96.0.3' }), OTHER] }
    const result = compile(other, { previous: before })
    expect(text(result)).toBe(text(compile(other)))
    expect(result.counts).toEqual(compile(other).counts)
    expect(text(before)).toContain(comment)
  })

  it('takes nothing from a result that is not one of compile', () => {
    const previous = JSON.parse(JSON.stringify(before)) as typeof before
    expect(text(compile(small, { previous }))).toBe(text(before))
  })

  it('takes nothing from a result of another mode, version or family', () => {
    for (const options of [{ mode: 'ipvs' }, { kubernetesVersion: '1.30' }, { families: ['IPv6'] }] as const) {
      const result = compile(small, { ...options, previous: before })
      expect(result).toEqual(compile(small, options))
      expect(result.families).not.toContain(before.families[0])
    }
  })

  it('is left out of what strict looks at: every error throws, old or new', () => {
    const bad = { metadata: { namespace: 'ns1', name: 'bad' }, spec: { clusterIP: 'x', ports: [{ port: 80 }] } }
    const previous = compile({ services: [bad] })
    expect(() => compile({ services: [bad] }, { previous, strict: true })).toThrow(DiagnosticsError)
  })
})

describe('safeCompile', () => {
  it('gives what compile throws for invalid input', () => {
    const invalid = safeCompile({ services: [], configuration: { mode: 'nftables' } }, { kubernetesVersion: '1.36' })
    if (invalid.ok) throw new Error('it was accepted')
    expect(invalid.problems).toContainEqual(
      expect.objectContaining({
        code: 'invalidConfiguration',
        path: 'mode',
        message: 'mode nftables is not compiled',
        expected: 'iptables or ipvs',
      }),
    )
  })

  it('gives the result where there is one', () => {
    expect(safeCompile({ services: [] })).toEqual({ ok: true, value: compile({ services: [] }) })
  })

  it('lets other errors through', () => {
    const services: Iterable<never> = {
      [Symbol.iterator]() {
        throw new RangeError('cannot be listed')
      },
    }
    expect(() => safeCompile({ services })).toThrow(RangeError)
  })
})
