import { expect, it } from 'vitest'
import { originsOfLines } from '../../../src/dataplane/ipset/origins-of-lines.js'

it('an ipset line has the owner of its set or entry, and any other line has no owner', () => {
  const lines = ['create S hash:ip family inet', 'add S 10.0.0.1', '# ipset', 'flush S']
  expect(originsOfLines(lines, { sets: [] })).toEqual([
    { owner: '', location: 'ipset S' },
    { owner: '', location: 'ipset S 10.0.0.1' },
    { owner: '', location: '' },
    { owner: '', location: '' },
  ])
})
