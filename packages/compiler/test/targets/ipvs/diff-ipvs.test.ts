import { describe, expect, it } from 'vitest'
import { idOf } from '../../../src/diff/patch.js'
import { diffIpvs } from '../../../src/targets/ipvs/diff-ipvs.js'
import { resourcesOf, stateAfter } from '../../support/ipvs-state-pairs.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const plain = servicePort({ endpoints: [endpoint()] })
const external = servicePort({ endpoints: [endpoint()], externalIPs: ['192.168.0.2'] })

describe('diffIpvs', () => {
  it('has an id for each thing that no other language uses', () => {
    const ids = diffIpvs(undefined, stateAfter(undefined, [plain])).changes.map(idOf)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        'ipset KUBE-CLUSTER-IP',
        'ipset KUBE-CLUSTER-IP 172.30.0.41,tcp:80',
        'ipset KUBE-IPVS-IPS 172.30.0.41',
        'ipvs TCP 172.30.0.41:80',
        'ipvs TCP 172.30.0.41:80 10.180.0.1:80',
        'device kube-ipvs0',
        'address 172.30.0.41',
        'nat/KUBE-SERVICES',
        'filter/INPUT',
      ]),
    )
  })

  it('lets rules refer to the sets they match, so that sets come before them and go after them', () => {
    const before = stateAfter(undefined, [plain])
    const after = stateAfter(before, [external])
    expect(resourcesOf(before).get('filter/KUBE-IPVS-FILTER')?.refs).toEqual([
      'ipset KUBE-CLUSTER-IP',
      'ipset KUBE-EXTERNAL-IP',
      'ipset KUBE-EXTERNAL-IP-LOCAL',
      'ipset KUBE-HEALTH-CHECK-NODE-PORT',
      'ipset KUBE-IPVS-IPS',
      'ipset KUBE-LOAD-BALANCER',
    ])
    const edit = diffIpvs(before, after).changes.find((change) => idOf(change) === 'nat/KUBE-SERVICES')
    expect(edit).toMatchObject({
      kind: 'edit',
      refsRemoved: [],
      refsAdded: ['ipset KUBE-EXTERNAL-IP', 'ipset KUBE-EXTERNAL-IP', 'ipset KUBE-EXTERNAL-IP', 'nat/KUBE-MARK-MASQ'],
    })
    const ids = diffIpvs(undefined, after).changes.map(idOf)
    expect(ids.indexOf('ipset KUBE-EXTERNAL-IP')).toBeLessThan(ids.indexOf('nat/KUBE-SERVICES'))
  })

  it('starts from a state again that another diff has started from', () => {
    const start = stateAfter(undefined, [plain])
    const first = diffIpvs(start, stateAfter(start, [external]))
    expect(diffIpvs(start, stateAfter(start, [external]))).toEqual(first)
    expect(diffIpvs(start, undefined).changes).toHaveLength(resourcesOf(start).size)
  })
})
