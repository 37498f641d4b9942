import { expect, it } from 'vitest'
import { knownIn } from '../../../src/dataplane/netfilter/fragment.js'

it('a complete dump has no unknown parts', () => {
  const known = knownIn(undefined)
  expect([known.isWhole('iptables'), known.showsAll('nat/KUBE-SERVICES')]).toEqual([true, true])
})

it('a partial dump has the named parts, and everything they contain', () => {
  const known = knownIn({ whole: ['nat', 'filter/INPUT'], shownInPart: ['filter/INPUT'] })
  expect([known.isWhole('iptables', 'nat', 'nat/KUBE-SERVICES'), known.isWhole('iptables', 'filter')]).toEqual([
    true,
    false,
  ])
  expect([known.showsAll('nat/KUBE-SERVICES'), known.showsAll('filter/INPUT')]).toEqual([true, false])
})
