import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile, safeCompile } from '../../src/compilation/compile.js'
import type { CompileOptions, CompileResult } from '../../src/compilation/compile-result.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { type Case, cases } from '../support/clusters.js'
import { drawnVersions } from '../support/drawn-versions.js'
import { hostileTexts, hostileValues } from '../support/hostile.js'
import { errorsOf, foreignLinesOf, spoiledMachines, spoiledObjects } from '../support/hostile-cases.js'
import { service } from '../support/objects.js'
import { printFamily } from '../support/print-family.js'
import { runs } from '../support/runs.js'

/** Compiles a hostile input to a result or to problems. Any error ends the test. */
function attempt({ cluster, options }: Case): CompileResult | undefined {
  const compiled = safeCompile(cluster, options)
  return compiled.ok ? compiled.value : undefined
}

describe('hostile objects', () => {
  it('result only in lines that kube-proxy would write', () => {
    fc.assert(
      fc.property(fc.oneof(spoiledObjects, cases), (given) => {
        const result = attempt(given)
        expect(result).toBeDefined()
        if (result !== undefined) expect(foreignLinesOf(result)).toEqual([])
      }),
      { numRuns: runs(40) },
    )
  })

  it('cause errors and no service ports if they are values of another type', () => {
    const lists = fc.array(hostileValues, { maxLength: 3 })
    const objects = fc.record({ services: lists, endpointSlices: lists, endpoints: lists, nodes: lists })
    fc.assert(
      fc.property(objects, fc.constantFrom(...PROXY_MODES), (given, mode) => {
        const result = compile(given as unknown as Cluster, { mode })
        expect(foreignLinesOf(result)).toEqual([])
        expect(result.counts.servicePorts).toBe(0)
        expect(errorsOf(result.diagnostics, 'Service').length).toBeGreaterThanOrEqual(
          given.services.filter((service) => typeof service !== 'object' || service === null).length,
        )
      }),
      { numRuns: runs(40) },
    )
  })
})

describe('SCTP node ports', () => {
  it.each(drawnVersions('ipvs'))('result only in lines that kube-proxy %s would write in ipvs mode', (version) => {
    const ports = [{ name: 'sig', protocol: 'SCTP', port: 90, nodePort: 30090 }]
    const input = {
      services: [service({ type: 'NodePort', externalTrafficPolicy: 'Local', ports })],
      host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
    }
    expect(foreignLinesOf(compile(input, { mode: 'ipvs', kubernetesVersion: version, nodeName: 'node-1' }))).toEqual([])
  })
})

describe('a hostile configuration, host or node', () => {
  it('results only in lines that kube-proxy would write, or is rejected', () => {
    fc.assert(
      fc.property(spoiledMachines, (given) => {
        const result = attempt(given)
        if (result !== undefined) expect(foreignLinesOf(result)).toEqual([])
      }),
      { numRuns: runs(30) },
    )
  })

  it('causes a diagnostic of severity error if it is rejected', () => {
    fc.assert(
      fc.property(spoiledMachines, ({ cluster, options }) => {
        const compiled = safeCompile(cluster, options)
        fc.pre(!compiled.ok)
        expect(compiled.ok ? [] : compiled.problems).toContainEqual(expect.objectContaining({ severity: 'error' }))
      }),
      { numRuns: runs(30) },
    )
  })

  it.each(['mode', 'nodeName', 'kubernetesVersion', 'families'])(
    'as the value of the option %s results in lines of kube-proxy or in an error',
    (option) => {
      fc.assert(
        fc.property(cases, hostileTexts, ({ cluster, options }, text) => {
          const given = { ...options, [option]: option === 'families' ? [text] : text }
          const compiled = safeCompile(cluster, given as CompileOptions)
          if (compiled.ok) expect(foreignLinesOf(compiled.value)).toEqual([])
          else expect(compiled.problems).toContainEqual(expect.objectContaining({ severity: 'error' }))
        }),
        { numRuns: runs(20) },
      )
    },
  )
})

const GOOD: Pick<Cluster, 'services' | 'endpointSlices'> = {
  services: [
    {
      metadata: { namespace: 'good', name: 'web' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.97.0.1',
        clusterIPs: ['10.97.0.1', 'fd00:97::1'],
        ipFamilies: ['IPv4', 'IPv6'],
        externalIPs: ['192.0.2.99'],
        loadBalancerSourceRanges: ['203.0.113.0/24'],
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 32099,
        ports: [{ name: 'http', port: 8099, nodePort: 30099 }],
      },
      status: { loadBalancer: { ingress: [{ ip: '198.51.100.99' }] } },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'good', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [
        { addresses: ['10.244.99.1'], nodeName: 'node-1' },
        { addresses: ['10.244.99.2'], nodeName: 'node-2' },
      ],
    },
  ],
}

/** Text that only the valid Service has. */
const OF_GOOD = /good\/web|10\.97\.0\.1|fd00:97::1|\b192\.0\.2\.99|198\.51\.100\.99|10\.244\.99\.|\b30099\b|\b32099\b/

describe('a valid Service among invalid ones', () => {
  it('has the same lines with and without the invalid Services', () => {
    fc.assert(
      fc.property(spoiledObjects, ({ cluster, options }) => {
        const alone = compile({ ...cluster, ...GOOD, endpoints: [] }, options)
        const services = [...cluster.services, ...GOOD.services]
        const endpointSlices = [...cluster.endpointSlices, ...GOOD.endpointSlices]
        const beside = compile({ ...cluster, services, endpointSlices }, options)
        for (const family of IP_FAMILIES) {
          const own = printFamily(alone, { family }).split('\n')
          const all = printFamily(beside, { family }).split('\n')
          const known = new Set(own)
          expect(all.filter((line) => known.has(line))).toEqual(own)
          expect(all.filter((line) => !known.has(line) && OF_GOOD.test(line))).toEqual([])
        }
      }),
      { numRuns: runs(30) },
    )
  })
})
