import { describe, expect, it } from 'vitest'
import { ipvsTarget } from '../../../src/targets/ipvs/target.js'
import { cidr } from '../../support/decisions.js'
import { lowered } from '../../support/ipvs-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const state = lowered([servicePort({ endpoints: [endpoint()] })])

describe('check', () => {
  it('accepts what lower makes', () => {
    expect(() => ipvsTarget.check(state)).not.toThrow()
  })

  it('accepts an entry that kube-proxy tries to add in vain', () => {
    const port = servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('0.0.0.0/0')] })
    expect(() => ipvsTarget.check(lowered([port]))).not.toThrow()
  })

  it.each([
    [
      'virtual servers',
      {
        ...state,
        virtualServers: {
          virtualServers: [...state.virtualServers.virtualServers, ...state.virtualServers.virtualServers],
        },
      },
    ],
    ['sets', { ...state, ipsets: { sets: [...state.ipsets.sets, ...state.ipsets.sets] } }],
    [
      'rules',
      {
        ...state,
        iptables: {
          ...state.iptables,
          tables: state.iptables.tables.map((table) => ({ ...table, blocks: [...table.blocks, ...table.blocks] })),
        },
      },
    ],
  ])('refuses %s twice', (_, twice) => {
    expect(() => ipvsTarget.check(twice)).toThrow('This is a bug in kube-rules: a state the kernel would refuse')
  })
})

it('counts chains and rules, jumps included', () => {
  // 5 chains in nat and 6 in filter; 3 + 9 rules in nat, 6 + 10 in filter.
  expect(ipvsTarget.count(state)).toEqual({ chains: 11, rules: 28 })
})
