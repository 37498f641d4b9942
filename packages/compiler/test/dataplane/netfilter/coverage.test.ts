import { expect, it } from 'vitest'
import { createCoverageQueries } from '../../../src/dataplane/netfilter/coverage.js'

it('a dump is complete and untruncated in every part if coverage is not specified', () => {
  const known = createCoverageQueries(undefined)
  expect([known.isComplete('iptables'), known.isUntruncated('nat/KUBE-SERVICES')]).toEqual([true, true])
})

it('a partial dump is complete in the parts that its coverage names, and in their contents', () => {
  const known = createCoverageQueries({ complete: ['nat', 'filter/INPUT'], truncated: ['filter/INPUT'] })
  expect([known.isComplete('iptables', 'nat', 'nat/KUBE-SERVICES'), known.isComplete('iptables', 'filter')]).toEqual([
    true,
    false,
  ])
  expect([known.isUntruncated('nat/KUBE-SERVICES'), known.isUntruncated('filter/INPUT')]).toEqual([true, false])
})
