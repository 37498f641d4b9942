import { describe, expect, it } from 'vitest'
import { nothingLogged } from '../../../../compiler/src/dataplane/netfilter/destination-log.js'
import { branch } from '../../../../compiler/test/dataplane/netfilter/branches.js'
import { kernelPacket, knowledge } from '../../../../compiler/test/support/passages.js'
import { assumingLocal, knownOn, partByLocality } from '../../../src/dataplane/netfilter/locality.js'

const known = knowledge()
const [LOCAL, AWAY, UNKNOWN] = ['192.168.0.2', '10.96.0.1', '192.168.0.9'] as const
const to = (destination: string) => branch({ packet: kernelPacket({ destination }) })

describe('a path with a destination', () => {
  it.each([
    [LOCAL, 1, 0],
    [AWAY, 0, 1],
  ])('of known locality continues unchanged: %s', (destination, local, away) => {
    const way = to(destination)
    const parted = partByLocality(way, known)
    expect([parted.local.length, parted.away.length]).toEqual([local, away])
    expect([...parted.local, ...parted.away][0]).toBe(way)
  })

  it('of unknown locality forks', () => {
    const way = to(UNKNOWN)
    const what = '192.168.0.9 is an address of the node'
    expect(partByLocality(way, known)).toEqual({
      local: [{ ...way, assumptions: [{ what, holds: true }] }],
      away: [{ ...way, assumptions: [{ what, holds: false }] }],
    })
  })

  it.each([true, false])('does not fork again if locality is already assumed: %s', (holds) => {
    const way = assumingLocal(to(UNKNOWN), UNKNOWN, holds)
    expect(partByLocality(way, known)).toEqual(holds ? { local: [way], away: [] } : { local: [], away: [way] })
  })

  it('records a destination query', () => {
    const destinationLog = nothingLogged(undefined)
    partByLocality(branch({ packet: kernelPacket({ destination: LOCAL, destinationLog }) }), known)
    const [question] = destinationLog.questions
    expect(destinationLog.questions).toHaveLength(1)
    expect([question?.answer, question?.ask(kernelPacket({ destination: AWAY }))]).toEqual(['yes', 'no'])
  })
})

describe('known facts of a path', () => {
  it('are all known facts if nothing is assumed', () => {
    expect(knownOn(branch(), known)).toBe(known)
  })

  it('include its assumption about an address, and the known facts about others', () => {
    const way = assumingLocal(assumingLocal(branch(), UNKNOWN, false), AWAY, true)
    const { isLocal, inSet } = knownOn(way, known)
    expect([UNKNOWN, AWAY, LOCAL, '10.0.0.1'].map(isLocal)).toEqual(['no', 'yes', 'yes', 'no'])
    expect(inSet).toBe(known.inSet)
  })
})
