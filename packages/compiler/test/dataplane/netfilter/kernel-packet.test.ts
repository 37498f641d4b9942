import { describe, expect, it } from 'vitest'
import {
  createDestinationReadLog,
  haveEqualResults,
  recordDestinationRead,
  withDestination,
} from '../../../src/dataplane/netfilter/destination-read-log.js'
import { createEquivalentSources } from '../../../src/dataplane/netfilter/equivalent-sources.js'
import {
  areEqualExceptDestination,
  createPacketKey,
  type KernelPacket,
  portReadSetOf,
  withDestinationOf,
} from '../../../src/dataplane/netfilter/kernel-packet.js'
import { createReadSet } from '../../../src/dataplane/netfilter/read-set.js'
import { kernelPacket } from '../../support/passages.js'

const virtualServer = { address: '10.96.0.1', port: 80, protocol: 'tcp' }

/** A different value for each field of a packet. */
const OTHERS: Required<KernelPacket> = {
  family: 'IPv6',
  protocol: 'udp',
  source: '203.0.113.3',
  sourcePort: 40001,
  destination: '10.96.0.2',
  destinationPort: 81,
  inInterface: 'eth1',
  bridged: 'yes',
  mark: 1,
  translatedBy: 'dnat',
  virtualServer,
  masqueraded: true,
  destinationDecided: 'yes',
  sourceDecided: 'yes',
  readSet: createReadSet(),
  equivalents: createEquivalentSources(['203.0.113.2']),
  destinationLog: createDestinationReadLog(undefined),
}

const fields = Object.entries(OTHERS).map(([field, value]) => ({ field, other: kernelPacket({ [field]: value }) }))
const packet = kernelPacket()

it.each(fields)(
  'areEqualExceptDestination ignores a different $field only if it belongs to the destination',
  ({ field, other }) => {
    const isOfDestination = ['destination', 'destinationPort', 'destinationLog'].includes(field)
    expect(areEqualExceptDestination(packet, other)).toBe(isOfDestination)
    expect(areEqualExceptDestination(other, { ...other })).toBe(true)
  },
)

it.each(fields)('withDestinationOf changes $field only if the field belongs to the destination', ({ other }) => {
  const { destination, destinationPort, destinationLog } = OTHERS
  expect(withDestinationOf(other, OTHERS)).toEqual({ ...other, destination, destinationPort, destinationLog })
})

const TOLD = 'destination destinationPort inInterface mark translatedBy virtualServer masqueraded destinationDecided'

it.each(`${TOLD} sourceDecided equivalents`.split(' '))(
  'createPacketKey distinguishes packets of the same origin by %s',
  (field) => {
    const other = kernelPacket({ [field]: OTHERS[field as keyof KernelPacket] })
    expect(createPacketKey(other)).not.toBe(createPacketKey(packet))
    expect(createPacketKey({ ...other })).toBe(createPacketKey(other))
  },
)

it.each([{ address: '10.96.0.2' }, { port: 81 }, { protocol: 'udp' }])(
  'createPacketKey distinguishes packets that different virtual servers have handled: %j',
  (more) => {
    const taken = kernelPacket({ virtualServer })
    expect(createPacketKey(kernelPacket({ virtualServer: { ...virtualServer, ...more } }))).not.toBe(
      createPacketKey(taken),
    )
  },
)

it('portReadSetOf returns a read set only for a packet that still has its original destination', () => {
  const readSet = createReadSet()
  expect(portReadSetOf(kernelPacket({ readSet }))).toBe(readSet)
  expect(portReadSetOf(kernelPacket({ readSet, translatedBy: 'dnat' }))).toBeUndefined()
  expect(portReadSetOf(packet)).toBeUndefined()
})

describe('the destination queries of a packet', () => {
  const port = ({ destinationPort }: KernelPacket) => destinationPort
  const isMarked = ({ mark }: KernelPacket) => mark === 1

  it('are recorded in the current log and all outer logs', () => {
    const outer = createDestinationReadLog(undefined)
    const inner = createDestinationReadLog(outer)
    const logged = kernelPacket({ destinationLog: inner })
    expect(recordDestinationRead(logged, port)).toBe(80)
    expect([inner.queries, outer.queries]).toEqual([1, 2].map(() => [{ packet: logged, evaluate: port, result: 80 }]))
    expect([inner.isTranslated, outer.isTranslated, inner.outer]).toEqual([false, false, outer])
    expect(recordDestinationRead(packet, port)).toBe(80)
  })

  it('have the same result for two packets only if each query has the same result for both', () => {
    const marked = kernelPacket({ mark: 1 })
    const questions = [
      { packet, evaluate: port, result: 80 },
      { packet, evaluate: isMarked, result: false },
      { packet: marked, evaluate: isMarked, result: true },
    ]
    expect(haveEqualResults(questions, kernelPacket({ destination: '10.96.0.2' }))).toBe(true)
    expect(haveEqualResults(questions, kernelPacket({ destination: '10.96.0.2', mark: 1 }))).toBe(true)
    expect(haveEqualResults(questions, kernelPacket({ destinationPort: 81 }))).toBe(false)
    expect(haveEqualResults([...questions, { packet: marked, evaluate: port, result: 81 }], packet)).toBe(false)
    expect(haveEqualResults([], packet)).toBe(true)
  })

  it('are no longer recorded after a translation of the destination', () => {
    const outer = createDestinationReadLog(undefined)
    const destinationLog = createDestinationReadLog(outer)
    const logged = kernelPacket({ destinationLog, mark: 1 })
    const moved = { destination: '10.244.1.1', destinationPort: 8080, translatedBy: 'dnat' }
    const place = { address: '10.244.1.1', port: 8080, by: 'dnat' } as const
    expect(withDestination(logged, place)).toEqual({ ...logged, ...moved })
    expect([destinationLog.isTranslated, outer.isTranslated]).toEqual([true, true])
    expect(withDestination(packet, place)).toEqual({ ...packet, ...moved })
  })
})
