import { DiagnosticsError, type KubeProxyConfiguration } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile, safeCompile } from '../../src/compilation/compile.js'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { diff, isEmptyPatch } from '../../src/diff/diff.js'
import { at, service, slice } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'

/** Builds a cluster of `ns1/web` with this number of endpoints, and `ns1/other` with one. */
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

describe('compile with a previous result', () => {
  const comment = '-m comment --comment ns1/other:http -s 10.245.0.1'
  const text = (result: ReturnType<typeof compile>) => printFamily(result, { family: 'IPv4' })
  const [small, large] = [clusterOf(1000), clusterOf(1001)]
  const before = compile(small)

  it('keeps the comments of unchanged service ports if the cluster becomes large or is no longer large', () => {
    const grown = compile(large, { previous: before })
    expect(text(before)).toContain(comment)
    expect(text(compile(large))).not.toContain(comment)
    expect(text(grown)).toContain(comment)
    // The changed Service has new rules for all of its endpoints.
    expect(text(grown)).not.toContain('--comment ns1/web:http -s ')
    expect(diff(before, grown).families.flatMap(({ patch }) => patch.changes).length).toBeGreaterThan(0)
    const shrunk = compile(small, { previous: grown })
    expect(text(shrunk)).toBe(text(before))
    expect(shrunk.counts).toEqual(before.counts)
    expect(isEmptyPatch(diff(before, shrunk))).toBe(true)
  })

  it('changes no rules of other Services in the update that passes 1,000 endpoints', () => {
    const grown = compile(large, { previous: before })
    const others = diff(before, grown).families.flatMap(({ patch }) =>
      patch.changes.filter((change) => JSON.stringify(change).includes('10.245.0.1')),
    )
    expect(others).toEqual([])
  })

  it('returns the same result if other compiles have used the same previous result', () => {
    compile(large, { previous: before })
    const other = { ...small, services: [service({ clusterIP: '10.96.0.3' }), OTHER] }
    const result = compile(other, { previous: before })
    expect(text(result)).toBe(text(compile(other)))
    expect(result.counts).toEqual(compile(other).counts)
    expect(text(before)).toContain(comment)
  })

  it('returns the same rules if the previous result is a copy', () => {
    const previous = JSON.parse(JSON.stringify(before)) as typeof before
    expect(text(compile(small, { previous }))).toBe(text(before))
  })

  it('ignores previous families with another mode, version or family', () => {
    for (const options of [{ mode: 'ipvs' }, { kubernetesVersion: '1.30' }, { families: ['IPv6'] }] as const) {
      const result = compile(small, { ...options, previous: before })
      expect(result).toEqual(compile(small, options))
      expect(result.families).not.toContain(before.families[0])
    }
  })

  it('throws in strict mode even if the previous result has the same error', () => {
    const bad = { metadata: { namespace: 'ns1', name: 'bad' }, spec: { clusterIP: 'x', ports: [{ port: 80 }] } }
    const previous = compile({ services: [bad] })
    expect(() => compile({ services: [bad] }, { previous, strict: true })).toThrow(DiagnosticsError)
  })
})

describe('safeCompile', () => {
  it('returns the diagnostics of the error that compile throws for an invalid input', () => {
    const invalid = safeCompile({ services: [], configuration: { mode: 'kernelspace' } }, { kubernetesVersion: '1.36' })
    if (invalid.ok) throw new Error('it was accepted')
    expect(invalid.problems).toContainEqual(
      expect.objectContaining({
        code: 'invalidConfiguration',
        path: 'mode',
        message: expect.stringContaining('Invalid value: "kernelspace"'),
      }),
    )
  })

  it('returns the result if the input is valid', () => {
    expect(safeCompile({ services: [] })).toEqual({ ok: true, value: compile({ services: [] }) })
  })

  it('throws the same errors as compile unless the errors concern the input', () => {
    const services: Iterable<never> = {
      [Symbol.iterator]() {
        throw new RangeError('cannot be listed')
      },
    }
    expect(() => safeCompile({ services })).toThrow(RangeError)
  })
})

