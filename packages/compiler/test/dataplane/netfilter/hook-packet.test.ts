import { describe, expect, it } from 'vitest'
import { matchesInInterface, matchesOutInterface } from '../../../src/dataplane/netfilter/hook-packet.js'
import type { Hook } from '../../../src/dataplane/netfilter/hooks.js'
import { createReadSet } from '../../../src/dataplane/netfilter/read-set.js'
import { passage } from '../../support/passages.js'

describe('matchesInInterface', () => {
  it.each<[name: string, inInterface: string | undefined, hook: Hook, truth: string, isAsked: boolean]>([
    ['eth0', 'eth0', 'PREROUTING', 'yes', true],
    ['eth1', 'eth0', 'INPUT', 'no', true],
    ['eth+', 'eth0', 'FORWARD', 'yes', true],
    ['eth0+', 'eth0', 'FORWARD', 'yes', true],
    ['eth0+', 'eth', 'FORWARD', 'no', true],
    ['+', 'eth0', 'FORWARD', 'yes', true],
    ['th+', 'eth0', 'FORWARD', 'no', true],
    ['eth0', 'eth0', 'OUTPUT', 'no', false],
    ['eth0', 'eth0', 'POSTROUTING', 'no', false],
    ['eth0', '', 'PREROUTING', 'no', false],
    ['+', '', 'PREROUTING', 'no', false],
    ['eth0', undefined, 'PREROUTING', 'unknown', true],
    ['lo', undefined, 'PREROUTING', 'no', true],
  ])('evaluates %s for a packet from interface %s at hook %s to %s', (name, inInterface, hook, ternary, isRecorded) => {
    const readSet = createReadSet()
    expect(matchesInInterface(name, passage({ inInterface, readSet }, { hook }))).toBe(ternary)
    expect([...readSet.interfaces]).toEqual(isRecorded ? [name] : [])
    expect(matchesInInterface(name, passage({ inInterface }, { hook }))).toBe(ternary)
  })
})

describe('matchesOutInterface', () => {
  const [local, away, unknown] = ['192.168.0.2', '10.96.0.1', '192.168.0.9']

  it.each<[name: string, destination: string, hook: Hook, truth: string]>([
    ['lo', local, 'PREROUTING', 'no'],
    ['lo', local, 'INPUT', 'no'],
    ['lo', local, 'OUTPUT', 'yes'],
    ['l+', local, 'POSTROUTING', 'yes'],
    ['eth0', local, 'FORWARD', 'no'],
    ['lo', away, 'FORWARD', 'no'],
    ['eth0', away, 'FORWARD', 'unknown'],
    ['lo', unknown, 'OUTPUT', 'unknown'],
    ['eth0', unknown, 'OUTPUT', 'unknown'],
  ])('evaluates %s for a packet to interface %s at hook %s to %s', (name, destination, hook, ternary) => {
    expect(matchesOutInterface(name, passage({ destination }, { hook }))).toBe(ternary)
  })
})
