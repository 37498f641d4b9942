import { expect, it } from 'vitest'
import { originsOfLines } from '../../../src/dataplane/ipset/origins-of-lines.js'

it('a line of ipset is of its set or entry, and a line that makes neither is of nothing', () => {
  const lines = ['create S hash:ip family inet', 'add S 10.0.0.1', '# ipset', 'flush S']
  expect(originsOfLines(lines, { sets: [] })).toEqual([
    { owner: '', place: 'ipset S' },
    { owner: '', place: 'ipset S 10.0.0.1' },
    { owner: '', place: '' },
    { owner: '', place: '' },
  ])
})
