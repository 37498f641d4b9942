import type { EndpointSlice, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { printSave } from '../../../compiler/src/dataplane/ipvs/print.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import { LIMITATIONS_OF_MODE } from '../../../compiler/test/support/limitations.js'
import { formatDecision, pathsText } from '../../../compiler/test/support/paths-text.js'
import { parseIpvs } from '../../src/dataplane/ipvs/parse.js'
import { createTracer, trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

// Small clusters that easily cause differences between traces through compiled and live rules.

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

/** Returns the state of IPv4, its plan, and a trace function. */
function compiled(input: CompileInput, options: CompileOptions) {
  const [family] = compile(input, { nodeName: 'node-1', families: ['IPv4'], ...options }).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  const { state, plan } = family
  return { state, plan, traced: (packet: Packet) => trace(state, packet, traceContextFor(plan)) }
}

const HOST = { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] }

const fromOutside: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.9',
  destination: '198.51.100.1',
  destinationPort: 80,
}

describe('a packet in ipvs mode', () => {
  it.each(['1.30', '1.33'])(
    'is dropped in %s if only the source range /0 allows it, because no set can contain that range',
    (version) => {
      const service = loadBalancer(['0.0.0.0/0', '10.0.0.0/8'])
      const input = { services: [service], endpointSlices: [slice('10.244.1.1')] }
      const { traced } = compiled(input, { mode: 'ipvs', kubernetesVersion: version })
      expect(pathsText(traced(fromOutside))).toEqual(['dropped'])
      expect(pathsText(traced({ ...fromOutside, source: '10.1.2.3' }))).toEqual(['10.244.1.1:8080* 1'])
    },
  )

  it('is dropped if it goes from a load-balancer IP to itself, even if a source range contains the IP', () => {
    const input = { services: [loadBalancer(['198.51.100.0/24'])], endpointSlices: [slice('10.244.1.1')], host: HOST }
    const { plan, traced } = compiled(input, { mode: 'ipvs' })
    const fromItself: Packet = { ...fromOutside, source: '198.51.100.1' }
    expect(pathsText(traced(fromItself))).toEqual(['dropped'])
    expect(pathsText(traced({ ...fromItself, source: '198.51.100.2' }))).toEqual(['10.244.1.1:8080* 1'])
    expect(formatDecision(decide(plan, fromItself))).toEqual(['10.244.1.1:8080* 1'])
    expect(LIMITATIONS_OF_MODE.ipvs.map(({ code }) => code)).toContain('fromLoadBalancerIP')
  })

  // The plan masquerades packets of the node that may go to any endpoint; in this case all endpoints are on the node.
  it('is not masqueraded if it comes from the node and the policy is Local', () => {
    const { spec, ...rest } = loadBalancer([])
    const service: Service = { ...rest, spec: { ...spec, externalTrafficPolicy: 'Local' } }
    const ofNode: Packet = { ...fromOutside, origin: 'node', source: '192.168.0.2' }
    const input = { services: [service], endpointSlices: [slice('10.244.1.1')], host: HOST }
    const { plan, traced } = compiled(input, { mode: 'ipvs' })
    expect(pathsText(traced(ofNode))).toEqual(['10.244.1.1:8080 1'])
    expect(formatDecision(decide(plan, ofNode))).toEqual(['10.244.1.1:8080* 1'])
    expect(LIMITATIONS_OF_MODE.ipvs.map(({ code }) => code)).toContain('ownPacketsNotMasqueraded')
  })

  it('has the same outcomes regardless of the order of equivalent real servers', () => {
    const endpointSlices = [slice('10.244.10.1', '10.244.2.1')]
    const { state, plan, traced } = compiled(
      { services: [loadBalancer(['10.0.0.0/8'])], endpointSlices },
      { mode: 'ipvs' },
    )
    const fromItself: Packet = { ...fromOutside, origin: 'node', source: '198.51.100.1' }
    const servers = state.ipvs && parseIpvs(printSave(state.ipvs))
    if (!servers?.ok) throw new Error('the servers cannot be read')
    const paths = traced(fromItself)
    expect(pathsText(paths)).toEqual(['dropped'])
    expect(realServerSteps(paths)).toEqual(['-a -t 198.51.100.1:80 -r 10.244.2.1:8080 -m -w 1'])
    expect(realServerSteps(trace({ ...state, ipvs: servers.value }, fromItself, traceContextFor(plan)))).toEqual(
      realServerSteps(paths),
    )
  })
})

