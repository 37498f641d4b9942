import { describe, expect, it } from 'vitest'
import {
  DROPPED,
  endVisit,
  NEXT,
  type PathState,
  withPacket,
} from '../../../../compiler/src/dataplane/netfilter/path-state.js'
import { branch } from '../../../../compiler/test/dataplane/netfilter/branches.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import { type ChainRun, endPath, leaveBaseChain, returnFromChain } from '../../../src/dataplane/netfilter/chain-run.js'

const start = branch()
const marked = (mark: number) => withPacket(start, kernelPacket({ mark }))

describe('a path after a chain', () => {
  it('continues at the next rule if it reached the end', () => {
    expect(returnFromChain({ branch: start, exit: 'chain' })).toEqual({ branch: start, exit: 'rule' })
    const dropped: ChainRun = { branch: start, exit: DROPPED }
    expect(returnFromChain(dropped)).toBe(dropped)
  })

  it('leaves with its verdict, or with that of the end', () => {
    const atEnd = (path: PathState) => endVisit(path, NEXT)
    expect(leaveBaseChain({ branch: marked(1), exit: 'chain' }, atEnd)).toEqual(endVisit(marked(1), NEXT))
    expect(leaveBaseChain({ branch: marked(1), exit: 'rule' }, atEnd)).toEqual(endVisit(marked(1), NEXT))
    expect(leaveBaseChain({ branch: marked(1), exit: DROPPED }, atEnd)).toEqual(endVisit(marked(1), DROPPED))
  })

  it('has the reason of an unknown outcome', () => {
    expect(endPath(start, 'nobody knows')).toEqual({ branch: start, exit: { kind: 'unknown', reason: 'nobody knows' } })
  })
})
