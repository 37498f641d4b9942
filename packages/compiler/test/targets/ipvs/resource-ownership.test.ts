import { describe, expect, it } from 'vitest'
import { removalBehaviorOf } from '../../../src/commands/ipvs-versions.js'
import { createAddressResource } from '../../../src/dataplane/addresses/resources.js'
import type { DriftKind } from '../../../src/dataplane/comparison.js'
import { createEntryResource, createSetResource } from '../../../src/dataplane/ipset/resources.js'
import { listVirtualServerResources } from '../../../src/dataplane/ipvs/resources.js'
import {
  createAddressOwnership,
  createIpsetOwnership,
  createIpvsResourceOwnership,
} from '../../../src/targets/ipvs/ownership.js'
import { ipsetDefinitionOf } from '../../../src/targets/ipvs/sets.js'
import { realServer, virtualServer } from '../../dataplane/ipvs/states.js'
import { cidr } from '../../support/decisions.js'
import { features } from '../../support/model-builder.js'

describe('owned sets in ipvs mode', () => {
  it.each([
    ['IPv4', 'ipset KUBE-CLUSTER-IP', true],
    ['IPv4', 'ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80', true],
    ['IPv4', 'ipset KUBE-6-CLUSTER-IP', false],
    ['IPv6', 'ipset KUBE-6-CLUSTER-IP fd00::1,tcp:80', true],
    ['IPv6', 'ipset KUBE-CLUSTER-IP', false],
    ['IPv4', 'ipset KUBE-ROUTER-IPS', false],
    ['IPv4', 'ipvs TCP 10.96.0.1:80', false],
  ] as const)('in %s include the resource %s: %s', (family, id, isOwned) => {
    expect(createIpsetOwnership(family, features({}, 'ipvs')).isOwned(id, undefined)).toBe(isOwned)
  })
})

describe('the ownership of servers in ipvs mode with excluded networks', () => {
  const ownership = createIpvsResourceOwnership([cidr('10.97.0.0/16'), cidr('10.98.0.0/16')], removalBehaviorOf('1.30'))

  it.each([
    ['ipvs TCP 10.96.0.1:80', undefined, true],
    ['ipvs TCP 10.97.0.1:80', undefined, false],
    ['ipvs UDP 10.98.0.1:80', undefined, false],
    ['ipvs TCP 10.97.0.1:80 10.1.1.1:80', 1, true],
    ['ipvs TCP 10.96.0.1:80 10.1.1.1:80', 0, false],
    ['ipvs UDP 10.96.0.1:80 10.1.1.1:80', 0, true],
    ['ipvs SCTP 10.96.0.1:80 10.1.1.1:80', 0, true],
  ])('includes the server %s with weight %s: %s', (id, weight, isOwned) => {
    expect(ownership.isOwned(id, { forwarding: 'masquerade', weight })).toBe(isOwned)
  })
})

describe('owned addresses in ipvs mode with excluded networks', () => {
  const excluded = [cidr('10.97.0.0/16')]

  it.each([
    ['1.37', 'address 10.97.0.1', true],
    ['1.26', 'address 10.97.0.1', false],
    ['1.26', 'address 10.96.0.1', true],
    ['1.26', 'device kube-ipvs0', true],
    ['1.14', 'address 10.96.0.1', false],
  ])('in version %s include the address %s: %s', (version, id, isOwned) => {
    expect(createAddressOwnership(excluded, removalBehaviorOf(version)).isOwned(id, undefined)).toBe(isOwned)
  })
})

