import { safeParseEndpointSlice, safeParseEndpoints, safeParseNode, safeParseService } from '@kube-rules/types/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile, safeCompile } from '../../src/compilation/compile.js'
import { PROXY_MODES } from '../../src/targets/modes.js'
import { ANY_TYPES, everyReplacement } from '../support/hostile.js'
import { errorsOf, foreignLinesOf, VALID_SERVICE } from '../support/hostile-cases.js'
import { runs } from '../support/runs.js'

const EVERYTHING = {
  configuration: {
    mode: 'iptables',
    clusterCIDR: '10.244.0.0/16',
    detectLocalMode: 'BridgeInterface',
    detectLocal: { bridgeInterface: 'cbr0', interfaceNamePrefix: 'veth' },
    nodePortAddresses: ['192.168.0.0/24'],
    bindAddress: '0.0.0.0',
    hostnameOverride: 'node-1',
    iptables: { masqueradeBit: 14, masqueradeAll: true, localhostNodePorts: true, syncPeriod: '30s' },
    nftables: { masqueradeBit: 14, masqueradeAll: true, syncPeriod: '30s' },
    ipvs: { scheduler: 'rr', excludeCIDRs: ['10.1.0.0/16'], strictARP: true, tcpTimeout: '1m' },
    conntrack: { tcpBeLiberal: true, maxPerCore: 1 },
    featureGates: { AllowServiceExternalIPs: true },
    logging: { format: 'text', flushFrequency: '5s', vmodule: [{ filePattern: 'a', verbosity: 1 }] },
  },
  host: {
    interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
    iptablesRandomFully: true,
    conntrackTcpBeLiberal: true,
    nfacctCounters: true,
  },
  nodes: [
    {
      metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'a', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
      endpoints: [
        {
          addresses: ['10.244.1.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'node-1',
          zone: 'z1',
          hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: 'node-1' }] },
        },
      ],
    },
  ],
  endpoints: [
    {
      metadata: { namespace: 'a', name: 'other' },
      subsets: [
        {
          addresses: [{ ip: '10.244.1.1', nodeName: 'node-1' }],
          notReadyAddresses: [{ ip: '10.244.1.2' }],
          ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
        },
      ],
    },
  ],
} satisfies Partial<Cluster>

/**
 * Because there are thousands of locations and values, `pnpm properties` tests only one of seven, and `pnpm test` one
 * of 21. The seed selects them.
 */
const STRIDE = 21 / runs(3)
const [start = 0] = fc.sample(fc.nat(STRIDE - 1), 1)

/** Returns the selected replacements, which cover each location and each value. */
function someReplacements<T>(value: T): readonly T[] {
  return everyReplacement(value, ANY_TYPES).filter((_, index) => index % STRIDE === start)
}

describe('a value of an arbitrary type', () => {
  const modes = PROXY_MODES

  it.each(['nodes', 'endpointSlices', 'endpoints', 'services'] as const)(
    'in a field of the %s results only in lines that kube-proxy would write',
    (kind) => {
      const services = [VALID_SERVICE, { ...VALID_SERVICE, metadata: { namespace: 'a', name: 'other' } }]
      const input = { ...EVERYTHING, services }
      for (const [index, objects] of someReplacements<readonly object[]>(input[kind]).entries()) {
        if (!Array.isArray(objects)) continue
        const result = compile({ ...input, [kind]: objects }, { mode: modes[index % modes.length] })
        expect(foreignLinesOf(result)).toEqual([])
      }
    },
  )

  it.each(['configuration', 'host'] as const)(
    'in a field of the %s results only in lines that kube-proxy would write, or in an error',
    (part) => {
      const input = { ...EVERYTHING, services: [VALID_SERVICE] }
      for (const [index, value] of someReplacements<object>(EVERYTHING[part]).entries()) {
        const compiled = safeCompile({ ...input, [part]: value }, { mode: modes[index % modes.length] })
        if (compiled.ok) expect(foreignLinesOf(compiled.value)).toEqual([])
        else expect(errorsOf(compiled.problems, 'KubeProxyConfiguration')).not.toEqual([])
      }
    },
  )

  it.each([
    ['services', safeParseService],
    ['endpointSlices', safeParseEndpointSlice],
    ['endpoints', safeParseEndpoints],
    ['nodes', safeParseNode],
  ] as const)('in one of the %s is rejected by the schema, or is returned as the identical object', (kind, parse) => {
    const [object] = { ...EVERYTHING, services: [VALID_SERVICE] }[kind]
    for (const value of someReplacements<unknown>(object)) {
      const parsed = parse(value)
      if (parsed.ok) expect(parsed.value).toBe(value)
      else expect(parsed.problems).not.toEqual([])
    }
  })
})
