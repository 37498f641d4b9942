import { expect, it } from 'vitest'
import type { Entry } from '../../../src/dataplane/ipset/ast.js'
import { checkSetSizes } from '../../../src/dataplane/ipset/check-sizes.js'
import { hashSet, portBitmap } from './states.js'

const first: Entry = { kind: 'ip', address: 'fd00::1' }
const second: Entry = { kind: 'ip', address: 'fd00::2' }

it('checkSetSizes reports a set with more entries than its maximum', () => {
  expect(checkSetSizes({ sets: [hashSet('hash:ip', 'IPS', [first, second], { maxelem: 1 })] })).toEqual([
    {
      severity: 'error',
      code: 'structure',
      object: { kind: 'ipset', name: 'IPS' },
      path: 'entries',
      message: '2 entries are more than maxelem 1',
    },
  ])
})

it('checkSetSizes accepts full sets, and counts an entry only once if it has several notations', () => {
  const again: Entry = { kind: 'ip', address: 'fd00:0::1' }
  const sets = [hashSet('hash:ip', 'IPS', [first, again], { family: 'inet6', maxelem: 1 }), portBitmap('PORTS', [1, 2])]
  expect(checkSetSizes({ sets })).toEqual([])
})
