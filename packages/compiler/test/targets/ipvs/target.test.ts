import { describe, expect, it } from 'vitest'
import type { IpSet } from '../../../src/dataplane/ipset/ast.js'
import { lowering } from '../../../src/targets/ipvs/lowering.js'
import { ipvsTarget } from '../../../src/targets/ipvs/target.js'
import { cidr, planOf } from '../../support/decisions.js'
import { lowered } from '../../support/ipvs-states.js'
import { endpoint, servicePort, settings } from '../../support/model-builder.js'

const port = servicePort({ endpoints: [endpoint()] })

describe('inspectPart', () => {
  const [service] = planOf([port]).services
  const part = ipvsTarget.lowerService(
    service as NonNullable<typeof service>,
    lowering(planOf([port]), settings({ mode: 'ipvs' })),
  )

  it('accepts what lowerService makes, which has no rules of its own without source ranges', () => {
    expect(ipvsTarget.inspectPart(part)).toEqual({ chains: 0, rules: 0 })
  })

  it('takes a virtual server that ipvsadm would refuse for a bug', () => {
    const virtualServers = part.virtualServers.map((server) => ({ ...server, port: 70000 }))
    expect(virtualServers).toHaveLength(1)
    expect(() => ipvsTarget.inspectPart({ ...part, virtualServers })).toThrow('This is a bug in kube-rules')
  })
})

describe('inspectState', () => {
  it('counts chains and rules, jumps included', () => {
    // 5 chains in nat and 6 in filter; 3 + 9 rules in nat, 6 + 10 in filter.
    expect(ipvsTarget.inspectState(lowered([port]))).toEqual({ counts: { chains: 11, rules: 28 }, diagnostics: [] })
  })

  it('accepts an entry that kube-proxy tries to add in vain', () => {
    const guarded = servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('0.0.0.0/0')] })
    expect(ipvsTarget.inspectState(lowered([guarded])).diagnostics).toEqual([])
  })

  it('reports a set that cannot take all its entries', () => {
    const state = lowered([port])
    const full = (set: IpSet): IpSet =>
      set.name === 'KUBE-CLUSTER-IP' && 'maxelem' in set ? { ...set, maxelem: 0.5 } : set
    const { diagnostics } = ipvsTarget.inspectState({ ...state, ipsets: { sets: state.ipsets.sets.map(full) } })
    expect(diagnostics.map(({ severity, code, object, path }) => `${severity} ${code} ${object.name} ${path}`)).toEqual(
      ['error structure KUBE-CLUSTER-IP maxelem', 'error structure KUBE-CLUSTER-IP entries'],
    )
  })
})
