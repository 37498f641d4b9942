import type { Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { compare } from '../../src/compare/compare.js'

// From 1.26 on, ipvs mode rejects packets to the addresses of Services, except to their ports.

const NODE = '192.0.2.7'

const service = (name: string, clusterIP: string, ports: readonly number[], ip?: string): Service => ({
  metadata: { namespace: 'shop', name },
  spec: {
    type: ip === undefined ? 'ClusterIP' : 'LoadBalancer',
    clusterIP,
    ports: ports.map((port) => ({ name: `p${port}`, port })),
  },
  status: ip === undefined ? {} : { loadBalancer: { ingress: [{ ip }] } },
})

const compiled = (kubernetesVersion: string, ip: string) => {
  const input = {
    nodes: [{ metadata: { name: 'edge-1' }, status: { addresses: [{ type: 'InternalIP', address: NODE }] } }],
    services: [
      service('gateway', '10.43.20.5', [80, 443], ip),
      ...[6, 7, 8].map((end) => service(`app-${end}`, `10.43.20.${end}`, [80])),
    ],
  }
  const [family] = compile(input, { nodeName: 'edge-1', mode: 'ipvs', families: ['IPv4'], kubernetesVersion }).families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  return family
}

function differencesOf(ip: string) {
  const [a, b] = [compiled('1.25', ip), compiled('1.26', ip)]
  const plans = { a: { mode: 'ipvs', plan: a.plan }, b: { mode: 'ipvs', plan: b.plan } } as const
  return compare(a.state, b.state, { plans }).differences
}

describe('a difference that cuts off the node', () => {
  it('comes first, and lists every destination that reached the node before', () => {
    const [first] = differencesOf(NODE)
    expect(first?.b.outcomes).toEqual({ 'rejected with icmp-port-unreachable': '1' })
    expect(first?.occupied?.[0]).toEqual({ destination: `TCP any other port of ${NODE}`, occupant: 'the node' })
    expect(first?.condition).toMatch(/^TCP any other port of 192\.0\.2\.7 or /)
    for (const { destination } of first?.occupied ?? []) expect(first?.condition).toContain(destination)
    expect(first?.condition).toMatch(/ or \d+ more, /)
  })

  it('does not list other addresses of Services as addresses of the node', () => {
    const differences = differencesOf('203.0.113.9')
    expect(differences.length).toBeGreaterThan(0)
    expect(differences.flatMap(({ occupied = [] }) => occupied)).toEqual([])
  })
})
