import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergeRules } from '../../../../src/dataplane/iptables/pasted/merge-table.js'

const merge = (first: string, other: string): string => mergeRules([...first], [...other], (item) => item).join('')

it('the merger of two selections contains every item once, in the order of each selection', () => {
  const selection = fc.subarray([...'abcdefgh'])
  fc.assert(
    fc.property(selection, selection, (first, other) => {
      const merged = merge(first.join(''), other.join(''))
      const held = (of: readonly string[]) => [...merged].filter((item) => of.includes(item))
      expect([held(first), held(other)]).toEqual([first, other])
      expect([...merged].sort()).toEqual([...new Set([...first, ...other])].sort())
    }),
  )
})
