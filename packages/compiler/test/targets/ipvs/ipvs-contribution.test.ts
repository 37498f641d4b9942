import { expect, it } from 'vitest'
import { formatEntry } from '../../../src/dataplane/ipset/entries.js'
import { getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'
import { cidr } from '../../support/decisions.js'
import { partsOf } from '../../support/ipvs-state-pairs.js'
import { filledSets, lowered } from '../../support/ipvs-states.js'
import { servicePort } from '../../support/model-builder.js'

it('createIpvsContribution omits entries that the kernel would reject, and returns them as rejected', () => {
  const sourceRanges = [cidr('0.0.0.0/0'), cidr('10.0.0.0/8'), cidr('203.0.113.0/30')]
  const state = lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges })])
  expect(filledSets(state)).toMatchObject({
    'KUBE-LOAD-BALANCER-SOURCE-CIDR': ['1.2.3.4,tcp:80,10.0.0.0/8', '1.2.3.4,tcp:80,203.0.113.0/30'],
  })
  const [part] = partsOf(state)
  expect(part?.rejectedEntries.map(({ set, entry }) => `${set} ${formatEntry(entry)}`)).toEqual([
    'KUBE-LOAD-BALANCER-SOURCE-CIDR 1.2.3.4,tcp:80,0.0.0.0/0',
  ])
})

it('the rules of a set remain if the kernel rejects all entries of the set', () => {
  const state = lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('0.0.0.0/0')] })])
  expect(filledSets(state)).not.toHaveProperty('KUBE-LOAD-BALANCER-SOURCE-CIDR')
  const rules = state.iptables.tables.flatMap(({ blocks }) => blocks.flatMap(getBlockRules))
  const sets = rules.flatMap(({ matches }) => matches.flatMap((match) => (match.kind === 'set' ? match.name : [])))
  expect(sets).toContain('KUBE-LOAD-BALANCER-SOURCE-CIDR')
})

it('the kernel rejects only entries with a network of length 0', () => {
  const state = lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('10.0.0.0/8')] })])
  expect(partsOf(state).map(({ rejectedEntries }) => rejectedEntries)).toEqual([[]])
})
