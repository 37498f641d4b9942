import { expect, it } from 'vitest'
import { packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { tracedPacket } from '../../../../compiler/test/support/traced.js'
import { createLimitationPredicate } from '../../../src/targets/shared/create-limitation-predicate.js'

const delivered = (address: string, masqueraded: boolean) =>
  ({ outcome: { kind: 'delivered', address, port: 80, masqueraded }, weight: '1/2' }) as const
const DROPPED = { outcome: { kind: 'dropped' }, weight: '1/2' } as const

it.each([
  ['an equal outcome', [DROPPED], ['dropped'], true],
  ['another outcome', [DROPPED], ['rejected'], false],
  ['no outcome', [DROPPED], undefined, false],
  ['an equal outcome of two paths', [DROPPED, DROPPED], ['dropped'], true],
  ['only one of two outcomes', [DROPPED, delivered('10.0.0.1', true)], ['dropped'], false],
  ['equal outcomes in another order', [DROPPED, delivered('10.0.0.1', true)], ['10.0.0.1:80* 1/2', 'dropped'], true],
  [
    'an outcome with other masquerading',
    [DROPPED, delivered('10.0.0.1', false)],
    ['10.0.0.1:80* 1/2', 'dropped'],
    false,
  ],
  ['an equal IPv6 outcome', [delivered('fd00::1', false)], ['[fd00::1]:80 1/2'], true],
])(
  'createLimitationPredicate compares the outcomes of traced paths with the expected texts: %s',
  (_, ends, texts, isSo) => {
    const traced = { ...tracedPacket(planOf([]), packet('10.0.0.9', '10.0.0.1:80'), []), ends }
    const explanation = createLimitationPredicate(() => texts)
    expect([explanation.where?.(traced), explanation.masquerade?.(traced)]).toEqual([isSo, isSo])
  },
)
