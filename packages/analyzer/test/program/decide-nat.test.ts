import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../compiler/src/dataplane/netfilter/hooks.js'
import { packetAfterNatChain, passesNatChain } from '../../src/program/decide-nat.js'
import type { KernelPacket } from '../../src/program/kernel-packet.js'
import { kernelPacket } from './programs.js'

/** Returns the packet after a NAT chain with changes to these fields; undefined if the packet does not pass the chain. */
function visited(hook: Hook, before: Partial<KernelPacket>, change: Partial<KernelPacket>) {
  const packet = kernelPacket(before)
  if (!passesNatChain(hook, packet)) return undefined
  const { destinationDecided, sourceDecided, mark } = packetAfterNatChain(hook, packet, { ...packet, ...change })
  return { destination: destinationDecided, source: sourceDecided, mark }
}

const translated: Partial<KernelPacket> = { translatedBy: 'dnat', mark: 1 }
const masqueraded: Partial<KernelPacket> = { masqueraded: true, mark: 1 }
const untouched: Partial<KernelPacket> = { mark: 1 }

describe('a NAT translation', () => {
  it.each<[Hook, Partial<KernelPacket>, KernelPacket['destinationDecided'], KernelPacket['sourceDecided']]>([
    ['PREROUTING', translated, 'yes', 'no'],
    ['OUTPUT', translated, 'yes', 'no'],
    ['PREROUTING', untouched, 'PREROUTING', 'no'],
    ['OUTPUT', untouched, 'OUTPUT', 'no'],
    ['PREROUTING', masqueraded, 'PREROUTING', 'no'],
    ['INPUT', masqueraded, 'no', 'yes'],
    ['POSTROUTING', masqueraded, 'no', 'yes'],
    ['INPUT', untouched, 'no', 'INPUT'],
    ['POSTROUTING', untouched, 'no', 'POSTROUTING'],
    ['POSTROUTING', translated, 'no', 'POSTROUTING'],
  ])(
    'at hook %s with the change %j sets "destination decided" to %s and "source decided" to %s',
    (hook, change, destination, source) => {
      expect(visited(hook, {}, change)).toEqual({ destination, source, mark: 1 })
    },
  )

  it.each<[Hook, Partial<KernelPacket>]>([
    ['PREROUTING', { destinationDecided: 'yes' }],
    ['OUTPUT', { destinationDecided: 'PREROUTING' }],
    ['POSTROUTING', { sourceDecided: 'yes' }],
    ['POSTROUTING', { sourceDecided: 'INPUT' }],
    ['PREROUTING', { untracked: true }],
    ['POSTROUTING', { untracked: true }],
  ])('at hook %s is skipped after an earlier decision, and for an untracked packet: %j', (hook, before) => {
    expect(visited(hook, before, untouched)).toBeUndefined()
  })

  it('is tried unless another handler at the same hook translated the same address', () => {
    expect(visited('PREROUTING', { destinationDecided: 'PREROUTING' }, translated)).toMatchObject({
      destination: 'yes',
    })
    expect(visited('POSTROUTING', { destinationDecided: 'yes' }, masqueraded)).toMatchObject({
      destination: 'yes',
      source: 'yes',
    })
  })
})
