import { describe, expect, it } from 'vitest'
import {
  assuming,
  DROPPED,
  depart,
  departedWay,
  type LinkedStep,
  NEXT,
  OUTPUT,
  stepsLike,
  stepsOf,
  weighed,
  withPacket,
  withStep,
} from '../../../src/dataplane/netfilter/branch.js'
import { fraction } from '../../../src/internal/fraction.js'
import { kernelPacket } from '../../support/passages.js'
import { branch, step } from './branches.js'

const half = fraction(1, 2)
const started = branch({
  weight: half,
  assumptions: [{ what: 'a', holds: true }],
  last: { step: () => step('first') },
})

const textsOf = (last: LinkedStep | undefined) => stepsOf(branch({ last })).map(({ text }) => text)
const after = (before: LinkedStep | undefined, text: string): LinkedStep => ({ step: () => step(text), before })

describe('path state', () => {
  it('lists its steps in order, each created on access', () => {
    let times = 0
    const make = () => {
      times++
      return step('second')
    }
    const way = withStep(started, make)
    expect(times).toBe(0)
    expect(way).toEqual({ ...started, last: { step: make, before: started.last } })
    expect(stepsOf(way).map(({ text }) => text)).toEqual(['first', 'second'])
    expect(stepsOf(branch())).toEqual([])
  })

  it('changes a single field', () => {
    const packet = kernelPacket({ mark: 1 })
    expect(withPacket(started, packet)).toEqual({ ...started, packet })
    expect(weighed(started, fraction(1, 3))).toEqual({ ...started, weight: fraction(1, 6) })
    expect(assuming(started, 'b', false)).toEqual({
      ...started,
      assumptions: [
        { what: 'a', holds: true },
        { what: 'b', holds: false },
      ],
    })
    expect(assuming(started, 'b', true).assumptions[1]?.holds).toBe(true)
  })

  it('leaves a hook handler with a verdict and continues unchanged after it', () => {
    const departed = depart(started, DROPPED)
    expect(departed).toEqual({ ...started, departure: { to: 'dropped' } })
    expect(departedWay(departed)).toStrictEqual(started)
    expect([NEXT, OUTPUT]).toEqual([{ to: 'next' }, { to: 'output' }])
  })

  it('counts the effort of all forks together', () => {
    const ways = [
      withStep(started, () => step('x')),
      withPacket(started, kernelPacket()),
      weighed(started, half),
      assuming(started, 'b', true),
      depart(started, NEXT),
      departedWay(depart(started, NEXT)),
    ]
    for (const { effort } of ways) expect(effort).toBe(started.effort)
  })
})

describe('copied steps of another path', () => {
  const from = after(undefined, 'a')
  const to = after(after(from, 'b'), 'c')
  const own = after(undefined, 'own')

  it('are appended to the steps of the path', () => {
    expect(textsOf(stepsLike(from, to, own))).toEqual(['own', 'b', 'c'])
    expect(textsOf(stepsLike(undefined, to, own))).toEqual(['own', 'a', 'b', 'c'])
    expect(textsOf(stepsLike(from, to, undefined))).toEqual(['b', 'c'])
    expect(textsOf(after(stepsLike(from, to, own), 'end'))).toEqual(['own', 'b', 'c', 'end'])
  })

  it('may contain copied steps themselves', () => {
    const twice = stepsLike(from, after(stepsLike(from, to, from), 'd'), own)
    expect(textsOf(twice)).toEqual(['own', 'b', 'c', 'd'])
  })

  it('are empty if the other path has none', () => {
    expect(stepsLike(from, from, own)).toBe(own)
    expect(stepsLike(undefined, undefined, own)).toBe(own)
  })
})
