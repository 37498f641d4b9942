import { describe, expect, it } from 'vitest'
import type { EntryWithSet } from '../../../src/dataplane/ipset/ast.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { createLoweringContext } from '../../../src/targets/ipvs/lowering-context.js'
import { assembleIpvsMode, ipvsLowering } from '../../../src/targets/ipvs/mode-lowering.js'
import { ipsetDefinitionOf } from '../../../src/targets/ipvs/sets.js'
import { cidr } from '../../support/decisions.js'
import { partsOf } from '../../support/ipvs-state-pairs.js'
import { ipvsPlanOf, lowered } from '../../support/ipvs-states.js'
import { allParts } from '../../support/lower.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const port = servicePort({ endpoints: [endpoint()] })
const [service] = ipvsPlanOf([port]).services
const part = ipvsLowering.lowerService(
  service as NonNullable<typeof service>,
  createLoweringContext(ipvsPlanOf([port])),
)

describe('countParts', () => {
  it('counts no chains or rules for a service port without source ranges', () => {
    expect(ipvsLowering.countParts([part])).toMatchObject({ chains: 0, rules: 0 })
  })

  it('counts the sets that service ports use, and their entries', () => {
    expect(ipvsLowering.countParts([part, part])).toEqual({
      chains: 0,
      rules: 0,
      portsBySet: { 'KUBE-CLUSTER-IP': 2 },
      entriesBySet: { 'KUBE-CLUSTER-IP': 2, 'KUBE-IPVS-IPS': 2 },
    })
  })
})

describe('assembleIpvsMode with an earlier state', () => {
  it('uses the new masquerade mark instead of the earlier one', () => {
    const parts = allParts(ipvsLowering, [part])
    const frameOf = (masqueradeMark: number) => ipvsPlanOf([port], { settings: { masqueradeMark } })
    const before = assembleIpvsMode(parts, frameOf(0x4000))
    const earlier = {
      state: before.state,
      header: frameOf(0x4000),
      parts: parts.list(),
      counts: parts.counts,
      replacements: [],
    }
    expect(assembleIpvsMode(parts, frameOf(0x10), earlier).state).toEqual(assembleIpvsMode(parts, frameOf(0x10)).state)
    expect(assembleIpvsMode(parts, frameOf(0x4000), earlier).state.iptables.tables).toEqual(
      before.state.iptables.tables,
    )
  })
})

describe('assembleIpvsMode', () => {
  const assemble = (servicePorts: readonly ServicePort[]) => {
    const parts = partsOf(lowered(servicePorts))
    return assembleIpvsMode(allParts(ipvsLowering, parts), ipvsPlanOf(servicePorts))
  }

  it('counts chains and rules, including jumps', () => {
    // 5 chains in nat and 6 in filter; 3 + 9 rules in nat, 6 + 10 in filter.
    expect(assemble([port]).counts).toEqual({ chains: 11, rules: 28 })
    expect(assemble([port]).diagnostics).toEqual([])
  })

  it('does not report an entry that kube-proxy fails to add', () => {
    const guarded = servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('0.0.0.0/0')] })
    expect(assemble([guarded]).diagnostics).toEqual([])
  })

  it('reports a set with more distinct entries than its maximum', () => {
    const assembleEntries = (entries: readonly EntryWithSet[]) => {
      const parts = [{ ...part, entries }]
      return assembleIpvsMode(allParts(ipvsLowering, parts), ipvsPlanOf([port]))
    }
    const entries = Array.from({ length: 65_537 }, (_, index): EntryWithSet => {
      const address = `172.${16 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`
      return {
        set: ipsetDefinitionOf('KUBE-CLUSTER-IP', 'IPv4'),
        entry: { kind: 'ip,port', address, protocol: 'tcp', port: 80 },
      }
    })
    const most = entries.slice(1)
    expect(assembleEntries([...most, ...most.slice(0, 9)]).diagnostics).toEqual([])
    const { diagnostics } = assembleEntries(entries)
    expect(diagnostics.map(({ severity, code, object, path }) => `${severity} ${code} ${object.name} ${path}`)).toEqual(
      ['error structure KUBE-CLUSTER-IP entries'],
    )
  })
})
