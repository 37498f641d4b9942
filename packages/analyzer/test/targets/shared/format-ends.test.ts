import { expect, it } from 'vitest'
import { packet, planOf } from '../../../../compiler/test/support/decisions.js'
import { tracedPacket } from '../../../../compiler/test/support/traced.js'
import { createLimitationPredicate } from '../../../src/targets/shared/format-ends.js'

const delivered = (address: string, masqueraded: boolean) =>
  ({ outcome: { kind: 'delivered', address, port: 80, masqueraded }, weight: '1/2' }) as const
const DROPPED = { outcome: { kind: 'dropped' }, weight: '1/2' } as const

it.each([
  ['the same', [DROPPED], ['dropped'], true],
  ['something else', [DROPPED], ['rejected'], false],
  ['nothing', [DROPPED], undefined, false],
  ['the same, once', [DROPPED, DROPPED], ['dropped'], true],
  ['less', [DROPPED, delivered('10.0.0.1', true)], ['dropped'], false],
  ['the same, sorted', [DROPPED, delivered('10.0.0.1', true)], ['10.0.0.1:80* 1/2', 'dropped'], true],
  ['another masquerading', [DROPPED, delivered('10.0.0.1', false)], ['10.0.0.1:80* 1/2', 'dropped'], false],
  ['an address of IPv6', [delivered('fd00::1', false)], ['[fd00::1]:80 1/2'], true],
])('an explanation with %s', (_, ends, texts, isSo) => {
  const traced = { ...tracedPacket(planOf([]), packet('10.0.0.9', '10.0.0.1:80'), []), ends }
  const explanation = createLimitationPredicate(() => texts)
  expect([explanation.where?.(traced), explanation.masquerade?.(traced)]).toEqual([isSo, isSo])
})
