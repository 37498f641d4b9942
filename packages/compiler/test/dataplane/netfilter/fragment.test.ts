import { expect, it } from 'vitest'
import { knownIn } from '../../../src/dataplane/netfilter/fragment.js'

it('everything is known of what is no fragment', () => {
  const known = knownIn(undefined)
  expect([known.isWhole('iptables'), known.showsAll('nat/KUBE-SERVICES')]).toEqual([true, true])
})

it('of a fragment what it names is known, and all of what that is in', () => {
  const known = knownIn({ whole: ['nat', 'filter/INPUT'], shownInPart: ['filter/INPUT'] })
  expect([known.isWhole('iptables', 'nat', 'nat/KUBE-SERVICES'), known.isWhole('iptables', 'filter')]).toEqual([
    true,
    false,
  ])
  expect([known.showsAll('nat/KUBE-SERVICES'), known.showsAll('filter/INPUT')]).toEqual([true, false])
})
