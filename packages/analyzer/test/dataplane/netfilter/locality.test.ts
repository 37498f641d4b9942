import { describe, expect, it } from 'vitest'
import { createDestinationReadLog } from '../../../../compiler/src/dataplane/netfilter/destination-read-log.js'
import { facts, kernelPacket } from '../../../../compiler/test/support/passages.js'
import { assumeLocality, splitByLocality, withPathAssumptions } from '../../../src/dataplane/netfilter/locality.js'
import { branch } from './branches.js'

const known = facts()
const [LOCAL, AWAY, UNKNOWN] = ['192.168.0.2', '10.96.0.1', '192.168.0.9'] as const
const to = (destination: string) => branch({ packet: kernelPacket({ destination }) })

describe('a path with a destination', () => {
  it.each([
    [LOCAL, 1, 0],
    [AWAY, 0, 1],
  ])('continues unchanged if it is known whether %s is local', (destination, local, away) => {
    const path = to(destination)
    const parted = splitByLocality(path, known)
    expect([parted.local.length, parted.away.length]).toEqual([local, away])
    expect([...parted.local, ...parted.away][0]).toBe(path)
  })

  it('forks if it is unknown whether the destination is local', () => {
    const path = to(UNKNOWN)
    const condition = '192.168.0.9 is an address of the node'
    expect(splitByLocality(path, known)).toEqual({
      local: [{ ...path, assumptions: [{ condition, value: true }] }],
      away: [{ ...path, assumptions: [{ condition, value: false }] }],
    })
  })

  it.each([true, false])('does not fork again if it has already assumed the locality: %s', (holds) => {
    const path = assumeLocality(to(UNKNOWN), UNKNOWN, holds)
    expect(splitByLocality(path, known)).toEqual(holds ? { local: [path], away: [] } : { local: [], away: [path] })
  })

  it('records a query of the destination', () => {
    const destinationLog = createDestinationReadLog(undefined)
    splitByLocality(branch({ packet: kernelPacket({ destination: LOCAL, destinationLog }) }), known)
    const [question] = destinationLog.queries
    expect(destinationLog.queries).toHaveLength(1)
    expect([question?.result, question?.evaluate(kernelPacket({ destination: AWAY }))]).toEqual(['yes', 'no'])
  })
})

describe('known facts on a path', () => {
  it('equal the original facts if the path has no assumptions', () => {
    expect(withPathAssumptions(branch(), known)).toBe(known)
  })

  it('include assumptions about some addresses, and the original facts about other addresses', () => {
    const path = assumeLocality(assumeLocality(branch(), UNKNOWN, false), AWAY, true)
    const { isLocal, inSet } = withPathAssumptions(path, known)
    expect([UNKNOWN, AWAY, LOCAL, '10.0.0.1'].map(isLocal)).toEqual(['no', 'yes', 'yes', 'no'])
    expect(inSet).toBe(known.inSet)
  })
})
