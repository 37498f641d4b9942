import type { EndpointSlice, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { type CompileOptions, compile } from '../../src/compile.js'
import { parseIpvs } from '../../src/dataplane/ipvs/parse.js'
import { printSave } from '../../src/dataplane/ipvs/print.js'
import { type NodeRules, nodeRules } from '../../src/node-rules.js'
import type { Way } from '../../src/trace/trace.js'
import { trace } from '../../src/trace-packet.js'
import { waysText } from '../support/ways.js'

// Small clusters in which it is easy to lead compiled rules elsewhere than those of a node.

function slice(...addresses: readonly string[]): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], nodeName: 'node-1' })),
  }
}

function loadBalancer(sourceRanges: readonly string[]): Service {
  return {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      type: 'LoadBalancer',
      clusterIP: '10.96.0.10',
      ports: [{ name: 'http', port: 80 }],
      loadBalancerSourceRanges: [...sourceRanges],
    },
    status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } },
  }
}

function compiled(service: Service, endpointSlice: EndpointSlice, options: CompileOptions): NodeRules {
  const input = { services: [service], endpointSlices: [endpointSlice] }
  const rules = nodeRules(compile(input, { nodeName: 'node-1', families: ['IPv4'], ...options }), 'IPv4')
  if (rules === undefined) throw new Error('no rules')
  return rules
}

const fromOutside: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.9',
  destination: '198.51.100.1',
  destinationPort: 80,
}

describe('mode ipvs', () => {
  it.each(['1.30', '1.33'])('drops what only a source range of length 0 allows: no set holds it, %s', (version) => {
    const service = loadBalancer(['0.0.0.0/0', '10.0.0.0/8'])
    const rules = compiled(service, slice('10.244.1.1'), { mode: 'ipvs', kubernetesVersion: version })
    expect(waysText(trace(rules, fromOutside))).toEqual(['dropped'])
    expect(waysText(trace(rules, { ...fromOutside, source: '10.1.2.3' }))).toEqual(['10.244.1.1:8080* 1'])
  })

  it('tells of real servers that end alike the same one, whatever their order', () => {
    const rules = compiled(loadBalancer(['10.0.0.0/8']), slice('10.244.10.1', '10.244.2.1'), { mode: 'ipvs' })
    const fromItself: Packet = { ...fromOutside, origin: 'node', source: '198.51.100.1' }
    const servers = rules.ipvs && parseIpvs(printSave(rules.ipvs))
    if (!servers?.ok) throw new Error('the servers cannot be read')
    const ways = trace(rules, fromItself)
    expect(waysText(ways)).toEqual(['dropped'])
    expect(realServerSteps(ways)).toEqual(['-a -t 198.51.100.1:80 -r 10.244.2.1:8080 -m -w 1'])
    expect(realServerSteps(trace({ ...rules, ipvs: servers.state }, fromItself))).toEqual(realServerSteps(ways))
  })
})

function realServerSteps(ways: readonly Way[]): readonly string[] {
  return ways.flatMap(({ steps }) => steps.map(({ text }) => text).filter((text) => text.startsWith('-a ')))
}