describe('compile with lists of objects', () => {
  const INPUT = { ...clusterOf(2), nodes: [{ metadata: { name: 'node-1' } }] }
  const KINDS = [
    ['services', 'Service', 'v1'],
    ['endpointSlices', 'EndpointSlice', 'discovery.k8s.io/v1'],
    ['endpoints', 'Endpoints', 'v1'],
    ['nodes', 'Node', 'v1'],
    ['serviceCIDRs', 'ServiceCIDR', 'networking.k8s.io/v1'],
  ] as const
  const problemOf = (input: unknown, options: unknown = {}) => {
    const compiled = safeCompile(input as CompileInput, options as Parameters<typeof compile>[1])
    if (compiled.ok) throw new Error('it was accepted')
    expect(compiled.problems).toEqual([
      expect.objectContaining({ severity: 'error', code: 'invalidArgument', expected: expect.any(String) }),
    ])
    return compiled.problems.map(({ object, path, message }) => [object.name, path, message])
  }

  it.each(KINDS)('accepts List objects of the Kubernetes API as %s', (name, kind, apiVersion) => {
    const items = [...(((INPUT as CompileInput)[name] as Iterable<object> | undefined) ?? [])]
    const expected = compile({ ...INPUT, [name]: items })
    for (const list of [
      { items },
      { kind: 'List', items: items.map((item) => ({ kind, ...item })) },
      { apiVersion, kind: `${kind}List`, metadata: {}, items },
    ]) {
      expect(compile({ ...INPUT, [name]: list })).toEqual(expected)
    }
    const without = compile({ ...INPUT, [name]: [] })
    for (const list of [{ items: null }, { kind: 'List', items: undefined }]) {
      expect(compile({ ...INPUT, [name]: list })).toEqual(without)
    }
  })

  it('returns the identical previous result for new lists of identical objects', () => {
    const [services, endpointSlices] = [
      [...(INPUT.services as Iterable<never>)],
      [...(INPUT.endpointSlices as never[])],
    ]
    const first = compile({ services: { items: services }, endpointSlices: { items: endpointSlices } })
    const again = compile({ services: { items: [...services] }, endpointSlices }, { previous: first })
    expect(again).toBe(first)
  })

  it.each(KINDS)('rejects %s if they are not lists of objects of that kind', (name, kind) => {
    const other = kind === 'Node' ? 'Service' : 'Node'
    const cases: readonly (readonly [unknown, string | undefined, RegExp])[] = [
      [7, undefined, /^7 is not a list$/],
      ['web', undefined, /^"web" is not a list$/],
      [{}, undefined, /^an object is not a list$/],
      [{ metadata: { name: 'web' } }, undefined, /^an object is not a list$/],
      [{ length: 1, 0: {} }, undefined, /^an object is not a list$/],
      [Promise.resolve([]), undefined, /^an object is not a list$/],
      [() => [], undefined, /^a function is not a list$/],
      [new Map([['a/web', {}]]), undefined, /^a Map is a list of pairs$/],
      [{ kind: `${other}List`, items: [] }, 'kind', /List" is not a list of this kind$/],
      [{ kind: 'List', items: 7 }, 'items', /^7 is not a list$/],
      [{ kind: 'List', items: [{ kind }, {}, { kind: other }] }, 'items[2].kind', /is another kind$/],
      [{ kind: `${kind}List`, items: [{ kind: other }, { kind }] }, 'items[0].kind', /is another kind$/],
    ]
    for (const [value, path, message] of cases) {
      expect(problemOf({ ...INPUT, [name]: value })).toEqual([[name, path, expect.stringMatching(message)]])
    }
  })

  it('describes the expected list in the error message if a list is missing', () => {
    expect(() => compile({} as CompileInput)).toThrow(
      'error: Argument services: missing (expected an iterable of objects of kind Service, or a ServiceList) [invalidArgument]',
    )
    expect(() => compile({ services: [] }, { families: ['ipv4' as 'IPv4'] })).toThrow(
      'error: Argument families: [0]: "ipv4" is not an address family (expected a list of IPv4, IPv6 or both) [invalidArgument]',
    )
  })

  it('requires only the list of Services', () => {
    for (const services of [undefined, null])
      expect(problemOf({ services })).toEqual([['services', undefined, 'missing']])
    const nothing = { endpointSlices: undefined, endpoints: null, nodes: undefined }
    expect(compile({ services: [], ...nothing } as never).counts.servicePorts).toBe(0)
  })

  it.each([
    [['ipv4'], '[0]', '"ipv4" is not an address family'],
    [['IPv4', 6], '[1]', '6 is not an address family'],
    [[], undefined, 'the list is empty'],
    ['IPv4', undefined, '"IPv4" is not a list'],
  ])('does not read the lists if the option families is invalid: %j', (families, path, message) => {
    expect(problemOf({ services: [] }, { families })).toEqual([['families', path, message]])
  })
})
