import { expect, it } from 'vitest'
import { findLineOrigins } from '../../../src/dataplane/ipset/find-line-origins.js'

it('an ipset line has the owner of its set or entry, and any other line has no owner', () => {
  const lines = ['create S hash:ip family inet', 'add S 10.0.0.1', '# ipset', 'flush S']
  expect(findLineOrigins(lines, { sets: [] })).toEqual([
    { owner: '', location: 'ipset S' },
    { owner: '', location: 'ipset S 10.0.0.1' },
    { owner: '', location: '' },
    { owner: '', location: '' },
  ])
})
