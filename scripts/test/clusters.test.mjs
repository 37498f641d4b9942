import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../bench/clusters.mjs'

const inputOf = (size) => clusterOf(size, 'iptables').input
const MIXED = { services: 1000, endpoints: 2, mixed: true }

const endpointAddresses = (input) =>
  input.endpointSlices.flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses))

describe('clusterOf', () => {
  it.each([
    ['beyond 65,536 of a family', { services: 66, endpoints: 1000 }],
    ['of both families', MIXED],
  ])('gives every endpoint its own address, %s', (_, size) => {
    const addresses = endpointAddresses(inputOf(size))
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses.filter((address) => isIP(address) === 0)).toEqual([])
  })

  it('mixes 70 % ClusterIP, 20 % NodePort and 10 % LoadBalancer, each with its own node port and addresses', () => {
    const { services } = inputOf(MIXED)
    const count = (type) => services.filter(({ spec }) => spec.type === type).length
    expect([count('ClusterIP'), count('NodePort'), count('LoadBalancer')]).toEqual([700, 200, 100])
    const nodePorts = services.flatMap(({ spec }) => spec.ports.flatMap(({ nodePort }) => nodePort ?? []))
    expect(new Set(nodePorts).size).toBe(200)
    const ips = services.flatMap(({ status }) => status?.loadBalancer.ingress.map(({ ip }) => ip) ?? [])
    expect(new Set(ips).size).toBe(200)
  })

  it('returns the same objects each time', () => {
    expect(inputOf(MIXED)).toEqual(inputOf(MIXED))
  })

  it('has an endpoint on the node for one in a hundred', () => {
    const endpoints = inputOf({ services: 1000, endpoints: 10 }).endpointSlices.flatMap((slice) => slice.endpoints)
    expect(endpoints.filter(({ nodeName }) => nodeName === 'node-0')).toHaveLength(100)
  })
})
