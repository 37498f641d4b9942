import { expect, it } from 'vitest'
import { HOOK_PRIORITIES, HOOKS } from '../../../src/dataplane/netfilter/hooks.js'

it('HOOK_PRIORITIES lists the hooks of each table in hook order', () => {
  for (const priorities of Object.values(HOOK_PRIORITIES)) {
    const hooks = Object.keys(priorities)
    expect(hooks).toEqual(HOOKS.filter((hook) => hooks.includes(hook)))
  }
})

it('HOOK_PRIORITIES has the priorities of the kernel', () => {
  const { raw, mangle, nat, filter, security } = HOOK_PRIORITIES
  expect([raw.PREROUTING, mangle.PREROUTING, nat.PREROUTING]).toEqual([-300, -150, -100])
  expect(mangle).toEqual({ PREROUTING: -150, INPUT: -150, FORWARD: -150, OUTPUT: -150, POSTROUTING: -150 })
  expect([mangle.FORWARD, filter.FORWARD, security.FORWARD]).toEqual([-150, 0, 50])
  expect([mangle.POSTROUTING, nat.POSTROUTING]).toEqual([-150, 100])
  expect([mangle.INPUT, filter.INPUT, security.INPUT, nat.INPUT]).toEqual([-150, 0, 50, 100])
  expect([raw.OUTPUT, mangle.OUTPUT, nat.OUTPUT, filter.OUTPUT, security.OUTPUT]).toEqual([-300, -150, -100, 0, 50])
})
