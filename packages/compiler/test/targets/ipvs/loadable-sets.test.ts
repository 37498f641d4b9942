import { expect, it } from 'vitest'
import { loadableSets } from '../../../src/targets/ipvs/loadable-sets.js'
import { cidr } from '../../support/decisions.js'
import { filledSets, lowered } from '../../support/ipvs-states.js'
import { servicePort } from '../../support/model-builder.js'

it('lack networks that the kernel cannot hold, and nothing else', () => {
  const sourceRanges = [cidr('0.0.0.0/0'), cidr('10.0.0.0/8'), cidr('203.0.113.0/30')]
  const state = lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges })])
  const ipsets = loadableSets(state.ipsets)
  expect(filledSets({ ...state, ipsets })).toEqual({
    ...filledSets(state),
    'KUBE-LOAD-BALANCER-SOURCE-CIDR': ['1.2.3.4,tcp:80,10.0.0.0/8', '1.2.3.4,tcp:80,203.0.113.0/30'],
  })
})

it('are the same sets where there is no such network', () => {
  const { ipsets } = lowered([servicePort()])
  expect(loadableSets(ipsets).sets.every((set, index) => set === ipsets.sets[index])).toBe(true)
})
