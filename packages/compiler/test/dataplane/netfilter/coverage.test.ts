import { expect, it } from 'vitest'
import { createCoverageQueries } from '../../../src/dataplane/netfilter/coverage.js'

it('a complete dump has no unknown parts', () => {
  const known = createCoverageQueries(undefined)
  expect([known.isComplete('iptables'), known.isUntruncated('nat/KUBE-SERVICES')]).toEqual([true, true])
})

it('a partial dump has the named parts, and everything they contain', () => {
  const known = createCoverageQueries({ complete: ['nat', 'filter/INPUT'], truncated: ['filter/INPUT'] })
  expect([known.isComplete('iptables', 'nat', 'nat/KUBE-SERVICES'), known.isComplete('iptables', 'filter')]).toEqual([
    true,
    false,
  ])
  expect([known.isUntruncated('nat/KUBE-SERVICES'), known.isUntruncated('filter/INPUT')]).toEqual([true, false])
})