describe('owned ipvs servers of weight 0 that kube-proxy removes later', () => {
  it.each([
    ['1.18', 'ipvs SCTP 10.96.0.1:80 10.1.1.1:80', false],
    ['1.18', 'ipvs UDP 10.96.0.1:80 10.1.1.1:80', true],
    ['1.14', 'ipvs UDP 10.96.0.1:80 10.1.1.1:80', false],
    ['1.14', 'ipvs TCP 10.96.0.1:80', false],
    ['1.16', 'ipvs TCP 10.96.0.1:80', true],
  ])('in version %s include the server %s: %s', (version, id, isOwned) => {
    expect(createIpvsResourceOwnership([], removalBehaviorOf(version)).isOwned(id, { weight: 0 })).toBe(isOwned)
  })

  it('include virtual servers and addresses that version 1.14 keeps temporarily', () => {
    expect(
      createIpvsResourceOwnership([], removalBehaviorOf('1.14')).isTemporarilyKept?.('ipvs TCP 10.96.0.1:80'),
    ).toBe(true)
    expect(
      createIpvsResourceOwnership([], removalBehaviorOf('1.14')).isTemporarilyKept?.(
        'ipvs TCP 10.96.0.1:80 10.1.1.1:80',
      ),
    ).toBe(false)
    expect(createAddressOwnership([], removalBehaviorOf('1.14')).isTemporarilyKept?.('address 10.96.0.1')).toBe(true)
  })

  it('exclude resources in excluded networks', () => {
    const excluded = [cidr('10.97.0.0/16')]
    const servers = createIpvsResourceOwnership(excluded, removalBehaviorOf('1.14'))
    expect(servers.isTemporarilyKept?.('ipvs TCP 10.97.0.1:80')).toBe(false)
    expect(servers.isTemporarilyKept?.('ipvs TCP 10.96.0.1:80')).toBe(true)
    const addresses = createAddressOwnership(excluded, removalBehaviorOf('1.14'))
    expect(addresses.isTemporarilyKept?.('address 10.97.0.1')).toBe(false)
    expect(addresses.isTemporarilyKept?.('address 10.96.0.1')).toBe(true)
    expect(addresses.isTemporarilyKept?.('device kube-ipvs0')).toBe(true)
  })
})

describe('the drift reason of ipvs mode', () => {
  const set = ipsetDefinitionOf('KUBE-CLUSTER-IP', 'IPv4')
  const [server, real] = listVirtualServerResources(virtualServer({ realServers: [realServer('10.1.1.1', 80)] }))
  if (server === undefined || real === undefined) throw new Error('there are no servers')
  const entry = createEntryResource(set, { kind: 'ip,port', address: '10.96.0.1', protocol: 'tcp', port: 80 })
  const sets = createIpsetOwnership('IPv4', features({}, 'ipvs'))
  const servers = createIpvsResourceOwnership([], removalBehaviorOf('1.30'))

  it.each([
    [
      'a set',
      sets,
      createSetResource(set),
      [
        'the set is missing with all its entries, and rules that match it cannot be loaded',
        'rules that match the set apply to an unexpected entry',
        'the set has another type, family or size',
      ],
    ],
    [
      'a set entry',
      sets,
      entry,
      [
        'rules that match the set do not apply to this entry',
        'rules that match the set apply to an unexpected entry',
        'the entry has other options',
      ],
    ],
    [
      'a virtual server',
      servers,
      server,
      [
        'this address and port are not served',
        'this address and port should not be served',
        'connections are distributed differently',
      ],
    ],
    [
      'a real server',
      servers,
      real,
      [
        'an endpoint gets no connections',
        'connections go to an endpoint that should get none',
        'an endpoint gets a different share of the connections than expected',
      ],
    ],
    [
      'an address',
      createAddressOwnership([], removalBehaviorOf('1.30')),
      createAddressResource('10.96.0.1'),
      [
        'the address is not bound to the node',
        'an address that belongs to no Service is bound to the node',
        'the address is on another device',
      ],
    ],
  ] as const)('describes the effect if %s is missing, extra or changed', (_, { reasonOf }, resource, reasons) => {
    const kinds: readonly DriftKind[] = ['missing', 'extra', 'changed']
    expect(kinds.map((kind) => reasonOf(kind, { expected: resource }))).toEqual(reasons)
    expect(kinds.map((kind) => reasonOf(kind, { found: resource }))).toEqual(reasons)
    expect(() => reasonOf('misplaced', { found: resource })).toThrow()
  })
})
