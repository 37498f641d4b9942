import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { KernelPacket } from '../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import { visitNatHandler } from '../../../src/dataplane/netfilter/decision.js'
import { NEXT_VERDICT, withPacket, withVerdict } from '../../../src/dataplane/netfilter/path-state.js'
import { branch } from './branches.js'

/** Returns the packet after a hook with changes to these fields, and the number of evaluations. */
function visited(hook: Hook, before: Partial<KernelPacket>, change: Partial<KernelPacket>) {
  let times = 0
  const paths = visitNatHandler(hook, branch({ packet: kernelPacket(before) }), (path) => {
    times++
    return [withVerdict(withPacket(path, { ...path.packet, ...change }), NEXT_VERDICT)]
  })
  const [{ packet, verdict } = { packet: undefined, verdict: undefined }] = paths
  expect([paths.length, verdict]).toEqual([1, NEXT_VERDICT])
  return { times, destination: packet?.destinationDecided, source: packet?.sourceDecided, mark: packet?.mark }
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
      expect(visited(hook, {}, change)).toEqual({ times: 1, destination, source, mark: 1 })
    },
  )

  it.each<[Hook, Partial<KernelPacket>]>([
    ['PREROUTING', { destinationDecided: 'yes' }],
    ['OUTPUT', { destinationDecided: 'PREROUTING' }],
    ['POSTROUTING', { sourceDecided: 'yes' }],
    ['POSTROUTING', { sourceDecided: 'INPUT' }],
  ])('at hook %s is skipped after an earlier decision: %j', (hook, before) => {
    const { destinationDecided: destination = 'no', sourceDecided: source = 'no' } = before
    expect(visited(hook, before, untouched)).toEqual({ times: 0, destination, source, mark: 0 })
  })

  it('is tried unless another handler at the same hook translated the same address', () => {
    expect(visited('PREROUTING', { destinationDecided: 'PREROUTING' }, translated)).toMatchObject({
      times: 1,
      destination: 'yes',
    })
    expect(visited('POSTROUTING', { destinationDecided: 'yes' }, masqueraded)).toMatchObject({
      times: 1,
      destination: 'yes',
      source: 'yes',
    })
  })
})
