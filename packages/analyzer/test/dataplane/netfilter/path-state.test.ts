import { describe, expect, it } from 'vitest'
import { createFraction } from '../../../../compiler/src/internal/fraction.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import {
  DROPPED_VERDICT,
  type LinkedStep,
  NEXT_VERDICT,
  OUTPUT_VERDICT,
  pathStateOf,
  rebaseSteps,
  scaleWeight,
  stepsOf,
  withAssumption,
  withPacket,
  withStep,
  withVerdict,
} from '../../../src/dataplane/netfilter/path-state.js'
import { branch, step } from './branches.js'

const half = createFraction(1, 2)
const started = branch({
  weight: half,
  assumptions: [{ condition: 'a', value: true }],
  last: { step: () => step('first') },
})

const textsOf = (last: LinkedStep | undefined) => stepsOf(branch({ last })).map(({ text }) => text)
const after = (previous: LinkedStep | undefined, text: string): LinkedStep => ({ step: () => step(text), previous })

describe('the state of a path', () => {
  it('returns its steps in order, and creates each step when the steps are read', () => {
    let times = 0
    const make = () => {
      times++
      return step('second')
    }
    const path = withStep(started, make)
    expect(times).toBe(0)
    expect(path).toEqual({ ...started, last: { step: make, previous: started.last } })
    expect(stepsOf(path).map(({ text }) => text)).toEqual(['first', 'second'])
    expect(stepsOf(branch())).toEqual([])
  })

  it('is copied with one changed field', () => {
    const packet = kernelPacket({ mark: 1 })
    expect(withPacket(started, packet)).toEqual({ ...started, packet })
    expect(scaleWeight(started, createFraction(1, 3))).toEqual({ ...started, weight: createFraction(1, 6) })
    expect(withAssumption(started, 'b', false)).toEqual({
      ...started,
      assumptions: [
        { condition: 'a', value: true },
        { condition: 'b', value: false },
      ],
    })
    expect(withAssumption(started, 'b', true).assumptions[1]?.value).toBe(true)
  })

  it('gets a verdict at the end of a hook handler, and loses the verdict when the path continues', () => {
    const result = withVerdict(started, DROPPED_VERDICT)
    expect(result).toEqual({ ...started, verdict: { kind: 'dropped' } })
    expect(pathStateOf(result)).toStrictEqual(started)
    expect([NEXT_VERDICT, OUTPUT_VERDICT]).toEqual([{ kind: 'next' }, { kind: 'output' }])
  })

  it('shares its budget with all forks of the path', () => {
    const paths = [
      withStep(started, () => step('x')),
      withPacket(started, kernelPacket()),
      scaleWeight(started, half),
      withAssumption(started, 'b', true),
      withVerdict(started, NEXT_VERDICT),
      pathStateOf(withVerdict(started, NEXT_VERDICT)),
    ]
    for (const { budget } of paths) expect(budget).toBe(started.budget)
  })
})

describe('the steps of another path after rebasing', () => {
  const from = after(undefined, 'a')
  const to = after(after(from, 'b'), 'c')
  const own = after(undefined, 'own')

  it('are appended to the steps of the path', () => {
    expect(textsOf(rebaseSteps(from, to, own))).toEqual(['own', 'b', 'c'])
    expect(textsOf(rebaseSteps(undefined, to, own))).toEqual(['own', 'a', 'b', 'c'])
    expect(textsOf(rebaseSteps(from, to, undefined))).toEqual(['b', 'c'])
    expect(textsOf(after(rebaseSteps(from, to, own), 'end'))).toEqual(['own', 'b', 'c', 'end'])
  })

  it('may be rebased again', () => {
    const twice = rebaseSteps(from, after(rebaseSteps(from, to, from), 'd'), own)
    expect(textsOf(twice)).toEqual(['own', 'b', 'c', 'd'])
  })

  it('are absent if the other path has no steps of its own', () => {
    expect(rebaseSteps(from, from, own)).toBe(own)
    expect(rebaseSteps(undefined, undefined, own)).toBe(own)
  })
})
