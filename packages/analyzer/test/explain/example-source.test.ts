import { parseCidr } from '@kube-rules/types/internal/cidr'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import { versionsOf } from '../../../compiler/src/model/configuration/versions.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { classifySource, createExampleSource, type PacketSourceContext } from '../../src/explain/example-source.js'
import { createSourceContext } from '../../src/explain/explain.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

function cidr(text: string) {
  const found = parseCidr(text)
  if (found === undefined) throw new Error(`${text} is no network`)
  return found
}

const FACTS: PacketSourceContext = { family: 'IPv4', addresses: ['192.168.0.11'] }

describe('classifySource', () => {
  const origin = (address: string, facts: Partial<PacketSourceContext> = {}) =>
    classifySource(address, { ...FACTS, ...facts }).origin

  it('recognizes the node by its addresses, and treats unknown addresses as external', () => {
    expect([origin('192.168.0.11'), origin('10.244.1.5')]).toEqual(['node', 'outside'])
  })

  it('recognizes pods by the network in rules', () => {
    const localTrafficDetection = { kind: 'cidr', cidr: cidr('10.244.0.0/16') } as const
    expect([origin('10.244.1.5', { localTrafficDetection }), origin('10.245.1.5', { localTrafficDetection })]).toEqual([
      'pod',
      'outside',
    ])
  })

  it('recognizes pods by the networks of the Node if no rule matches them', () => {
    const podCidrs = [cidr('10.244.1.0/24'), cidr('10.250.0.0/24')]
    expect(['10.244.1.5', '10.250.0.1', '10.244.2.5'].map((address) => origin(address, { podCidrs }))).toEqual([
      'pod',
      'pod',
      'outside',
    ])
  })

  it('recognizes a pod by its address, unless the address belongs to the node', () => {
    const isPod = () => true
    expect([origin('172.16.0.1', { isPod }), origin('192.168.0.11', { isPod })]).toEqual(['pod', 'node'])
  })
})

describe('createExampleSource', () => {
  it('uses the pod network of the Node unless a rule matches another network', () => {
    const podCidrs = [cidr('10.250.0.0/24')]
    expect(createExampleSource('pod', { ...FACTS, podCidrs })).toEqual({ origin: 'pod', source: '10.250.0.254' })
    const localTrafficDetection = { kind: 'cidr', cidr: cidr('10.244.0.0/16') } as const
    expect(createExampleSource('pod', { ...FACTS, podCidrs, localTrafficDetection })?.source).toBe('10.244.0.254')
    expect(createExampleSource('outside', { ...FACTS, podCidrs })?.source).toBe('198.51.100.1')
  })
})

describe('createSourceContext for a plan without a configuration', () => {
  const node = {
    metadata: { name: 'node-1' },
    spec: { podCIDRs: ['10.244.1.0/24', 'fd00:10:244:1::/64'] },
    status: { addresses: [{ type: 'InternalIP', address: '192.168.0.11' }] },
  }
  const api = service({ clusterIP: '10.96.0.2', clusterIPs: ['10.96.0.2'] })
  const apiServer = { ...api, metadata: { ...api.metadata, namespace: 'default', name: 'kubernetes' } }
  const machines = slice(at('192.168.0.10'))
  const apiSlice = {
    ...machines,
    metadata: { namespace: 'default', name: 'k', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  }
  const input = {
    nodes: [node],
    services: [service(), apiServer],
    endpointSlices: [slice(at('172.16.7.7', '172.16.7.8')), apiSlice],
  }
  const [{ state, plan }] = compile(input).families as [ReturnType<typeof compile>['families'][0]]
  const facts = createSourceContext(state, {}, plan)
  const origin = (address: string) => classifySource(address, facts).origin

  it('contains the pod networks of the Node for the IP family', () => {
    expect(plan.node.podCidrs.map(({ text }) => text)).toEqual(['10.244.1.0/24'])
    expect(origin('10.244.1.9')).toBe('pod')
  })

  it('contains the addresses of all endpoints except for endpoints of the API server', () => {
    expect(['172.16.7.7', '172.16.7.8', '172.16.7.9', '192.168.0.10', '192.168.0.11'].map(origin)).toEqual([
      'pod',
      'pod',
      'outside',
      'outside',
      'node',
    ])
  })
})

describe('packets from the node', () => {
  const node = {
    metadata: { name: 'node-1' },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.10' }] },
  }
  const gate = { NFTablesProxyMode: true }
  const GATES: Readonly<Record<string, Record<string, boolean>>> = { 1.29: gate, '1.30': gate }
  const sourceOf = (mode: ProxyMode, kubernetesVersion: string, bindAddress: string) => {
    const input = {
      services: [],
      nodes: [node],
      configuration: { bindAddress, featureGates: GATES[kubernetesVersion] },
    }
    const { families } = compile(input, { mode, kubernetesVersion, families: ['IPv4'] })
    const [{ state, plan }] = families as [FamilyResult]
    return createExampleSource('node', createSourceContext(state, traceContextFor(plan), plan))?.source
  }

  it.each(PROXY_MODES.flatMap((mode) => versionsOf(mode).map((version) => [mode, version] as const)))(
    'have the address of the Node in mode %s of version %s',
    (mode, version) => {
      for (const bindAddress of ['0.0.0.0', '192.0.2.77']) {
        expect(sourceOf(mode, version, bindAddress), bindAddress).toBe('192.0.2.10')
      }
    },
  )
})
