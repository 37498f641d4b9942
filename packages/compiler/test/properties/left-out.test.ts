import type { EndpointSlice, Service } from '@kube-rules/types'
import { safeParseService } from '@kube-rules/types/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { spoiled } from '../support/hostile.js'
import { errorsOf, VALID_SERVICE } from '../support/hostile-cases.js'
import { printFamily } from '../support/print-family.js'

/** Reports whether kube-proxy has no rules for a valid Service. */
function hasNoRules({ metadata, spec }: Service): boolean {
  const labels: object = Object(metadata?.labels)
  const headless = spec?.clusterIP === 'None' || spec?.type === 'ExternalName'
  return (
    headless || Object.hasOwn(labels, 'service.kubernetes.io/service-proxy-name') || (spec?.ports ?? []).length === 0
  )
}

const spoiledServices = spoiled(fc.constant(VALID_SERVICE), 2)

describe('a Service with a field of an arbitrary type', () => {
  it('is omitted with an error, or has no rules, or has a warning about its missing cluster IP', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const { diagnostics, counts } = compile({ services: [service] }, { mode: 'iptables' })
        const errors = errorsOf(diagnostics, 'Service')
        const name = service?.metadata?.name
        expect(errors.every(({ object }) => object.name === (typeof name === 'string' ? name : ''))).toBe(true)
        if (errors.length > 0) expect(counts.servicePorts).toBe(0)
        else if (counts.servicePorts === 0) {
          const reported = diagnostics.some(
            ({ code, message }) => code === 'missingField' && /cluster IP/.test(message),
          )
          expect(reported || hasNoRules(service)).toBe(true)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is also rejected by the schema, unless the error is about the namespace, a family or an address', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const { diagnostics } = compile({ services: [service] }, { mode: 'iptables' })
        const ofShape = errorsOf(diagnostics, 'Service').filter(
          ({ code, path }) =>
            code !== 'invalidAddress' && path !== 'metadata.namespace' && !path?.startsWith('spec.ipFamilies'),
        )
        if (ofShape.length > 0) expect(safeParseService(service).ok).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  it('has the same rules whether the schema has parsed it before or not', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const parsed = safeParseService(service)
        if (!parsed.ok) return
        const services = [parsed.value]
        expect(printFamily(compile({ services }, { mode: 'iptables' }), { family: 'IPv4' })).toBe(
          printFamily(compile({ services: [service] }, { mode: 'iptables' }), { family: 'IPv4' }),
        )
      }),
      { numRuns: 60 },
    )
  })
})

const SLICE: EndpointSlice = {
  metadata: { namespace: 'a', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.99.1'], nodeName: 'node-1' }, { addresses: ['10.244.99.2'] }],
}

function compileSlice(slice: EndpointSlice) {
  return compile({ services: [VALID_SERVICE], endpointSlices: [slice] }, { mode: 'iptables', nodeName: 'node-1' })
}

describe('an endpoint with an invalid address', () => {
  it.each([
    '010.0.0.1x',
    '10.1',
    '0x0a000001',
    '1.2.3.4,5.6.7.8',
    'localhost',
    '1.2.3.4\n',
    '1.2.3.4 -j ACCEPT',
    'fe80::1%eth0',
    '[fd00::1]',
    '',
    7,
    null,
    { toString: null, valueOf: null },
    ['10.0.0.1'],
  ])('is omitted and reported, while other endpoints are kept: %j', (address) => {
    const good = compileSlice(SLICE)
    const spoiledSlice = compileSlice({
      ...SLICE,
      endpoints: [{ addresses: [address as string] }, ...(SLICE.endpoints ?? [])],
    })
    expect(errorsOf(spoiledSlice.diagnostics, 'EndpointSlice')).toMatchObject([
      { object: { namespace: 'a', name: 'web-1' }, path: expect.stringContaining('endpoints[0].addresses') },
    ])
    expect(printFamily(spoiledSlice, { family: 'IPv4' })).toBe(printFamily(good, { family: 'IPv4' }))
  })

  it('is printed without leading zeros, because kube-proxy reads its numbers as decimal', () => {
    const zeros = compileSlice({ ...SLICE, endpoints: [{ addresses: ['010.020.0.030'] }] })
    const text = printFamily(zeros, { family: 'IPv4' })
    expect(text).toContain('--to-destination 10.20.0.30:8080')
    expect(text).not.toContain('010.')
  })
})