// Each test has an endpoint 192.168.0.2:53 or 192.0.2.7:53, and a Service that rejects packets to the same address and
// port, its external IP.
describe('a packet in iptables mode', () => {
  const external = (name: string, address: string): Service => ({
    metadata: { namespace: 'default', name },
    spec: { clusterIP: `10.96.0.${name.length}`, ports: [{ name: 'http', port: 53 }], externalIPs: [address] },
  })
  function decided(address: string, packet: Partial<Packet>) {
    const served = slice(address)
    const input = {
      services: [external('web', '198.51.100.1'), external('refusing', address)],
      endpointSlices: [{ ...served, ports: [{ name: 'http', port: 53 }] }],
      host: HOST,
    }
    const { plan, traced } = compiled(input, { mode: 'iptables' })
    const whole: Packet = { ...fromOutside, destination: '10.96.0.3', destinationPort: 53, ...packet }
    return { traced: pathsText(traced(whole)), decided: formatDecision(decide(plan, whole)) }
  }

  it('is rejected if its local endpoint has the same address as an external IP of a rejecting Service', () => {
    const expected = { traced: ['rejected'], decided: ['192.168.0.2:53 1'] }
    expect(LIMITATIONS_OF_MODE.iptables.map(({ code }) => code)).toContain('endpointRejected')
    expect(decided('192.168.0.2', {})).toEqual(expected)
    expect(decided('192.168.0.2', { origin: 'node', source: '127.0.0.1' })).toEqual(expected)
  })

  it('to a remote endpoint that rules reject is rejected unless it is masqueraded or locally generated', () => {
    const delivered = (text: string) => ({ traced: [text], decided: [text] })
    expect(decided('192.0.2.7', {})).toEqual({ traced: ['rejected'], decided: ['192.0.2.7:53 1'] })
    expect(decided('192.0.2.7', { destination: '198.51.100.1' })).toEqual(delivered('192.0.2.7:53* 1'))
    expect(decided('192.0.2.7', { origin: 'node', source: '192.168.0.2' })).toEqual(delivered('192.0.2.7:53 1'))
  })
})

function realServerSteps(paths: readonly TracePath[]): readonly string[] {
  return paths.flatMap(({ steps }) => steps.map(({ text }) => text).filter((text) => text.startsWith('-a ')))
}

describe('a tracer of many Services', () => {
  it('returns the same paths as separate traces, after any number of traces', () => {
    const services = Array.from({ length: 70 }, (_, index) => ({
      metadata: { namespace: 'default', name: `web-${index}` },
      spec: { clusterIP: `10.96.1.${index}`, ports: [{ name: 'http', port: 80 }] },
    }))
    const endpointSlices = services.map(({ metadata: { name } }, index) => ({
      metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4' as const,
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: [`10.244.1.${index}`] }],
    }))
    const [family] = compile({ services, endpointSlices }, { nodeName: 'node-1', families: ['IPv4'] }).families
    if (family === undefined) throw new Error('nothing was compiled')
    const traced = createTracer(family.state, traceContextFor(family.plan))
    for (const [index] of [...services.entries(), ...services.entries()]) {
      const packet: Packet = {
        ...{ origin: 'outside', protocol: 'TCP', source: '203.0.113.2' },
        ...{ destination: `10.96.1.${index}`, destinationPort: 80 },
      }
      expect(pathsText(traced(packet))).toEqual([`10.244.1.${index}:8080 1`])
    }
  })
})
