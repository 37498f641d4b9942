import { describe, expect, it } from 'vitest'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import {
  type ChainResult,
  endPathAsUnknown,
  leaveBaseChain,
  returnFromChain,
} from '../../../src/dataplane/netfilter/chain-result.js'
import {
  DROPPED_VERDICT,
  NEXT_VERDICT,
  type PathState,
  withPacket,
  withVerdict,
} from '../../../src/dataplane/netfilter/path-state.js'
import { branch } from './branches.js'

const start = branch()
const marked = (mark: number) => withPacket(start, kernelPacket({ mark }))

describe('a path after a chain', () => {
  it('continues at the next rule if it reached the end', () => {
    expect(returnFromChain({ branch: start, exit: 'chain' })).toEqual({ branch: start, exit: 'rule' })
    const dropped: ChainResult = { branch: start, exit: DROPPED_VERDICT }
    expect(returnFromChain(dropped)).toBe(dropped)
  })

  it('has the verdict from the chain, or the default verdict if the chain ends without a verdict', () => {
    const atEnd = (path: PathState) => withVerdict(path, NEXT_VERDICT)
    expect(leaveBaseChain({ branch: marked(1), exit: 'chain' }, atEnd)).toEqual(withVerdict(marked(1), NEXT_VERDICT))
    expect(leaveBaseChain({ branch: marked(1), exit: 'rule' }, atEnd)).toEqual(withVerdict(marked(1), NEXT_VERDICT))
    expect(leaveBaseChain({ branch: marked(1), exit: DROPPED_VERDICT }, atEnd)).toEqual(
      withVerdict(marked(1), DROPPED_VERDICT),
    )
  })

  it('ends with an unknown outcome that has the specified reason', () => {
    expect(endPathAsUnknown(start, 'nobody knows')).toEqual({
      branch: start,
      exit: { kind: 'unknown', reason: 'nobody knows' },
    })
  })
})
