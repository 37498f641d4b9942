import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../bench/clusters.mjs'

const inputOf = (size) => clusterOf(size, 'iptables').input
const MIXED = { services: 1000, endpoints: 2, mixed: true }

const endpointAddresses = (input) =>
  input.endpointSlices.flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses))

describe('clusterOf', () => {
  it.each([
    ['if there are more than 65,536 endpoints of a family', { services: 66, endpoints: 1000 }],
    ['of both families', MIXED],
  ])('assigns a different address to every endpoint %s', (_, size) => {
    const addresses = endpointAddresses(inputOf(size))
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses.filter((address) => isIP(address) === 0)).toEqual([])
  })

  it('returns 70 % ClusterIP, 20 % NodePort and 10 % LoadBalancer, with distinct ports and addresses', () => {
    const { services } = inputOf(MIXED)
    const count = (type) => services.filter(({ spec }) => spec.type === type).length
    expect([count('ClusterIP'), count('NodePort'), count('LoadBalancer')]).toEqual([700, 200, 100])
    const nodePorts = services.flatMap(({ spec }) => spec.ports.flatMap(({ nodePort }) => nodePort ?? []))
    expect(new Set(nodePorts).size).toBe(200)
    const ips = services.flatMap(({ status }) => status?.loadBalancer.ingress.map(({ ip }) => ip) ?? [])
    expect(new Set(ips).size).toBe(200)
  })

  it('returns the same objects for each call', () => {
    expect(inputOf(MIXED)).toEqual(inputOf(MIXED))
  })

  it('returns one endpoint in a hundred on the node', () => {
    const endpoints = inputOf({ services: 1000, endpoints: 10 }).endpointSlices.flatMap((slice) => slice.endpoints)
    expect(endpoints.filter(({ nodeName }) => nodeName === 'node-0')).toHaveLength(100)
  })
})
